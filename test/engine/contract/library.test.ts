// The rows of "Concepts", "Lookup tables", "Activities and goals", and publishing (contract: engine; decisions E6, E7,
// G5).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { INSTANT, startEngineContract, UNKNOWN } from '#test/support/engine/engine-contract.ts';
import { makeLibrary } from '#test/support/engine/engine-library.ts';
import { GUID, type Shape } from '#test/support/shape.ts';
import { fifty } from '#test/support/system/at-once.ts';

const contract = await startEngineContract({ after });
const { ask, expect, refuse, expectPage } = contract;
const library = await makeLibrary(contract);
const as = 'planner';
const TIMES = { created_at: INSTANT, updated_at: INSTANT };
/** Of lookup tables: a canonical library has a `version` of its own. */
const LOOKUP = { revision: Number, ...TIMES };

const LIB: Shape = {
  canonical_lib_guid: GUID,
  name: /./,
  url: /./,
  version: null,
  publisher: null,
  description: null,
  ...LOOKUP,
};
const TYPE: Shape = { concept_type_guid: GUID, name: /./, description: null, ...LOOKUP };
const RESPONSE: Shape = { response_type_guid: GUID, name: /./, fhir_type: /./, description: null, ...LOOKUP };
const UNIT: Shape = { unit_guid: GUID, name: /./, ucum_code: /./, description: null, ...LOOKUP };

/**
 * Each table: what to write, what is answered, what a second entry of the same name is refused for, and what is unfit.
 */
const TABLES: readonly { path: string; key: string; body: object; shape: Shape; unfit: readonly object[] }[] = [
  {
    path: '/canonical-libs',
    key: 'canonical_lib_guid',
    body: { name: 'Own', url: 'urn:own' },
    shape: LIB,
    unfit: [
      {},
      { name: 'x' },
      { name: 'x', url: 'no uri' },
      { name: ' ', url: 'urn:x' },
      { name: 'x', url: 'urn:a|b' },
    ],
  },
  {
    path: '/concept-types',
    key: 'concept_type_guid',
    body: { name: 'Own' },
    shape: TYPE,
    unfit: [{}, { name: '' }, { name: 1 }],
  },
  {
    path: '/response-types',
    key: 'response_type_guid',
    body: { name: 'Own', fhir_type: 'integer' },
    shape: RESPONSE,
    unfit: [{ name: 'x' }, { name: 'x', fhir_type: 'Patient' }],
  },
  {
    path: '/units',
    key: 'unit_guid',
    body: { name: 'Own', ucum_code: 'mm[Hg]' },
    shape: UNIT,
    unfit: [
      { name: 'x' },
      { name: 'x', ucum_code: 'mmHg' },
      { name: 'x', ucum_code: 'KG' },
      { name: 'x', ucum_code: 'kilos' },
    ],
  },
];

for (const { path, key, body, shape, unfit } of TABLES) {
  test(`${path}: 201 with its address, 200 read, listed and replaced`, async () => {
    const made = await expect(`POST ${path}`, { as, body }, 201, shape);
    const one = `${path}/${made.body[key]}`;
    assert.equal(made.headers['location'], `/api/v1${one}`);
    await expect(`GET ${one}`, { as }, 200, shape);
    const { body: page } = await expectPage(`GET ${path}?search=OWN&per_page=1`, { as }, shape);
    assert.deepEqual([page.page, page.per_page, page.total], [1, 1, 1]);
    await expect(`PUT ${one}`, { as, body: { ...body, description: null } }, 200, shape);
  });

  test(`${path}: 409 conflict for a second one; 400 validation_error; 404 not_found`, async () => {
    await refuse(`POST ${path}`, { as, body }, 409, 'conflict');
    for (const wrong of [...unfit, { ...body, extra: 1 }]) {
      await refuse(`POST ${path}`, { as, body: wrong }, 400, 'validation_error');
    }
    for (const query of ['page=0', 'page=x', 'per_page=0', 'per_page=201', 'search=', 'sort=name']) {
      await refuse(`GET ${path}?${query}`, { as }, 400, 'validation_error');
    }
    await refuse(`GET ${path}/${UNKNOWN}`, { as }, 404, 'not_found');
    await refuse(
      `PUT ${path}/x`,
      { as, body: { ...body, name: 'Other', url: body && 'url' in body ? 'urn:o' : undefined } },
      404,
      'not_found',
    );
  });
}

