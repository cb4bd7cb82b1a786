// Attempts while the database is unavailable: the result is recorded when it is back, as long as the lease lasts (D8).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createDeliveryBench } from '../testing/delivery-bench.ts';
import { startReceiver } from '../testing/receiver.ts';

const bench = await createDeliveryBench({ after });
const { clock, db } = bench;

/** A database on which records of attempts first call `fail`. */
function failing(fail: (count: number) => void): Database {
  let count = 0;
  return {
    ...db,
    query: async (statement, values) => {
      if (typeof statement !== 'string' && statement.name === 'delivery-record') {
        count += 1;
        fail(count);
      }
      return db.query(statement, values);
    },
  };
}

async function oneDelivery(t: { after(cleanUp: () => Promise<void>): void }) {
  await db.query('DELETE FROM delivery_attempt');
  await db.query('DELETE FROM delivery');
  const receiver = await startReceiver(t);
  const provider = newGuid();
  await bench.endpoint(provider, receiver.url);
  await bench.dispatch(provider);
  return receiver;
}

const away = () => new ServiceError('unavailable', 'The database cannot be reached');

test('an outage shorter than the lease causes no second attempt', async (t) => {
  const receiver = await oneDelivery(t);
  const database = failing((count) => {
    if (count <= 3) throw away();
  });
  assert.equal(await bench.worker({ database }).runOnce(), 1);
  clock.time += 3_600_000;
  assert.equal(await bench.worker().runOnce(), 0);
  const [row] = await bench.deliveries();
  assert.deepEqual([row?.status, row?.outcomes], ['delivered', ['delivered']]);
  assert.equal(receiver.ledger.length, 1);
});

test('after a longer outage the lease expires, and the delivery is sent again under its id', async (t) => {
  const receiver = await oneDelivery(t);
  let tries = 0;
  const database = failing((count) => {
    tries = count;
    if (count === 3) clock.time += 60_000;
    throw away();
  });
  assert.equal(await bench.worker({ database }).runOnce(), 1);
  assert.equal(tries, 3, 'nobody tries on when the lease is over');
  assert.equal((await bench.deliveries())[0]?.status, 'sending');
  assert.equal(await bench.worker().runOnce(), 1);
  const [row] = await bench.deliveries();
  assert.deepEqual([row?.status, row?.outcomes], ['delivered', ['lease_expired', 'delivered']]);
  assert.equal(new Set(receiver.ledger.map(({ id }) => id)).size, 1);
  assert.equal(receiver.ledger.length, 2);
});

test('a record that the database refuses is not retried', async (t) => {
  await oneDelivery(t);
  let tries = 0;
  const database = failing((count) => {
    tries = count;
    throw new Error('refused');
  });
  assert.equal(await bench.worker({ database }).runOnce(), 1);
  assert.equal(tries, 1);
});

test('a worker that stops does not wait for the database to come back', async (t) => {
  const receiver = await oneDelivery(t);
  const failed = Promise.withResolvers<void>();
  const database = failing(() => {
    failed.resolve();
    throw away();
  });
  const worker = bench.worker({ database });
  await worker.start();
  await failed.promise;
  await worker.stop();
  assert.equal(receiver.ledger.length, 1);
  assert.equal((await bench.deliveries())[0]?.status, 'sending');
});
