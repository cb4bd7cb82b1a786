// How a started worker notices due deliveries: by notification, and by polling (D8).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createDeliveryBench } from '../testing/delivery-bench.ts';
import { startReceiver } from '../testing/receiver.ts';

const bench = await createDeliveryBench({ after });
const { db } = bench;

test('queueing a delivery wakes a started worker', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  const worker = bench.worker();
  await worker.start();
  t.after(() => worker.stop());
  await bench.dispatch(provider);
  await receiver.arrived(1);
});

test('deliveries without a notification are sent too, also after the listening connection broke', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url, false);
  const worker = bench.worker();
  await worker.start();
  t.after(() => worker.stop());
  await bench.dispatch(provider);
  // Like the release of held deliveries, but without a notification.
  await db.query(`UPDATE provider_endpoint SET enabled = true, disabled_reason = NULL`);
  await db.query(`UPDATE delivery SET status = 'queued' WHERE status = 'held'`);
  await receiver.arrived(1);
  const { rowCount } = await db.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
  );
  assert.equal(rowCount, 1);
  await bench.dispatch(provider);
  await receiver.arrived(2);
});
