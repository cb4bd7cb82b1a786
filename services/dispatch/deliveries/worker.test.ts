// The outbox and its worker with a real database and real receivers: nothing is lost, nothing is sent twice under
// another id.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createDeliveryBench, PATIENT } from '../testing/delivery-bench.ts';
import { startReceiver } from '../testing/receiver.ts';
import type { AttemptResult, Sender } from './sender.ts';

const bench = await createDeliveryBench({ after });
const { clock, db } = bench;
const DELIVERED: AttemptResult = { kind: 'answered', status: 204, retryAfter: undefined, answer: '' };

test.beforeEach(async () => {
  bench.consents.clear();
  await db.query('DELETE FROM delivery_attempt');
  await db.query('DELETE FROM delivery');
  await db.query('DELETE FROM provider_endpoint');
});

/** A sender that ends when the test says so. */
function heldSender() {
  const calls: { url: string; finish: (result: AttemptResult) => void }[] = [];
  let notice = () => {};
  const send: Sender = ({ url }) =>
    new Promise((finish) => {
      calls.push({ url, finish });
      notice();
    });
  const started = async (count: number) => {
    while (calls.length < count) {
      await new Promise<void>((done) => {
        notice = done;
      });
    }
  };
  return { send, calls, started };
}

test('a dispatch arrives once, signed as Standard Webhooks says, with the body that decision D8 describes', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  const secret = await bench.endpoint(provider, receiver.url);
  const [request = ''] = await bench.dispatch(provider);
  assert.equal(await bench.worker().runOnce(), 1);
  assert.equal(await bench.worker().runOnce(), 0);
  const [received, ...others] = receiver.ledger;
  assert.ok(received !== undefined && others.length === 0);
  const payload = receiver.verify(received, secret) as {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
  };
  const token = bench.keys.makeToken(request).token;
  assert.equal(payload.type, 'request.dispatched');
  assert.equal(payload.timestamp, '2026-06-15T12:00:00.000Z');
  assert.deepEqual(payload.data, {
    request_guid: request,
    receipt_token: token,
    respond_url: `https://dispatch.example.org/api/v1/ServiceRequest/receipt/${token}/respond`,
    status_url: `https://dispatch.example.org/api/v1/requests/${request}/status`,
    bundle: { resourceType: 'Bundle', type: 'collection', note: 'ÅÄÖ \u0001 1.0' },
  });
  assert.ok(received.body.includes('"note":"ÅÄÖ \\u0001 1.0"'), 'the bundle is sent as it was written');
  assert.throws(() => receiver.verify({ ...received, body: `${received.body} ` }, secret));
  const [row] = await bench.deliveries();
  assert.equal(row?.status, 'delivered');
  assert.equal(received.id, row?.delivery_guid);
  assert.deepEqual(row?.outcomes, ['delivered']);
});

test('the database and the log hold neither the token nor, in the log, the body', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer((response, received) => response.writeHead(200).end(received.body));
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  const [request = ''] = await bench.dispatch(provider);
  await bench.worker().runOnce();
  const { token } = bench.keys.makeToken(request);
  assert.ok(receiver.ledger[0]?.body.includes(token));
  const tables = ['delivery', 'delivery_attempt', 'receipt', 'push_bundle', 'audit_event', 'provider_endpoint'];
  for (const table of tables) {
    const { rows } = await db.query<{ dump: string }>(
      `SELECT coalesce(string_agg(t::text, ' '), '') AS dump FROM ${table} t`,
    );
    assert.ok(!rows[0]?.dump.includes(token), table);
  }
  assert.ok(!bench.logLines.join('').includes(token));
  assert.deepEqual((await bench.deliveries())[0]?.answers, ['[left out: it repeats the body]']);
});

