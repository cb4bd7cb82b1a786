// Invalid value sets and definitions in a request cause an error, and not an empty result (decision E5).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call } = await startTestEngine({ after });
const GENDER = 'http://hl7.org/fhir/administrative-gender';
const isA = [{ property: 'concept', op: 'is-a', value: 'male' }];

function expand(compose: object, ...brought: object[]) {
  const valueSet = { resourceType: 'ValueSet', status: 'active', compose };
  const parameter = [
    ...brought.map((resource) => ({ name: 'tx-resource', resource })),
    { name: 'valueSet', resource: valueSet },
  ];
  return call('planner', 'POST', '/ValueSet/$expand', { resourceType: 'Parameters', parameter });
}

const whole = { include: [{ system: GENDER }] };
const CASES: readonly [compose: object, code: string, message: RegExp][] = [
  [{ include: [{}] }, 'invalid', /must have a system or a value set/],
  [{ include: [{ concept: [{ code: 'male' }] }] }, 'invalid', /must have a system or a value set/],
  [{ ...whole, exclude: [{ filter: isA }] }, 'invalid', /must have a system or a value set/],
  [
    { include: [{ system: GENDER, concept: [{ code: 'male' }], filter: isA }] },
    'invalid',
    /not have both concepts and filters/,
  ],
];

for (const [compose, code, message] of CASES) {
  test(`a value set of ${JSON.stringify(compose)}`, async () => {
    const { status, body, text } = await expand(compose);
    assert.deepEqual([status, body.issue?.[0].code], [422, code], text);
    assert.match(text, message);
  });
}

test('a tx-resource that nothing can name is refused, whatever else is wrong', async () => {
  const unnamed = { resourceType: 'CodeSystem', status: 'active', content: 'complete', concept: [{ code: 'a' }] };
  const nothing = { include: [{ system: 'http://x.org/nothing' }] };
  for (const compose of [whole, nothing]) {
    for (const brought of [unnamed, { ...unnamed, url: 5 }, { resourceType: 'Patient' }]) {
      const { status, body, text } = await expand(compose, brought);
      assert.deepEqual([status, body.issue?.[0].expression], [400, ['tx-resource']], text);
    }
  }
  const named = { ...unnamed, url: 'http://x.org/nothing' };
  assert.equal((await expand(nothing, named)).body.expansion.total, 1);
});
