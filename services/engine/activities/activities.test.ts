// Activities, transactions and goals, black-box (contract: engine, "Activities and goals"; decision E7).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { LIBRARY_URL, makeLibrary } from '#test/support/engine/engine-library.ts';

const engine = await startTestEngine({ after });
const { call } = engine;
const library = await makeLibrary(engine);
const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';

test('an activity holds its transactions in their order', async () => {
  const made = await call('planner', 'POST', '/activities', { name: 'Walk', concept: library.weight });
  assert.equal(made.status, 201, made.text);
  const path = `/activities/${made.body.activity_guid}`;
  assert.deepEqual([made.body.status, made.body.transactions], ['active', []]);
  const add = async (body: object) =>
    call('planner', 'POST', `${path}/transactions`, { concept: library.weight, ...body });
  const [b, c] = [await add({ name: 'b' }), await add({ name: 'c', required: true })];
  assert.deepEqual([b.status, b.body.position, c.body.position], [201, 1, 2]);
  await add({ name: 'a', position: 1 });
  const names = async () =>
    (await call('idle', 'GET', path)).body.transactions.map((transaction: { name: string }) => transaction.name);
  assert.deepEqual(await names(), ['b', 'a', 'c']);
  const moved = await call('planner', 'PUT', `/transactions/${b.body.transaction_guid}`, {
    name: 'B',
    concept: library.weight,
    position: 9,
  });
  assert.deepEqual([moved.status, moved.body.position, moved.body.activity_guid], [200, 9, made.body.activity_guid]);
  assert.deepEqual(await names(), ['a', 'c', 'B']);
  assert.equal((await call('planner', 'DELETE', `/transactions/${b.body.transaction_guid}`)).status, 204);
  assert.equal((await call('planner', 'DELETE', `/transactions/${b.body.transaction_guid}`)).status, 404);
  const put = await call('planner', 'PUT', path, { name: 'Walk', concept: library.weight, status: 'retired' });
  assert.deepEqual([put.body.status, put.body.transactions.length], ['retired', 2]);
  const found = await call('planner', 'GET', '/activities?status=retired&search=walk');
  assert.deepEqual([found.body.total, found.body.data[0].transactions.length], [1, 2]);
  assert.equal((await call('planner', 'DELETE', path)).status, 204);
  assert.equal((await call('planner', 'GET', path)).status, 404);
});

test('transactions added at once get different positions', async () => {
  const made = await call('planner', 'POST', '/activities', { name: 'Many', concept: library.weight });
  const add = () =>
    call('planner', 'POST', `/activities/${made.body.activity_guid}/transactions`, {
      name: 't',
      concept: library.weight,
    });
  const answers = await Promise.all([1, 2, 3, 4].map(add));
  assert.deepEqual(answers.map(({ body }) => body.position).sort(), [1, 2, 3, 4]);
});

test('errors of activities and transactions', async () => {
  const activity = `/activities/${library.weighing}`;
  const send = async (body: object) => {
    const answer = await call('planner', 'POST', `${activity}/transactions`, {
      name: 't',
      concept: library.weight,
      ...body,
    });
    assert.equal(answer.status, 400, answer.text);
    return answer.body.messages;
  };
  assert.deepEqual(await send({ concept: UNKNOWN, unit: UNKNOWN }), [
    `'concept': there is no concept ${UNKNOWN}`,
    `'unit': there is no unit ${UNKNOWN}`,
  ]);
  assert.deepEqual(await send({ concept: library.breath, unit: library.kilogram }), [
    "'unit': only a Quantity has a unit, and the response type is CodeableConcept",
  ]);
  assert.deepEqual(await send({ timing: { period: 1, when: ['MORN', 'LUNCH'], timeOfDay: ['08:00:00'] } }), [
    "'timing': a period needs a periodUnit",
    "'timing': it has either timeOfDay or when",
    "'timing': 'LUNCH' is no event of FHIR's event-timing",
  ]);
  assert.match((await send({ timing: { periodUnit: 'day' } })).join(), /periodUnit' must be one of/);
  assert.match((await send({ timing: { count: 0 } })).join(), /timing.count/);
  assert.match((await send({ timing: {} })).join(), /at least something/);
  const body = { name: 'X', concept: library.weight };
  assert.equal((await call('planner', 'POST', `/activities/${UNKNOWN}/transactions`, body)).status, 404);
  assert.equal((await call('planner', 'PUT', `/transactions/${UNKNOWN}`, body)).status, 404);
  assert.equal((await call('planner', 'PUT', `/activities/${UNKNOWN}`, body)).status, 404);
  assert.equal((await call('planner', 'POST', '/activities', { ...body, concept: UNKNOWN })).status, 400);
  assert.equal((await call('planner', 'POST', '/activities', { ...body, status: 'new' })).status, 400);
  const used = await call('planner', 'DELETE', activity);
  assert.deepEqual([used.status, used.body.message], [409, "The activity is used by 1 goal ('Stable weight')"]);
});

test('an activity as FHIR is a valid ActivityDefinition with an ObservationDefinition for each transaction', async () => {
  for (const guid of [library.weighing, library.question]) {
    const answer = await call('idle', 'GET', `/activities/${guid}/fhir`);
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers['content-type']), /^application\/fhir\+json/);
    assert.deepEqual(validateResource(answer.body, { resourceType: 'ActivityDefinition' }), []);
  }
  const { body } = await call('idle', 'GET', `/activities/${library.question}/fhir`);
  assert.deepEqual(body.observationResultRequirement, ['#transaction-1', '#transaction-2']);
  assert.deepEqual(body.timingTiming, { repeat: { frequency: 1, period: 1, periodUnit: 'd' } });
  const types = body.contained.map((resource: { resourceType: string }) => resource.resourceType);
  assert.deepEqual(types, ['ObservationDefinition', 'ObservationDefinition', 'ValueSet']);
  assert.deepEqual(body.code.coding[0].system, LIBRARY_URL);
  const missing = await call('idle', 'GET', `/activities/${UNKNOWN}/fhir`);
  assert.deepEqual([missing.status, missing.body.resourceType], [404, 'OperationOutcome']);
});

