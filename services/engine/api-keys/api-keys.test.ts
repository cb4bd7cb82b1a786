// API keys, black-box (contract: engine, "Authentication, users, API keys"; decision E8).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOUR_MS } from '#lib/clock.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call, engine, database, clock, logLines } = await startTestEngine({ after });
const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';

const introspect = async (key: string) => (await call('service', 'POST', '/api-keys/introspect', { key })).body;
async function makeKey(body: object = {}) {
  const answer = await call('admin', 'POST', '/api-keys', { name: 'Key', scopes: ['system/Patient.rs'], ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}
async function makeProvider(): Promise<string> {
  return (await call('admin', 'POST', '/providers', { name: 'P', region: 'R' })).body.provider_guid;
}

test('a key is shown once, kept as a hash, and known by its prefix', async () => {
  const made = await call('admin', 'POST', '/api-keys', { name: 'Lab', scopes: ['system/Observation.cruds'] });
  assert.deepEqual([made.status, made.headers['cache-control']], [201, 'no-store']);
  const { reads, ...shown } = made.body;
  const { key, key_guid: guid, prefix } = shown;
  assert.match(reads, /by its scopes: system\/Observation\.cruds$/);
  assert.match(key, /^kedja_[A-Za-z0-9_-]{43}$/);
  assert.ok(key.startsWith(prefix));
  const read = await call('admin', 'GET', `/api-keys/${guid}`);
  assert.deepEqual({ ...read.body, key }, shown);
  assert.deepEqual([read.body.status, read.body.provider_guid, read.body.last_used_at], ['active', null, null]);
  assert.doesNotMatch((await call('admin', 'GET', '/api-keys')).text, new RegExp(key));
  const { rows } = await database.query<{ row: string }>('SELECT row_to_json(k)::text AS row FROM api_key k');
  const { rows: audited } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const kept = [...rows.map(({ row }) => row), ...audited.map(({ resource }) => resource), ...logLines].join();
  assert.doesNotMatch(kept, new RegExp(key));
  assert.match(kept, /api-key.create/);
});

test('introspection returns to services what a live key stands for', async () => {
  const provider = await makeProvider();
  const { key, key_guid } = await makeKey({ scopes: [], provider_guid: provider });
  assert.deepEqual(await introspect(key), { active: true, key_guid, scopes: [], provider_guid: provider });
  assert.deepEqual(await engine.apiKeys.read(key).then((principal) => principal && [...principal.roles]), ['provider']);
  for (const other of ['', 'kedja_', `${key}x`, key.toUpperCase(), `kedja_${'A'.repeat(43)}`]) {
    assert.deepEqual(await introspect(other), { active: false });
    assert.equal(await engine.apiKeys.read(other), undefined);
  }
  await call('admin', 'PUT', `/providers/${provider}`, { name: 'P', region: 'R', status: 'inactive' });
  assert.deepEqual(await introspect(key), { active: false });
});

test('an expired or revoked key is dead, and revoking cannot be taken back', async () => {
  const expiring = await makeKey({ expires_at: new Date(clock.time + HOUR_MS).toISOString() });
  assert.equal((await introspect(expiring.key)).active, true);
  clock.time += HOUR_MS;
  assert.equal((await introspect(expiring.key)).active, false);
  assert.equal((await call('admin', 'GET', `/api-keys/${expiring.key_guid}`)).body.status, 'expired');
  const { key, key_guid: guid } = await makeKey();
  const body = { name: 'New', scopes: ['system/*.r'] };
  const put = await call('admin', 'PUT', `/api-keys/${guid}`, body);
  assert.deepEqual([put.body.name, put.body.scopes, put.body.status], ['New', ['system/*.r'], 'active']);
  assert.equal(
    (await call('admin', 'PUT', `/api-keys/${guid}`, { ...body, status: 'revoked' })).body.status,
    'revoked',
  );
  assert.equal((await introspect(key)).active, false);
  assert.equal((await call('admin', 'PUT', `/api-keys/${guid}`, body)).status, 409);
  assert.equal((await call('admin', 'POST', `/api-keys/${guid}/rotate`)).status, 409);
});

test('rotation: a new key at once, the old one as long as its grace period', async () => {
  const { key: first, key_guid: guid } = await makeKey();
  const second = await call('admin', 'POST', `/api-keys/${guid}/rotate`);
  assert.deepEqual([second.status, second.headers['cache-control']], [200, 'no-store']);
  assert.notEqual(second.body.key, first);
  assert.deepEqual([(await introspect(first)).active, (await introspect(second.body.key)).active], [false, true]);
  const third = await call('admin', 'POST', `/api-keys/${guid}/rotate`, { grace_hours: 2 });
  assert.deepEqual(
    [(await introspect(second.body.key)).active, (await introspect(third.body.key)).active],
    [true, true],
  );
  clock.time += 2 * HOUR_MS;
  assert.deepEqual(
    [(await introspect(second.body.key)).active, (await introspect(third.body.key)).active],
    [false, true],
  );
  assert.equal((await call('admin', 'POST', `/api-keys/${guid}/rotate`, { grace_hours: -1 })).status, 400);
});

test('deleting a key ends it', async () => {
  const { key, key_guid: guid } = await makeKey();
  assert.equal((await call('admin', 'DELETE', `/api-keys/${guid}`)).status, 204);
  assert.equal((await introspect(key)).active, false);
  for (const method of ['GET', 'DELETE'] as const)
    assert.equal((await call('admin', method, `/api-keys/${guid}`)).status, 404);
});

test('errors of keys', async () => {
  const send = async (body: object) => {
    const answer = await call('admin', 'POST', '/api-keys', { name: 'Key', ...body });
    assert.equal(answer.status, 400, answer.text);
    return answer.body.messages.join();
  };
  assert.match(await send({}), /a key that acts for no provider needs at least one/);
  assert.match(await send({ scopes: ['system/Nothing.r'] }), /'scopes\[0\]': 'Nothing' is no FHIR R5 resource type/);
  for (const scope of ['system/Patient.', 'system/Patient.sr', 'user/Patient.r', 'system/Patient.read', 'openid']) {
    assert.match(await send({ scopes: [scope] }), /scopes\[0\]/, scope);
  }
  assert.match(await send({ scopes: ['system/*.r'], provider_guid: UNKNOWN }), /there is no provider/);
  assert.match(await send({ scopes: ['system/*.r'], expires_at: 'soon' }), /expires_at/);
});

test('who may do what with keys', async () => {
  for (const caller of ['planner', 'patient', 'service']) {
    assert.equal((await call(caller, 'GET', '/api-keys')).status, 403);
    assert.equal((await call(caller, 'POST', '/api-keys', {})).status, 403);
    assert.equal((await call(caller, 'POST', '/api-keys/x/rotate', {})).status, 403);
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await call(caller, method, '/api-keys/x')).status, 403);
  }
  assert.equal((await call(undefined, 'GET', '/api-keys')).status, 401);
  assert.equal((await call('admin', 'POST', '/api-keys/introspect', { key: 'x' })).status, 403);
});
