// Conditional update, patch and delete, and If-None-Match on writes (hl7.org/fhir/R5/http.html#cond-update,
// #cond-patch, #cdelete).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { fifty } from '#test/support/system/at-once.ts';

const { call, auditEvents } = await startFhirRest({ after }, ['Patient']);
const person = (value: string, more: object = {}) => ({
  resourceType: 'Patient',
  identifier: [{ system: 'urn:s', value }],
  ...more,
});
const address = (value: string) => `/Patient?identifier=urn:s|${value}`;
const errorOf = (response: { body: { issue: { details: { coding: { code: string }[] } }[] } }) =>
  response.body.issue[0]?.details.coding[0]?.code;

test('a conditional update makes the resource when there is none, and replaces it when there is one', async () => {
  const made = await call('PUT', address('1'), { body: person('1', { active: true }) });
  assert.equal(made.status, 201);
  const replaced = await call('PUT', address('1'), { body: person('1', { active: false }) });
  assert.deepEqual([replaced.status, replaced.body.id, replaced.body.meta.versionId], [200, made.body.id, '2']);
  const withId = await call('PUT', address('1'), { body: person('1', { id: made.body.id }) });
  assert.deepEqual([withId.status, withId.headers['etag']], [200, 'W/"3"']);
  const wrongId = await call('PUT', address('1'), { body: person('1', { id: 'another' }) });
  assert.deepEqual([wrongId.status, errorOf(wrongId)], [400, 'invalid_request']);
});

test('a conditional update of nothing takes the id of the body, unless it belongs to another resource', async () => {
  const made = await call('PUT', address('2'), { body: person('2', { id: 'chosen' }) });
  assert.deepEqual([made.status, made.body.id], [201, 'chosen']);
  const taken = await call('PUT', address('3'), { body: person('3', { id: 'chosen' }) });
  assert.deepEqual([taken.status, errorOf(taken)], [409, 'conflict']);
  assert.equal((await call('GET', '/Patient/chosen')).body.meta.versionId, '1');
  const bad = await call('PUT', address('3'), { body: person('3', { id: 'not an id' }) });
  assert.ok([400, 422].includes(bad.status), bad.text);
});

test('a conditional create that finds the resource returns where it is, and which version', async () => {
  const headers = { 'if-none-exist': 'identifier=urn:s|there' };
  const made = await call('POST', '/Patient', { body: person('there'), headers });
  const found = await call('POST', '/Patient', { body: person('there'), headers });
  assert.deepEqual([made.status, found.status], [201, 200]);
  for (const name of ['location', 'etag', 'last-modified']) {
    assert.ok(made.headers[name] !== undefined, name);
    assert.equal(found.headers[name], made.headers[name], name);
  }
  assert.equal(found.headers['content-location'], undefined);
  const entry = [
    { resource: person('there'), request: { method: 'POST', url: 'Patient', ifNoneExist: 'identifier=urn:s|there' } },
  ];
  for (const type of ['batch', 'transaction']) {
    const { body } = await call('POST', '/', { body: { resourceType: 'Bundle', type, entry } });
    assert.equal(body.entry[0].response.location, made.headers['location'], type);
  }
});

test('several candidates, no condition or one that is not understood: refused, and nothing is changed', async () => {
  for (const family of ['a', 'b']) await call('POST', '/Patient', { body: person('many', { name: [{ family }] }) });
  for (const [method, body, contentType] of [
    ['PUT', person('many'), undefined],
    ['PATCH', [{ op: 'add', path: '/active', value: true }], 'application/json-patch+json'],
    ['DELETE', undefined, undefined],
  ] as const) {
    const options = { ...(body === undefined ? {} : { body }), ...(contentType === undefined ? {} : { contentType }) };
    const several = await call(method, address('many'), options);
    assert.deepEqual([several.status, errorOf(several)], [412, 'precondition_failed'], method);
    assert.equal((await call(method, '/Patient', options)).status, 400, method);
    assert.equal((await call(method, '/Patient?_count=1', options)).status, 400, method);
    assert.equal((await call(method, '/Patient?nonsense=1', options)).status, 400, method);
  }
  assert.equal((await call('GET', address('many'))).body.total, 2);
});

test('a conditional delete takes the one that is meant, and is content with none', async () => {
  const { body } = await call('POST', '/Patient', { body: person('4') });
  assert.equal((await call('DELETE', address('4'))).status, 204);
  assert.equal((await call('GET', `/Patient/${body.id}`)).status, 410);
  assert.equal((await call('DELETE', address('4'))).status, 204);
});

test('a conditional patch changes the one that is meant; none is 404', async () => {
  const { body } = await call('POST', '/Patient', { body: person('5') });
  const patch = { body: [{ op: 'add', path: '/active', value: true }], contentType: 'application/json-patch+json' };
  const patched = await call('PATCH', address('5'), patch);
  assert.deepEqual([patched.status, patched.body.id, patched.body.active], [200, body.id, true]);
  assert.equal((await call('PATCH', address('none'), patch)).status, 404);
});

test('If-None-Match: * writes only what is new; If-Match holds for conditional writes too', async () => {
  const headers = { 'if-none-match': '*' };
  const body = person('6', { id: 'new-one' });
  assert.equal((await call('PUT', '/Patient/new-one', { body, headers })).status, 201);
  const again = await call('PUT', '/Patient/new-one', { body, headers });
  assert.deepEqual([again.status, errorOf(again)], [412, 'precondition_failed']);
  assert.equal((await call('DELETE', '/Patient/new-one')).status, 204);
  assert.equal((await call('PUT', '/Patient/new-one', { body, headers })).status, 201);
  assert.equal((await call('PUT', '/Patient/new-one', { body, headers: { 'if-none-match': 'W/"3"' } })).status, 412);
  assert.equal((await call('PUT', '/Patient/new-one', { body, headers: { 'if-none-match': 'W/"1"' } })).status, 200);
  const stale = { 'if-match': 'W/"1"' };
  assert.equal((await call('PUT', address('6'), { body, headers: stale })).status, 412);
  assert.equal((await call('DELETE', address('6'), { headers: stale })).status, 412);
  assert.equal((await call('PUT', address('7'), { body: person('7'), headers: stale })).status, 412);
});

test('nobody reaches by a condition what they do not see', async () => {
  await call('POST', '/Patient', { as: 'anna', body: person('8', { active: true }) });
  assert.equal((await call('DELETE', address('8'), { as: 'bo' })).status, 204);
  const made = await call('PUT', address('8'), { as: 'bo', body: person('8') });
  assert.equal(made.status, 201);
  assert.equal((await call('GET', address('8'), { as: 'anna' })).body.entry[0].resource.active, true);
  assert.equal((await call('PUT', address('8'), { as: 'pat', body: person('8') })).status, 403);
});

test('of 50 conditional updates at once one creates and 49 replace; every change is audited', async () => {
  const answers = await fifty((index) =>
    call('PUT', address('race'), { body: person('race', { name: [{ family: `n${index}` }] }) }),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 201]);
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const { body } = await call('GET', address('race'));
  assert.deepEqual([body.total, body.entry[0].resource.meta.versionId], [1, '50']);
  const id = body.entry[0].resource.id;
  const codes = (await auditEvents(`Patient/${id}`)).map((event) => event.code.coding[0].code);
  assert.equal(codes.filter((code) => code === 'patient.update').length, 49);
  assert.equal(codes.filter((code) => code === 'patient.create').length, 1);
});