test('failures are retried on the schedule with the same id and bytes, and then become dead letters', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(500, 302, 404, 503);
  const provider = newGuid();
  const secret = await bench.endpoint(provider, receiver.url);
  await bench.dispatch(provider);
  const worker = bench.worker();
  for (const [index, seconds] of [5, 60, 300].entries()) {
    assert.equal(await worker.runOnce(), 1);
    const [row] = await bench.deliveries();
    assert.equal(row?.status, 'waiting');
    assert.equal(row?.failures, index + 1);
    assert.equal(row?.next_at.getTime(), clock.time + seconds * 1000);
    clock.time += seconds * 1000 - 1;
    assert.equal(await worker.runOnce(), 0, 'not before its time');
    clock.time += 1;
  }
  assert.equal(await worker.runOnce(), 1);
  const [row] = await bench.deliveries();
  assert.equal(row?.status, 'dead');
  assert.deepEqual(row?.outcomes, ['server_error', 'redirected', 'refused', 'server_error']);
  assert.equal(new Set(receiver.ledger.map(({ id }) => id)).size, 1);
  assert.equal(new Set(receiver.ledger.map(({ body }) => body)).size, 1);
  assert.equal(
    new Set(receiver.ledger.map(({ timestamp }) => timestamp)).size,
    4,
    'each attempt has its own timestamp',
  );
  for (const received of receiver.ledger) receiver.verify(received, secret);
});

test('Retry-After is honoured where it is later than the schedule', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer((response) => response.writeHead(429, { 'retry-after': '120' }).end(), 204);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  await bench.dispatch(provider);
  await bench.worker().runOnce();
  assert.equal((await bench.deliveries())[0]?.next_at.getTime(), clock.time + 120_000);
});

test('410 disables the endpoint and holds its deliveries; nothing is lost', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(410);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  await bench.dispatch(provider);
  await bench.worker({ limits: { total: 1, perProvider: 1 } }).runOnce();
  await bench.dispatch(provider);
  const { rows } = await db.query('SELECT enabled, disabled_reason FROM provider_endpoint WHERE provider_guid = $1', [
    provider,
  ]);
  assert.deepEqual(rows, [{ enabled: false, disabled_reason: 'gone' }]);
  assert.deepEqual(
    (await bench.deliveries()).map(({ status }) => status),
    ['held', 'held'],
  );
  assert.equal(await bench.worker().runOnce(), 0);
});

test('two workers never send the same delivery', async (t) => {
  const receiver = await startReceiver(t);
  const providers = Array.from({ length: 8 }, () => newGuid());
  for (const provider of providers) await bench.endpoint(provider, receiver.url);
  for (let round = 0; round < 4; round += 1) await bench.dispatch(...providers);
  const workers = Array.from({ length: 4 }, () => bench.worker());
  const counts = await Promise.all(workers.map((worker) => worker.runOnce()));
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    32,
  );
  assert.equal(receiver.ledger.length, 32);
  assert.equal(new Set(receiver.ledger.map(({ id }) => id)).size, 32);
});

test('several workers that claim at once share the due deliveries of one provider', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  for (let count = 0; count < 12; count += 1) await bench.dispatch(provider);
  const workers = Array.from({ length: 3 }, () => bench.worker({ limits: { total: 8, perProvider: 4 } }));
  assert.deepEqual(await Promise.all(workers.map((worker) => worker.runOnce())), [4, 4, 4]);
  assert.equal(new Set(receiver.ledger.map(({ id }) => id)).size, 12);
  assert.ok((await bench.deliveries()).every(({ status, attempt }) => status === 'delivered' && attempt === 1));
});

test('after a killed worker the delivery is sent when its lease expires, and a late result changes nothing', async () => {
  const provider = newGuid();
  await bench.endpoint(provider, 'http://receiver.invalid/');
  await bench.dispatch(provider);
  const zombie = heldSender();
  const lost = bench.worker({ send: zombie.send }).runOnce();
  await zombie.started(1);
  clock.time += 59_999;
  assert.equal(await bench.worker().runOnce(), 0, 'the lease still holds');
  clock.time += 1;
  const failing: Sender = async () => ({ kind: 'answered', status: 500, retryAfter: undefined, answer: '' });
  assert.equal(await bench.worker({ send: failing }).runOnce(), 1);
  const [before] = await bench.deliveries();
  assert.equal(before?.status, 'waiting');
  assert.equal(before?.attempt, 2);
  zombie.calls[0]?.finish(DELIVERED);
  await lost;
  const [afterwards] = await bench.deliveries();
  assert.equal(afterwards?.status, 'waiting', 'the state is of the attempt that holds it');
  assert.equal(afterwards?.failures, 1);
  assert.deepEqual(afterwards?.outcomes, ['delivered', 'server_error'], 'the log has what the late worker saw');
});

