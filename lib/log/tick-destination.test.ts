import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { createTickDestination } from './tick-destination.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'kedja-log-'));
after(() => rm(folder, { recursive: true }));

test('lines are in the file after the turn of the event loop that wrote them, in their order, and at once when asked for', async () => {
  const file = path.join(folder, 'deep', 'a.log');
  const destination = createTickDestination(file);
  destination.write('one\n');
  destination.write('två\n');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await readFile(file, 'utf8'), 'one\ntvå\n');
  destination.write('three\n');
  destination.flushSync();
  assert.equal(await readFile(file, 'utf8'), 'one\ntvå\nthree\n');
  destination.flushSync();
  assert.equal(await readFile(file, 'utf8'), 'one\ntvå\nthree\n');
});

test('the lines of a process that ends in the same turn are written', async () => {
  const file = path.join(folder, 'b.log');
  const module = path.join(import.meta.dirname, 'tick-destination.ts');
  for (const end of ['process.exit(3)', 'throw new Error()']) {
    const code = `const { createTickDestination } = await import(${JSON.stringify(module)});
      createTickDestination(${JSON.stringify(file)}).write('last words\\n'); ${end};`;
    await assert.rejects(promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]));
  }
  assert.equal(await readFile(file, 'utf8'), 'last words\nlast words\n');
});
