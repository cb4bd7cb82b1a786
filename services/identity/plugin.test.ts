import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { makePatient } from '#test/support/identity/identity-people.ts';

const hooks = lastFirst({ after });

test('a start with another administrator or another password changes nothing when there is one', async () => {
  const on = await identityDatabase(hooks);
  await startIdentity(hooks, { on });
  const again = await startIdentity(hooks, {
    on,
    administrator: { email: 'x@example.org', password: 'another phrase' },
  });
  await again.signIn(ADMIN.email, ADMIN.password);
  await assert.rejects(again.signIn('x@example.org', 'another phrase'), /401/);
});

test('a node with another key for personnummer refuses to start', async () => {
  const on = await identityDatabase(hooks);
  const first = await startIdentity(hooks, { on });
  await makePatient(first);
  await assert.rejects(
    startIdentity(hooks, { on, sealingKeys: fixedKeys(Buffer.alloc(32, 9)) }),
    /bring the right key file back/,
  );
});

test('health reports version and database; a lost database is 503, on the page too', async () => {
  const { app, database } = await startIdentity(hooks);
  const answer = await app.inject('/api/health');
  assert.deepEqual(
    [answer.statusCode, answer.json()],
    [200, { status: 'ok', database: 'connected', version: '1.2.3' }],
  );
  await database.close();
  const lost = await app.inject('/api/health');
  assert.deepEqual([lost.statusCode, lost.json().database], [200, 'unreachable']);
  const login = await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email: 'a', password: 'b' } });
  assert.deepEqual([login.statusCode, login.json().error], [503, 'unavailable']);
  assert.ok(Number(login.headers['retry-after']) >= 1);
  const page = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
    payload: 'email=a&password=b&lang=sv&next=https%3A%2F%2Fapp.example.org%2Fsso%2F',
  });
  assert.equal(page.statusCode, 503);
  assert.match(page.body, /role="alert">Det går inte just nu/);
});

test('every address is in the OpenAPI document, which is 3.1', async () => {
  const { app } = await startIdentity(hooks);
  const openapi = (await app.inject('/openapi.json')).json();
  assert.equal(openapi.openapi, '3.1.0');
  for (const path of [
    '/api/auth/login',
    '/api/patient/register',
    '/api/groups',
    '/api/admin/access-requests',
    '/api/health',
  ]) {
    assert.ok(openapi.paths[path], path);
  }
});
