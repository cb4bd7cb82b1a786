import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { openKeyFolder } from './keys.ts';

const root = await mkdtemp(path.join(tmpdir(), 'kedja-keys-'));
after(() => rm(root, { recursive: true }));

test('a key is made once, also when many ask at the same moment, and only its owner can read it', async () => {
  const folder = path.join(root, 'race');
  const keys = await Promise.all(Array.from({ length: 50 }, () => openKeyFolder(folder).key('receipts')));
  assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1);
  assert.equal(keys[0]?.length, 32);
  assert.deepEqual(await readdir(path.join(folder, 'keys')), ['receipts.key']);
  assert.equal((await stat(path.join(folder, 'keys', 'receipts.key'))).mode & 0o777, 0o600);
});

test('different names have different keys', async () => {
  const keys = openKeyFolder(path.join(root, 'names'));
  assert.notDeepEqual(await keys.key('a'), await keys.key('b'));
  const { clientId, clientSecret } = await keys.clientCredentials('service', 'engine');
  assert.deepEqual([clientId, clientSecret.length], ['engine', 43]);
});

test('a damaged key is an error, never replaced', async () => {
  const folder = path.join(root, 'damaged');
  const keys = openKeyFolder(folder);
  await keys.key('a');
  await writeFile(path.join(folder, 'keys', 'a.key'), 'short');
  await assert.rejects(openKeyFolder(folder).key('a'), /is damaged/);
});
