// The console is built once for its sources, however many processes start; a failure is tried again.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { ensureBuilt } from './ensure.ts';
import { hashOfSources } from './sources.ts';

const dist = await mkdtemp(path.join(tmpdir(), 'kedja-dist-'));
after(() => rm(dist, { recursive: true }));
const signal = AbortSignal.timeout(30_000);
let built = 0;

async function build(folder: string): Promise<void> {
  built += 1;
  await mkdir(folder);
  await writeFile(path.join(folder, 'index.html'), '');
}

test('of several that start at once one builds, and a later one builds nothing; older builds are removed', async () => {
  await mkdir(path.join(dist, 'f'.repeat(16)));
  const place = { dist, name: 'a'.repeat(16), build };
  const folders = await Promise.all([1, 2, 3].map(() => ensureBuilt(place, signal)));
  folders.push(await ensureBuilt(place, signal));
  assert.deepEqual([new Set(folders).size, built], [1, 1]);
  assert.deepEqual(await readdir(dist), ['a'.repeat(16)]);
});

test('a build that fails leaves nothing, and is made again', async () => {
  const place = { dist, name: 'b'.repeat(16) };
  const failing = { ...place, build: () => Promise.reject(new Error('no such file')) };
  await assert.rejects(ensureBuilt(failing, signal), /no such file/);
  assert.ok(existsSync(path.join(await ensureBuilt({ ...place, build }, signal), 'index.html')));
});

test('the lock of a process that was killed does not hold for ever', async () => {
  const name = 'c'.repeat(16);
  const lock = path.join(dist, `${name}.building`);
  await mkdir(lock);
  await utimes(lock, 0, 0);
  await ensureBuilt({ dist, name, build }, signal);
  assert.ok(!existsSync(lock));
});

test('who stops waiting builds nothing', async () => {
  const name = 'd'.repeat(16);
  await mkdir(path.join(dist, `${name}.building`));
  const end = new AbortController();
  const waiting = ensureBuilt({ dist, name, build }, end.signal);
  end.abort();
  await assert.rejects(waiting);
  assert.ok(!existsSync(path.join(dist, name)));
});

test('the hash of the sources is the same each time', () => {
  assert.match(hashOfSources(), /^[0-9a-f]{16}$/);
  assert.equal(hashOfSources(), hashOfSources());
});

test('a build that another process has finished meanwhile is taken as it is', async () => {
  const name = 'e'.repeat(16);
  const folder = path.join(dist, name);
  const late = async (draft: string) => {
    await build(draft);
    await build(folder);
  };
  assert.equal(await ensureBuilt({ dist, name, build: late }, signal), folder);
  assert.ok(!existsSync(`${folder}.${process.pid}.draft`));
});
