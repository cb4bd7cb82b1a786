// When a node is ready: before and after its own migrations and those of the next release.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { migrate } from '#lib/db/schema/migrate.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { databaseReadiness } from './module.ts';

test('a ready node stays ready when the next release has migrated; one that starts afterwards is not', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-releases-'));
  t.after(() => rm(folder, { recursive: true }));
  const release = async (name: string, files: Readonly<Record<string, string>>) => {
    const source = { name: 'shop', folder: path.join(folder, name) };
    await mkdir(source.folder);
    for (const [file, sql] of Object.entries(files)) await writeFile(path.join(source.folder, file), sql);
    return [source];
  };
  const first = { '0001_item.sql': 'CREATE TABLE item (id int PRIMARY KEY);' };
  const [older, newer] = [
    await release('older', first),
    await release('newer', { ...first, '0002_more.sql': 'ALTER TABLE item ADD note text;' }),
  ];
  const { url, database } = await createTestDatabase(t);
  const shop = database('shop');
  const running = databaseReadiness(shop, older);
  assert.equal(await running.check(), 'migrations are still to be applied');
  await migrate({ url, schema: 'shop', sources: older });
  assert.equal(await running.check(), undefined);
  const next = databaseReadiness(shop, newer);
  assert.equal(await next.check(), 'migrations are still to be applied');
  await migrate({ url, schema: 'shop', sources: newer });
  assert.deepEqual([await running.check(), await next.check()], [undefined, undefined]);
  const late = databaseReadiness(shop, older);
  assert.equal(await late.check(), 'it cannot be reached, or does not fit this version');
});
