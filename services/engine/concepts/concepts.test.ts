// Concepts, black-box (contract: engine, "Concept", "Concepts"; decision E6).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { makeLibrary } from '#test/support/engine/engine-library.ts';

const engine = await startTestEngine({ after });
const { call } = engine;
const library = await makeLibrary(engine);
const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';

test('a concept answers its own fields and the names of what it refers to', async () => {
  const made = await call('planner', 'POST', '/concepts', {
    canonical_lib: library.lib,
    concept_name: 'Pulse',
    concept_display_text: 'Heart rate',
    concept_explain: 'Beats per minute',
    response_type: library.quantity,
  });
  assert.equal(made.status, 201, made.text);
  const guid = made.body.concept_guid;
  assert.equal(made.headers['location'], `/api/v1/concepts/${guid}`);
  assert.deepEqual(made.body, {
    concept_guid: guid,
    canonical_lib: library.lib,
    canonical_lib_name: 'Codes',
    concept_code: guid,
    concept_name: 'Pulse',
    concept_display_text: 'Heart rate',
    concept_explain: 'Beats per minute',
    concept_type: null,
    concept_type_name: null,
    response_type: library.quantity,
    response_type_name: 'Number',
    has_values: false,
    values: [],
    version: 1,
    created_at: '2026-03-02T08:00:00.000Z',
    updated_at: '2026-03-02T08:00:00.000Z',
  });
  const replaced = await call('planner', 'PUT', `/concepts/${guid}`, {
    canonical_lib: library.lib,
    concept_name: 'HR',
  });
  assert.deepEqual([replaced.body.concept_name, replaced.body.response_type], ['HR', null]);
  assert.deepEqual((await call('idle', 'GET', `/concepts/${guid}`)).body, replaced.body);
  assert.equal((await call('planner', 'DELETE', `/concepts/${guid}`)).status, 204);
  assert.equal((await call('planner', 'GET', `/concepts/${guid}`)).status, 404);
});

test('the list: default page, every filter, bounds', async () => {
  const names = async (query: string) => {
    const answer = await call('planner', 'GET', `/concepts?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.map((concept: { concept_name: string }) => concept.concept_name);
  };
  const all = await call('planner', 'GET', '/concepts');
  assert.deepEqual([all.body.page, all.body.per_page, all.body.total], [1, 20, 2]);
  assert.deepEqual(await names('search=weigh'), ['Body weight']);
  assert.deepEqual(await names('has_values=true'), ['Breathlessness']);
  assert.deepEqual(await names('has_values=false'), ['Body weight']);
  assert.deepEqual(await names(`response_type=${library.choice}`), ['Breathlessness']);
  assert.deepEqual(await names(`canonical_lib=${library.lib}&per_page=1&page=2`), ['Breathlessness']);
  assert.deepEqual(await names(`concept_type=${UNKNOWN}`), []);
  for (const query of ['per_page=201', 'page=0', 'has_values=perhaps', 'concept_type=x', 'q=1']) {
    assert.equal((await call('planner', 'GET', `/concepts?${query}`)).status, 400, query);
  }
});

test('every error of a concept is named', async () => {
  const missing = await call('planner', 'POST', '/concepts', {});
  assert.deepEqual(missing.body.messages, ["'canonical_lib' is required", "'concept_name' is required"]);
  const unknown = await call('planner', 'POST', '/concepts', {
    canonical_lib: UNKNOWN,
    concept_name: 'X',
    concept_type: UNKNOWN,
    response_type: library.quantity,
  });
  assert.equal(unknown.status, 400);
  assert.deepEqual(unknown.body.messages, [
    `'canonical_lib': there is no canonical lib ${UNKNOWN}`,
    `'concept_type': there is no concept type ${UNKNOWN}`,
  ]);
  const value = { code: 'a', display: 'A' };
  const twice = await call('planner', 'POST', '/concepts', {
    canonical_lib: library.lib,
    concept_name: 'X',
    values: [value, value],
  });
  assert.deepEqual(twice.body.messages, ["'values[1].code': the value 'a' is given twice"]);
  const code = { canonical_lib: library.lib, concept_name: 'X', concept_code: 'weight' };
  assert.equal((await call('planner', 'POST', '/concepts', code)).status, 409);
  assert.equal((await call('planner', 'PUT', `/concepts/${UNKNOWN}`, { ...code, concept_code: 'n' })).status, 404);
});

test('a concept in use cannot be deleted, and the answer says by what', async () => {
  const refused = await call('planner', 'DELETE', `/concepts/${library.weight}`);
  assert.equal(refused.status, 409);
  assert.equal(
    refused.body.message,
    "The concept is used by 1 activity ('Weighing') and 2 transactions ('Weight', 'Weight in the morning') and 1 goal ('Stable weight')",
  );
});

test('who may do what with concepts', async () => {
  const body = { canonical_lib: library.lib, concept_name: 'X' };
  assert.equal((await call(undefined, 'GET', '/concepts')).status, 401);
  assert.equal((await call('patient', 'GET', '/concepts')).status, 403);
  for (const caller of ['idle', 'patient', 'service']) {
    assert.equal((await call(caller, 'POST', '/concepts', body)).status, 403);
    assert.equal((await call(caller, 'PUT', '/concepts/x', body)).status, 403);
    assert.equal((await call(caller, 'DELETE', '/concepts/x')).status, 403);
  }
  assert.equal((await call('admin', 'POST', '/concepts', body)).status, 201);
});
