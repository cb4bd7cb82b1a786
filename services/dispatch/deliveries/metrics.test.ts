// The metrics of the outbox (decision D8, docs/reference/dispatch-delivery.md), as scraped, after real deliveries.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { createDeliveryBench } from '../testing/delivery-bench.ts';
import { startReceiver } from '../testing/receiver.ts';
import { createAttemptMetrics, readDeliveryQueue, registerDeliveryMetrics } from './metrics.ts';

const bench = await createDeliveryBench({ after });
const { clock, db } = bench;

test.beforeEach(async () => {
  for (const table of ['delivery_attempt', 'delivery', 'provider_endpoint']) await db.query(`DELETE FROM ${table}`);
});

/** A registry with a worker that reports to it. */
function watched() {
  const metrics = createMetrics('dispatch');
  registerDeliveryMetrics(metrics, db, clock);
  const worker = bench.worker(createAttemptMetrics(metrics));
  /** The value of a line by its name and, beside the service, its labels. */
  const read = async (name: string, labels = ''): Promise<number | undefined> => {
    const lines = (await metrics.text()).split('\n').map((line) => line.replace(/,?service="dispatch"/, ''));
    const line = lines.find((each) => each.startsWith(`${name}{${labels}} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
  return { worker, read };
}

async function provider(url: string, enabled = true): Promise<string> {
  const guid = newGuid();
  await bench.endpoint(guid, url, enabled);
  return guid;
}

test('kedja_dispatch_deliveries_waiting counts queued and waiting deliveries, not held, delivered or dead ones', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(500, 204);
  const { worker, read } = watched();
  const [one, held] = [await provider(receiver.url), await provider(receiver.url, false)];
  assert.equal(await read('kedja_dispatch_deliveries_waiting'), 0);
  await bench.dispatch(one, held);
  assert.equal(await read('kedja_dispatch_deliveries_waiting'), 1, 'queued');
  await worker.runOnce();
  assert.equal(await read('kedja_dispatch_deliveries_waiting'), 1, 'waits for another attempt');
  clock.time += 5000;
  await worker.runOnce();
  assert.equal(await read('kedja_dispatch_deliveries_waiting'), 0, 'delivered');
});

test('kedja_dispatch_dead_letters counts dead deliveries', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(500, 500, 500, 500);
  const { worker, read } = watched();
  await bench.dispatch(await provider(receiver.url));
  for (const seconds of [5, 60, 300, 0]) {
    assert.equal(await read('kedja_dispatch_dead_letters'), 0);
    await worker.runOnce();
    clock.time += seconds * 1000;
  }
  assert.equal(await read('kedja_dispatch_dead_letters'), 1);
  assert.equal(await read('kedja_dispatch_deliveries_waiting'), 0);
  assert.deepEqual(await readDeliveryQueue(db, clock), { waiting: 0, dead: 1, oldest_s: 0 });
});

test('kedja_dispatch_oldest_due_seconds is how long the oldest due delivery has waited', async () => {
  const { read } = watched();
  assert.equal(await read('kedja_dispatch_oldest_due_seconds'), 0, 'nothing is due');
  const one = await provider('http://127.0.0.1:9/');
  await bench.dispatch(one);
  clock.time += 30_000;
  await bench.dispatch(one);
  clock.time += 12_000;
  assert.equal(await read('kedja_dispatch_oldest_due_seconds'), 42);
  assert.deepEqual(await readDeliveryQueue(db, clock), { waiting: 2, dead: 0, oldest_s: 42 });
  await db.query('UPDATE delivery SET next_at = $1', [new Date(clock.time + 60_000)]);
  assert.equal(await read('kedja_dispatch_oldest_due_seconds'), 0, 'what waits for its time is not due');
});

test('kedja_dispatch_delivery_attempts_total counts each attempt once, by outcome', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(503, 404, 204);
  const { worker, read } = watched();
  await bench.dispatch(await provider(receiver.url));
  for (const seconds of [5, 60, 0]) {
    await worker.runOnce();
    clock.time += seconds * 1000;
  }
  const name = 'kedja_dispatch_delivery_attempts_total';
  for (const outcome of ['server_error', 'refused', 'delivered']) {
    assert.equal(await read(name, `outcome="${outcome}"`), 1, outcome);
  }
  assert.equal(await read(name, 'outcome="timeout"'), undefined);
});

test('kedja_dispatch_delivery_latency_seconds measures from the change to the first attempt, once for each message', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(500, 204);
  const { worker, read } = watched();
  await bench.dispatch(await provider(receiver.url));
  clock.time += 3000;
  await worker.runOnce();
  clock.time += 5000;
  await worker.runOnce();
  const name = 'kedja_dispatch_delivery_latency_seconds';
  assert.deepEqual(
    [await read(`${name}_count`), await read(`${name}_sum`)],
    [1, 3],
    'the second attempt is not the first',
  );
  assert.deepEqual([await read(`${name}_bucket`, 'le="2.5"'), await read(`${name}_bucket`, 'le="5"')], [0, 1]);
});
