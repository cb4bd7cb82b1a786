// Migrations on a real database: order, races, and every way in which files and database can disagree.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { ServiceError } from '../../errors.ts';
import { hasPendingMigrations, migrate } from './migrate.ts';
import type { MigrationSource } from './migration-files.ts';

interface Fixture {
  readonly url: string;
  readonly sources: MigrationSource[];
  /** Writes a file of a source. */
  put(source: string, file: string, sql: string): Promise<void>;
  remove(source: string, file: string): Promise<void>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  run(): Promise<string[]>;
  isPending(): Promise<boolean>;
}

async function fixture(t: TestContext, names = ['base', 'shop']): Promise<Fixture> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-migrations-'));
  t.after(() => rm(folder, { recursive: true }));
  const sources = names.map((name) => ({ name, folder: path.join(folder, name) }));
  for (const source of sources) await mkdir(source.folder);
  const { url, database } = await createTestDatabase(t);
  const shop = database('shop');
  return {
    url,
    sources,
    put: (source, file, sql) => writeFile(path.join(folder, source, file), sql),
    remove: (source, file) => rm(path.join(folder, source, file)),
    rows: async (sql) => (await shop.query(sql)).rows,
    run: () => migrate({ url, schema: 'shop', sources }),
    isPending: () => hasPendingMigrations(shop, sources),
  };
}

test('sources apply in their order, files by number, each once', async (t) => {
  const { put, run, rows, isPending } = await fixture(t);
  await put('shop', '0001_order.sql', 'CREATE TABLE shop_order (item int REFERENCES item);');
  await put('base', '0002_row.sql', 'INSERT INTO item VALUES (1);');
  await put('base', '0001_item.sql', 'CREATE TABLE item (id int PRIMARY KEY);');
  assert.equal(await isPending(), true);
  assert.deepEqual(await run(), ['base/0001_item.sql', 'base/0002_row.sql', 'shop/0001_order.sql']);
  assert.equal(await isPending(), false);
  assert.deepEqual(await run(), []);
  assert.deepEqual(await rows('SELECT id FROM shop.item'), [{ id: 1 }]);
  await put('base', '0003_more.sql', 'INSERT INTO item VALUES (2);');
  assert.equal(await isPending(), true);
  assert.deepEqual(await run(), ['base/0003_more.sql']);
});

test('nodes that start at once apply every file once', async (t) => {
  const { put, run, rows } = await fixture(t);
  await put('base', '0001_item.sql', 'CREATE TABLE item (id int); SELECT pg_sleep(0.05);');
  await put('base', '0002_row.sql', 'INSERT INTO item VALUES (1);');
  const results = await Promise.all(Array.from({ length: 5 }, run));
  // The holder of the lock applies the next one.
  assert.deepEqual(results.flat().sort(), ['base/0001_item.sql', 'base/0002_row.sql']);
  assert.deepEqual(await rows('SELECT id FROM item'), [{ id: 1 }]);
});

test('services of one database may make the same extension at once', async (t) => {
  const { put, sources, url } = await fixture(t);
  await put('base', '0001_search.sql', 'CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;');
  await Promise.all(['a', 'b', 'c'].map((schema) => migrate({ url, schema, sources })));
});

test('an applied file that was changed is refused, line endings aside', async (t) => {
  const { put, run, isPending } = await fixture(t);
  await put('base', '0001_item.sql', 'CREATE TABLE item\n(id int);');
  await run();
  await put('base', '0001_item.sql', 'CREATE TABLE item\r\n(id int);');
  assert.deepEqual(await run(), []);
  await put('base', '0001_item.sql', 'CREATE TABLE item (id bigint);');
  const refusal = {
    message: /"shop".*base\/0001_item\.sql was changed after it had been applied; add a new file instead/,
  };
  await assert.rejects(run(), refusal);
  await assert.rejects(isPending(), refusal);
});

test('a database that is newer than the code is refused, and so is a number out of turn: both are named', async (t) => {
  const { put, remove, run } = await fixture(t);
  await put('base', '0002_item.sql', 'CREATE TABLE item (id int);');
  await put('shop', '0001_order.sql', 'CREATE TABLE shop_order (id int);');
  await run();
  await remove('shop', '0001_order.sql');
  await put('base', '0001_late.sql', 'CREATE TABLE late (id int);');
  await assert.rejects(run(), (error: Error) => {
    assert.match(
      error.message,
      /shop\/0001_order\.sql is applied but unknown here: the database is newer than this code/,
    );
    assert.match(error.message, /base\/0001_late\.sql is numbered before 0002_item\.sql, which is applied/);
    return true;
  });
});

test('a failing file changes nothing, names its line, and what came before it stays', async (t) => {
  const { put, run, rows } = await fixture(t);
  await put('base', '0001_item.sql', 'CREATE TABLE item (id int);');
  await put('base', '0002_bad.sql', 'CREATE TABLE half (id int);\n\nCREATE TABLE item2 (id nonsense);');
  await assert.rejects(run(), {
    message: /Migration base\/0002_bad\.sql failed at line 3: type "nonsense" does not exist/,
  });
  assert.deepEqual(await rows("SELECT to_regclass('half') AS half, file FROM schema_migration"), [
    { half: null, file: '0001_item.sql' },
  ]);
  await put('base', '0002_bad.sql', 'CREATE TABLE half (id int);');
  assert.deepEqual(await run(), ['base/0002_bad.sql']);
});

test('ill-named files, double numbers and double sources are all named', async (t) => {
  const { put, sources, url } = await fixture(t, ['base']);
  await put('base', '1_item.sql', '');
  await put('base', '0002_a.sql', '');
  await put('base', '0002_b.sql', '');
  await put('base', 'README.md', 'no migration');
  await assert.rejects(migrate({ url, schema: 'shop', sources: [...sources, ...sources] }), (error: Error) => {
    assert.match(error.message, /two migration sources are called "base"/);
    assert.match(error.message, /"1_item\.sql" is not called NNNN_name\.sql/);
    assert.match(error.message, /"0002_a\.sql" and "0002_b\.sql" have the same number/);
    assert.doesNotMatch(error.message, /README/);
    return true;
  });
});

test('a database that cannot be reached is unavailable', async (t) => {
  const { sources } = await fixture(t);
  await assert.rejects(
    migrate({ url: 'postgres://nobody@127.0.0.1:1/none', schema: 'shop', sources }),
    (error: unknown) => {
      assert.ok(error instanceof ServiceError);
      return error.code === 'unavailable';
    },
  );
});
