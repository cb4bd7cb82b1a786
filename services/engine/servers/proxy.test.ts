// The proxy to an external server by name (contract: engine, "External server integration"; decision E11). The server
// is a second engine.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { rawRequest } from '#test/support/raw-request.ts';

const far = await startTestEngine({ after });
const farUrl = `${await far.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
const near = await startTestEngine({ after }, { serverAccess: { allowPrivate: ['127.0.0.1'], servers: [] } });
const { call, database } = near;
const auth = { type: 'bearer', token: 'admin' };
for (const [name, kind] of [
  ['far', 'fhir'],
  ['terms', 'terminology'],
]) {
  const made = await call('admin', 'POST', '/servers', { name, kind, url: farUrl, auth });
  assert.equal(made.status, 201, made.text);
}

async function makeFar(family: string, id: string): Promise<string> {
  const body = { resourceType: 'Patient', id, name: [{ family }] };
  const made = await far.call('admin', 'PUT', `/Patient/${id}`, body);
  assert.equal(made.status, 201, made.text);
  return made.text;
}

test('GET /servers/{name}/{type}/{id} answers the resource byte for byte, with its ETag', async () => {
  const text =
    '{"resourceType":"Observation","id":"exact","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.50}}';
  await far.call('admin', 'PUT', '/Observation/exact', text);
  const read = await call('admin', 'GET', '/servers/far/Observation/exact');
  assert.deepEqual([read.status, read.headers['etag']], [200, 'W/"1"']);
  assert.match(String(read.headers['content-type']), /^application\/fhir\+json/);
  assert.equal(read.text, (await far.call('admin', 'GET', '/Observation/exact')).text);
  assert.match(read.text, /"value":1\.50\}/);
});

test('what the server does not have is 502 upstream_error with its OperationOutcome; what no server could have is 404', async () => {
  const missing = await call('admin', 'GET', '/servers/far/Patient/nobody');
  assert.deepEqual([missing.status, missing.body.error, missing.body.upstream.status], [502, 'upstream_error', 404]);
  assert.deepEqual(
    [missing.body.upstream.reason, missing.body.upstream.outcome.resourceType],
    ['refused', 'OperationOutcome'],
  );
  for (const path of ['/servers/far/Nothing/1', '/servers/far/Patient/a_b', '/servers/nowhere/Patient/1'])
    assert.deepEqual([(await call('admin', 'GET', path)).status, path], [404, path]);
});

test('GET /servers/{name}/search/{type} answers the Bundle, whose pages are fetched through us', async () => {
  for (const id of ['s1', 's2', 's3']) await makeFar('Sökt', id);
  const ids: string[] = [];
  let path: string | undefined = '/servers/far/search/Patient?family=s%C3%B6kt&_count=2&_sort=_id&_format=xml';
  while (path !== undefined) {
    const page = await call('admin', 'GET', path);
    assert.deepEqual([page.status, page.body.type], [200, 'searchset'], page.text);
    ids.push(...page.body.entry.map((entry: { resource: { id: string } }) => entry.resource.id));
    const links: { relation: string; url: string }[] = page.body.link;
    for (const { url } of links)
      assert.match(url, /^http:\/\/engine\.test\/api\/v1\/servers\/far\/search\/Patient\?_page=/);
    path = links.find(({ relation }) => relation === 'next')?.url.slice('http://engine.test/api/v1'.length);
  }
  assert.deepEqual(ids, ['s1', 's2', 's3']);
});

test('a page elsewhere than on the server is refused', async () => {
  for (const page of ['http://127.0.0.1:1/x', farUrl.replace('/api/v1', '/api/v10'), `${farUrl}/../../livez`, 'x']) {
    const answer = await call('admin', 'GET', `/servers/far/search/Patient?_page=${encodeURIComponent(page)}`);
    assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error'], page);
  }
});

test('an id that would lead elsewhere on the server is none, and the server is not asked', async () => {
  const origin = await near.app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { authorization: 'Bearer admin' };
  for (const id of ['..', '.', '%2e%2e', '%2E.', 'x%2F..%2F..%2Flivez', 'x%3Fy', 'x%23y']) {
    const answer = await rawRequest(origin, `/api/v1/servers/far/Patient/${id}`, { headers });
    assert.deepEqual([answer.status, JSON.parse(answer.text).error], [404, 'not_found'], id);
  }
  const search = await rawRequest(origin, '/api/v1/servers/far/search/..', { headers });
  assert.deepEqual([search.status, JSON.parse(search.text).error], [404, 'not_found']);
});

test('a search that the server refuses is 502 with its OperationOutcome', async () => {
  const answer = await call('admin', 'GET', '/servers/far/search/Patient?birthdate=someday');
  assert.deepEqual([answer.status, answer.body.upstream.status], [502, 400], answer.text);
  assert.match(JSON.stringify(answer.body.upstream.outcome), /birthdate/);
});

test('POST /servers/{name}/{type} creates there, once for an Idempotency-Key', async () => {
  const post = () =>
    near.app.inject({
      method: 'POST',
      url: '/api/v1/servers/far/Patient',
      headers: { authorization: 'Bearer admin', 'content-type': 'application/fhir+json', 'idempotency-key': 'far-1' },
      payload: '{"resourceType":"Patient","name":[{"family":"Skapad"}]}',
    });
  const [made, again] = [await post(), await post()];
  assert.equal(made.statusCode, 201, made.body);
  const { id } = made.json();
  assert.equal(made.headers.location, `/api/v1/servers/far/Patient/${id}`);
  assert.deepEqual([again.statusCode, again.body], [201, made.body]);
  assert.equal((await far.call('admin', 'GET', '/Patient?family=skapad')).body.total, 1);
  assert.equal((await call('admin', 'GET', `/servers/far/Patient/${id}`)).status, 200);
});

test('PUT /servers/{name}/{type}/{id} updates there, under the version that the caller knows', async () => {
  await makeFar('Före', 'u1');
  const body = { resourceType: 'Patient', id: 'u1', name: [{ family: 'Efter' }] };
  const changed = await call('admin', 'PUT', '/servers/far/Patient/u1', body);
  assert.deepEqual([changed.status, changed.body.meta.versionId], [200, '2'], changed.text);
  const stale = await near.app.inject({
    method: 'PUT',
    url: '/api/v1/servers/far/Patient/u1',
    headers: { authorization: 'Bearer admin', 'content-type': 'application/fhir+json', 'if-match': 'W/"1"' },
    payload: JSON.stringify(body),
  });
  assert.deepEqual([stale.statusCode, stale.json().upstream.status], [502, 412]);
  const other = await call('admin', 'PUT', '/servers/far/Patient/u2', body);
  assert.deepEqual([other.status, other.body.error], [400, 'invalid_request']);
});

test('bodies that are no resource of the type are refused before anybody is asked', async () => {
  const cases: [method: 'POST' | 'PUT', path: string, body: string][] = [
    ['POST', '/servers/far/Patient', '{"resourceType":"Observation"}'],
    ['POST', '/servers/far/Patient', '{"a":1}'],
    ['POST', '/servers/far/Patient', 'no json'],
    ['POST', '/servers/far/Patient', ''],
    ['PUT', '/servers/far/Patient/1', '{"resourceType":"Patient","resourceType":"Patient","id":"1"}'],
    ['POST', '/servers/far/validate', '[]'],
  ];
  for (const [method, path, body] of cases) {
    const answer = await call('admin', method, path, body);
    assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], `${path} ${body}: ${answer.text}`);
  }
});

test('a resource that the server finds invalid is 502 with every error that it named', async () => {
  const answer = await call('admin', 'POST', '/servers/far/Patient', {
    resourceType: 'Patient',
    gender: 'x',
    birthDate: 1,
  });
  assert.deepEqual([answer.status, answer.body.upstream.status], [502, 422], answer.text);
  assert.ok(answer.body.upstream.outcome.issue.length >= 2);
});

test('POST /servers/{name}/validate answers the OperationOutcome of the server', async () => {
  const good = await call('admin', 'POST', '/servers/far/validate', { resourceType: 'Patient' });
  assert.deepEqual([good.status, good.body.issue[0].severity], [200, 'success'], good.text);
  const resource = { resourceType: 'Patient', gender: 'x' };
  for (const body of [resource, { resourceType: 'Parameters', parameter: [{ name: 'resource', resource }] }]) {
    const bad = await call('admin', 'POST', '/servers/far/validate', body);
    assert.deepEqual([bad.status, bad.body.issue[0].severity], [200, 'error'], bad.text);
    assert.match(bad.text, /Patient\.gender/);
  }
});

test('POST /batch carries out a Bundle there, its decimals as written', async () => {
  const observation =
    '{"resourceType":"Observation","id":"b1","status":"final","code":{"text":"x"},"valueQuantity":{"value":2.0}}';
  const bundle = `{"resourceType":"Bundle","type":"batch","entry":[
    {"resource":${observation},"request":{"method":"PUT","url":"Observation/b1"}},{"request":{"method":"GET","url":"Patient/nobody"}}]}`;
  const answer = await call('admin', 'POST', '/batch', `{"server":"far","bundle":${bundle}}`);
  assert.deepEqual([answer.status, answer.body.type], [200, 'batch-response'], answer.text);
  const statuses = answer.body.entry.map((entry: { response: { status: string } }) =>
    entry.response.status.slice(0, 3),
  );
  assert.deepEqual(statuses, ['201', '404']);
  assert.match((await far.call('admin', 'GET', '/Observation/b1')).text, /"value":2\.0\}/);
});

test('POST /batch names everything that is wrong with its body', async () => {
  const empty = { resourceType: 'Bundle', type: 'batch' };
  const cases: [body: string, status: number, pattern: RegExp][] = [
    ['{}', 400, /'server'.*'bundle'/],
    ['[]', 400, /object/],
    ['', 400, /empty/],
    [
      JSON.stringify({ server: 'far', bundle: { ...empty, type: 'collection' }, more: 1 }),
      400,
      /'more'.*'bundle\.type'/,
    ],
    [`{"server":"far","server":"far","bundle":${JSON.stringify(empty)}}`, 400, /'server' is given more than once/],
    [JSON.stringify({ server: 'nowhere', bundle: empty }), 404, /Server not found/],
  ];
  for (const [body, status, pattern] of cases) {
    const answer = await call('admin', 'POST', '/batch', body === '' ? ' ' : body);
    assert.deepEqual([answer.status, pattern.test(answer.body.message)], [status, true], `${body}: ${answer.text}`);
  }
});

test('GET /terminology/{name}/… asks the operations of a terminology service', async () => {
  const gender = encodeURIComponent('http://hl7.org/fhir/administrative-gender');
  const valueSet = encodeURIComponent('http://hl7.org/fhir/ValueSet/administrative-gender');
  const asked: string[] = [];
  far.app.server.on('request', ({ url }) => asked.push(String(url)));
  await call('reader', 'GET', '/servers/status');
  for (const path of [
    `/terminology/terms/expand?url=${valueSet}&filter=m`,
    `/terminology/terms/lookup?system=${gender}&code=male`,
    `/terminology/terms/validate-code?url=${valueSet}&system=${gender}&code=male`,
    `/terminology/terms/validate-code?system=${gender}&systemVersion=5.0.0&code=male`,
  ])
    await call('planner', 'GET', path);
  assert.deepEqual(asked.slice(-4), [
    `/api/v1/ValueSet/$expand?url=${valueSet}&filter=m`,
    `/api/v1/CodeSystem/$lookup?system=${gender}&code=male`,
    `/api/v1/ValueSet/$validate-code?url=${valueSet}&system=${gender}&code=male`,
    `/api/v1/CodeSystem/$validate-code?code=male&url=${gender}&version=5.0.0`,
  ]);
});

test('a terminology question needs its parameters, and a service of that kind', async () => {
  for (const [path, field] of [
    ['/terminology/terms/expand', 'url'],
    ['/terminology/terms/lookup?code=a', 'system'],
    ['/terminology/terms/validate-code?url=urn:x', 'code'],
  ] as const) {
    const answer = await call('planner', 'GET', path);
    assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error'], path);
    assert.ok(answer.body.message.includes(`'${field}'`), answer.text);
  }
  assert.equal((await call('planner', 'GET', '/terminology/far/expand?url=urn:x')).status, 404);
});

test('what is done on a server is in the audit record, with whose data it was', async () => {
  const id = '01900000-0000-7000-8000-0000000000c1';
  await makeFar('Granskad', id);
  assert.equal((await call('admin', 'GET', `/servers/far/Patient/${id}`)).status, 200);
  const { rows } = await database.query<{ event: string; patient: string; entity: string }>(
    `SELECT event, resource::jsonb->'patient'->>'reference' AS patient, resource::jsonb->'entity'->1->'what'->'identifier'->>'value' AS entity
     FROM audit_event WHERE event LIKE 'server.%' ORDER BY event_guid`,
  );
  const events = new Set(rows.map(({ event }) => event));
  for (const event of ['search', 'read', 'create', 'update', 'validate', 'batch'])
    assert.ok(events.has(`server.${event}`));
  assert.ok(rows.some(({ patient, entity }) => patient === `Patient/${id}` && entity === `Patient/${id}`));
});
