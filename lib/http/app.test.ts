import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import Type from 'typebox';
import { fhirWire } from '#fhir/resources/wire.ts';
import { rawRequest } from '#test/support/raw-request.ts';
import { createAuthenticator } from '../auth/authenticator.ts';
import { createRevocationList } from '../auth/revocation-list.ts';
import { createTokenVerifier } from '../auth/token-verifier.ts';
import { systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { createLogger } from '../log/logger.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createHttpApp } from './app.ts';
import type { HttpApp } from './http-app.ts';
import type { ReadinessCheck } from './operations.ts';

const clients = [{ clientId: 'engine', clientSecret: 'a-secret-of-some-length' }] as const;
const asService = { 'x-sso-client-id': 'engine', 'x-sso-client-secret': 'a-secret-of-some-length' };

async function makeApp(readiness: ReadinessCheck[] = []): Promise<{ app: HttpApp; lines: string[] }> {
  const lines: string[] = [];
  const authenticator = createAuthenticator({
    tokens: createTokenVerifier({ keys: { load: async () => ({ keys: [] }) }, clock: systemClock }),
    revocations: createRevocationList({
      source: { readAfter: async () => ({ events: [], sequence: 0, hasMore: false }) },
      clock: systemClock,
    }),
    blobs: { read: async () => undefined },
    serviceClients: clients,
    clock: systemClock,
  });
  const destination = { write: (line: string) => void lines.push(line) };
  const app = await createHttpApp({
    service: 'sample',
    title: 'Sample',
    version: '1.2.3',
    logger: createLogger({ level: 'info', format: 'json', destination }),
    metrics: createMetrics('sample'),
    authenticator,
    readiness,
    wireFormOf: (path) => (path.startsWith('/fhir/') ? 'fhir' : 'plain'),
    fhir: fhirWire,
    trustProxy: [],
    corsOrigins: [],
  });
  const body = Type.Object(
    {
      name: Type.String({ minLength: 1 }),
      kind: Type.Enum(['a', 'b']),
      parts: Type.Optional(Type.Array(Type.Object({ n: Type.Integer() }))),
    },
    { additionalProperties: false },
  );
  app.post('/things', { config: { permission: 'public' }, schema: { body } }, async (request) => request.body);
  app.get('/things/:id', { config: { permission: 'revocation:follow' } }, async (request) => ({
    caller: request.principal?.id,
  }));
  app.delete('/things/:id', { config: { permission: 'directory:administer' } }, async () => ({}));
  app.get('/fhir/broken', { config: { permission: 'public' } }, async () => {
    throw new ServiceError('unprocessable', 'two errors', {
      issues: [{ message: 'one', field: 'Patient.name[0]', code: 'required' }, { message: 'two' }],
    });
  });
  app.get('/lost', { config: { permission: 'public' } }, async () => {
    throw new ServiceError('unavailable', 'The database cannot be reached', { retryAfterSeconds: 3 });
  });
  app.get('/bug', { config: { permission: 'public' } }, async () => {
    throw new Error('secret detail');
  });
  return { app, lines };
}

test('a route that names no permission cannot be registered', async () => {
  const { app } = await makeApp();
  assert.throws(() => app.get('/open', async () => ({})), /GET \/open names no permission/);
});

test('every error of a body is named, unknown fields too, and nothing is coerced', async () => {
  const { app } = await makeApp();
  const answer = await app.inject({
    method: 'POST',
    url: '/things',
    payload: { kind: 'c', extra: 1, parts: [{ n: '1' }, {}] },
  });
  assert.equal(answer.statusCode, 400);
  assert.equal(answer.json().error, 'validation_error');
  assert.deepEqual(answer.json().messages, [
    "'name' is required",
    "'extra' is not a known field",
    "'kind' must be one of 'a', 'b'",
    "'parts[0].n' must be integer",
    "'parts[1].n' is required",
  ]);
});

test('invalid JSON, an unsupported content type and a body over the limit have their own codes', async () => {
  const { app } = await makeApp();
  const send = async (payload: string, type: string) => {
    const answer = await app.inject({ method: 'POST', url: '/things', payload, headers: { 'content-type': type } });
    return [answer.statusCode, answer.json().error];
  };
  assert.deepEqual(await send('{"name":', 'application/json'), [400, 'invalid_request']);
  assert.deepEqual(await send('<a/>', 'application/xml'), [415, 'unsupported_media_type']);
  assert.deepEqual(await send(`"${'x'.repeat(1024 * 1024)}"`, 'application/json'), [413, 'payload_too_large']);
});

test('permissions are checked first: 401 with a challenge, 403 for wrong service credentials, which count nowhere else', async () => {
  const { app } = await makeApp();
  const none = await app.inject('/things/1');
  assert.deepEqual(
    [none.statusCode, none.json().error, none.headers['www-authenticate']],
    [401, 'unauthorized', 'Bearer'],
  );
  const bad = await app.inject({ url: '/things/1', headers: { ...asService, 'x-sso-client-secret': 'wrong' } });
  assert.deepEqual([bad.statusCode, bad.json().error], [403, 'invalid_service_credentials']);
  const rubbish = await app.inject({ url: '/things/1', headers: { authorization: 'Bearer a.b.c' } });
  assert.equal(rubbish.statusCode, 401);
  for (const secret of [asService['x-sso-client-secret'], 'wrong']) {
    const headers = { ...asService, 'x-sso-client-secret': secret };
    const misplaced = await app.inject({ method: 'DELETE', url: '/things/1', headers });
    assert.deepEqual([misplaced.statusCode, misplaced.json().error], [401, 'unauthorized']);
  }
  const good = await app.inject({ url: '/things/1', headers: asService });
  assert.deepEqual(good.json(), { caller: 'engine' });
});

test('an unknown address is 404, a known one with another method 405 with Allow', async () => {
  const { app } = await makeApp();
  const unknown = await app.inject('/nothing');
  assert.deepEqual([unknown.statusCode, unknown.json().error], [404, 'not_found']);
  const method = await app.inject({ method: 'PUT', url: '/things/1' });
  assert.deepEqual([method.statusCode, method.headers.allow], [405, 'DELETE, GET, HEAD']);
  const fhir = await app.inject('/fhir/nothing');
  assert.equal(fhir.json().resourceType, 'OperationOutcome');
});

test('a slash at the end makes no difference to a FHIR address; elsewhere it is 404, and the message says why', async () => {
  const { app } = await makeApp();
  for (const url of ['/fhir/broken/', '/fhir/broken/?x=1']) assert.equal((await app.inject(url)).statusCode, 422, url);
  assert.equal((await app.inject('/fhir/broken//')).statusCode, 404);
  const plain = await app.inject('/lost/');
  assert.equal(plain.statusCode, 404);
  assert.match(plain.json().message, /without the slash at its end there is/);
  assert.equal((await app.inject('/nothing/')).json().message, 'There is nothing at this address');
});

test('on FHIR paths every error is an issue of an OperationOutcome', async () => {
  const { app } = await makeApp();
  const answer = await app.inject('/fhir/broken');
  assert.equal(answer.statusCode, 422);
  assert.match(String(answer.headers['content-type']), /^application\/fhir\+json/);
  const coding = [{ system: 'https://kedja.dev/codes/error', code: 'unprocessable' }];
  assert.deepEqual(answer.json().issue, [
    { severity: 'error', code: 'required', details: { coding, text: 'one' }, expression: ['Patient.name[0]'] },
    { severity: 'error', code: 'processing', details: { coding, text: 'two' } },
  ]);
});

test('503 has Retry-After; a bug is a 500 without details', async () => {
  const { app, lines } = await makeApp();
  const lost = await app.inject('/lost');
  assert.deepEqual([lost.statusCode, lost.headers['retry-after'], lost.json().error], [503, '3', 'unavailable']);
  const bug = await app.inject('/bug');
  assert.deepEqual([bug.statusCode, bug.json().error], [500, 'internal_error']);
  assert.doesNotMatch(bug.body, /secret detail/);
  assert.ok(
    lines.some((line) => line.includes('secret detail')),
    'the log holds the detail',
  );
});

test('request ids are taken when well-formed, made otherwise, echoed and logged; queries and bodies are not', async () => {
  const { app, lines } = await makeApp();
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const headers = { 'x-request-id': 'abc-1', traceparent: trace };
  const answer = await app.inject({
    method: 'POST',
    url: '/things?token=hidden',
    payload: { name: 'Anna', kind: 'a' },
    headers,
  });
  assert.equal(answer.headers['x-request-id'], 'abc-1');
  const made = await app.inject({ url: '/livez', headers: { 'x-request-id': 'bad id\u0007' } });
  assert.match(String(made.headers['x-request-id']), /^[0-9a-f-]{36}$/);
  const text = lines.join('');
  assert.match(text, /"requestId":"abc-1"/);
  assert.match(text, /"trace_id":"0af7651916cd43dd8448eb211c80319c"/);
  assert.doesNotMatch(text, /hidden|Anna/);
});

test('operations: livez, readyz with reasons, metrics, openapi and the reference page', async () => {
  const { app } = await makeApp([{ name: 'database', check: async () => 'cannot be reached' }]);
  assert.equal((await app.inject('/livez')).statusCode, 200);
  const ready = await app.inject('/readyz');
  assert.deepEqual([ready.statusCode, ready.json().reasons], [503, ['database: cannot be reached']]);
  assert.match((await app.inject('/metrics')).body, /kedja_http_request_duration_seconds_bucket/);
  const openapi = (await app.inject('/openapi.json')).json();
  assert.equal(openapi.openapi, '3.1.0');
  assert.ok(openapi.paths['/things/{id}'].get);
  assert.equal((await app.inject('/docs/')).statusCode, 200);
});

test('what is not a page of the reference is 404, however its path is written', async (t) => {
  const { app } = await makeApp();
  t.after(() => app.close());
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  for (const path of [
    '../package.json',
    '..%2Fpackage.json',
    '%2e%2e/',
    '%2e%2e%2f..%2fetc/passwd',
    '..',
    '..%5c..',
    '%00',
    '.%2f',
    'nothing',
    'operations/nothing',
    'operations/getLivez/more',
  ]) {
    const answer = await rawRequest(origin, `/docs/${path}`);
    assert.ok([400, 404].includes(answer.status), `${path} ${answer.status}`);
    assert.match(answer.text, /^\{"error":"(?:not_found|invalid_request)",/, path);
  }
});

test('a method that an address does not take is 405 with Allow, whatever the method and the body; an unknown address 404', async (t) => {
  const { app } = await makeApp();
  t.after(() => app.close());
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const bodies = [
    {},
    { 'content-type': 'application/json' },
    { 'content-type': 'text/x-nothing', 'content-length': '0' },
  ];
  // CONNECT asks for a tunnel, and has no path.
  for (const method of METHODS.filter((each) => each !== 'CONNECT' && each !== 'GET' && each !== 'HEAD')) {
    for (const headers of bodies) {
      const refused = await rawRequest(origin, '/livez', { method, headers });
      assert.deepEqual([method, refused.status, refused.headers['allow']], [method, 405, 'GET, HEAD']);
      assert.equal(JSON.parse(refused.text).error, 'method_not_allowed');
      const unknown = await rawRequest(origin, '/nothing', { method, headers });
      assert.deepEqual([method, unknown.status], [method, 404]);
    }
  }
});

test('a browser that opens the address of a form again gets a page, a program the error', async () => {
  const { app } = await makeApp();
  const opened = (accept: string) => app.inject({ url: '/things', headers: { accept } });
  const page = await opened('text/html,application/xhtml+xml,*/*;q=0.8');
  assert.deepEqual([page.statusCode, page.headers['allow']], [405, 'POST']);
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(page.body, /<a class="button" href="\/">/);
  for (const accept of ['*/*', 'application/json'])
    assert.equal((await opened(accept)).json().error, 'method_not_allowed', accept);
});

test('the document begins where the service does, and credentials go where they are needed', async () => {
  const { app } = await makeApp();
  const openapi = (await app.inject('/openapi.json')).json();
  assert.equal(
    new URL(openapi.servers[0].url, 'https://kedja.test/engine/openapi.json').href,
    'https://kedja.test/engine/',
  );
  assert.deepEqual(openapi.paths['/things'].post.security, []);
  assert.deepEqual(openapi.paths['/things/{id}'].get.security, [{ serviceId: [], serviceSecret: [] }]);
  assert.deepEqual(openapi.paths['/things/{id}'].delete.security, [{ bearer: [] }]);
  assert.equal(openapi.paths['/things/{id}'].get.operationId, 'getThingsById');
});

test('the document is sent with a validator, compressed for clients that take gzip, and the same to all', async () => {
  const { app } = await makeApp();
  const plain = await app.inject('/openapi.json');
  const packed = await app.inject({ url: '/openapi.json', headers: { 'accept-encoding': 'gzip' } });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(packed.rawPayload).toString(), plain.body);
  const { etag } = plain.headers;
  assert.match(String(etag), /^"[\w-]{22}"$/);
  const again = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(etag) } });
  assert.deepEqual([again.statusCode, again.body], [304, '']);
});