test('canonical libraries: 204 deleted; 409 naming the concepts in it', async () => {
  const { canonical_lib_guid: guid } = (
    await ask('POST /canonical-libs', { as, body: { name: 'Empty', url: 'urn:e' } })
  ).body;
  await expect(`DELETE /canonical-libs/${guid}`, { as }, 204);
  await refuse(`DELETE /canonical-libs/${guid}`, { as }, 404, 'not_found');
  const { body } = await refuse(`DELETE /canonical-libs/${library.lib}`, { as }, 409, 'conflict');
  assert.match(body.message, /used by 2 concepts \('Body weight', 'Breathlessness'\)/);
});

test('concept types, response types and units: 405 for DELETE, which the contract does not have', async () => {
  for (const path of ['/concept-types', '/response-types', '/units']) {
    const { headers } = await refuse(`DELETE ${path}/${UNKNOWN}`, { as }, 405, 'method_not_allowed');
    assert.equal(headers['allow'], 'GET, HEAD, PUT');
  }
});

const CONCEPT: Shape = {
  version: Number,
  concept_guid: GUID,
  canonical_lib: GUID,
  canonical_lib_name: 'Codes',
  concept_code: /./,
  concept_name: /./,
  concept_display_text: null,
  concept_explain: null,
  concept_type: null,
  concept_type_name: null,
  response_type: null,
  response_type_name: null,
  has_values: false,
  values: [],
  ...TIMES,
};

test('concepts: 201, 200 listed, read and replaced, 204 deleted', async () => {
  const body = { canonical_lib: library.lib, concept_name: 'Own concept' };
  const { body: made, headers } = await expect('POST /concepts', { as, body }, 201, CONCEPT);
  const one = `/concepts/${made.concept_guid}`;
  assert.equal(headers['location'], `/api/v1${one}`);
  assert.equal(made.concept_code, made.concept_guid);
  const list = await expectPage('GET /concepts?search=own%20concept', { as }, CONCEPT);
  assert.deepEqual([list.body.page, list.body.per_page, list.body.total], [1, 20, 1]);
  await expect(`PUT ${one}`, { as, body: { ...body, concept_name: 'Renamed' } }, 200, CONCEPT);
  await expect(`GET ${one}`, { as }, 200, CONCEPT);
  await expect(`DELETE ${one}`, { as }, 204);
  await refuse(`GET ${one}`, { as }, 404, 'not_found');
});

test('concepts: 400 for each missing, unknown or unfit field and filter; 409 for a code that is taken and for one in use', async () => {
  const body = { canonical_lib: library.lib, concept_name: 'X' };
  for (const wrong of [
    {},
    { concept_name: 'X' },
    { ...body, canonical_lib: UNKNOWN },
    { ...body, unit: 'x' },
    { ...body, concept_type: UNKNOWN },
    { ...body, response_type: 'x' },
    { ...body, concept_code: ' x' },
    { ...body, values: [{ code: 'a' }] },
  ]) {
    await refuse('POST /concepts', { as, body: wrong }, 400, 'validation_error');
  }
  for (const query of [
    'page=0',
    'per_page=201',
    'has_values=yes',
    'concept_type=x',
    'response_type=x',
    'canonical_lib=x',
    'q=1',
  ]) {
    await refuse(`GET /concepts?${query}`, { as }, 400, 'validation_error');
  }
  await refuse('POST /concepts', { as, body: { ...body, concept_code: 'weight' } }, 409, 'conflict');
  const { body: used } = await refuse(`DELETE /concepts/${library.weight}`, { as }, 409, 'conflict');
  assert.match(used.message, /1 activity \('Weighing'\) and 2 transactions .* and 1 goal \('Stable weight'\)/);
});

