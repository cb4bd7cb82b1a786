// Instants come back from the database as they went in.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase } from '#test/support/database/database.ts';
import { plainArray } from './array-text.ts';

const schemas = [{ schema: 'types', migrations: [] }];
const db = (await createTestDatabase({ after }, { schemas })).database('types');
const QUERY = 'SELECT at FROM unnest($1::timestamptz[]) WITH ORDINALITY AS u(at, place) ORDER BY place';

async function roundTrip(texts: readonly unknown[]): Promise<unknown[]> {
  const { rows } = await db.query<{ at: unknown }>(QUERY, [plainArray(texts)]);
  return rows.map(({ at }) => at);
}

test('every instant comes back to the millisecond', async () => {
  const instant = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  const dates = fc.sample(instant, { numRuns: 2000, seed: 5 });
  const thousand = Array.from({ length: 1000 }, (_, ms) => new Date(Date.UTC(2026, 1, 3, 4, 5, 6, ms)));
  assert.deepEqual(await roundTrip([...dates, ...thousand]), [...dates, ...thousand]);
});

test('microseconds are cut, and years without four digits are read too', async () => {
  const given = ['2026-02-03T04:05:06.123999Z', '2026-02-03T04:05:06Z', '12026-02-03T04:05:06.5Z'];
  const found = (await roundTrip(given)).map((at) => (at instanceof Date ? at.toISOString() : at));
  assert.deepEqual(found, ['2026-02-03T04:05:06.123Z', '2026-02-03T04:05:06.000Z', '+012026-02-03T04:05:06.500Z']);
  assert.deepEqual(await roundTrip(['infinity', null]), [Number.POSITIVE_INFINITY, null]);
});