test('the reference lists operations in groups, finds them by words, and has a page for each', async () => {
  const { app } = await makeApp();
  const page = async (url: string) => {
    const answer = await app.inject(url);
    assert.equal(answer.statusCode, 200, url);
    assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
    return answer.body;
  };
  assert.match(await page('/docs/'), /<a href="operations">operations<\/a>/);
  assert.match(await page('/docs/?q=livez'), /href="operations\/getLivez"/);
  assert.match(await page('/docs/?q=<b>'), /for “&lt;b&gt;”/);
  assert.match(await page('/docs/operations'), /GET \/livez/);
  assert.match(await page('/docs/operations/getLivez'), /Anyone may call this|anyone may call this/);
  const redirect = await app.inject('/docs');
  assert.deepEqual([redirect.statusCode, redirect.headers.location], [302, 'docs/']);
});

test('a text that the database cannot store is the caller’s error, in the code of the route', async () => {
  const { app } = await makeApp();
  const config = { permission: 'public', validationCode: 'invalid_request' } as const;
  app.get('/stored', { config }, async () => {
    const refusal = new pg.DatabaseError('invalid byte sequence', 0, 'error');
    refusal.code = '22021';
    throw refusal;
  });
  const answer = await app.inject('/stored');
  assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request']);
});

