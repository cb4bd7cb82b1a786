// The SQL of claims against a real PostgreSQL.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { auditMigrations } from '../audit/migrations.ts';
import { leasedTable } from './leased-table.ts';

interface Call {
  readonly call_id: number;
  readonly request_guid: string;
  readonly attempt: number;
}

const [ONE, TWO] = ['01900000-0000-7000-8000-0000000000e1', '01900000-0000-7000-8000-0000000000e2'];
const START = Date.parse('2026-03-02T08:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000);
const times = (seconds: number) => ({ now: at(seconds), leaseEnds: at(seconds + 30) });

const schemas = [{ schema: 'sample', migrations: [auditMigrations] }];
const database = (await createTestDatabase({ after }, { schemas })).database('sample');
await database.query(
  `CREATE TABLE call (call_id integer PRIMARY KEY, request_guid uuid NOT NULL, attempt integer NOT NULL DEFAULT 0,
     next_at timestamptz NOT NULL, leased_until timestamptz, done_at timestamptz, refused_at timestamptz, refusal text)`,
);
const { claim, postpone, refuse } = leasedTable<Call>({
  table: 'call',
  key: 'call_id',
  columns: ['call_id', 'request_guid', 'attempt'],
  waits: (alias) => `${alias}.done_at IS NULL AND ${alias}.refused_at IS NULL`,
});

async function add(id: number, request: string, dueAt: number): Promise<void> {
  await database.query('INSERT INTO call (call_id, request_guid, next_at) VALUES ($1, $2, $3)', [
    id,
    request,
    at(dueAt),
  ]);
}

/** The ids that are claimed one after the other at that moment. */
async function claimed(seconds: number, request?: string): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const call = await claim(database, times(seconds), request);
    if (call === undefined) return ids;
    ids.push(call.call_id);
  }
}

beforeEach(() => database.query('DELETE FROM call'));

test('what is due is claimed in its order, once, and of each request the earliest alone', async () => {
  await add(1, ONE, 5);
  await add(2, ONE, 0);
  await add(3, TWO, 1);
  await add(4, TWO, 60);
  assert.deepEqual(await claimed(0), [], 'the earliest of each is not due');
  assert.deepEqual(await claimed(10), [3, 1]);
  await database.query('UPDATE call SET done_at = next_at WHERE call_id = 1');
  assert.deepEqual(await claimed(10), [2]);
});

test('of a named request the next is claimed before it is due, and none of another', async () => {
  await add(1, ONE, 60);
  await add(2, TWO, 60);
  assert.deepEqual(await claim(database, times(0), TWO), { call_id: 2, request_guid: TWO, attempt: 1 });
  assert.deepEqual(await claimed(0, TWO), [], 'it is leased');
});

test('who claims while another is claiming gets the next, and waits for nobody', async () => {
  await add(1, ONE, 0);
  await add(2, TWO, 0);
  await database.transaction(async (tx) => {
    assert.equal((await claim(tx, times(1)))?.call_id, 1);
    assert.equal((await claim(database, times(1)))?.call_id, 2);
    assert.equal(await claim(database, times(1)), undefined);
  });
});

test('a lease that has run out is claimed again, and its former holder changes nothing', async () => {
  await add(1, ONE, 0);
  const first = await claim(database, times(0));
  const second = await claim(database, times(30));
  assert.deepEqual([first?.attempt, second?.attempt], [1, 2]);
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(await refuse(database, first, 'conflict', at(31)), false);
  await postpone(database, first, at(100));
  assert.deepEqual(await claimed(59), [], 'the second has it still');
  await postpone(database, second, at(40));
  assert.deepEqual(await claimed(39), []);
  assert.deepEqual(await claimed(40), [1]);
});

test('what was refused stays with its reason, and the next of its request follows', async () => {
  await add(1, ONE, 0);
  await add(2, ONE, 0);
  const call = await claim(database, times(0));
  assert.ok(call !== undefined);
  assert.equal(await refuse(database, call, 'not_found', at(1)), true);
  assert.deepEqual(await claimed(2), [2]);
  const { rows } = await database.query('SELECT refusal, refused_at, leased_until FROM call WHERE call_id = 1');
  assert.deepEqual(rows, [{ refusal: 'not_found', refused_at: at(1), leased_until: null }]);
});
