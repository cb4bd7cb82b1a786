// Nodes whose clocks differ use one time: that of their database.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { HOUR_MS } from '../clock.ts';
import type { Queryable } from './database.ts';
import { createDatabaseClock } from './database-clock.ts';

const db = (await createTestDatabase({ after })).database('public');

async function timeThere(): Promise<number> {
  const { rows } = await db.query<{ now: number }>(
    'SELECT 1000 * extract(epoch FROM clock_timestamp())::float8 AS now',
  );
  return rows[0]?.now ?? Number.NaN;
}

test('with a system clock an hour off, either way, the database time is used, and logged once', async () => {
  for (const wrong of [HOUR_MS, -HOUR_MS]) {
    const lines: string[] = [];
    // It stands still, so that the distance is exact.
    const standing = Date.now() + wrong;
    const clock = createDatabaseClock(db, { own: { now: () => standing }, log: makeTestLogger(lines) });
    assert.equal(clock.now(), standing, 'before it has asked');
    const before = Math.floor(await timeThere());
    await clock.follow();
    assert.ok(clock.now() >= before && clock.now() <= (await timeThere()));
    assert.equal(lines.filter((line) => line.includes('clock.differs')).length, 1);
  }
});

/** A database that returns this time, while the node's own clock advances by the duration of the query. */
function played(takes: number) {
  const time = { own: 1_000_000, there: 1_000_000 };
  const database: Queryable = {
    query: async <R extends object>() => {
      time.own += takes;
      return { rows: [{ now: time.there } as R], rowCount: 1 };
    },
  };
  return { time, clock: createDatabaseClock(database, { own: { now: () => time.own }, log: makeTestLogger() }) };
}

test('a clock that may be right is not moved, however slow the query', async () => {
  const { time, clock } = played(400);
  time.there += 399;
  await clock.follow();
  assert.equal(clock.now(), time.own);
  time.there = time.own + 10_000;
  await clock.follow();
  assert.equal(clock.now(), time.there + 200, 'by the middle of asking and answer');
  time.there += 400;
  await clock.follow();
  assert.equal(clock.now(), time.there + 200, 'and as it may be right now, it stays');
});

test('a result during which the clock was set back is ignored, and the time goes on while the database is unavailable', async () => {
  const { time, clock } = played(-5000);
  time.there += 60_000;
  await clock.follow();
  assert.equal(clock.now(), time.own);
  const away = createDatabaseClock(
    { query: () => Promise.reject(new Error('away')) },
    { own: { now: () => time.own }, log: makeTestLogger() },
  );
  await assert.rejects(away.follow(), /away/);
  time.own += 7;
  assert.equal(away.now(), time.own);
});
