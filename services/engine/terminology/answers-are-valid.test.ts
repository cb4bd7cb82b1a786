// The engine's own $validate accepts every answer of the terminology operations: of each rule, and of each refusal.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EXPANSIONS } from '#fhir/terminology/testing/expansion-cases.ts';
import {
  findMatches,
  MATCHES,
  MATCHING_DEFINITIONS,
  RELATIONS,
  related,
} from '#fhir/terminology/testing/matching-cases.ts';
import { VALIDATIONS } from '#fhir/terminology/testing/validation-cases.ts';
import { DEFINITIONS } from '#fhir/terminology/testing/vessels.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call } = await startTestEngine({ after });

const RIGS = 'http://x.org/rigs';
const others = [
  ['CodeSystem/$lookup', { name: 'system', valueUri: RIGS }, { name: 'code', valueCode: 'sloop' }],
  [
    'CodeSystem/$lookup',
    { name: 'system', valueUri: RIGS },
    { name: 'code', valueCode: 'sloop' },
    { name: 'useSupplement', valueCanonical: 'http://x.org/rigs-fi' },
  ],
  ['CodeSystem/$lookup', { name: 'system', valueUri: RIGS }, { name: 'code', valueCode: 'none' }],
  [
    'CodeSystem/$subsumes',
    { name: 'system', valueUri: RIGS },
    { name: 'codeA', valueCode: 'fore-and-aft' },
    { name: 'codeB', valueCode: 'sloop' },
  ],
] as const;

const calls: readonly (readonly [address: string, asked: readonly object[]])[] = [
  ...VALIDATIONS.map(({ type = 'ValueSet', asked }) => [`${type}/$validate-code`, asked] as const),
  ...EXPANSIONS.map(({ asked }) => ['ValueSet/$expand', asked] as const),
  ...MATCHES.map((each) => ['CodeSystem/$find-matches', findMatches(each)] as const),
  ...RELATIONS.map(([one, other]) => ['ValueSet/$related', related(one, other)] as const),
  ...others.map(([address, ...asked]) => [address, asked] as const),
];

test('every answer is valid FHIR', async () => {
  const definitions = [...DEFINITIONS, ...MATCHING_DEFINITIONS].map((resource) => ({ name: 'tx-resource', resource }));
  for (const [address, asked] of calls) {
    const parameters = { resourceType: 'Parameters', parameter: [...asked, ...definitions] };
    const answered = await call('planner', 'POST', `/${address}`, parameters);
    assert.ok(answered.status < 500, answered.text);
    // Parameters and OperationOutcomes are not stored, and so have no address of their own.
    const entry = [{ fullUrl: 'urn:uuid:0190a5f4-0000-7000-8000-000000000001', resource: answered.body }];
    const bundle = { resourceType: 'Bundle', type: 'collection', entry };
    const checked = await call('planner', 'POST', '/Bundle/$validate', bundle);
    const wrong = checked.body.issue.filter(({ severity }: { severity: string }) => severity === 'error');
    assert.deepEqual([checked.status, wrong], [200, []], `${address} ${JSON.stringify(asked)}: ${answered.text}`);
  }
});
