// Entity tags over HTTP: `*`, lists, weak and strong ones, times (RFC 9110 §13; hl7.org/fhir/R5/http.html#concurrency,
// #cread).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient']);
const body = (id: string) => ({ resourceType: 'Patient', id });
const put = (id: string, headers = {}) => call('PUT', `/Patient/${id}`, { body: body(id), headers });
const patch = (id: string, headers = {}) =>
  call('PATCH', `/Patient/${id}`, {
    body: [{ op: 'add', path: '/active', value: true }],
    contentType: 'application/json-patch+json',
    headers,
  });

test('410 names the version that marks the deletion, wherever the resource is asked for', async () => {
  await put('gone');
  await call('DELETE', '/Patient/gone');
  for (const answer of [
    await call('GET', '/Patient/gone'),
    await call('GET', '/Patient/gone/_history/2'),
    await patch('gone'),
    await call('GET', '/Patient/gone/$meta'),
  ]) {
    assert.deepEqual([answer.status, answer.headers['etag']], [410, 'W/"2"']);
    assert.ok(!Number.isNaN(Date.parse(String(answer.headers['last-modified']))));
  }
  const entry = [{ request: { method: 'GET', url: 'Patient/gone' } }];
  const { body } = await call('POST', '/', { body: { resourceType: 'Bundle', type: 'batch', entry } });
  assert.equal(body.entry[0].response.etag, 'W/"2"');
  const never = await call('GET', '/Patient/never-there');
  assert.deepEqual([never.status, never.headers['etag']], [404, undefined]);
});

test('If-Match: any version, a list, strong and weak tags; a tag that is none of ours is fulfilled by nothing', async () => {
  await put('m');
  const tags: readonly [tag: string, status: number][] = [
    ['*', 200],
    ['W/"2"', 200],
    ['"3"', 200],
    ['W/"9", "4" ,, W/"11"', 200],
    ['W/"4"', 412],
    ['"abc"', 412],
    ['"05"', 412],
    ['W/"1", "2"', 412],
    ['5', 400],
    ['W/5', 400],
    ['*, "5"', 400],
    ['"5', 400],
    [',', 400],
    ['w/"5"', 400],
  ];
  for (const [tag, status] of tags) {
    const answer = await put('m', { 'if-match': tag });
    assert.equal(answer.status, status, `${tag}: ${answer.text}`);
  }
  const refused = await put('m', { 'if-match': 'W/"1", W/"2"' });
  assert.match(refused.body.issue[0].details.text, /one of the versions 1, 2, but it is 5/);
});

test('If-Match: * wants something to be there; a deletion leaves nothing', async () => {
  const any = { 'if-match': '*' };
  assert.equal((await put('absent', any)).status, 412);
  assert.equal((await call('DELETE', '/Patient/absent', { headers: any })).status, 412);
  await put('gone');
  assert.equal((await patch('gone', any)).status, 200);
  assert.equal((await call('DELETE', '/Patient/gone', { headers: any })).status, 204);
  assert.equal((await put('gone', any)).status, 412);
});

test('If-None-Match holds for every write', async () => {
  await put('n');
  assert.equal((await patch('n', { 'if-none-match': '"1", "2"' })).status, 412);
  assert.equal((await call('DELETE', '/Patient/n', { headers: { 'if-none-match': '*' } })).status, 412);
  assert.equal((await patch('n', { 'if-none-match': '"7"' })).status, 200);
  assert.equal((await call('DELETE', '/Patient/n', { headers: { 'if-none-match': '"1"' } })).status, 204);
});

test('If-None-Match and If-Modified-Since of reads', async () => {
  const { headers: made } = await put('r');
  const get = async (headers: object, path = '/Patient/r') =>
    (await call('GET', path, { headers: { ...headers } })).status;
  for (const tag of ['*', '"1"', 'W/"1"', 'W/"8", W/"1"']) {
    assert.equal(await get({ 'if-none-match': tag }), 304, tag);
    assert.equal(await get({ 'if-none-match': tag }, '/Patient/r/_history/1'), 304, tag);
  }
  assert.equal(await get({ 'if-none-match': '"2", "x"' }), 200);
  assert.equal(await get({ 'if-none-match': '1' }), 400);
  const since = { 'if-modified-since': String(made['last-modified']) };
  assert.equal(await get(since), 304);
  assert.equal(await get({ 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }), 200);
  assert.equal(await get({ 'if-modified-since': 'yesterday' }), 200);
  // A tag is more exact than a time, which then says nothing.
  assert.equal(await get({ ...since, 'if-none-match': '"2"' }), 200);
  const known = await call('GET', '/Patient/r', { headers: { 'if-none-match': '"1"' } });
  assert.deepEqual([known.headers['etag'], known.text], ['W/"1"', '']);
});
