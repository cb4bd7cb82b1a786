// The webhook receiver, black-box (decisions D8, E10): signatures, replays, duplicates, order.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newGuid } from '#lib/guid.ts';
import { newWebhookSecret } from '#lib/webhook/signature.ts';
import { makeRequest, startTestInbox } from '#test/support/engine/engine-inbox.ts';

const inbox = await startTestInbox({ after });
const { app, call, clock, database, dispatch, engine, provider, push, send, logLines } = inbox;

const tasksOf = async (requestGuid: string) => {
  const { rows } = await database.query<{ status: string; reason: string | null }>(
    'SELECT status, reason FROM provider_task WHERE request_guid = $1',
    [requestGuid],
  );
  return rows;
};

test('opening an inbox registers it at dispatch with credentials and keeps the secret sealed', async () => {
  const [registration] = dispatch.asked;
  assert.deepEqual(registration, {
    method: 'PUT',
    path: `/api/v1/providers/${provider}/endpoint`,
    json: { url: `http://engine.test/api/v1/provider-tasks/inbox?provider_guid=${provider}`, enabled: true },
    hasCredentials: true,
  });
  const { rows } = await database.query<{ secret_sealed: Buffer }>('SELECT secret_sealed FROM provider_inbox');
  assert.ok(!rows[0]?.secret_sealed.toString('latin1').includes(dispatch.secrets.get(provider) ?? '?'));
});

test('a webhook signed by another implementation of Standard Webhooks is taken', async () => {
  const { requestGuid, message } = makeRequest();
  const body = JSON.stringify({ ...message, timestamp: new Date(clock.time).toISOString() });
  const id = newGuid();
  const at = new Date(clock.time);
  const signature = new Webhook(dispatch.secrets.get(provider) ?? '').sign(id, at, body);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(clock.time / 1000)),
    'webhook-signature': signature,
  };
  const url = `/api/v1/provider-tasks/inbox?provider_guid=${provider}`;
  const answer = await app.inject({ method: 'POST', url, headers, payload: body });
  assert.deepEqual([answer.statusCode, answer.body], [204, '']);
  assert.deepEqual(await tasksOf(requestGuid), [{ status: 'received', reason: null }]);
});

test('a message that is not signed for this inbox has no effect', async () => {
  const { requestGuid, message } = makeRequest();
  const refused = [
    await send(message, { secret: newWebhookSecret() }),
    await send(message, { tamper: true }),
    await send(message, { secondsAgo: 301 }),
    await send(message, { secondsAgo: -301 }),
    await send(message, { provider: newGuid() }),
    await send(message, { provider: 'no-guid' }),
    await send(message, { headers: { 'webhook-signature': 'v1,AAAA' } }),
    await send(message, { headers: { 'webhook-id': 'another' } }),
  ];
  assert.deepEqual(
    refused,
    refused.map(() => 401),
  );
  assert.deepEqual(await tasksOf(requestGuid), []);
  const bare = await call(undefined, 'POST', `/provider-tasks/inbox?provider_guid=${provider}`, {});
  assert.deepEqual([bare.status, bare.body.error], [401, 'unauthorized']);
  assert.equal((await call(undefined, 'POST', '/provider-tasks/inbox', {})).status, 400);
});

test('a webhook has its effect once, however often and however many at once it comes', async () => {
  const { requestGuid, token, message } = makeRequest();
  const id = newGuid();
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(message, { id })));
  assert.deepEqual(answers, [204, 204, 204, 204]);
  assert.equal((await tasksOf(requestGuid)).length, 1);
  const accepted = await call(undefined, 'POST', `/provider-tasks/${token}/accept`);
  assert.equal(accepted.body.status, 'accepted');
  // Neither the same message again nor the same request under another id takes anything back.
  assert.deepEqual([await send(message, { id }), await send(message)], [204, 204]);
  assert.equal((await call(undefined, 'GET', `/provider-tasks/${token}`)).body.status, 'accepted');
});

test('withdrawn and revoked end a task from every open state, and leave a finished one', async () => {
  for (const type of ['request.withdrawn', 'request.revoked']) {
    const { requestGuid } = await push();
    assert.equal(await send({ type, data: { request_guid: requestGuid, reason: 'taken' } }), 204);
    assert.deepEqual(await tasksOf(requestGuid), [{ status: 'withdrawn', reason: 'taken' }]);
  }
  const { requestGuid, token } = await push();
  await call(undefined, 'POST', `/provider-tasks/${token}/accept`);
  await call(undefined, 'POST', `/provider-tasks/${token}/report`, { status: 'final', note: 'Done' });
  assert.equal(await send({ type: 'request.revoked', data: { request_guid: requestGuid } }), 204);
  assert.equal((await tasksOf(requestGuid))[0]?.status, 'completed');
});

test('a withdrawal that overtakes its dispatch wins', async () => {
  const { requestGuid, token, message } = makeRequest();
  assert.equal(await send({ type: 'request.withdrawn', data: { request_guid: requestGuid } }), 204);
  assert.equal(await send(message), 204);
  assert.deepEqual(await tasksOf(requestGuid), [{ status: 'withdrawn', reason: 'withdrawn' }]);
  assert.equal((await call(undefined, 'POST', `/provider-tasks/${token}/accept`)).status, 404);
  const both = makeRequest();
  const closing = { type: 'request.withdrawn', data: { request_guid: both.requestGuid } };
  await Promise.all([send(both.message), send(closing)]);
  assert.equal((await tasksOf(both.requestGuid))[0]?.status, 'withdrawn');
});

