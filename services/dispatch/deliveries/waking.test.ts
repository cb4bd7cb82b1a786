// How a started worker learns of what is due: it is told, and where nobody tells, it looks (D8).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createDeliveryBench } from '../testing/delivery-bench.ts';
import { startReceiver } from '../testing/receiver.ts';

const bench = await createDeliveryBench({ after });
const { db } = bench;

test('a started worker is woken by what is queued', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  const worker = bench.worker();
  await worker.start();
  t.after(() => worker.stop());
  await bench.dispatch(provider);
  await receiver.arrived(1);
});

test('what no notification tells of is sent all the same, also once the listening connection was severed', async (t) => {
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url, false);
  const worker = bench.worker();
  await worker.start();
  t.after(() => worker.stop());
  await bench.dispatch(provider);
  // As a release would leave it, of which nobody is told.
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
