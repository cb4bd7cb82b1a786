import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { makePrincipal, makeTestApp } from '#test/support/http-app.ts';
import { ServiceError } from '../../errors.ts';

const READER = makePrincipal(['reader']);
const authorization = 'Bearer reader';
const guarded = { permission: 'definition:read' } as const;

async function makeApp() {
  const app = await makeTestApp({ reader: READER });
  app.get('/plain', { config: guarded }, async () => ({}));
  app.get('/stream', { config: guarded }, async (_request, reply) => reply.send(Readable.from(['a'])));
  app.get('/away', { config: { permission: 'public' } }, async (_request, reply) => reply.redirect('/plain'));
  app.get('/secret', { config: guarded }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({}),
  );
  const revalidated = { ...guarded, caching: 'revalidated' } as const;
  app.get('/tagged', { config: revalidated }, async (request, reply) => {
    reply.header('etag', 'W/"1"');
    if (request.headers['if-none-match'] === 'W/"1"') return reply.code(304).send();
    return { padding: 'x'.repeat(10_000) };
  });
  app.get('/untagged', { config: revalidated }, async () => ({}));
  app.get('/open', { config: { permission: 'public', caching: 'public' } }, async (request) => {
    if (request.headers['x-request-id'] === 'fail') throw new ServiceError('unavailable', 'Not now');
    return {};
  });
  return app;
}

test('a response is stored by no cache unless its route allows it, and its type is never guessed', async (t) => {
  const app = await makeApp();
  t.after(() => app.close());
  const expected: readonly (readonly [
    url: string,
    status: number,
    caching: string,
    headers?: Record<string, string>,
  ])[] = [
    ['/plain', 200, 'private, no-store'],
    ['/stream', 200, 'private, no-store'],
    ['/away', 302, 'private, no-store'],
    ['/secret', 200, 'no-store'],
    ['/tagged', 200, 'private, no-cache'],
    ['/tagged', 304, 'private, no-cache', { 'if-none-match': 'W/"1"' }],
    ['/untagged', 200, 'private, no-store'],
    ['/open', 200, 'public, no-cache'],
    ['/open', 503, 'private, no-store', { 'x-request-id': 'fail' }],
    ['/nothing', 404, 'private, no-store'],
    ['/%zz', 400, 'private, no-store'],
    [`/plain?${'x'.repeat(10)}`, 401, 'private, no-store', { authorization: 'Bearer nobody' }],
    ['/livez', 200, 'private, no-store'],
    ['/openapi.json', 200, 'public, no-cache'],
    ['/docs/', 200, 'no-store'],
  ];
  for (const [url, status, caching, headers] of expected) {
    const answer = await app.inject({ url, headers: { authorization, ...headers } });
    const { 'cache-control': cacheControl, 'x-content-type-options': type } = answer.headers;
    assert.deepEqual([url, answer.statusCode, cacheControl, type], [url, status, caching, 'nosniff']);
  }
});

test('Vary names the caller and everything else on which a stored response depends', async (t) => {
  const app = await makeApp();
  t.after(() => app.close());
  const headers = { authorization, 'accept-encoding': 'gzip' };
  const packed = await app.inject({ url: '/tagged', headers });
  assert.equal(packed.headers.vary, 'Accept, Authorization, Cookie, Kedja-Patient, X-API-Key, Accept-Encoding');
  const kept = await app.inject({ url: '/tagged', headers: { ...headers, 'if-none-match': 'W/"1"' } });
  assert.equal(kept.headers.vary, 'Accept, Authorization, Cookie, Kedja-Patient, X-API-Key');
});

test('a route for one caller only cannot be registered as public', async (t) => {
  const app = await makeTestApp();
  t.after(() => app.close());
  assert.throws(
    () => app.get('/x', { config: { ...guarded, caching: 'public' } }, async () => ({})),
    /GET \/x is kept for others than its caller/,
  );
});