test("a provider's secret says nothing about another provider's requests", async () => {
  const { requestGuid } = await push();
  const made = await call('admin', 'POST', '/providers', { name: 'Other', region: 'Skåne' });
  const other = made.body.provider_guid;
  await call('admin', 'PUT', `/providers/${other}/inbox`, { enabled: true });
  const secret = dispatch.secrets.get(other) ?? '';
  const closing = { type: 'request.withdrawn', data: { request_guid: requestGuid } };
  assert.equal(await send(closing, { provider: other, secret }), 204);
  assert.deepEqual(await tasksOf(requestGuid), [{ status: 'received', reason: null }]);
});

const bundleOf = (resource: object) => ({ resourceType: 'Bundle', entry: [{ resource }] });

test('ping is answered; what cannot be read is refused and may come again', async () => {
  assert.equal(await send({ type: 'ping', data: { provider_guid: provider } }), 204);
  const { message, requestGuid } = makeRequest();
  const id = newGuid();
  const unreadable = [
    { type: 'request.unknown', data: {} },
    { type: 'request.dispatched', data: {} },
    { type: 'request.withdrawn', data: { request_guid: 'x' } },
    { ...message, data: { ...message.data, bundle: { resourceType: 'Bundle', entry: [] } } },
    { ...message, data: { ...message.data, bundle: bundleOf({ resourceType: 'ServiceRequest', id: 'x' }) } },
    { ...message, data: { ...message.data, note: 'a\u0000b' } },
  ];
  for (const bad of unreadable) assert.equal(await send(bad, { id }), 422);
  assert.equal(await send(message, { id }), 204);
  assert.equal((await tasksOf(requestGuid)).length, 1);
});

test('a closed inbox answers 410 to one who can sign; opening again needs no new secret, a lost one is rotated', async () => {
  const made = await call('admin', 'POST', '/providers', { name: 'Third', region: 'Skåne' });
  const third = made.body.provider_guid;
  const put = (enabled: boolean) => call('admin', 'PUT', `/providers/${third}/inbox`, { enabled });
  const asked = dispatch.asked.length;
  assert.deepEqual([(await put(false)).body.enabled, dispatch.asked.length], [false, asked]);
  assert.equal((await put(true)).body.enabled, true);
  const secret = dispatch.secrets.get(third) ?? '';
  const ping = { type: 'ping', data: {} };
  assert.equal(await send(ping, { provider: third, secret }), 204);
  await put(false);
  assert.equal(await send(ping, { provider: third, secret }), 410);
  await put(true);
  assert.equal(await send(ping, { provider: third, secret }), 204);
  await database.query('DELETE FROM provider_inbox WHERE provider_guid = $1', [third]);
  await put(true);
  assert.match(dispatch.asked.at(-1)?.path ?? '', /rotate-secret$/);
  assert.equal(await send(ping, { provider: third, secret: dispatch.secrets.get(third) ?? '' }), 204);
});

test('renew_secret replaces the secret of an open inbox: dispatch or the engine can read the old one no more', async () => {
  const made = await call('admin', 'POST', '/providers', { name: 'Renewed', region: 'Skåne' });
  const renewed = made.body.provider_guid;
  const put = (body: object) => call('admin', 'PUT', `/providers/${renewed}/inbox`, body);
  assert.equal((await put({ enabled: true })).status, 200);
  const before = dispatch.secrets.get(renewed) ?? '';
  const closed = await put({ enabled: false, renew_secret: true });
  assert.deepEqual([closed.status, /renew_secret/.test(JSON.stringify(closed.body))], [400, true]);
  assert.equal((await put({ enabled: true, renew_secret: true })).status, 200);
  const after = dispatch.secrets.get(renewed) ?? '';
  assert.notEqual(after, before);
  const ping = { type: 'ping', data: {} };
  assert.equal(await send(ping, { provider: renewed, secret: before }), 401);
  assert.equal(await send(ping, { provider: renewed, secret: after }), 204);
});

test('with dispatch down nothing changes; only administrators open inboxes', async () => {
  const made = await call('admin', 'POST', '/providers', { name: 'Fourth', region: 'Skåne' });
  const path = `/providers/${made.body.provider_guid}/inbox`;
  dispatch.answer = 'down';
  const down = await call('admin', 'PUT', path, { enabled: true });
  assert.deepEqual([down.status, down.body.error], [503, 'upstream_unavailable']);
  dispatch.answer = 'ok';
  const { rowCount } = await database.query('SELECT FROM provider_inbox WHERE provider_guid = $1', [
    made.body.provider_guid,
  ]);
  assert.equal(rowCount, 0);
  for (const caller of ['planner', 'provider', 'service', 'patient']) {
    assert.equal((await call(caller, 'PUT', path, { enabled: true })).status, 403, caller);
  }
  assert.equal((await call('admin', 'PUT', `/providers/${newGuid()}/inbox`, { enabled: true })).status, 404);
  assert.equal((await call('admin', 'PUT', path, { enabled: 'yes' })).status, 400);
});

test('received webhooks are forgotten after ninety days', async () => {
  const count = async () => (await database.query('SELECT FROM inbox_message')).rowCount ?? 0;
  assert.ok((await count()) > 0);
  clock.time += 91 * 24 * 3_600_000;
  engine.wake();
  for (let round = 0; round < 400 && (await count()) > 0; round += 1) await call(undefined, 'GET', '/metadata');
  assert.equal(await count(), 0);
});

test('neither secrets nor tokens nor names are logged', async () => {
  const { token } = await push();
  await call(undefined, 'GET', `/provider-tasks/${token}`);
  const log = logLines.join('');
  assert.match(log, /inbox.received/);
  for (const hidden of [token, 'Berg', ...dispatch.secrets.values()]) assert.ok(!log.includes(hidden));
});