test('goals: create, read, replace, list, delete', async () => {
  const body = {
    name: 'Pressure',
    concept: library.weight,
    target: { low: 60, high: 80 },
    activities: [library.question, library.weighing],
  };
  const made = await call('planner', 'POST', '/goals', body);
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(made.body.target, { low: 60, high: 80, unit: null, unit_name: null });
  assert.deepEqual([made.body.activities, made.body.due], [body.activities, null]);
  const path = `/goals/${made.body.goal_guid}`;
  const put = await call('planner', 'PUT', path, {
    name: 'P',
    concept: library.weight,
    target: { value: 1.5 },
    due: { value: 2, unit: 'mo' },
  });
  assert.deepEqual(put.body.target, { comparator: '=', value: 1.5, unit: null, unit_name: null });
  assert.deepEqual([put.body.activities, put.body.due], [[], { value: 2, unit: 'mo' }]);
  assert.deepEqual((await call('idle', 'GET', path)).body, put.body);
  const found = await call('idle', 'GET', `/goals?activity=${library.weighing}`);
  assert.deepEqual(
    found.body.data.map((goal: { name: string }) => goal.name),
    ['Stable weight'],
  );
  assert.equal((await call('planner', 'DELETE', path)).status, 204);
  for (const method of ['GET', 'DELETE'] as const) assert.equal((await call('planner', method, path)).status, 404);
});

test('errors of goals', async () => {
  const send = async (target: object) => {
    const answer = await call('planner', 'POST', '/goals', { name: 'G', concept: library.weight, target });
    assert.equal(answer.status, 400, answer.text);
    return answer.body.messages.join();
  };
  assert.match(await send({}), /a value, or low and high/);
  assert.match(await send({ value: 1, low: 1 }), /either a value or low and high/);
  assert.match(await send({ low: 2, high: 1 }), /above high/);
  assert.match(await send({ low: 2, comparator: '<' }), /goes with a value only/);
  assert.match(await send({ value: 1, unit: UNKNOWN }), /'target.unit': there is no unit/);
  const bad = await call('planner', 'POST', '/goals', { name: 'G', concept: library.weight, activities: [UNKNOWN] });
  assert.match(bad.body.messages.join(), /'activities\[0\]': there is no activity/);
  assert.equal((await call('planner', 'PUT', `/goals/${UNKNOWN}`, { name: 'G', concept: library.weight })).status, 404);
});

test('a goal and the deletion of its activity race: never a goal without its activity', async () => {
  for (let round = 0; round < 10; round += 1) {
    const made = await call('planner', 'POST', '/activities', { name: 'Raced', concept: library.weight });
    const guid = made.body.activity_guid;
    const body = { name: 'Raced', concept: library.weight, activities: [guid] };
    const [goal, deletion] = await Promise.all([
      call('planner', 'POST', '/goals', body),
      call('planner', 'DELETE', `/activities/${guid}`),
    ]);
    const outcome = [goal.status, deletion.status].join();
    assert.ok(['201,409', '400,204'].includes(outcome), outcome);
  }
});

test('who may do what with activities, transactions and goals', async () => {
  const reads = [
    '/activities',
    `/activities/${library.weighing}`,
    `/activities/${library.weighing}/fhir`,
    '/goals',
    `/goals/${library.goal}`,
  ];
  for (const path of reads) {
    assert.equal((await call(undefined, 'GET', path)).status, 401, path);
    assert.equal((await call('patient', 'GET', path)).status, 403, path);
    assert.equal((await call('idle', 'GET', path)).status, 200, path);
  }
  const body = { name: 'X', concept: library.weight };
  const writes = [
    ['POST', '/activities'],
    ['PUT', '/activities/x'],
    ['POST', '/activities/x/transactions'],
    ['PUT', '/transactions/x'],
    ['POST', '/goals'],
    ['PUT', '/goals/x'],
  ] as const;
  for (const caller of ['idle', 'patient', 'service']) {
    for (const [method, path] of writes) assert.equal((await call(caller, method, path, body)).status, 403, path);
    for (const path of ['/activities/x', '/transactions/x', '/goals/x']) {
      assert.equal((await call(caller, 'DELETE', path)).status, 403, path);
    }
  }
});