test('a dead provider does not delay another, and gets one attempt at a time', async () => {
  const [dead, healthy] = [newGuid(), newGuid()];
  await bench.endpoint(dead, 'http://dead.invalid/');
  await bench.endpoint(healthy, 'http://healthy.invalid/');
  for (let round = 0; round < 40; round += 1) await bench.dispatch(dead);
  for (let round = 0; round < 3; round += 1) await bench.dispatch(healthy);
  const held = heldSender();
  const worker = bench.worker({ send: held.send, limits: { total: 8, perProvider: 4 } });
  const first = worker.runOnce();
  await held.started(7);
  const urls = held.calls.map(({ url }) => url);
  assert.equal(urls.filter((url) => url.includes('dead')).length, 4);
  assert.equal(urls.filter((url) => url.includes('healthy')).length, 3);
  for (const { url, finish } of held.calls)
    finish(url.includes('dead') ? { kind: 'failed', error: 'timeout' } : DELIVERED);
  await first;
  const again = worker.runOnce();
  await held.started(8);
  assert.equal(await Promise.race([again, 'still one']), 'still one');
  assert.equal(held.calls.length, 8, 'one probe while it fails');
  held.calls[7]?.finish(DELIVERED);
  await again;
});

test('failing providers together get half of the capacity', async () => {
  const failing = Array.from({ length: 12 }, () => newGuid());
  const healthy = newGuid();
  for (const provider of failing) await bench.endpoint(provider, `http://${provider}.invalid/`);
  await bench.endpoint(healthy, 'http://healthy.invalid/');
  await bench.dispatch(...failing);
  const held = heldSender();
  let isFailing = true;
  const send: Sender = (message, signal) =>
    isFailing ? Promise.resolve({ kind: 'failed', error: 'timeout' }) : held.send(message, signal);
  const worker = bench.worker({ send, limits: { total: 8, perProvider: 8 } });
  while ((await worker.runOnce()) > 0);
  isFailing = false;
  // The providers that failed first have nothing due any more, and must not delay the others.
  await db.query(`UPDATE delivery SET next_at = $1 WHERE provider_guid = ANY($2)`, [
    new Date(clock.time + 3_600_000),
    failing.slice(0, 4),
  ]);
  clock.time += 60_000;
  for (let round = 0; round < 8; round += 1) await bench.dispatch(healthy);
  const running = worker.runOnce();
  await held.started(8);
  const slow = held.calls.filter(({ url }) => !url.includes('healthy'));
  assert.deepEqual([slow.length, held.calls.length], [4, 8]);
  for (const { finish } of held.calls) finish(DELIVERED);
  await running;
});

test('consent withdrawn while a delivery waits cancels it before its next attempt; a notice is still sent', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(500, 204);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  const [request = ''] = await bench.dispatch(provider);
  const worker = bench.worker();
  await worker.runOnce();
  bench.consents.set(PATIENT, [{ id: newGuid(), status: 'active', decision: 'deny' }]);
  clock.time += 5000;
  assert.equal(await worker.runOnce(), 0);
  const [row] = await bench.deliveries();
  assert.equal(row?.status, 'cancelled');
  assert.equal(row?.cancelled_reason, 'consent');
  assert.equal(receiver.ledger.length, 1);
  const { rows } = await db.query<{ resource: string }>(
    `SELECT resource FROM audit_event WHERE resource LIKE '%consent.decision%'`,
  );
  assert.ok(rows.some(({ resource }) => resource.includes('attempt: refused, denied') && resource.includes(PATIENT)));
  const closing = [{ requestGuid: request, providerGuid: provider }];
  await db.transaction((transaction) => bench.outbox.close(transaction, closing, 'withdrawn'));
  assert.equal(await worker.runOnce(), 1);
  assert.equal(JSON.parse(receiver.ledger[1]?.body ?? '').type, 'request.withdrawn');
  assert.ok(!receiver.ledger[1]?.body.includes('bundle'));
});

