import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { MINUTE_MS } from '#lib/clock.ts';
import { createSealer } from '#lib/secrets/sealer.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { indexFile, placeIndexGeneration } from './key-files.ts';
import { rotateSealingKey } from './key-rotation.ts';
import { openKeyFolder } from './keys.ts';

const root = await mkdtemp(path.join(tmpdir(), 'kedja-keys-'));
after(() => rm(root, { recursive: true }));

test('a key is created once, also by concurrent calls, and only its owner can read it', async () => {
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

const handClock = () => {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time };
  return clock;
};

async function rotatedFolder(name: string) {
  const dataDir = path.join(root, name);
  const clock = handClock();
  const keys = openKeyFolder(dataDir, clock);
  const set = await keys.keySet('a');
  const rotate = (waitMs = 0) =>
    rotateSealingKey({ folder: keys.folder, name: 'a', clock }, { indexes: ['numbers'], waitMs });
  return { dataDir, clock, keys, set, rotate, file: path.join(keys.folder, 'a.2.key') };
}

/** Reads the folder until a condition holds, as a node does every five seconds. */
async function following(keys: ReturnType<typeof openKeyFolder>, what: string, holds: (lines: string[]) => boolean) {
  const lines: string[] = [];
  const loop = keys.follow(makeTestLogger(lines));
  loop.start();
  try {
    await eventually(what, async () => {
      loop.wake();
      return holds(lines) ? true : undefined;
    });
  } finally {
    await loop.stop();
  }
  return lines.join('\n');
}

test('a new generation opens once the folder is read again, and seals two minutes after its creation', async () => {
  const { clock, keys, set, rotate, file } = await rotatedFolder('rotated');
  const sealer = createSealer({ keys: set, purpose: 'test', place: 'thing.secret' });
  const before = sealer.seal('one', 'row 1');
  const { generation, sealsFrom, isNew } = await rotate();
  assert.deepEqual([generation, sealsFrom, isNew], [2, clock.time + 2 * MINUTE_MS, true]);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(set.all().length, 1, 'not read yet');
  await following(keys, 'the key is read', () => set.all().length === 2);
  assert.equal(set.sealing().generation, 1);
  clock.time += 2 * MINUTE_MS - 1;
  assert.equal(set.sealing().generation, 1);
  clock.time += 1;
  assert.equal(set.sealing().generation, 2);
  const after = sealer.seal('two', 'row 2');
  assert.notDeepEqual(after.subarray(0, 4), before.subarray(0, 4));
  assert.deepEqual([sealer.open(before, 'row 1'), sealer.open(after, 'row 2')], ['one', 'two']);
});

test('of ten concurrent rotations one creates a generation; there is no other while it waits to seal', async () => {
  const { clock, rotate, keys } = await rotatedFolder('at-once');
  const rotations = await Promise.all(Array.from({ length: 10 }, () => rotate()));
  assert.equal(rotations.filter(({ isNew }) => isNew).length, 1);
  assert.deepEqual(new Set(rotations.map(({ generation, sealsFrom }) => `${generation} ${sealsFrom}`)).size, 1);
  assert.equal((await rotate()).isNew, false);
  assert.deepEqual((await readdir(keys.folder)).sort(), ['a.2.key', 'a.key', 'a.numbers-index.key']);
  clock.time += 2 * MINUTE_MS;
  assert.deepEqual(await rotate(60 * MINUTE_MS), {
    generation: 3,
    sealsFrom: clock.time + 60 * MINUTE_MS,
    isNew: true,
  });
});

test('a truncated or unreadable file is named at the start; a running node keeps its keys', async () => {
  const { dataDir, keys, set, rotate, file } = await rotatedFolder('cut-short');
  await rotate();
  const whole = await readFile(file, 'utf8');
  for (let length = 0; length < whole.trimEnd().length; length += 1) {
    await writeFile(file, whole.slice(0, length));
    await assert.rejects(openKeyFolder(dataDir).keySet('a'), /a\.2\.key is damaged/, `${length} characters`);
  }
  const isLogged = (lines: string[]) => lines.some((line) => line.includes('keys.not-read'));
  assert.match(await following(keys, 'the error is logged', isLogged), /a\.2\.key is damaged/);
  await rm(file);
  await mkdir(file);
  await assert.rejects(openKeyFolder(dataDir).keySet('a'), /a\.2\.key cannot be read: EISDIR/);
  assert.match(await following(keys, 'the error is logged', isLogged), /cannot be read/);
  assert.deepEqual([set.all().length, set.sealing().generation], [1, 1]);
  await rm(file, { recursive: true });
  await writeFile(file, whole);
  await following(keys, 'what was corrected is read', () => set.all().length === 2);
});

test('a running node keeps its keys when the folder disappears', async () => {
  const { keys, set } = await rotatedFolder('gone');
  await rm(keys.folder, { recursive: true });
  const isLogged = (lines: string[]) => lines.some((line) => line.includes('keys.not-read'));
  assert.match(await following(keys, 'the error is logged', isLogged), /There is no .*a\.key/);
  assert.equal(set.all().length, 1);
});

test('a file that others may read or change is logged once', async () => {
  const { keys, file, rotate, set } = await rotatedFolder('mode');
  await rotate();
  await chmod(file, 0o644);
  let reads = 0;
  const lines = await following(keys, 'it was read twice', () => set.all().length === 2 && ++reads > 3);
  assert.equal(lines.split('keys.open-to-others').length, 2, lines);
  assert.match(lines, /a\.2\.key/);
});

test('a new index key, and one that others may read, are logged once each', async () => {
  const { dataDir, keys, rotate } = await rotatedFolder('index-mode');
  await rotate();
  const node = openKeyFolder(dataDir);
  const set = await node.keySet('a');
  const [first, second] = [1, 2].map((generation) => indexFile(keys.folder, 'a', 'numbers', generation));
  await chmod(first ?? '', 0o644);
  await placeIndexGeneration(
    keys.folder,
    { name: 'a', purpose: 'numbers' },
    { generation: 2, createdAt: 0, sealsFrom: 0 },
  );
  await chmod(second ?? '', 0o644);
  const isThere = () => {
    try {
      return set.indexKey('numbers', 2).length === 32;
    } catch {
      return false;
    }
  };
  let reads = 0;
  const lines = await following(node, 'it was read twice', () => isThere() && ++reads > 3);
  const linesOf = (event: string) => lines.split('\n').filter((line) => line.includes(event));
  assert.equal(linesOf('keys.open-to-others').length, 2, lines);
  for (const file of [first, second])
    assert.equal(linesOf('keys.open-to-others').filter((line) => line.includes(`${file}"`)).length, 1);
  assert.equal(linesOf('keys.read').length, 1, lines);
  assert.match(lines, /"numbers 2".*"numbers 1"/);
});

test('when the first generation is retired, indexes keep their key; without that key nothing starts', async () => {
  const { dataDir, keys, set, rotate } = await rotatedFolder('retired');
  const index = Buffer.from(set.indexKey('numbers'));
  await rotate();
  await mkdir(path.join(keys.folder, 'retired'));
  await rename(path.join(keys.folder, 'a.key'), path.join(keys.folder, 'retired', 'a.1.key'));
  const later = await openKeyFolder(dataDir).keySet('a');
  assert.deepEqual(later.indexKey('numbers'), index);
  assert.throws(() => later.indexKey('other'), /There is no .*a\.other-index\.key/);
  await rename(path.join(keys.folder, 'retired', 'a.1.key'), path.join(keys.folder, 'a.1.key'));
  assert.equal((await openKeyFolder(dataDir).keySet('a')).all().length, 2, 'one that is brought back opens again');
  await rm(path.join(keys.folder, 'a.2.key'));
  await rename(path.join(keys.folder, 'a.1.key'), path.join(keys.folder, 'retired', 'a.1.key'));
  await assert.rejects(
    openKeyFolder(dataDir).keySet('a'),
    /There is no .*a\.key/,
    'no new key takes the place of lost ones',
  );
});

test('two different files of one generation are an error that names both', async () => {
  const { dataDir, keys } = await rotatedFolder('twice');
  await writeFile(path.join(keys.folder, 'a.1.key'), Buffer.alloc(32, 1).toString('base64'));
  await assert.rejects(openKeyFolder(dataDir).keySet('a'), /both generation 1/);
});
