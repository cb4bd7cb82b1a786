// Search parameters of users, black-box and on two nodes (decision E2, docs/reference/engine/search-parameters.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EngineResponse, PATIENT, startTwoEngines, type TestEngine } from '#test/support/engine/engine.ts';
import { promptly } from '#test/support/http.ts';

const { one, two } = await startTwoEngines({ after });

before(async () => {
  await one.engine.start();
  await two.engine.start();
});

const NICKNAME = {
  resourceType: 'SearchParameter',
  url: 'http://example.org/fhir/SearchParameter/nickname',
  name: 'Nickname',
  status: 'active',
  description: 'The name by which a patient is called',
  code: 'nickname',
  base: ['Patient'],
  type: 'string',
  expression: "Patient.name.where(use = 'nickname').given",
  processingMode: 'normal',
};
const patient = (id: string, nickname: string) => ({
  resourceType: 'Patient',
  id,
  name: [{ use: 'nickname', given: [nickname] }],
});

async function strictly({ app }: TestEngine, query: string): Promise<EngineResponse> {
  const answer = await app.inject({
    url: `/api/v1/Patient?${query}`,
    headers: { authorization: 'Bearer planner', prefer: 'handling=strict' },
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload, body: answer.json() };
}

async function declared({ call }: TestEngine): Promise<unknown> {
  const { body } = await call(undefined, 'GET', '/metadata');
  const type = body.rest[0].resource.find((each: { type: string }) => each.type === 'Patient');
  return type.searchParam.find((each: { name: string }) => each.name === 'nickname');
}

/** Waits until it holds on both nodes; the limit is what is promised, and the job's own time. */
async function soon(holds: (node: TestEngine) => Promise<boolean>): Promise<void> {
  for (const node of [one, two]) {
    await promptly('it held on the node', async () => ((await holds(node)) ? true : undefined), 8_000);
  }
}

const statusOf = async (id: string, node = one) =>
  (await node.call('planner', 'GET', `/SearchParameter/${id}/$status`)).body;

test('defined, indexed, searched on every node, declared, changed and taken back, without restart', async () => {
  assert.equal((await one.call('planner', 'PUT', `/Patient/${PATIENT}`, patient(PATIENT, 'Lasse'))).status, 201);
  assert.equal((await strictly(one, 'nickname=lasse')).status, 400);
  const made = await one.call('planner', 'POST', '/SearchParameter', NICKNAME);
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  await soon(async (node) => (await strictly(node, 'nickname=lasse')).status === 200);
  for (const node of [one, two]) {
    const found = await strictly(node, 'nickname=lasse');
    assert.deepEqual(
      found.body.entry.map((entry: { resource: { id: string } }) => entry.resource.id),
      [PATIENT],
    );
    assert.deepEqual(await declared(node), { name: 'nickname', type: 'string', definition: NICKNAME.url });
  }
  assert.deepEqual(await statusOf(id, two), {
    resourceType: 'Parameters',
    parameter: [
      { name: 'status', valueCode: 'searchable' },
      {
        name: 'base',
        part: [
          { name: 'type', valueCode: 'Patient' },
          { name: 'status', valueCode: 'searchable' },
          { name: 'done', valueInteger: 1 },
          { name: 'total', valueInteger: 1 },
        ],
      },
    ],
  });
  const retired = await one.call('planner', 'PUT', `/SearchParameter/${id}`, { ...NICKNAME, id, status: 'retired' });
  assert.equal(retired.status, 200, retired.text);
  await soon(async (node) => (await strictly(node, 'nickname=lasse')).status === 400);
  assert.deepEqual([await declared(one), await declared(two)], [undefined, undefined]);
  assert.deepEqual(await statusOf(id), {
    resourceType: 'Parameters',
    parameter: [{ name: 'status', valueCode: 'not-used' }],
  });
});

test('one that cannot be used is refused with 422, the place and the reason; $validate says the same', async () => {
  const wrong = { ...NICKNAME, expression: 'Patient.name.given.upper()', code: 'gender' };
  const refused = await one.call('planner', 'POST', '/SearchParameter', wrong);
  assert.equal(refused.status, 422);
  assert.deepEqual(
    refused.body.issue.map((issue: { expression: string[]; details: { text: string } }) => [
      issue.expression,
      issue.details.text,
    ]),
    [[['SearchParameter.code'], 'gender is an official search parameter of Patient: choose another code']],
  );
  const validated = await one.call('planner', 'POST', '/SearchParameter/$validate', { ...wrong, code: 'upper' });
  assert.match(JSON.stringify(validated.body), /Unsupported function upper/);
  const entry = (name: string) => ({
    resource: { ...NICKNAME, code: 'twice', url: `http://example.org/${name}` },
    request: { method: 'POST', url: 'SearchParameter' },
  });
  const bundle = { resourceType: 'Bundle', type: 'transaction', entry: [entry('a'), entry('b')] };
  const twice = await one.call('planner', 'POST', '', bundle);
  assert.equal(twice.status, 422, twice.text);
  assert.match(twice.text, /defines twice of Patient already/);
  const none = await one.call('planner', 'GET', '/SearchParameter?url=http://example.org/a');
  assert.equal(none.body.total, 0);
});

test('the status of one that is not there is 404, and is for those who may read definitions', async () => {
  assert.equal((await one.call('planner', 'GET', '/SearchParameter/nowhere/$status')).status, 404);
  assert.equal((await one.call(undefined, 'GET', '/SearchParameter/nowhere/$status')).status, 401);
});
