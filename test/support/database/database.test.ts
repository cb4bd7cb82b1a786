// The test databases themselves: apart from each other, migrated, and gone afterwards.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from './database.ts';
import { testServer } from './server.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'kedja-migrations-'));
await writeFile(path.join(folder, '0001_thing.sql'), 'CREATE TABLE thing (id int PRIMARY KEY);');
after(() => rm(folder, { recursive: true }));
const schemas = [{ schema: 'shop', migrations: [{ name: 'shop', folder }] }];

async function databaseExists(url: string): Promise<boolean> {
  const admin = new pg.Client({ connectionString: (await testServer()).adminUrl });
  await admin.connect();
  const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [
    new URL(url).pathname.slice(1),
  ]);
  await admin.end();
  return rowCount === 1;
}

test('clones are migrated and apart from each other', async (t) => {
  const [one, two] = await Promise.all([createTestDatabase(t, { schemas }), createTestDatabase(t, { schemas })]);
  await one.database('shop').query('INSERT INTO thing VALUES (1)');
  assert.equal((await one.database('shop').query('SELECT FROM thing')).rowCount, 1);
  assert.equal((await two.database('shop').query('SELECT FROM thing')).rowCount, 0);
});

test('a clone is dropped after its test, with connections open', async (t) => {
  let url = '';
  await t.test('inside', async (inner) => {
    const database = await createTestDatabase(inner, { schemas });
    await database.database('shop').query('SELECT 1');
    url = database.url;
    assert.equal(await databaseExists(url), true);
  });
  assert.equal(await databaseExists(url), false);
});
