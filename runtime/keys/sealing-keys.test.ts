import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { identitySealedValues } from '#services/identity/sealed-values.ts';
import { makeKeySite, makeSealedPatients } from '#test/support/system/key-site.ts';
import { openKeyFolder } from './keys.ts';
import { sealingKeyOf } from './sealing-keys.ts';

const site = await makeKeySite({ after });
const key = { name: 'personnummer', database: site.database, valuesOf: identitySealedValues };
const FILE = path.join(site.folder, 'personnummer.key');

test('a lost key is made again while nothing was sealed with it, and never after that', async () => {
  await rm(FILE);
  assert.equal((await sealingKeyOf(openKeyFolder(site.dataDir), key)).all().length, 1);
  await makeSealedPatients(site.database, site.dataDir, 1);
  assert.equal((await sealingKeyOf(openKeyFolder(site.dataDir), key)).all().length, 1, 'it is there');
  await rm(FILE);
  await assert.rejects(sealingKeyOf(openKeyFolder(site.dataDir), key), {
    message: new RegExp(`^There is no ${FILE}, with which values in patient\\.personnummer_sealed are sealed`),
  });
  assert.deepEqual(await readdir(site.folder), [], 'no other key is made');
});

test('a key that another node makes meanwhile, and seals with, is used', async () => {
  await makeSealedPatients(site.database, site.dataDir, 1);
  const bytes = await readFile(FILE);
  await rm(FILE);
  // The other node has made the key by the time that its sealed values are found.
  const database = {
    ...site.database,
    query: async (...given: Parameters<typeof site.database.query>) => {
      await writeFile(FILE, bytes, { mode: 0o600 });
      return site.database.query(...given);
    },
  } as typeof site.database;
  const found = await sealingKeyOf(openKeyFolder(site.dataDir), { ...key, database });
  assert.equal(found.all().length, 1);
  assert.deepEqual(await readFile(FILE), bytes);
});
