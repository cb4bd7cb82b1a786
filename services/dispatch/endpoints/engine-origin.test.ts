// The engine's inbox may be registered while private addresses are closed to webhooks, as in production (D8, E10).
// Other tests send the attempts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { ENGINE, makeSite } from '../testing/site.ts';

const { call } = await makeSite({ after });

const endpointOf = (provider: string) => `providers/${provider}/endpoint`;
const register = (url: string, as: string, provider = newGuid()) =>
  call('PUT', endpointOf(provider), { as, body: { url } });
const inboxOf = (provider: string) => `${ENGINE}/api/v1/provider-tasks/inbox?provider_guid=${provider}`;
const OUTSIDE = [ENGINE.replace(/\d+$/, '8081'), ENGINE.replace('http:', 'https:'), 'http://127.0.0.1/'];

test("the engine's own origin is open to webhooks, and nothing else on its host is", async () => {
  const made = await register(inboxOf(newGuid()), 'admin');
  assert.equal(made.status, 201, made.text);
  for (const url of OUTSIDE) {
    const refused = await register(url, 'admin');
    assert.deepEqual([refused.status, refused.body['error']], [400, 'validation_error'], url);
  }
});

test('the engine sets only its own inbox, and reads the secret of no other endpoint', async () => {
  const [hosted, other] = [newGuid(), newGuid()];
  assert.equal((await register(inboxOf(hosted), 'service', hosted)).status, 201);
  const rotate = (provider: string) =>
    call('POST', `${endpointOf(provider)}/rotate-secret`, { as: 'service', body: { grace_hours: 0 } });
  assert.equal((await rotate(hosted)).status, 200);
  assert.equal((await register('https://93.184.215.14/in', 'admin', other)).status, 201);
  for (const url of [...OUTSIDE, 'https://93.184.215.14/in']) {
    const refused = await register(url, 'service', hosted);
    assert.deepEqual([refused.status, refused.body['error']], [403, 'forbidden'], url);
  }
  assert.equal((await rotate(other)).status, 403);
  for (const [method, path] of [
    ['GET', endpointOf(hosted)],
    ['DELETE', endpointOf(hosted)],
    ['POST', `${endpointOf(hosted)}/ping`],
  ] as const) {
    assert.equal((await call(method, path, { as: 'service' })).status, 403, path);
  }
});

test('the secret of the engine’s inbox is renewed by the engine alone; that of another address is anybody’s who may', async () => {
  const [hosted, other] = [newGuid(), newGuid()];
  const rotateAs = (as: string, provider: string) =>
    call('POST', `${endpointOf(provider)}/rotate-secret`, { as, body: { grace_hours: 0 } });
  assert.equal((await register(inboxOf(hosted), 'admin', hosted)).status, 201);
  assert.equal((await register(`${ENGINE}/elsewhere`, 'admin', other)).status, 201);
  const refused = await rotateAs('admin', hosted);
  assert.deepEqual([refused.status, refused.body['error']], [409, 'conflict']);
  assert.match(String(refused.body['message']), /PUT \/providers\/\{id\}\/inbox/);
  assert.deepEqual([(await rotateAs('service', hosted)).status, (await rotateAs('admin', other)).status], [200, 200]);
});
