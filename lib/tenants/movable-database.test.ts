// A database that moves: what fails for want of its tables is repeated at the new place, once, and nothing else is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Database } from '../db/database.ts';
import { createMovableDatabase } from './movable-database.ts';

const gone = (code = '42P01') => Object.assign(new pg.DatabaseError('gone', 1, 'error'), { code });

/** Answers its name, or fails as long as `failure` returns an error. */
function place(name: string, failure: () => Error | undefined = () => undefined) {
  const log: string[] = [];
  const run = async () => {
    log.push('asked');
    const error = failure();
    if (error !== undefined) throw error;
    return { rows: [{ name }], rowCount: 1 };
  };
  const database = {
    schema: 'north',
    query: run,
    transaction: async (work: (tx: Database) => Promise<unknown>) => work({ query: run } as unknown as Database),
    listen: async () => async () => undefined,
    close: async () => void log.push('closed'),
  } as unknown as Database;
  return { database, log };
}

test('fifty statements at once follow a move together', async () => {
  const [before, after] = [place('old', () => gone()), place('new')];
  let asked = 0;
  const movable = createMovableDatabase(before.database, async () => {
    asked += 1;
    return after.database;
  });
  const answers = await Promise.all(Array.from({ length: 50 }, () => movable.query('SELECT 1')));
  assert.ok(answers.every(({ rows }) => rows[0]?.['name'] === 'new'));
  assert.equal(asked, 1);
  const moved = await movable.transaction(async (tx) => (await tx.query('SELECT 1')).rows[0]);
  assert.deepEqual(moved, { name: 'new' });
  await movable.close();
  assert.deepEqual([before.log.at(-1), after.log.at(-1)], ['closed', 'closed']);
});

test('where nothing has moved the error stays, and other errors are not followed', async () => {
  let asked = 0;
  const next = async () => {
    asked += 1;
    return undefined;
  };
  await assert.rejects(createMovableDatabase(place('old', () => gone()).database, next).query('SELECT 1'), /gone/);
  assert.equal(asked, 1);
  await assert.rejects(
    createMovableDatabase(place('old', () => gone('23505')).database, next).query('SELECT 1'),
    /gone/,
  );
  await assert.rejects(
    createMovableDatabase(place('old', () => new Error('other')).database, next).query('x'),
    /other/,
  );
  assert.equal(asked, 1);
});