test('concepts: of 50 with one code at once one is made', async () => {
  const body = { canonical_lib: library.lib, concept_name: 'Raced', concept_code: 'raced' };
  const answers = await fifty(() => ask('POST /concepts', { as, body }));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(49).fill(409)]);
});

const ACTIVITY: Shape = {
  activity_guid: GUID,
  name: /./,
  description: null,
  concept: GUID,
  concept_name: 'Body weight',
  status: /^(draft|active|retired)$/,
  version: Number,
  transactions: [],
  ...TIMES,
};
const TRANSACTION: Shape = {
  version: Number,
  transaction_guid: GUID,
  activity_guid: GUID,
  name: /./,
  concept: GUID,
  concept_name: 'Body weight',
  response_type: null,
  response_type_name: null,
  unit: GUID,
  unit_name: 'kilogram',
  timing: { frequency: 1, period: 1, periodUnit: 'd' },
  required: true,
  position: Number,
  ...TIMES,
};
const transaction = {
  name: 'Weight',
  concept: library.weight,
  unit: library.kilogram,
  timing: { frequency: 1, period: 1, periodUnit: 'd' },
  required: true,
};

test('activities and transactions: 201, 200, 204, and each change is a version of the ActivityDefinition', async () => {
  const body = { name: 'Own activity', concept: library.weight, status: 'draft' };
  const { body: made, headers } = await expect('POST /activities', { as, body }, 201, ACTIVITY);
  const one = `/activities/${made.activity_guid}`;
  assert.equal(headers['location'], `/api/v1${one}`);
  const versions: string[] = [];
  const note = async () => {
    const { body: definition } = await ask(`GET ${one}/fhir`, { as });
    assert.deepEqual(validateResource(definition, { resourceType: 'ActivityDefinition' }), []);
    versions.push(definition.version);
  };
  await note();
  const added = await expect(`POST ${one}/transactions`, { as, body: transaction }, 201, TRANSACTION);
  await note();
  const its = `/transactions/${added.body.transaction_guid}`;
  await expect(`PUT ${its}`, { as, body: transaction }, 200, TRANSACTION);
  await note();
  await expect(`PUT ${one}`, { as, body }, 200, { ...ACTIVITY, transactions: [TRANSACTION] });
  await note();
  await expect(`DELETE ${its}`, { as }, 204);
  await note();
  assert.deepEqual(versions, ['1', '2', '3', '4', '5']);
  await expectPage('GET /activities?search=own&status=draft', { as }, ACTIVITY);
  await expect(`GET ${one}`, { as }, 200, ACTIVITY);
  await expect(`DELETE ${one}`, { as }, 204);
});

test('activities and transactions: 400, 404, and 409 naming the goals that use an activity', async () => {
  const body = { name: 'X', concept: library.weight };
  for (const wrong of [
    {},
    { name: 'X' },
    { ...body, concept: UNKNOWN },
    { ...body, status: 'gone' },
    { ...body, code: 'x' },
  ]) {
    await refuse('POST /activities', { as, body: wrong }, 400, 'validation_error');
  }
  for (const query of ['page=0', 'per_page=201', 'status=x', 'concept=x', 'q=1']) {
    await refuse(`GET /activities?${query}`, { as }, 400, 'validation_error');
  }
  const add = `POST /activities/${library.weighing}/transactions`;
  for (const wrong of [
    {},
    { ...transaction, unit: UNKNOWN },
    { ...transaction, concept: library.breath },
    { ...transaction, timing: { period: 1 } },
    { ...transaction, position: 0 },
  ]) {
    await refuse(add, { as, body: wrong }, 400, 'validation_error');
  }
  await refuse(`POST /activities/${UNKNOWN}/transactions`, { as, body: transaction }, 404, 'not_found');
  await refuse(`PUT /transactions/${UNKNOWN}`, { as, body: transaction }, 404, 'not_found');
  await refuse(`DELETE /transactions/${UNKNOWN}`, { as }, 404, 'not_found');
  await refuse(`PUT /activities/${UNKNOWN}`, { as, body }, 404, 'not_found');
  const { body: used } = await refuse(`DELETE /activities/${library.weighing}`, { as }, 409, 'conflict');
  assert.match(used.message, /used by 1 goal \('Stable weight'\)/);
});

