// GET /status: what waits in each queue of dispatch, and the figures of its requests.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeSite } from '../testing/site.ts';
import type { DispatchStatus } from './schema.ts';

const { call, clock, database } = await makeSite({ after });

const NONE = { waiting: 0, dead: 0, oldest_s: 0 };

test('without anything to do, all queues are empty', async () => {
  const { status, body } = await call('GET', 'status', { as: 'admin' });
  assert.equal(status, 200);
  const { started_at: startedAt, database: db, requests, ...rest } = body as unknown as DispatchStatus;
  assert.deepEqual(rest, { version: '0.0.0', deliveries: NONE, results: NONE, mails: NONE });
  assert.equal(startedAt, new Date(clock.now()).toISOString());
  assert.ok(db.latency_ms > 0);
  assert.deepEqual(requests, { total: 0, errors: 0, routes: [] });
});

test('what waits is counted, with how long the oldest has waited', async () => {
  const before = new Date(clock.now() - 120_000);
  for (const [at, deadAt] of [
    [new Date(clock.now()), null],
    [before, null],
    [new Date(before.getTime() - 60_000), before],
  ] as const) {
    await database.query(
      `INSERT INTO mail_outbox (mail_guid, kind, message_sealed, created_at, expires_at, next_at, dead_at)
       VALUES (gen_random_uuid(), 'digest', CASE WHEN $2::timestamptz IS NULL THEN 'sealed'::bytea END, $1, $1, $1, $2)`,
      [at, deadAt],
    );
  }
  const { body } = await call('GET', 'status', { as: 'admin' });
  assert.deepEqual((body as unknown as DispatchStatus).mails, { waiting: 2, dead: 1, oldest_s: 120 });
});
