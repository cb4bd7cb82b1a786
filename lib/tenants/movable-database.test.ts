// A database that moves: what fails for want of its tables is repeated at the new place, once, and nothing else is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { Database } from '../db/database.ts';
import { createMovableDatabase } from './movable-database.ts';

const OLD = { url: 'postgresql://old/kedja' };
const NEW = { url: 'postgresql://new/kedja' };

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
  const movable = createMovableDatabase({
    address: OLD,
    open: ({ url }) => (url === OLD.url ? before.database : after.database),
    find: async () => {
      asked += 1;
      return NEW;
    },
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
  const movable = (failure: Error) =>
    createMovableDatabase({
      address: OLD,
      open: () => place('old', () => failure).database,
      find: async () => {
        asked += 1;
        return undefined;
      },
    });
  await assert.rejects(movable(gone()).query('SELECT 1'), /gone/);
  assert.equal(asked, 1);
  await assert.rejects(movable(gone('23505')).query('SELECT 1'), /gone/);
  await assert.rejects(movable(new Error('other')).query('x'), /other/);
  assert.equal(asked, 1);
});

test('what begins after it was told to move goes to the new place, which is opened once', async () => {
  const [before, after] = [place('old'), place('new')];
  const opened: string[] = [];
  const movable = createMovableDatabase({
    address: OLD,
    open: ({ url }) => {
      opened.push(url);
      return url === OLD.url ? before.database : after.database;
    },
    find: () => assert.fail('nobody asks'),
  });
  assert.deepEqual((await movable.query('SELECT 1')).rows, [{ name: 'old' }]);
  movable.moveTo({ ...OLD });
  movable.moveTo(NEW);
  movable.moveTo({ ...NEW });
  assert.deepEqual((await movable.query('SELECT 1')).rows, [{ name: 'new' }]);
  assert.deepEqual(opened, [OLD.url, NEW.url]);
});
