import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { requestTime } from '#lib/jobs/request-time.ts';
import { makeGateway, PAGE, startTestGateway } from '#test/support/gateway.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestApp } from '#test/support/http-app.ts';
import { rawRequest } from '#test/support/raw-request.ts';

const { app } = await startTestGateway({ after });

/** The gateway's own address, for requests that must be sent unchanged. */
let listeningAt: Promise<string> | undefined;
function listening(): Promise<string> {
  listeningAt ??= app.listen({ host: '127.0.0.1', port: 0 });
  return listeningAt;
}

test('requests are forwarded without the prefix and otherwise unchanged; a Location in the response gets the prefix', async () => {
  const answer = await app.inject({
    method: 'POST',
    url: '/identity/api/x%2Fy?a=1&b=%C3%A5',
    payload: { name: 'Åsa' },
  });
  const seen = answer.json();
  assert.deepEqual([answer.statusCode, answer.headers.location], [201, '/identity/made/1']);
  assert.deepEqual([seen.method, seen.url, seen.body], ['POST', '/api/x%2Fy?a=1&b=%C3%A5', '{"name":"Åsa"}']);
});

test('the client’s forwarding headers are replaced by the gateway’s', async () => {
  const headers = {
    'x-forwarded-for': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
    'x-request-id': 'r-1',
    authorization: 'Bearer t',
  };
  const seen = (await app.inject({ url: '/dispatch/api/v1/metadata', headers, remoteAddress: '198.51.100.7' })).json();
  assert.equal(seen.headers['x-forwarded-for'], '198.51.100.7');
  assert.equal(seen.headers.forwarded, undefined);
  assert.deepEqual([seen.headers['x-request-id'], seen.headers.authorization], ['r-1', 'Bearer t']);
});

test('hop-by-hop headers are not forwarded, and links get the prefix', async () => {
  const headers = { expect: '100-continue', upgrade: 'websocket', te: 'trailers', connection: 'close' };
  const answer = await app.inject({ method: 'POST', url: '/identity/list', headers, payload: {} });
  assert.equal(answer.statusCode, 201);
  for (const name of Object.keys(headers)) assert.notEqual(answer.json().headers[name], Object(headers)[name], name);
  assert.equal(answer.headers['keep-alive'], undefined);
  assert.equal(answer.headers.link, '</identity/list?page=1>; rel="first", </identity/list?page=2>; rel="next"');
});

test('the gateway proves itself to a service, and a client cannot forge the proof', async () => {
  const headers = { 'x-kedja-gateway': 'guessed', 'x-real-ip': '203.0.113.9', 'x-forwarded-port': '1' };
  const seen = (await app.inject({ url: '/dispatch/api/v1/metadata', headers })).json();
  assert.equal(seen.headers['x-kedja-gateway'], 'proof');
  assert.deepEqual([seen.headers['x-real-ip'], seen.headers['x-forwarded-port']], [undefined, undefined]);
});

test('the services’ metrics are not at the public origin, whatever the spelling of the path', async () => {
  const origin = await listening();
  const spellings = [
    'metrics',
    'metrics?x',
    '%6detrics',
    '%6D%65trics',
    'METRICS',
    'Metrics',
    'metrics/',
    'metrics;x=1',
  ];
  for (const name of ['identity', 'dispatch', 'engine']) {
    for (const spelling of spellings) {
      const { status } = await rawRequest(origin, `/${name}/${spelling}`);
      assert.equal(status, 404, `/${name}/${spelling}`);
    }
  }
  const detours = [
    '/metrics',
    './metrics',
    '%2e/metrics',
    'x/../metrics',
    'x/%2e%2E/metrics',
    '\\metrics',
    'x\\..\\metrics',
    'metrics#x',
  ];
  for (const detour of detours) {
    const { status } = await rawRequest(origin, `/identity/${detour}`);
    assert.equal(status, 400, `/identity/${detour}`);
  }
  for (const path of ['/IDENTITY/metrics', '/%69dentity/metrics', '//identity/metrics', '/x/../identity/metrics']) {
    const { status } = await rawRequest(origin, path);
    assert.ok([400, 404].includes(status), `${path} ${status}`);
  }
  const own = await rawRequest(origin, '/identity/api/v1/metrics');
  assert.equal(own.status, 201, 'an address of the contract');
});

test('a path with .. cannot leave its service', async () => {
  for (const url of ['/identity/..%2f..%2fsecret', '/identity//example.org/']) {
    const answer = await app.inject(url);
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request'], url);
  }
});

test('a client that is refused during its upload gets the response, and no broken connection', async (t) => {
  // It responds after the headers, and never reads the rest.
  const refusing = createServer((_request, response) => {
    response.writeHead(413, { 'content-type': 'application/json' }).end('{"error":"payload_too_large"}');
  });
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  t.after(() => refusing.close());
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
  const gateway = await makeGateway([url]);
  t.after(() => gateway.close());
  const origin = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('latin1');
  t.after(() => socket.destroy());
  let answers = '';
  const heard = (count: number) =>
    eventually(`${count} answers came`, async () => {
      assert.ok(!socket.closed, 'the connection was closed');
      return answers.split('payload_too_large').length > count ? true : undefined;
    });
  socket.on('data', (text: string) => (answers += text));
  const half = 'x'.repeat(1024 * 1024);
  const head = `POST /engine/any HTTP/1.1\r\nhost: x\r\ncontent-length: ${2 * half.length}\r\n\r\n`;
  socket.write(head + half);
  await heard(1);
  // The same connection accepts the rest and the next request.
  socket.write(half + head + half);
  await heard(2);
});

