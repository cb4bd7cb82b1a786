// Parameters that an operation does not take: refused, or named in the answer (`Prefer: handling=lenient`).
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { app, call } = await startTestEngine({ after });

const GENDER = 'http://hl7.org/fhir/administrative-gender';
const EXPAND = '/ValueSet/administrative-gender/$expand';

describe('a name that is not known is refused, with the one that is meant', () => {
  const rows: readonly (readonly [address: string, message: RegExp])[] = [
    [`${EXPAND}?counts=2`, /counts is no parameter of \$expand: is count meant\?/],
    [`${EXPAND}?activeonly=true`, /is activeOnly meant\?/],
    [`${EXPAND}?display-language=sv`, /is displayLanguage meant\?/],
    [`${EXPAND}?filtr=x`, /is filter meant\?/],
    [`${EXPAND}?colour=red`, /colour is no parameter of \$expand"/],
    [`/CodeSystem/$lookup?system=${GENDER}&code=male&inferSystem=true`, /inferSystem is no parameter of \$lookup"/],
    [`/ConceptMap/$translate?system=${GENDER}&sourceCode=male&target=x`, /target is no parameter of \$translate"/],
    [`/CodeSystem/$subsumes?system=${GENDER}&codeA=male&codeB=male&filter=x`, /filter is no parameter of \$subsumes"/],
  ];
  for (const [address, message] of rows) {
    test(address, async () => {
      const { status, text, body } = await call('planner', 'GET', address);
      assert.equal(status, 400, text);
      assert.match(text, message);
      assert.deepEqual(body.issue.length, 1);
    });
  }
});

test('each unknown name is an issue, beside the other errors', async () => {
  const { status, body } = await call('planner', 'GET', `${EXPAND}?count=x&a=1&b=2`);
  assert.equal(status, 400);
  assert.deepEqual(body.issue.map((each: { expression: string[] }) => each.expression[0]).sort(), ['a', 'b', 'count']);
});

test('lenient handling ignores it, and says so', async () => {
  const lenient = async (path: string) => {
    const headers = { authorization: 'Bearer planner', prefer: 'handling=lenient' };
    const answer = await app.inject({ url: `/api/v1${path}`, headers });
    assert.equal(answer.statusCode, 200, answer.payload);
    return answer.json();
  };
  const ignored = { name: 'ignored-parameter', valueString: 'colour' };
  const expanded = await lenient(`${EXPAND}?colour=red`);
  assert.deepEqual(expanded.expansion.parameter.at(-1), ignored);
  const found = await lenient(`/CodeSystem/$lookup?system=${GENDER}&code=male&colour=red`);
  assert.deepEqual(found.parameter.at(-1), ignored);
});

test('lenient handling of $closure says so in the description of its map', async () => {
  const payload = {
    resourceType: 'Parameters',
    parameter: [
      { name: 'name', valueString: 'lenient' },
      { name: 'colour', valueString: 'red' },
    ],
  };
  const ask = (headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/$closure',
      headers: { authorization: 'Bearer planner', ...headers },
      payload,
    });
  assert.equal((await ask({})).statusCode, 400);
  const answer = await ask({ prefer: 'handling=lenient' });
  assert.equal(answer.statusCode, 200, answer.payload);
  assert.equal(answer.json().description, 'Ignored parameters: colour');
});

test('lenient handling names what may be the misspelt name of a parameter that is missing', async () => {
  const headers = { authorization: 'Bearer planner', prefer: 'handling=lenient' };
  const answer = await app.inject({ url: `/api/v1/CodeSystem/$lookup?systm=${GENDER}&code=male`, headers });
  assert.equal(answer.statusCode, 400);
  assert.match(answer.payload, /systm is no parameter of \$lookup: is system meant\?/);
});

test('an error that names a parameter writes it as it is', async () => {
  const { status, body } = await call('planner', 'GET', '/ValueSet/administrative-gender/$related');
  assert.equal(status, 400);
  assert.match(body.issue[0].details.text, /^otherUrl or otherValueSet must say/);
});

test('what clients of terminology servers send beside, and names of their own, are taken', async () => {
  const query = 'cache-id=1&x-mine=1&_format=json&profile-url=http://x.org/p';
  const { status, text } = await call('planner', 'GET', `${EXPAND}?${query}`);
  assert.equal(status, 200, text);
  assert.doesNotMatch(text, /ignored-parameter/);
});
