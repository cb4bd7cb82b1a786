// The rows of "Authentication, users, API keys" about API keys (contract: engine; decision E8).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createKeyUsageClient } from '#clients/key-usage-client.ts';
import { createKeyUsage } from '#lib/auth/key-usage.ts';
import { HOUR_MS } from '#lib/clock.ts';
import { injectFetch } from '#lib/http/upstream/service-fetch.ts';
import { ORGANISATION } from '#test/support/engine/engine.ts';
import { INSTANT, startEngineContract, UNKNOWN } from '#test/support/engine/engine-contract.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { GUID, type Shape } from '#test/support/shape.ts';
import { fifty } from '#test/support/system/at-once.ts';

const contract = await startEngineContract({ after });
const { ask, expect, refuse, expectPage, clock, database, engine, app } = contract;
const as = 'admin';

const KEY: Shape = {
  key_guid: GUID,
  name: /./,
  prefix: /^kedja_.{8}$/,
  scopes: [/^system\//],
  provider_guid: null,
  organisation_guid: null,
  expires_at: null,
  status: /^(active|revoked|expired)$/,
  last_used_at: null,
  previous_key_until: null,
  created_at: INSTANT,
  updated_at: INSTANT,
};
const SHOWN: Shape = { ...KEY, key: /^kedja_[\w-]{43}$/, reads: /^(Only|What) / };
const input = { name: 'Laboratory', scopes: ['system/Patient.cruds', 'system/Observation.rs'] };
const makeKey = async (changes: object = {}) =>
  (await ask('POST /api-keys', { as, body: { ...input, ...changes } })).body;
const usageOf = async (guid: string, query = '') => (await ask(`GET /api-keys/${guid}/usage${query}`, { as })).body;

test('create: 201, the key, this once', async () => {
  const { body, headers } = await expect('POST /api-keys', { as, body: input }, 201, SHOWN);
  assert.equal(headers['location'], `/api/v1/api-keys/${body.key_guid}`);
  assert.equal(headers['cache-control'], 'no-store');
  await expect(`GET /api-keys/${body.key_guid}`, { as }, 200, KEY);
});

test('a key of an organisation reads and writes what the organisation’s staff read, by its scopes', async () => {
  const own = (await ask('POST /Patient', { as: 'planner', body: { resourceType: 'Patient' } })).body.id;
  const other = (await ask('POST /Patient', { as: 'stranger', body: { resourceType: 'Patient' } })).body.id;
  const scopes = ['system/Patient.crs'];
  const bound = await makeKey({ scopes, organisation_guid: ORGANISATION });
  assert.deepEqual([bound.organisation_guid, bound.provider_guid], [ORGANISATION, null]);
  assert.match(
    bound.reads,
    new RegExp(`^What the staff of the organisation ${ORGANISATION} read.*system/Patient\\.crs$`),
  );
  const free = await makeKey({ scopes });
  assert.match(free.reads, /^Only records of the engine's own/);
  const statusOf = async (key: string, path: string) => (await ask(`GET ${path}`, { as: key })).status;
  assert.deepEqual(
    [await statusOf(bound.key, `/Patient/${own}`), await statusOf(bound.key, `/Patient/${other}`)],
    [200, 404],
  );
  assert.equal(await statusOf(free.key, `/Patient/${own}`), 404);
  assert.equal(await statusOf(bound.key, '/Observation'), 403);
  const written = await ask('POST /Patient', { as: bound.key, body: { resourceType: 'Patient' } });
  assert.equal((await ask(`GET /Patient/${written.body.id}`, { as: 'planner' })).status, 200);
  const both = { ...input, organisation_guid: ORGANISATION, provider_guid: UNKNOWN };
  await refuse('POST /api-keys', { as, body: both }, 400, 'validation_error');
});

test('create: 400 validation_error for scopes that are none, unknown types, no scopes and unknown fields', async () => {
  const unfit = ['system/Patient.sr', 'system/Patient.', 'patient/Patient.r', 'system/Nothing.r', 'system/*', 'openid'];
  for (const scope of unfit) {
    await refuse('POST /api-keys', { as, body: { ...input, scopes: [scope] } }, 400, 'validation_error');
  }
  for (const body of [{}, { name: 'x' }, { ...input, key: 'mine' }, { ...input, expires_at: 'soon' }]) {
    await refuse('POST /api-keys', { as, body }, 400, 'validation_error');
  }
  await refuse('POST /api-keys', { as, body: { ...input, provider_guid: UNKNOWN } }, 400, 'validation_error');
});

test('list: 200, a page of keys, by provider', async () => {
  const provider = (await ask('POST /providers', { as, body: { name: 'P', region: 'R' } })).body.provider_guid;
  const { key_guid: guid } = await makeKey({ provider_guid: provider });
  const shape = { ...(KEY as object), provider_guid: provider };
  const { body } = await expectPage(`GET /api-keys?provider_guid=${provider}`, { as }, shape);
  assert.deepEqual([body.total, body.data[0].key_guid], [1, guid]);
  for (const query of ['page=0', 'per_page=201', 'provider_guid=x', 'status=active']) {
    await refuse(`GET /api-keys?${query}`, { as }, 400, 'validation_error');
  }
});

test('read, update, delete, rotate and usage: 404 not_found for an unknown key and for what is no guid', async () => {
  for (const guid of [UNKNOWN, 'x']) {
    await refuse(`GET /api-keys/${guid}`, { as }, 404, 'not_found');
    await refuse(`PUT /api-keys/${guid}`, { as, body: input }, 404, 'not_found');
    await refuse(`DELETE /api-keys/${guid}`, { as }, 404, 'not_found');
    await refuse(`POST /api-keys/${guid}/rotate`, { as }, 404, 'not_found');
    await refuse(`GET /api-keys/${guid}/usage`, { as }, 404, 'not_found');
  }
});

test('update: 200, and narrower scopes count at once; 409 for a revoked key that would be active', async () => {
  const { key, key_guid: guid } = await makeKey();
  assert.equal((await ask('GET /Patient', { as: key })).status, 200);
  const narrow = { name: 'Narrow', scopes: ['system/Observation.rs'] };
  await expect(`PUT /api-keys/${guid}`, { as, body: narrow }, 200, { ...(KEY as object), last_used_at: null });
  assert.equal((await ask('GET /Patient', { as: key })).status, 403);
  await ask(`PUT /api-keys/${guid}`, { as, body: { ...narrow, status: 'revoked' } });
  await refuse(`GET /api-keys`, { as: key }, 401, 'unauthorized');
  await refuse(`PUT /api-keys/${guid}`, { as, body: narrow }, 409, 'conflict');
});

test('delete: 204, and the key counts no more', async () => {
  const { key, key_guid: guid } = await makeKey();
  await expect(`DELETE /api-keys/${guid}`, { as }, 204);
  assert.equal((await ask('GET /Patient', { as: key })).status, 401);
});

test('rotate: 200, a new key at once, the old one until the end of its grace', async () => {
  const { key: first, key_guid: guid } = await makeKey();
  const withOld = { ...(SHOWN as object), previous_key_until: INSTANT };
  const { body } = await expect(`POST /api-keys/${guid}/rotate`, { as, body: { grace_hours: 2 } }, 200, withOld);
  assert.deepEqual(await statuses(first, body.key), [200, 200]);
  const until = async () => (await ask(`GET /api-keys/${guid}`, { as })).body.previous_key_until;
  assert.equal(Date.parse(await until()), clock.time + 2 * HOUR_MS);
  clock.time += 2 * HOUR_MS;
  assert.equal(await until(), null);
  assert.deepEqual(await statuses(first, body.key), [401, 200]);
  const { body: next } = await expect(`POST /api-keys/${guid}/rotate`, { as }, 200, SHOWN);
  assert.deepEqual(await statuses(body.key, next.key), [401, 200]);
  for (const grace_hours of [-1, 169, 'x']) {
    await refuse(`POST /api-keys/${guid}/rotate`, { as, body: { grace_hours } }, 400, 'validation_error');
  }
});

test('rotate: of 50 at once each shows a key, and one of them counts', async () => {
  const { key_guid: guid } = await makeKey();
  const answers = await fifty(() => ask(`POST /api-keys/${guid}/rotate`, { as }));
  const keys = answers.map(({ status, body }) => (status === 200 ? String(body.key) : ''));
  assert.equal(new Set(keys).size, 50);
  const counted = (await statuses(...keys)).filter((status) => status === 200);
  assert.equal(counted.length, 1);
});

function statuses(...keys: string[]): Promise<number[]> {
  return Promise.all(keys.map(async (key) => (await ask('GET /Patient?_count=1', { as: key })).status));
}

test('usage: 200, every request counted, refused ones too, by day', async () => {
  const { key, key_guid: guid } = await makeKey();
  const none = { total: 0, last_used_at: null, by_day: [] };
  await expect(`GET /api-keys/${guid}/usage`, { as }, 200, none);
  await Promise.all(Array.from({ length: 40 }, () => ask('GET /Patient?_count=1', { as: key })));
  await ask('GET /users', { as: key });
  const today = new Date(clock.time).toISOString();
  assert.deepEqual(await usageOf(guid), {
    total: 41,
    last_used_at: today,
    by_day: [{ day: today.slice(0, 10), requests: 41 }],
  });
  clock.time += 24 * HOUR_MS;
  const tomorrow = new Date(clock.time).toISOString().slice(0, 10);
  await ask('GET /Patient', { as: key });
  const days = [
    { day: today.slice(0, 10), requests: 41 },
    { day: tomorrow, requests: 1 },
  ];
  assert.deepEqual((await usageOf(guid)).by_day, days);
  assert.deepEqual((await usageOf(guid, '?days=1')).by_day, days.slice(1));
  assert.equal((await usageOf(guid, '?days=1')).total, 42);
  for (const query of ['days=0', 'days=367', 'days=x', 'from=2026']) {
    await refuse(`GET /api-keys/${guid}/usage?${query}`, { as }, 400, 'validation_error');
  }
});

test('usage: no request writes, and what was counted is kept when the service stops', async () => {
  const { key, key_guid: guid } = await makeKey();
  const stored = async () =>
    (await database.query<{ requests: number }>('SELECT requests FROM api_key_usage WHERE key_guid = $1', [guid])).rows;
  await ask('GET /Patient', { as: key });
  await ask('GET /Patient', { as: key });
  assert.deepEqual(await stored(), []);
  await engine.stop();
  assert.deepEqual(await stored(), [{ requests: 2 }]);
});

test('usage: what another service has counted is added, each batch once, also when an answer was lost', async () => {
  const { key_guid: guid } = await makeKey();
  const { key_guid: gone } = await makeKey();
  await ask(`DELETE /api-keys/${gone}`, { as });
  const carrier = injectFetch(() => app);
  const credentials = { clientId: 'dispatch', clientSecret: 's' };
  const send = createKeyUsageClient({
    fetch: (path, request) => carrier(path, { ...request, headers: { authorization: 'Bearer service' } }),
    credentials,
  });
  let losses = 2;
  const usage = createKeyUsage({
    clock,
    log: makeTestLogger(),
    sink: async (batch) => {
      await send(batch);
      losses -= 1;
      if (losses >= 0) throw new Error('the answer was lost');
    },
  });
  const listeners: Array<(principal: object) => void> = [];
  usage.register({ onResponseSent: (listener: () => void) => listeners.push(listener) } as never);
  const use = (id: string) => listeners[0]?.({ kind: 'api_key', id });
  for (const id of [guid, guid, gone, guid]) use(id);
  await assert.rejects(usage.flush());
  use(guid);
  await assert.rejects(usage.flush());
  await usage.flush();
  assert.equal((await usageOf(guid)).total, 4);
  await refuse('POST /api-keys/usage', { as: 'admin', body: {} }, 403, 'forbidden');
  await refuse(
    'POST /api-keys/usage',
    { as: 'service', body: { batch_guid: UNKNOWN, uses: [] } },
    400,
    'validation_error',
  );
});
