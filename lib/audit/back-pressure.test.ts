// The backlog of access records stays short (docs/adr/0113). Reads wait while it is behind, are refused when it is far
// behind, and go on by themselves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { makePrincipal, makeTestLogger } from '#test/support/http-app.ts';
import type { AccessRecord } from './access-batch.ts';
import { createAccessLog, recordPatientAccess } from './access-log.ts';
import { createAccessUnpacker, type EntriesOfAccess } from './access-unpacker.ts';
import { createBacklog } from './back-pressure.ts';
import { auditMigrations } from './migrations.ts';

const schemas = [{ schema: 'sample', migrations: [auditMigrations] }];
const START = Date.UTC(2030, 4, 1);
const nurse = makePrincipal(['clinician', 'professional'], { professionalGuid: 'p-1' });
const entriesOf: EntriesOfAccess = async (_tx, records) =>
  records.map(({ versions, resourceType: _, ...head }) => versions.map(({ id }) => ({ ...head, patientGuid: id })));

function accessTo(id: string): AccessRecord {
  const versions = [{ resourceType: 'Patient', id, version: 1 }];
  const who = { principal: nurse, address: '192.0.2.1', requestId: `r-${id}` };
  return { action: 'R', event: 'patient.read', ...who, resourceType: 'Patient', versions };
}

async function makeSite(hooks: { after(cleanUp: () => Promise<void>): void }, holdMs?: number, given?: Clock) {
  const { database } = await createTestDatabase(hooks, { schemas });
  const db = database('sample');
  const moved = { time: START, now: () => moved.time };
  const clock = given ?? moved;
  const metrics = createMetrics('sample');
  const backlog = createBacklog({ database: db, clock, metrics, ...(holdMs === undefined ? {} : { holdMs }) });
  const log = createAccessLog({ database: db, clock, backPressure: backlog });
  const unpacker = createAccessUnpacker({
    database: db,
    service: 'sample',
    entriesOf,
    log: makeTestLogger(),
    clock,
    backlog,
  });
  const held = async () =>
    Object.fromEntries(
      [...(await metrics.text()).matchAll(/^kedja_audit_held_reads_total\{outcome="(\w+)".*\} (\d+)$/gm)].map(
        ([, outcome, count]) => [outcome, Number(count)],
      ),
    );
  return { db, clock: moved, backlog, log, unpacker, held };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unavailable' && error.retryAfterSeconds === 5;
}

test('reads wait from one and a half seconds on, are refused from a minute on, and go on when the work is done', async (t) => {
  const { clock, log, unpacker, held } = await makeSite(t, 50);
  await unpacker.unpackAll();
  await log.record(accessTo('a'));
  clock.time += 1_200;
  assert.equal(log.hold(), undefined, 'a short backlog holds up nobody');
  clock.time += 1_500;
  await log.record(accessTo('b'));
  assert.deepEqual(await held(), { waited: 1 });
  clock.time += 60_000;
  await assert.rejects(async () => log.record(accessTo('c')), isRefusal);
  assert.deepEqual(await held(), { waited: 1, refused: 1 });
  await unpacker.unpackAll();
  assert.equal(log.hold(), undefined);
  await log.record(accessTo('d'));
  assert.deepEqual(await held(), { waited: 1, refused: 1 });
});

/** A clock that may be set, beside one that may not. */
function makeSettableClock() {
  const clock = { time: START, passed: 0, now: () => clock.time + clock.passed, elapsed: () => clock.passed };
  return clock;
}

test('a clock that is set, forwards or back, holds up no read; a backlog is one nevertheless', async (t) => {
  for (const jump of [3_600_000, -3_600_000]) {
    const clock = makeSettableClock();
    const { db, log, unpacker, held } = await makeSite(t, 50, clock);
    await unpacker.unpackAll();
    await log.record(accessTo('a'));
    clock.passed += 300;
    clock.time += jump;
    assert.equal(log.hold(), undefined, `${jump} ms`);
    await log.record(accessTo('b'));
    assert.deepEqual(await held(), {});
    clock.passed += 2_500;
    await log.record(accessTo('c'));
    assert.deepEqual(await held(), { waited: 1 }, 'nobody has done the work meanwhile');
    clock.passed += 60_000;
    await assert.rejects(async () => log.record(accessTo('d')), isRefusal);
    await unpacker.unpackAll();
    assert.equal((await db.query('SELECT FROM audit_look')).rowCount, 0);
    assert.equal(log.hold(), undefined);
  }
});

test('a read that waits goes on as soon as the work is done', async (t) => {
  const { clock, log, unpacker } = await makeSite(t, 600_000);
  await unpacker.unpackAll();
  await log.record(accessTo('a'));
  clock.time += 6_000;
  const read = log.record(accessTo('b'));
  await unpacker.unpackAll();
  await read;
});

test('nobody waits for a node of which others do the work, nor for what is postponed', async (t) => {
  const { db, clock, log, unpacker } = await makeSite(t, 600_000);
  await unpacker.unpackAll();
  clock.time += 3_600_000;
  await log.hold();
  await log.record(accessTo('a'));
  await db.query("UPDATE audit_look SET next_at = now() + interval '10 minutes'");
  clock.time += 3_600_000;
  await log.hold();
});

test('the records of jobs come after those of requests, hold up no reads, and make jobs pause', async (t) => {
  const { db, clock, backlog, log, unpacker } = await makeSite(t, 600_000);
  await unpacker.unpackAll();
  const job = { action: 'E', event: 'bulk.export', principal: nurse, entities: ['bulk-export/1'] } as const;
  await recordPatientAccess(db, clock.now(), {
    ...job,
    patients: Array.from({ length: 1_000 }, (_, index) => `p${index}`),
  });
  clock.time += 10_000;
  await log.record(accessTo('a'));
  const pausing = new AbortController();
  let isPaused = true;
  const paused = backlog.pause(pausing.signal).then(() => (isPaused = false));
  await log.hold();
  assert.equal(isPaused, true);
  const order: string[] = [];
  const watched = createAccessUnpacker({
    database: db,
    service: 'sample',
    entriesOf: async (tx, records) => {
      order.push(...records.map(({ requestId }) => requestId));
      const { rowCount } = await db.query('SELECT FROM audit_look');
      order.push(`${rowCount} wait`);
      return entriesOf(tx, records);
    },
    log: makeTestLogger(),
    clock,
    backlog,
  });
  await watched.unpackAll();
  assert.deepEqual(order[0], 'r-a', order.join(', '));
  await paused;
  pausing.abort();
});
