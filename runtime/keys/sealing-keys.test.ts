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
  const bytes = await readFile(FILE);
  await rm(FILE);
  await assert.rejects(sealingKeyOf(openKeyFolder(site.dataDir), key), {
    message: new RegExp(`^There is no ${FILE}, with which values in patient\\.personnummer_sealed are sealed`),
  });
  assert.deepEqual(await readdir(site.folder), [], 'no other key is made');
  // Another node, which starts at the same time, has made the key by the time that its sealed values are found.
  const database: typeof site.database = {
    ...site.database,
    query: async (statement, values) => {
      await writeFile(FILE, bytes, { mode: 0o600 });
      return site.database.query(statement, values);
    },
  };
  assert.equal((await sealingKeyOf(openKeyFolder(site.dataDir), { ...key, database })).all().length, 1);
  assert.deepEqual(await readFile(FILE), bytes, 'the key of the other node is used');
});