test('while consents cannot be read nothing is sent and nothing is lost', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  await bench.dispatch(provider);
  const gate = { decide: () => Promise.reject(new Error('away')) };
  await assert.rejects(bench.worker({ gate }).runOnce(), /away/);
  assert.equal(receiver.ledger.length, 0);
  assert.equal((await bench.deliveries())[0]?.status, 'queued');
  assert.equal(await bench.worker().runOnce(), 1);
});

test('an attempt that a pause of the process delays too long is left to the next claim, which asks consent again', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  await bench.dispatch(provider);
  const { decide } = bench.gate;
  const gate: typeof bench.gate = {
    decide: async (...question) => {
      const decisions = await decide(...question);
      clock.time += 15_001;
      return decisions;
    },
  };
  assert.equal(await bench.worker({ gate }).runOnce(), 1);
  const [row] = await bench.deliveries();
  assert.deepEqual([row?.status, row?.failures, row?.outcomes], ['waiting', 0, ['interrupted']]);
  bench.consents.set(PATIENT, [{ id: newGuid(), status: 'active', decision: 'deny' }]);
  assert.equal(await bench.worker().runOnce(), 0);
  assert.equal((await bench.deliveries())[0]?.status, 'cancelled');
  assert.equal(receiver.ledger.length, 0);
});

test('closing a request cancels undelivered deliveries, also while being sent, and no attempt starts afterwards', async () => {
  const provider = newGuid();
  await bench.endpoint(provider, 'http://receiver.invalid/');
  const [request = ''] = await bench.dispatch(provider);
  const held = heldSender();
  const running = bench.worker({ send: held.send }).runOnce();
  await held.started(1);
  const closing = [{ requestGuid: request, providerGuid: provider }];
  await db.transaction((transaction) => bench.outbox.close(transaction, closing, 'revoked'));
  held.calls[0]?.finish({ kind: 'failed', error: 'connection_lost' });
  await running;
  const [dispatched, notice] = await bench.deliveries();
  assert.equal(dispatched?.status, 'cancelled');
  assert.equal(dispatched?.cancelled_reason, 'revoked');
  assert.equal(notice?.type, 'request.revoked');
  clock.time += 3_600_000;
  const types: string[] = [];
  const send: Sender = async ({ body }) => {
    types.push(JSON.parse(Buffer.concat(body.pieces).toString()).type);
    return DELIVERED;
  };
  await bench.worker({ send }).runOnce();
  assert.deepEqual(types, ['request.revoked']);
});

test('stopping aborts attempts without counting them as failures', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(() => {});
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  await bench.dispatch(provider);
  const worker = bench.worker();
  await worker.start();
  await receiver.arrived(1);
  await worker.stop();
  const [row] = await bench.deliveries();
  assert.equal(row?.status, 'waiting');
  assert.equal(row?.failures, 0);
  assert.deepEqual(row?.outcomes, ['interrupted']);
});

test('a timeout, an unresolvable name and a closed port have error classes of their own', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(() => {});
  const urls = [receiver.url, 'http://nothing.invalid/', 'http://127.0.0.1:9/'];
  for (const url of urls) {
    const provider = newGuid();
    await bench.endpoint(provider, url);
    await bench.dispatch(provider);
  }
  const { createSender } = await import('./sender.ts');
  const { Agent } = await import('undici');
  const dispatcher = new Agent();
  t.after(() => dispatcher.destroy());
  await bench.worker({ send: createSender({ dispatcher, timeoutMs: 150 }) }).runOnce();
  const outcomes = (await bench.deliveries()).map((row) => row.outcomes[0]);
  assert.deepEqual(outcomes, ['timeout', 'name_not_resolved', 'connection_refused']);
});

test('with a missing key or different bytes nothing is sent', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  await bench.dispatch(provider);
  await db.query(`UPDATE receipt SET token_key = 'ffffffff' WHERE provider_guid = $1`, [provider]);
  await bench.worker().runOnce();
  await bench.dispatch(provider);
  await db.query(`UPDATE push_bundle SET content = content || ' '`);
  await bench.worker().runOnce();
  assert.equal(receiver.ledger.length, 0);
  assert.deepEqual(
    (await bench.deliveries()).map((row) => row.outcomes),
    [['key_missing'], ['body_differs']],
  );
});
