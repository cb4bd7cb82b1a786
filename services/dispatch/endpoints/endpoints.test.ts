// Provider endpoints, deliveries and dead letters over HTTP (D8, D9).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { startReceiver } from '../testing/receiver.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { call, clock, sending } = bench;
const endpointOf = (provider: string) => `/api/v1/providers/${provider}/endpoint`;

async function push(provider: string): Promise<void> {
  const { id } = await bench.request([provider]);
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`)).status, 202);
}

async function statusesOf(provider: string): Promise<string[]> {
  const { body } = await call('admin', 'GET', `/api/v1/deliveries?provider_guid=${provider}`);
  return body.data.map((item: { status: string }) => item.status);
}

/** A dead delivery of the provider. */
async function die(provider: string): Promise<string> {
  await push(provider);
  for (let attempt = 0; attempt < 9; attempt += 1) {
    await sending.worker.runOnce();
    clock.time += 13 * 3_600_000;
  }
  const { body } = await call('admin', 'GET', `/api/v1/dead-letters?provider_guid=${provider}`);
  assert.equal(body.total, 1);
  return body.data[0].delivery_guid;
}

test('PUT makes an endpoint and shows its secret once; GET and a later PUT do not', async () => {
  const url = endpointOf(newGuid());
  assert.equal((await call('admin', 'GET', url)).status, 404);
  const made = await call('admin', 'PUT', url, { url: 'http://127.0.0.1:9/in?provider=1' });
  assert.equal(made.status, 201);
  assert.match(made.body.secret, /^whsec_/);
  assert.equal(made.headers['cache-control'], 'no-store');
  assert.equal(made.body.enabled, true);
  const changed = await call('admin', 'PUT', url, { url: 'http://127.0.0.1:10/in', enabled: false });
  assert.equal(changed.status, 200);
  assert.equal(changed.body.secret, undefined);
  const read = await call('admin', 'GET', url);
  assert.deepEqual(
    [read.body.url, read.body.enabled, read.body.disabled_reason, read.body.secret],
    ['http://127.0.0.1:10/in', false, 'administrator', undefined],
  );
  const back = await call('admin', 'PUT', url, { ...read.body, enabled: true });
  assert.deepEqual([back.status, back.body.enabled, back.body.disabled_reason], [200, true, null]);
  assert.equal((await call('admin', 'DELETE', url)).status, 204);
  assert.equal((await call('admin', 'DELETE', url)).status, 404);
});

test('addresses inside are refused by name, and so is a provider that is none', async () => {
  for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/latest', 'ftp://127.0.0.1/', 'nonsense']) {
    const answer = await call('admin', 'PUT', endpointOf(newGuid()), { url });
    assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error'], url);
    assert.match(answer.body.message, /'url'/);
  }
  assert.equal((await call('admin', 'GET', endpointOf('a%20b'))).status, 404);
});

test('a refused address is reported together with all other errors', async () => {
  const body = { url: 'http://10.0.0.1/', enabled: 'yes', secret: 'mine' };
  const answer = await call('admin', 'PUT', endpointOf(newGuid()), body);
  assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error']);
  const reported = answer.body.messages.join('\n');
  for (const field of ["'url'", "'enabled'", "'secret'"]) assert.match(reported, new RegExp(field), reported);
});

test('an invalid time is reported together with all other errors of a replay and of a list', async () => {
  const replay = await call('admin', 'POST', '/api/v1/dead-letters/replay', {
    since: '0001-01-01T00:00:00Z',
    until: '1800-01-01T00:00:00Z',
    provider: 'p',
  });
  assert.deepEqual([replay.status, replay.body.messages.length], [400, 3], replay.body.message);
  const list = await call('admin', 'GET', '/api/v1/dead-letters?since=0001-01-01T00:00:00Z&per_page=0');
  assert.deepEqual([list.status, list.body.messages.length], [400, 2], list.body.message);
});

test('only administrators and services set endpoints, only administrators see deliveries', async () => {
  bench.callers['provider'] = makePrincipal(['provider'], { providerGuid: newGuid() });
  for (const caller of ['planner', 'patient', 'provider']) {
    const hidden = caller === 'provider' ? 404 : 403;
    assert.equal((await call(caller, 'GET', endpointOf(newGuid()))).status, hidden);
    assert.equal((await call(caller, 'PUT', endpointOf(newGuid()), { url: 'https://example.org/' })).status, 403);
    assert.equal((await call(caller, 'GET', '/api/v1/deliveries')).status, 403);
    assert.equal((await call(caller, 'POST', '/api/v1/dead-letters/replay', {})).status, 403);
  }
  assert.equal((await call(undefined, 'GET', '/api/v1/dead-letters')).status, 401);
});

test('after a rotation both secrets sign while the grace lasts, then the new one alone', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  const { body: made } = await call('admin', 'PUT', endpointOf(provider), { url: receiver.url });
  const rotated = await call('admin', 'POST', `${endpointOf(provider)}/rotate-secret`, { grace_hours: 2 });
  assert.equal(rotated.status, 200);
  assert.equal(rotated.body.previous_secret_valid_until, new Date(clock.time + 7_200_000).toISOString());
  const ping = async () => {
    const answer = await call('admin', 'POST', `${endpointOf(provider)}/ping`);
    assert.equal(answer.status, 202);
    await sending.worker.runOnce();
    const received = receiver.ledger.at(-1)!;
    assert.equal(received.id, answer.body.delivery_guid);
    assert.equal(JSON.parse(received.body).type, 'ping');
    return received;
  };
  const during = await ping();
  receiver.verify(during, made.secret);
  receiver.verify(during, rotated.body.secret);
  clock.time += 7_200_000;
  const afterwards = await ping();
  receiver.verify(afterwards, rotated.body.secret);
  assert.throws(() => receiver.verify(afterwards, made.secret));
});

test('while disabled deliveries are held and a ping is 409; enabling sends them', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await call('admin', 'PUT', endpointOf(provider), { url: receiver.url });
  await push(provider);
  await call('admin', 'PUT', endpointOf(provider), { url: receiver.url, enabled: false });
  await push(provider);
  assert.deepEqual(await statusesOf(provider), ['held', 'held']);
  assert.equal((await call('admin', 'POST', `${endpointOf(provider)}/ping`)).status, 409);
  assert.equal(await sending.worker.runOnce(), 0);
  await call('admin', 'PUT', endpointOf(provider), { url: receiver.url, enabled: true });
  assert.equal(await sending.worker.runOnce(), 2);
  assert.deepEqual(await statusesOf(provider), ['delivered', 'delivered']);
});

test('removing an endpoint leaves the provider to its feed', async () => {
  const provider = newGuid();
  await call('admin', 'PUT', endpointOf(provider), { url: 'http://127.0.0.1:9/' });
  await push(provider);
  await call('admin', 'DELETE', endpointOf(provider));
  assert.deepEqual(await statusesOf(provider), ['cancelled']);
  assert.equal((await call('admin', 'GET', `/api/v1/requests?provider_guid=${provider}`)).body.requests.length, 1);
});

test('a dead letter is replayed under the same id, and with its attempts in the log', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(500);
  const provider = newGuid();
  const { body: made } = await call('admin', 'PUT', endpointOf(provider), { url: receiver.url });
  const guid = await die(provider);
  assert.deepEqual((await call('admin', 'GET', `/api/v1/deliveries/${guid}`)).body.attempts.length, 9);
  receiver.answer(204);
  const replayed = await call('admin', 'POST', `/api/v1/dead-letters/${guid}/replay`);
  assert.deepEqual([replayed.status, replayed.body], [202, { delivery_guid: guid, status: 'queued' }]);
  assert.equal(await sending.worker.runOnce(), 1);
  const detail = (await call('admin', 'GET', `/api/v1/deliveries/${guid}`)).body;
  assert.equal(detail.status, 'delivered');
  assert.deepEqual(
    detail.attempts
      .map(({ attempt, http_status }: { attempt: number; http_status: number }) => [attempt, http_status])
      .at(-1),
    [10, 204],
  );
  assert.equal(new Set(receiver.ledger.map(({ id }) => id)).size, 1);
  assert.equal(new Set(receiver.ledger.map(({ body }) => body)).size, 1);
  receiver.verify(receiver.ledger.at(-1)!, made.secret);
  const again = await call('admin', 'POST', `/api/v1/dead-letters/${guid}/replay`);
  assert.equal(again.status, 409);
  assert.match(again.body.message, /delivered/);
  assert.equal((await call('admin', 'POST', `/api/v1/dead-letters/${newGuid()}/replay`)).status, 404);
});

test('dead letters are replayed by provider and by the time they died', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(500);
  const [one, other] = [newGuid(), newGuid()];
  for (const provider of [one, other]) await call('admin', 'PUT', endpointOf(provider), { url: receiver.url });
  await die(one);
  const between = new Date(clock.time).toISOString();
  await die(other);
  const replay = async (body: object) =>
    (await call('admin', 'POST', '/api/v1/dead-letters/replay', body)).body.replayed;
  assert.equal(await replay({ provider_guid: one, since: between }), 0);
  assert.equal(await replay({ provider_guid: one, until: between }), 1);
  assert.equal(await replay({ provider_guid: other, since: between }), 1);
  assert.deepEqual(await statusesOf(one), ['queued']);
});

test('dead letters are counted by provider and cause, and one cause is listed and replayed alone', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(500);
  const [one, other] = [newGuid(), newGuid()];
  await call('admin', 'PUT', endpointOf(one), { url: receiver.url });
  await call('admin', 'PUT', endpointOf(other), { url: 'http://127.0.0.1:9/closed' });
  await die(one);
  await die(other);
  const { body } = await call('admin', 'GET', '/api/v1/dead-letters/causes');
  const causesOf = (provider: string) =>
    body.data
      .filter((each: { provider_guid: string }) => each.provider_guid === provider)
      .map(({ cause, dead_letters }: { cause: string; dead_letters: number }) => [cause, dead_letters]);
  assert.deepEqual(causesOf(one), [['server_error', 1]]);
  const [[refused]] = causesOf(other);
  assert.notEqual(refused, 'server_error');
  const query = `provider_guid=${other}&cause=`;
  assert.equal((await call('admin', 'GET', `/api/v1/dead-letters?${query}server_error`)).body.total, 0);
  assert.equal((await call('admin', 'GET', `/api/v1/dead-letters?${query}${refused}`)).body.total, 1);
  const replay = async (payload: object) =>
    (await call('admin', 'POST', '/api/v1/dead-letters/replay', payload)).body.replayed;
  assert.equal(await replay({ provider_guid: other, cause: 'server_error' }), 0);
  assert.equal(await replay({ provider_guid: other, cause: refused }), 1);
  assert.deepEqual(await statusesOf(one), ['dead']);
  assert.equal((await call('planner', 'GET', '/api/v1/dead-letters/causes')).status, 403);
});

test('lists are paged by decision G5 and report invalid filters', async () => {
  const { status, body, headers } = await call('admin', 'GET', '/api/v1/deliveries?per_page=1&status=cancelled');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['data', 'page', 'per_page', 'total']);
  assert.ok(String(headers['link']).includes('rel="first"'));
  assert.equal((await call('admin', 'GET', '/api/v1/deliveries?per_page=201')).status, 400);
  assert.equal((await call('admin', 'GET', '/api/v1/deliveries?status=lost')).status, 400);
  assert.equal((await call('admin', 'GET', '/api/v1/deliveries/none')).status, 404);
});
