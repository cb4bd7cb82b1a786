import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeTestApp } from '#test/support/http-app.ts';
import { ServiceError } from '../../errors.ts';
import { expectJson, injectFetch, networkFetch, type ServiceFetch } from './service-fetch.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

const target = await makeTestApp();
target.post('/echo', { config: { permission: 'public' } }, async (request, reply) =>
  reply.code(201).send({ body: request.body, headers: request.headers }),
);
const LONG = Array.from({ length: 100_000 }, (_, index) => `number ${index}`);
target.get('/long', { config: { permission: 'public' } }, async () => LONG);
target.get('/moved', { config: { permission: 'public' } }, async (_request, reply) => reply.redirect('/elsewhere'));
target.get('/busy', { config: { permission: 'public' } }, async (_request, reply) => reply.code(503).send('later'));
const base = await target.listen({ host: '127.0.0.1', port: 0 });
after(() => target.close());

/** The headers that a call carries when it is made while a request with this trace is worked on. */
async function headersPassedOn(fetch: ServiceFetch, traceparent: string | undefined): Promise<IncomingHttpHeaders> {
  const caller = await makeTestApp();
  caller.get('/', { config: { permission: 'public' } }, async () =>
    expectJson(await fetch('/echo', { method: 'POST', json: {} }), 201),
  );
  const headers = { 'x-request-id': 'req-1', ...(traceparent === undefined ? {} : { traceparent }) };
  const answer = await caller.inject({ url: '/', headers });
  await caller.close();
  return answer.json().headers;
}

for (const [name, fetch] of [
  ['over the network', networkFetch(base)],
  ['in the same process', injectFetch(() => target)],
] as const) {
  test(`an ambiguous path is not requested ${name}`, async () => {
    for (const path of ['/x/../moved', '/%2e%2e/moved', '/x/..', '/x//moved', '/moved#x']) {
      await assert.rejects(fetch(path), { code: 'not_found' }, path);
    }
  });

  test(`JSON is sent and received ${name}, with the status`, async () => {
    const answer = await fetch('/echo', { method: 'POST', json: { name: 'Åsa' }, headers: { 'x-one': '1' } });
    const seen = (await expectJson(answer, 201)) as { body: unknown; headers: IncomingHttpHeaders };
    assert.deepEqual(seen.body, { name: 'Åsa' });
    assert.equal(seen.headers['x-one'], '1');
  });

  test(`request id and trace are passed on ${name}, as they are where nothing is recorded`, async () => {
    const passed = await headersPassedOn(fetch, TRACEPARENT);
    assert.equal(passed['x-request-id'], 'req-1');
    assert.equal(passed.traceparent, TRACEPARENT);
  });

  test(`a malformed trace is replaced by a new one ${name}`, async () => {
    for (const bad of [
      undefined,
      'x',
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `ff-${TRACE_ID}-b7ad6b7169203331-01`,
    ]) {
      const { traceparent } = await headersPassedOn(fetch, bad);
      assert.match(String(traceparent), /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      assert.doesNotMatch(String(traceparent), new RegExp(TRACE_ID));
    }
  });
}

test('a small response that decompresses beyond the limit is an error', async (t) => {
  const packed = gzipSync(Buffer.alloc(80 * 1024 * 1024));
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(packed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const bomb = networkFetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await assert.rejects(bomb('/x'), { code: 'upstream_error', message: /more than 1048576 bytes/ });
});

test('a call may have a larger limit of its response', async () => {
  for (const fetch of [networkFetch(base), injectFetch(() => target)]) {
    await assert.rejects(fetch('/long'), { code: 'upstream_error', message: /more than 1048576 bytes/ });
    const answer = await fetch('/long', { maxBytes: 4 * 1024 * 1024 });
    assert.deepEqual(await expectJson(answer, 200), LONG);
  }
});

test('a peer that is down, closes the connection or redirects is unavailable', async () => {
  const rude = createServer((request) => request.socket.destroy());
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
  const { port } = rude.address() as AddressInfo;
  const unavailable = { code: 'upstream_unavailable' };
  await assert.rejects(networkFetch(`http://127.0.0.1:${port}`)('/'), unavailable);
  rude.close();
  await assert.rejects(networkFetch('http://127.0.0.1:9')('/'), unavailable);
  await assert.rejects(networkFetch(base)('/moved'), unavailable);
  await assert.rejects(injectFetch(() => undefined)('/'), unavailable);
});

test('a response that is no JSON is an error that does not quote it', async () => {
  const answer = { status: 200, headers: {}, text: 'Åsa Öst, 198001011017' };
  await assert.rejects(
    expectJson(answer, 200),
    (error) => error instanceof ServiceError && error.code === 'upstream_error' && error.cause === undefined,
  );
});

test('an unexpected response is an error that distinguishes a passing failure from a lasting one', async () => {
  const fetch = networkFetch(base);
  const busy = await fetch('/busy');
  await assert.rejects(expectJson(busy, 200), { code: 'upstream_unavailable' });
  const missing = await fetch('/nothing');
  await assert.rejects(expectJson(missing, 200), { code: 'upstream_error' });
  await assert.rejects(expectJson({ status: 200, headers: {}, text: '<html>' }, 200), { code: 'upstream_error' });
  assert.equal(await expectJson({ status: 204, headers: {}, text: '' }, 204), undefined);
});
