// Where attempts are stored (docs/adr/0153): the last one in the delivery's row, the earlier ones beside it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createDeliveryBench } from '../testing/delivery-bench.ts';
import { listAttempts } from './log-store.ts';
import type { AttemptResult, Sender } from './sender.ts';

const bench = await createDeliveryBench({ after });
const { clock, db } = bench;
const answering =
  (status: number, answer = ''): Sender =>
  async () => ({ kind: 'answered', status, retryAfter: undefined, answer });

test.beforeEach(async () => {
  for (const table of ['delivery_attempt', 'delivery', 'provider_endpoint']) await db.query(`DELETE FROM ${table}`);
});

/** A queued delivery; its guid. */
async function queued(): Promise<{ guid: string; request: string }> {
  const provider = newGuid();
  await bench.endpoint(provider, 'http://receiver.invalid/');
  const [request = ''] = await bench.dispatch(provider);
  const [row] = await bench.deliveries();
  return { guid: row?.delivery_guid ?? '', request };
}

const besides = async () => (await db.query('SELECT attempt, outcome FROM delivery_attempt ORDER BY attempt')).rows;

test('one attempt has no row of its own; the next one leaves it one, and the log has both as they were', async () => {
  const { guid } = await queued();
  assert.deepEqual(await listAttempts(db, guid), []);
  const firstAt = new Date(clock.time);
  assert.equal(await bench.worker({ send: answering(500, 'no disk') }).runOnce(), 1);
  assert.deepEqual(await besides(), []);
  clock.time += 60_000;
  const secondAt = new Date(clock.time);
  assert.equal(await bench.worker({ send: answering(204) }).runOnce(), 1);
  assert.deepEqual(await besides(), [{ attempt: 1, outcome: 'server_error' }]);
  assert.deepEqual(
    (await listAttempts(db, guid)).map(({ attempt, startedAt, httpStatus, outcome, answer }) => ({
      attempt,
      startedAt,
      httpStatus,
      outcome,
      answer,
    })),
    [
      { attempt: 1, startedAt: firstAt, httpStatus: 500, outcome: 'server_error', answer: 'no disk' },
      { attempt: 2, startedAt: secondAt, httpStatus: 204, outcome: 'delivered', answer: '' },
    ],
  );
});

test('what an attempt came to is logged although its delivery was cancelled meanwhile', async () => {
  const { request } = await queued();
  const { promise, resolve } = Promise.withResolvers<AttemptResult>();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const send: Sender = () => {
    start();
    return promise;
  };
  const attempt = bench.worker({ send }).runOnce();
  await started;
  await db.transaction((tx) => bench.outbox.decline(tx, request));
  resolve({ kind: 'answered', status: 204, retryAfter: undefined, answer: 'thanks' });
  await attempt;
  const [row] = await bench.deliveries();
  assert.deepEqual([row?.status, row?.outcomes, row?.answers], ['cancelled', ['delivered'], ['thanks']]);
});

test('a delivery that an earlier release began, and has its attempt beside it, goes on', async () => {
  const { guid } = await queued();
  await db.query(`UPDATE delivery SET status = 'sending', attempt = 1, lease_until = $2 WHERE delivery_guid = $1`, [
    guid,
    new Date(clock.time),
  ]);
  await db.query('INSERT INTO delivery_attempt (delivery_guid, attempt, started_at) VALUES ($1, 1, $2)', [
    guid,
    new Date(clock.time - 60_000),
  ]);
  clock.time += 1000;
  assert.equal(await bench.worker({ send: answering(204) }).runOnce(), 1);
  const [row] = await bench.deliveries();
  assert.deepEqual([row?.status, row?.attempt, row?.outcomes], ['delivered', 2, ['lease_expired', 'delivered']]);
  assert.deepEqual(await besides(), [{ attempt: 1, outcome: 'lease_expired' }]);
});