test('a plain text body is refused, and an error of a plugin keeps its status', async () => {
  const { app } = await makeApp();
  app.get('/refused', { config: { permission: 'public' } }, async () => {
    throw Object.assign(new Error('no'), { statusCode: 400 });
  });
  app.get('/missing/*', { config: { permission: 'public' } }, async (_request, reply) => reply.callNotFound());
  const headers = { 'content-type': 'text/plain' };
  const text = await app.inject({ method: 'POST', url: '/things', headers, payload: 'name' });
  assert.deepEqual([text.statusCode, text.json().error], [415, 'unsupported_media_type']);
  assert.equal(text.json().message, 'This address reads a body of the content type application/json');
  assert.equal(text.headers['accept'], 'application/json');
  assert.equal((await app.inject('/refused')).statusCode, 400);
  assert.equal((await app.inject('/missing/x')).statusCode, 404, 'the method is right, so it is no 405');
});

test('a request that is no HTTP gets an error in our form, and the connection is closed', async (t) => {
  const { app } = await makeApp();
  t.after(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const say = async (text: string) => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write(text);
    return (await socket.toArray()).join('');
  };
  const garbage = await say('GARBAGE\r\n\r\n');
  assert.match(garbage, /^HTTP\/1\.1 400 Bad Request\r\nconnection: close/);
  assert.match(garbage, /\r\ncache-control: private, no-store\r\nx-content-type-options: nosniff\r\n/);
  assert.equal(JSON.parse(garbage.split('\r\n\r\n')[1] ?? '').error, 'invalid_request');
  const long = await say(`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`);
  assert.match(long, /^HTTP\/1\.1 431 /);
});

test('a body that is not UTF-8 is refused, and not stored as another text', async () => {
  const { app } = await makeApp();
  const headers = { 'content-type': 'application/json' };
  const send = (name: Buffer) => {
    const payload = Buffer.concat([Buffer.from('{"kind":"a","name":"'), name, Buffer.from('"}')]);
    return app.inject({ method: 'POST', url: '/things', headers, payload });
  };
  const refused = await send(Buffer.from('Björken', 'latin1'));
  assert.deepEqual([refused.statusCode, refused.json().error], [400, 'invalid_request']);
  assert.match(refused.json().message, /UTF-8/);
  assert.equal((await send(Buffer.from('Björken'))).json().name, 'Björken');
});

test('an empty body counts as none, whatever its content type', async () => {
  const { app } = await makeApp();
  const config = { permission: 'public' } as const;
  app.post('/act', { config }, async (request) => ({ hasBody: request.body !== undefined }));
  const headers = { 'content-type': 'application/json' };
  assert.deepEqual((await app.inject({ method: 'POST', url: '/act', headers })).json(), { hasBody: false });
  const wanting = await app.inject({ method: 'POST', url: '/things', headers });
  assert.deepEqual([wanting.statusCode, wanting.json().error], [400, 'validation_error']);
});