const GOAL: Shape = {
  version: Number,
  goal_guid: GUID,
  name: /./,
  description: null,
  concept: GUID,
  concept_name: 'Body weight',
  target: null,
  due: null,
  activities: [],
  ...TIMES,
};

test('goals: 201, 200, 204; 400 for targets that are none; 404', async () => {
  const body = { name: 'Own goal', concept: library.weight };
  const { body: made } = await expect('POST /goals', { as, body }, 201, GOAL);
  const one = `/goals/${made.goal_guid}`;
  await expectPage('GET /goals?search=own', { as }, GOAL);
  assert.equal((await ask(`GET /goals?activity=${library.weighing}`, { as })).body.total, 1);
  await expect(`PUT ${one}`, { as, body }, 200, GOAL);
  await expect(`GET ${one}`, { as }, 200, GOAL);
  const targets = [
    {},
    { value: 1, low: 2 },
    { low: 3, high: 2 },
    { comparator: '<', low: 1 },
    { value: 1, unit: UNKNOWN },
    { value: 1, comparator: '~' },
  ];
  for (const target of targets) await refuse('POST /goals', { as, body: { ...body, target } }, 400, 'validation_error');
  for (const wrong of [
    {},
    { ...body, concept: UNKNOWN },
    { ...body, activities: [UNKNOWN] },
    { ...body, due: { value: 0, unit: 'd' } },
  ]) {
    await refuse('POST /goals', { as, body: wrong }, 400, 'validation_error');
  }
  for (const query of ['page=0', 'per_page=201', 'activity=x', 'q=1']) {
    await refuse(`GET /goals?${query}`, { as }, 400, 'validation_error');
  }
  await expect(`DELETE ${one}`, { as }, 204);
  await refuse(`DELETE ${one}`, { as }, 404, 'not_found');
});

test('plan-definitions: 201, a valid PlanDefinition; of 20 at once each has a version and a resource of its own', async () => {
  const body = {
    title: 'Heart failure',
    activities: [library.weighing],
    goals: [library.goal],
    url: 'urn:plans:raced',
  };
  const shape = {
    plan_definition_id: GUID,
    url: 'urn:plans:raced',
    version: '1',
    title: 'Heart failure',
    status: 'active',
    published_at: INSTANT,
  };
  const first = await expect('POST /plan-definitions', { as, body }, 201, shape);
  const before = (await ask(`GET /PlanDefinition/${first.body.plan_definition_id}`, { as })).text;
  assert.deepEqual(validateResource(JSON.parse(before), { resourceType: 'PlanDefinition' }), []);
  await ask(`PUT /activities/${library.weighing}`, { as, body: { name: 'Other', concept: library.breath } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('POST /plan-definitions', { as, body })));
  const versions = answers.map((answer) => Number(answer.body.version)).sort((a, b) => a - b);
  assert.deepEqual(
    versions,
    Array.from({ length: 20 }, (_, index) => index + 2),
  );
  assert.equal((await ask(`GET /PlanDefinition/${first.body.plan_definition_id}`, { as })).text, before);
  assert.equal((await ask('GET /PlanDefinition?url=urn:plans:raced&_total=accurate', { as })).body.total, 21);
});
