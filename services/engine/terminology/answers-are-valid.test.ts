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

const definitions = [...DEFINITIONS, ...MATCHING_DEFINITIONS].map((resource) => ({ name: 'tx-resource', resource }));

/** The answer to the call, and the texts of the errors and warnings that $validate finds in it. */
async function checkedAnswer(address: string, asked: readonly object[]) {
  const parameters = { resourceType: 'Parameters', parameter: [...asked, ...definitions] };
  const answered = await call('planner', 'POST', `/${address}`, parameters);
  assert.ok(answered.status < 500, answered.text);
  // Parameters and OperationOutcomes are not stored, and so have no address of their own.
  const entry = [{ fullUrl: 'urn:uuid:0190a5f4-0000-7000-8000-000000000001', resource: answered.body }];
  const checked = await call('planner', 'POST', '/Bundle/$validate', {
    resourceType: 'Bundle',
    type: 'collection',
    entry,
  });
  assert.equal(checked.status, 200, checked.text);
  type Issue = { readonly severity: string; readonly details: { readonly text: string } };
  const issues: readonly Issue[] = checked.body.issue;
  const textsOf = (...severities: string[]) =>
    issues.filter(({ severity }) => severities.includes(severity)).map(({ details }) => details.text);
  return { answered, wrong: textsOf('fatal', 'error'), warned: textsOf('warning') };
}

test('every answer is valid FHIR', async () => {
  for (const [address, asked] of calls) {
    const { answered, wrong } = await checkedAnswer(address, asked);
    assert.deepEqual(wrong, [], `${address} ${JSON.stringify(asked)}: ${answered.text}`);
  }
});

test('an extension of a listed code is repeated as HL7’s cases repeat it; $validate only warns of its place', async () => {
  const { answered, wrong, warned } = await checkedAnswer('ValueSet/$expand', [
    { name: 'url', valueUri: 'http://x.org/vs/marked' },
  ]);
  const [{ extension }] = answered.body.expansion.contains;
  assert.deepEqual(extension, [
    { url: 'http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status', valueCode: 'deprecated' },
  ]);
  assert.deepEqual(wrong, []);
  assert.ok(
    warned.some((text) => /contains\[0\]\.extension\[0\] is an extension that may be used in .* only/.test(text)),
  );
});
