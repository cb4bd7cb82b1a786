// Lookup tables, black-box (contract: engine, "Lookup tables"; decisions E6, G2, G5).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call, clock } = await startTestEngine({ after });

const TABLES = [
  { path: '/canonical-libs', key: 'canonical_lib_guid', body: { name: 'SNOMED CT', url: 'http://snomed.info/sct' } },
  { path: '/concept-types', key: 'concept_type_guid', body: { name: 'Measurement' } },
  { path: '/response-types', key: 'response_type_guid', body: { name: 'Number', fhir_type: 'Quantity' } },
  { path: '/units', key: 'unit_guid', body: { name: 'kilogram', ucum_code: 'kg' } },
];

for (const { path, key, body } of TABLES) {
  test(`${path}: create, read, replace, list`, async () => {
    const made = await call('planner', 'POST', path, body);
    assert.equal(made.status, 201, made.text);
    const id = made.body[key];
    assert.equal(made.headers['location'], `/api/v1${path}/${id}`);
    const at = '2026-03-02T08:00:00.000Z';
    assert.deepEqual(
      { ...made.body, ...body, description: null },
      { ...made.body, [key]: id, created_at: at, updated_at: at },
    );
    assert.deepEqual((await call('planner', 'GET', `${path}/${id}`)).body, made.body);
    clock.time += 1000;
    const replaced = await call('planner', 'PUT', `${path}/${id}`, { ...body, name: 'Another', description: 'words' });
    assert.equal(replaced.status, 200, replaced.text);
    assert.deepEqual([replaced.body.name, replaced.body.description], ['Another', 'words']);
    assert.equal(replaced.body.updated_at, new Date(clock.time).toISOString());
    assert.equal(replaced.body.created_at, at);
    clock.time -= 1000;
    const list = await call('planner', 'GET', `${path}?search=WORD&per_page=1`);
    assert.deepEqual([list.body.total, list.body.page, list.body.per_page, list.body.data], [1, 1, 1, [replaced.body]]);
    assert.match(String(list.headers['link']), /rel="first".*rel="last"/);
    assert.equal((await call('planner', 'GET', `${path}?search=%25`)).body.total, 0);
  });

  test(`${path}: errors`, async () => {
    const unknown = '01900000-0000-7000-8000-00000000ffff';
    assert.equal((await call('planner', 'GET', `${path}/${unknown}`)).status, 404);
    assert.equal((await call('planner', 'GET', `${path}/no-guid`)).status, 404);
    assert.equal(
      (await call('planner', 'PUT', `${path}/${unknown}`, { ...body, name: 'X', version: undefined })).status,
      404,
    );
    const empty = await call('planner', 'POST', path, { strange: 1 });
    assert.equal(empty.status, 400);
    assert.ok(empty.body.messages.includes("'name' is required"));
    assert.ok(empty.body.messages.includes("'strange' is not a known field"));
    assert.equal((await call('planner', 'POST', path, { ...body, name: '  ' })).status, 400);
    for (const query of ['page=0', 'per_page=0', 'per_page=201', 'page=x', 'unknown=1']) {
      assert.equal((await call('planner', 'GET', `${path}?${query}`)).status, 400, query);
    }
  });

  test(`${path}: who may do what`, async () => {
    assert.equal((await call(undefined, 'GET', path)).status, 401);
    assert.equal((await call('patient', 'GET', path)).status, 403);
    assert.equal((await call('idle', 'GET', path)).status, 200);
    assert.equal((await call('service', 'GET', path)).status, 403);
    for (const caller of ['idle', 'patient', 'service']) {
      assert.equal((await call(caller, 'POST', path, body)).status, 403, caller);
      assert.equal((await call(caller, 'PUT', `${path}/x`, body)).status, 403, caller);
    }
  });
}

test('names that must be unique: a second one is 409, also when both come at once', async () => {
  const names = ['/concept-types', '/response-types', '/units'];
  for (const path of names) {
    const body = { ...TABLES.find((table) => table.path === path)?.body, name: 'Same' };
    const answers = await Promise.all([call('planner', 'POST', path, body), call('planner', 'POST', path, body)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
    assert.match(answers.find(({ status }) => status === 409)?.body.message, /called 'Same'/);
  }
});

test('a canonical library is one version of one url', async () => {
  const first = { name: 'A', url: 'http://example.org/codes', version: '1' };
  assert.equal((await call('planner', 'POST', '/canonical-libs', first)).status, 201);
  assert.equal((await call('planner', 'POST', '/canonical-libs', { ...first, version: '2' })).status, 201);
  assert.equal((await call('planner', 'POST', '/canonical-libs', { ...first, version: null })).status, 201);
  const again = await call('planner', 'POST', '/canonical-libs', { ...first, version: null, name: 'B' });
  assert.deepEqual([again.status, again.body.error], [409, 'conflict']);
  assert.equal((await call('planner', 'POST', '/canonical-libs', { name: 'C', url: 'no url' })).status, 400);
});

test('only canonical libraries can be deleted, and only while no concept uses them', async () => {
  const lib = (await call('planner', 'POST', '/canonical-libs', { name: 'Used', url: 'urn:x' })).body
    .canonical_lib_guid;
  const concept = await call('planner', 'POST', '/concepts', { canonical_lib: lib, concept_name: 'Weight' });
  const refused = await call('planner', 'DELETE', `/canonical-libs/${lib}`);
  assert.equal(refused.status, 409);
  assert.equal(refused.body.message, "The canonical library is used by 1 concept ('Weight')");
  assert.equal((await call('planner', 'DELETE', `/concepts/${concept.body.concept_guid}`)).status, 204);
  const gone = await call('planner', 'DELETE', `/canonical-libs/${lib}`);
  assert.deepEqual([gone.status, gone.text], [204, '']);
  assert.equal((await call('planner', 'DELETE', `/canonical-libs/${lib}`)).status, 404);
  for (const path of ['/concept-types', '/response-types', '/units']) {
    const answer = await call('planner', 'DELETE', `${path}/${lib}`);
    assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, HEAD, PUT']);
  }
});

test('a unit has a UCUM code as UCUM writes it', async () => {
  for (const code of ['mm[Hg]', 'kg/m2', '10*9/L', '/min', '{score}', '%']) {
    assert.equal((await call('planner', 'POST', '/units', { name: code, ucum_code: code })).status, 201, code);
  }
  for (const code of ['foo', 'kgg', 'pound']) {
    const answer = await call('planner', 'POST', '/units', { name: code, ucum_code: code });
    assert.equal(answer.status, 400, code);
    assert.match(answer.body.messages[0], /is not a UCUM code/);
  }
});

test('a response type is one that an R5 observation can have', async () => {
  const answer = await call('planner', 'POST', '/response-types', { name: 'Odd', fhir_type: 'Patient' });
  assert.equal(answer.status, 400);
  assert.match(answer.body.messages[0], /'fhir_type' must be one of 'Quantity'/);
});
