// Pages of other origins: the CORS headers of an application with an allow-list, and of one without.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePrincipal, makeTestApp } from '#test/support/http-app.ts';

const PAGE = 'https://app.example.org';
const OTHER = 'https://other.example.org';

async function appFor(corsOrigins: readonly string[]) {
  const app = await makeTestApp({ admin: makePrincipal(['admin']) }, { corsOrigins });
  app.get('/things', { config: { permission: 'library:read' } }, async (_request, reply) =>
    reply.header('etag', 'W/"1"').send({}),
  );
  return app;
}

const preflight = (origin: string, url = '/things') =>
  ({
    method: 'OPTIONS',
    url,
    headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' },
  }) as const;

test('an allowed page may use every method and header of callers, and reads the response', async () => {
  const app = await appFor([PAGE, 'http://localhost:5173']);
  for (const origin of [PAGE, 'http://localhost:5173']) {
    const asked = await app.inject(preflight(origin));
    assert.deepEqual([asked.statusCode, asked.payload], [204, '']);
    assert.equal(asked.headers['access-control-allow-origin'], origin);
    assert.match(String(asked.headers['access-control-allow-methods']), /PATCH/);
    const named = ['Authorization', 'X-API-Key', 'Prefer', 'If-Match', 'If-None-Exist', 'Idempotency-Key'];
    for (const name of [...named, 'Kedja-Organisation', 'Kedja-Patient'])
      assert.match(String(asked.headers['access-control-allow-headers']), new RegExp(`\\b${name}\\b`));
    const answer = await app.inject({ url: '/things', headers: { origin, authorization: 'Bearer admin' } });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['access-control-allow-origin'], origin);
    assert.match(String(answer.headers['access-control-expose-headers']), /\bETag\b.*\bLocation\b/);
    assert.match(String(answer.headers.vary), /Origin/);
    // Cookies stay at home.
    assert.equal(answer.headers['access-control-allow-credentials'], undefined);
  }
});

test('it may read refusals and 404, too', async () => {
  const app = await appFor([PAGE]);
  for (const [url, status] of [
    ['/things', 401],
    ['/nothing', 404],
  ] as const) {
    const { statusCode, headers } = await app.inject({ url, headers: { origin: PAGE } });
    assert.deepEqual([statusCode, headers['access-control-allow-origin']], [status, PAGE]);
  }
});

test('no other page is allowed, and without a list none', async () => {
  for (const [origins, origin] of [
    [[PAGE], OTHER],
    [[PAGE], `${PAGE}.evil.example`],
    [[PAGE], 'null'],
    [[], PAGE],
  ] as const) {
    const app = await appFor(origins);
    const asked = await app.inject(preflight(origin));
    assert.equal(asked.statusCode, 405);
    const answer = await app.inject({ url: '/things', headers: { origin, authorization: 'Bearer admin' } });
    for (const { headers } of [asked, answer])
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        [],
      );
    assert.equal(answer.headers.vary, origins.length === 0 ? undefined : 'Origin');
  }
});

test('an OPTIONS request that is no preflight is served as usual', async () => {
  const app = await appFor([PAGE]);
  const { statusCode, headers } = await app.inject({ method: 'OPTIONS', url: '/things', headers: { origin: PAGE } });
  assert.deepEqual([statusCode, headers.allow], [405, 'GET, HEAD']);
  const nowhere = await app.inject({ method: 'OPTIONS', url: '/nothing', headers: { origin: PAGE } });
  assert.equal(nowhere.statusCode, 404);
  for (const url of ['/things', '/nothing'])
    assert.equal((await app.inject({ method: 'OPTIONS', url })).statusCode, url === '/things' ? 405 : 404);
});
