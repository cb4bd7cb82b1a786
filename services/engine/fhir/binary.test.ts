// Binaries: bytes of any type in and out, safe for browsers, and readable by callers who may read the securityContext.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ORGANISATION, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';

const { app, call } = await startTestEngine({ after });

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const ODD = Buffer.from([0, 255, 254, 10, 13, 0, 128]);

interface Sent {
  readonly as?: string;
  readonly type?: string;
  readonly body?: Buffer | string;
  readonly headers?: Record<string, string>;
}

async function send(
  method: 'GET' | 'HEAD' | 'POST' | 'PUT',
  path: string,
  { as = 'planner', type, body, headers = {} }: Sent = {},
) {
  const answer = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${as}`, ...(type === undefined ? {} : { 'content-type': type }), ...headers },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload, text: answer.payload };
}
const json = { accept: 'application/fhir+json' };

before(async () => {
  const person = { resourceType: 'Patient', id: PATIENT, name: [{ family: 'Berg' }] };
  assert.equal(
    (
      await call('admin', 'PUT', `/Patient/${PATIENT}`, {
        ...person,
        managingOrganization: { reference: `Organization/${ORGANISATION}` },
      })
    ).status,
    201,
  );
});

test('bytes of any type are taken as a Binary and come back as they were', async () => {
  for (const [type, body] of [
    ['image/png', PNG],
    ['application/octet-stream', ODD],
    ['text/plain; charset=utf-8', Buffer.from('Åäö, 😍')],
    ['application/x-www-form-urlencoded', Buffer.from('a=b')],
    ['application/pdf', Buffer.from('%PDF-1.7')],
  ] as const) {
    const made = await send('POST', '/Binary', { type, body });
    assert.equal(made.status, 201, `${type} ${made.text}`);
    const { id } = JSON.parse(made.text);
    const read = await send('GET', `/Binary/${id}`);
    assert.deepEqual([read.status, read.headers['content-type'], read.bytes], [200, type, body], type);
    assert.equal(read.headers['etag'], 'W/"1"');
    assert.deepEqual((await send('GET', `/Binary/${id}/_history/1`)).bytes, body);
    const resource = JSON.parse((await send('GET', `/Binary/${id}`, { headers: json })).text);
    assert.deepEqual([resource.contentType, resource.data], [type, body.toString('base64')]);
    assert.equal(JSON.parse((await send('GET', `/Binary/${id}?_format=json`)).text).id, id);
    const head = await send('HEAD', `/Binary/${id}`);
    assert.deepEqual([head.status, head.headers['content-length']], [200, String(body.length)]);
    const again = await send('GET', `/Binary/${id}`, { headers: { 'if-none-match': 'W/"1"' } });
    assert.equal(again.status, 304);
  }
});

test('PUT writes at the address, a resource in FHIR is taken as ever, and nothing at all is refused', async () => {
  const put = await send('PUT', '/Binary/chosen', { type: 'image/png', body: PNG });
  assert.deepEqual([put.status, JSON.parse(put.text).id], [201, 'chosen']);
  const resource = { resourceType: 'Binary', id: 'chosen', contentType: 'text/plain', data: 'aGVq' };
  assert.equal((await call('planner', 'PUT', '/Binary/chosen', resource)).status, 200);
  assert.equal((await send('GET', '/Binary/chosen')).text, 'hej');
  assert.equal((await send('POST', '/Binary', { type: 'image/png', body: '' })).status, 400);
  assert.equal((await send('POST', '/Patient', { type: 'image/png', body: PNG })).status, 415);
  const stale = await send('PUT', '/Binary/chosen', { type: 'image/png', body: PNG, headers: { 'if-match': 'W/"1"' } });
  assert.equal(stale.status, 412);
});

test('FHIR is answered where it is named and no less wanted; a browser is shown nothing that could run', async () => {
  const wishes: readonly (readonly [accept: string, isFhir: boolean])[] = [
    ['*/*', false],
    ['image/png', false],
    ['text/html,application/xhtml+xml,*/*;q=0.8', false],
    ['application/fhir+json', true],
    ['application/json', true],
    ['image/png, application/fhir+json;q=0.5', false],
    ['application/fhir+json, */*;q=0.1', true],
  ];
  await send('PUT', '/Binary/wished', { type: 'image/png', body: PNG });
  for (const [accept, isFhir] of wishes) {
    const { headers } = await send('GET', '/Binary/wished', { headers: { accept } });
    assert.equal(String(headers['content-type']).startsWith('application/'), isFhir, accept);
  }
  for (const [type, disposition] of [
    ['image/png', 'inline'],
    ['text/html', 'attachment'],
    ['image/svg+xml', 'attachment'],
    ['application/javascript', 'attachment'],
  ] as const) {
    await send('PUT', '/Binary/shown', { type, body: '<script>alert(1)</script>' });
    const { headers } = await send('GET', '/Binary/shown');
    assert.deepEqual(
      [headers['content-disposition'], headers['x-content-type-options'], headers['content-security-policy']],
      [disposition, 'nosniff', "default-src 'none'; sandbox"],
      type,
    );
  }
});

test('a securityContext decides who reads the Binary: alone, in searches and in histories', async () => {
  const context = { 'x-security-context': `Patient/${PATIENT}` };
  const made = await send('PUT', '/Binary/secured', { type: 'text/plain', body: 'about her', headers: context });
  assert.equal(made.status, 201, made.text);
  const read = await send('GET', '/Binary/secured', { as: 'patient' });
  assert.deepEqual(
    [read.status, read.text, read.headers['x-security-context']],
    [200, 'about her', `Patient/${PATIENT}`],
  );
  await send('PUT', '/Binary/staff', { type: 'text/plain', body: 'for staff' });
  assert.equal((await send('GET', '/Binary/staff', { as: 'patient' })).status, 404);
  const found = await call('patient', 'GET', '/Binary?_id=secured,staff');
  assert.deepEqual(
    found.body.entry?.map((each: { resource: { id: string } }) => each.resource.id),
    ['secured'],
  );
  const history = await call('patient', 'GET', '/Binary/secured/_history');
  assert.equal(history.body.entry?.length, 1, history.text);
  assert.equal((await call('patient', 'GET', '/Binary/staff/_history')).status, 404);
  // Of a record that nobody may read, the Binary is nobody's either.
  await send('PUT', '/Binary/gone', {
    type: 'text/plain',
    body: 'x',
    headers: { 'x-security-context': 'Patient/never-there' },
  });
  assert.equal((await send('GET', '/Binary/gone')).status, 404);
  assert.equal((await send('GET', '/Binary/gone', { as: 'admin' })).status, 200);
  // By way of another record of hers.
  const observation = {
    resourceType: 'Observation',
    id: 'of-her',
    status: 'final',
    code: { text: 'x' },
    subject: { reference: `Patient/${PATIENT}` },
  };
  assert.equal((await call('planner', 'PUT', '/Observation/of-her', observation)).status, 201);
  await send('PUT', '/Binary/attached', {
    type: 'text/plain',
    body: 'x',
    headers: { 'x-security-context': 'Observation/of-her' },
  });
  assert.equal((await send('GET', '/Binary/attached', { as: 'patient' })).status, 200);
  assert.equal(
    (await send('PUT', '/Binary/x', { type: 'text/plain', body: 'x', headers: { 'x-security-context': '!' } })).status,
    400,
  );
});