test('a client that closes its connection sends all of a body that is refused, and gets the response', async (t) => {
  const service = await makeTestApp();
  service.post('/small', { config: { permission: 'public' } }, async () => ({}));
  const gateway = await makeGateway([await service.listen({ host: '127.0.0.1', port: 0 })]);
  t.after(() => Promise.all([gateway.close(), service.close()]));
  const origin = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  t.after(() => socket.destroy());
  const body = Buffer.alloc(32 * 1024 * 1024, 'x');
  const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.write(`POST /engine/small HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n`);
  socket.write(body);
  assert.match(await text(socket), /^HTTP\/1\.1 413 /);
});

test('a body that is too large for the service is 413, not 503', async (t) => {
  const service = await makeTestApp();
  service.post('/small', { config: { permission: 'public' } }, async () => ({}));
  const gateway = await makeGateway([await service.listen({ host: '127.0.0.1', port: 0 })]);
  t.after(() => Promise.all([gateway.close(), service.close()]));
  const origin = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify('a'.repeat(20_000_000));
  const answer = await fetch(`${origin}/engine/small`, { method: 'POST', headers, body });
  assert.equal(answer.status, 413);
});

test('a request whose client disconnects is aborted at the service too', async (t) => {
  const service = await makeTestApp({}, { limitMs: 600_000 });
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  service.get('/slow', { config: { permission: 'public' } }, async () => {
    requestTime()?.onOver(() => ended.resolve());
    begun.resolve();
    await ended.promise;
    return {};
  });
  const gateway = await makeGateway([await service.listen({ host: '127.0.0.1', port: 0 })], { limitMs: 600_000 });
  t.after(() => Promise.all([gateway.close(), service.close()]));
  const origin = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const leaving = new AbortController();
  const answer = fetch(`${origin}/engine/slow`, { signal: leaving.signal });
  await begun.promise;
  leaving.abort();
  await assert.rejects(answer);
  await ended.promise;
});

test('a client that disconnects before the response to what it sent does not end the gateway', async (t) => {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = createServer((request, response) => {
    request.resume().once('end', async () => {
      begun.resolve();
      await go.promise;
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  t.after(() => slow.close());
  const gateway = await makeGateway([`http://127.0.0.1:${(slow.address() as AddressInfo).port}`]);
  t.after(() => gateway.close());
  const origin = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const ended: unknown[] = [];
  const note = (error: unknown) => void ended.push(error);
  process.on('uncaughtException', note);
  t.after(() => void process.off('uncaughtException', note));
  const leaving = new AbortController();
  const left = new Promise<void>((resolve) => {
    gateway.server.once('connection', (socket: Socket) => void socket.once('close', () => resolve()));
  });
  const answer = fetch(`${origin}/engine/x`, { method: 'DELETE', signal: leaving.signal });
  await begun.promise;
  leaving.abort();
  await assert.rejects(answer);
  await left;
  go.resolve();
  const next = await fetch(`${origin}/engine/y`, { method: 'DELETE' });
  assert.deepEqual([next.status, ended], [200, []]);
});

test('a refusal of the service during the upload reaches the client', async (t) => {
  const service = await makeTestApp();
  service.post('/deep', { config: { permission: 'public' }, bodyLimit: 32 * 1024 * 1024 }, async () => ({}));
  const gateway = await makeGateway([await service.listen({ host: '127.0.0.1', port: 0 })]);
  t.after(() => Promise.all([gateway.close(), service.close()]));
  const origin = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'content-type': 'application/json' };
  for (let round = 0; round < 3; round += 1) {
    const answer = await fetch(`${origin}/engine/deep`, { method: 'POST', headers, body: '['.repeat(20_000_000) });
    assert.notEqual(answer.status, 503, await answer.text());
  }
});

test('a service that is down answers 503 in our form', async () => {
  const answer = await app.inject('/engine/api/v1/metadata');
  assert.deepEqual([answer.statusCode, answer.json().error], [503, 'upstream_unavailable']);
  assert.ok(answer.headers['retry-after']);
  assert.deepEqual(cachingOf(answer), ['private, no-store', 'nosniff']);
});

test('cache headers of a service are forwarded; without them a response may not be stored', async () => {
  const silent = await app.inject('/identity/list');
  assert.deepEqual(cachingOf(silent), ['private, no-store', 'nosniff']);
  const cached = await app.inject({ url: '/identity/list', headers: { 'x-answer-caching': 'yes' } });
  assert.deepEqual(cachingOf(cached), ['public, max-age=60', 'nosniff']);
  for (const url of ['/', '/nothing', '/engine/docs', '/signed-in?code=x']) {
    const [caching, type] = cachingOf(await app.inject(url));
    assert.match(String(caching), /no-store/, url);
    assert.equal(type, 'nosniff', url);
  }
});

function cachingOf({ headers }: { headers: Readonly<Record<string, unknown>> }) {
  return [headers['cache-control'], headers['x-content-type-options']];
}

test('the address of a reference page without its last slash is redirected', async () => {
  const answer = await app.inject('/engine/docs');
  assert.deepEqual([answer.statusCode, answer.headers.location], [302, '/engine/docs/']);
});

test('the gateway answers the preflight of an allowed origin itself, and sends the CORS headers once', async () => {
  const headers = { origin: PAGE, 'access-control-request-method': 'PUT' };
  const asked = await app.inject({ method: 'OPTIONS', url: '/identity/fhir/Patient/1', headers });
  assert.deepEqual([asked.statusCode, asked.headers['access-control-allow-origin']], [204, PAGE]);
  const answer = await app.inject({ url: '/identity/list', headers: { origin: PAGE } });
  assert.deepEqual([answer.headers['access-control-allow-origin'], answer.headers.vary], [PAGE, 'Origin']);
  const unreachable = await app.inject({ url: '/engine/x', headers: { origin: PAGE } });
  assert.equal(unreachable.headers['access-control-allow-origin'], PAGE);
});
