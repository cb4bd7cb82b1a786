// The publication of plans, black-box (decision E7): valid, self-contained, versioned, and never changed afterwards.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { BASE_URL, startTestEngine } from '#test/support/engine/engine.ts';
import { makeLibrary } from '#test/support/engine/engine-library.ts';

const engine = await startTestEngine({ after });
const { call, database } = engine;
const library = await makeLibrary(engine);
const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';
const plan = { title: 'Heart failure', activities: [library.weighing, library.question], goals: [library.goal] };

async function storedPlan(id: string) {
  const { rows } = await database.query<{ content: string }>('SELECT content FROM fhir_resource WHERE rid = $1', [id]);
  return readResourceText(rows[0]?.content ?? '').resource;
}

test('a published plan is a valid PlanDefinition that needs nothing else', async () => {
  const made = await call('planner', 'POST', '/plan-definitions', plan);
  assert.equal(made.status, 201, made.text);
  const { plan_definition_id: id, url, version } = made.body;
  assert.equal(made.headers['location'], `/api/v1/PlanDefinition/${id}`);
  assert.deepEqual([url, version, made.body.status], [`${BASE_URL}/PlanDefinition/${id}`, '1', 'active']);
  const stored = await storedPlan(id);
  assert.deepEqual(validateResource(stored, { resourceType: 'PlanDefinition' }), []);
  assert.deepEqual([stored['url'], stored['version'], stored['title']], [url, '1', 'Heart failure']);
  const contained = stored['contained'] as { id: string }[];
  assert.deepEqual(
    contained.map((resource) => resource.id),
    ['activity-1', 'transaction-1', 'activity-2', 'transaction-2', 'transaction-3', 'values-1'],
  );
  const actions = stored['action'] as { definitionCanonical: string; goalId?: string[] }[];
  assert.deepEqual(
    actions.map((action) => [action.definitionCanonical, action.goalId]),
    [
      ['#activity-1', ['goal-1']],
      ['#activity-2', undefined],
    ],
  );
  const [goal] = stored['goal'] as { target: object[] }[];
  assert.deepEqual(goal?.target[0], {
    measure: {
      coding: [{ system: 'https://example.org/codes', version: '1', code: 'weight', display: 'Body weight' }],
      text: 'Body weight',
    },
    detailQuantity: {
      comparator: '<=',
      value: 80.5,
      unit: 'kilogram',
      system: 'http://unitsofmeasure.org',
      code: 'kg',
    },
    due: { value: 12, unit: 'wk', system: 'http://unitsofmeasure.org', code: 'wk' },
  });
});

test('the same url again is a new version; published versions do not change', async () => {
  const url = 'https://example.org/plans/copd';
  const first = await call('planner', 'POST', '/plan-definitions', { ...plan, url });
  const before = await storedPlan(first.body.plan_definition_id);
  await call('planner', 'PUT', `/activities/${library.question}`, { name: 'Renamed', concept: library.breath });
  const answers = await Promise.all(
    [1, 2, 3].map(() => call('planner', 'POST', '/plan-definitions', { ...plan, url })),
  );
  assert.deepEqual(answers.map(({ body }) => body.version).sort(), ['2', '3', '4']);
  assert.equal(new Set(answers.map(({ body }) => body.plan_definition_id)).size, 3);
  assert.deepEqual(await storedPlan(first.body.plan_definition_id), before);
  const after = await storedPlan(answers[0]?.body.plan_definition_id);
  assert.match(JSON.stringify(after), /Renamed/);
});

test('errors of a publication, and nothing is stored', async () => {
  const count = async () => (await database.query('SELECT FROM fhir_resource')).rowCount;
  const before = await count();
  const unknown = await call('planner', 'POST', '/plan-definitions', {
    title: 'T',
    activities: [UNKNOWN],
    goals: [UNKNOWN],
  });
  assert.deepEqual(unknown.body.messages, [
    `'activities[0]': there is no activity ${UNKNOWN}`,
    `'goals[0]': there is no goal ${UNKNOWN}`,
  ]);
  const none = await call('planner', 'POST', '/plan-definitions', { title: 'T', activities: [] });
  assert.equal(none.status, 400);
  const twice = { title: 'T', activities: [library.weighing, library.weighing] };
  assert.equal((await call('planner', 'POST', '/plan-definitions', twice)).status, 400);
  await call('planner', 'PUT', `/activities/${library.weighing}`, {
    name: 'Weighing',
    concept: library.weight,
    status: 'draft',
  });
  const draft = await call('planner', 'POST', '/plan-definitions', plan);
  assert.deepEqual([draft.status, draft.body.error], [422, 'unprocessable']);
  assert.match(draft.body.message, /'Weighing' is draft/);
  for (const caller of ['idle', 'patient', 'service']) {
    assert.equal((await call(caller, 'POST', '/plan-definitions', plan)).status, 403);
  }
  assert.equal((await call(undefined, 'POST', '/plan-definitions', plan)).status, 401);
  assert.equal(await count(), before);
});
