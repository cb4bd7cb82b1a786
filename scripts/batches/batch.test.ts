// Batches of test files: a file leaves nothing to the next, and whatever fails or is missing is named.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ALONE } from './alone.ts';
import { addressOfBatch, filesOf } from './batch-address.ts';
import { planProcesses } from './plan.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const folder = await mkdtemp(path.join(tmpdir(), 'kedja-batch-'));
after(() => rm(folder, { recursive: true, force: true }));
let written = 0;

/** A test file of this source. */
async function fileOf(source: string): Promise<string> {
  written += 1;
  const file = path.join(folder, `f${written}.test.ts`);
  await writeFile(file, `import { after, afterEach, beforeEach, test } from 'node:test';\n${source}`);
  return file;
}

/** Runs a batch of files of these sources; the exit code and what was printed. */
async function run(sources: readonly string[], more: object = {}) {
  const files = await Promise.all(sources.map(fileOf));
  const preload = new URL('../../test/support/runner/without-hooks.ts', import.meta.url).href;
  const options = { root: ROOT, concurrency: 2, preload, ...more };
  // A file, as options of this process would be those of its processes, too.
  const program = path.join(folder, 'run.mjs');
  const source = `import { runProcesses } from ${JSON.stringify(new URL('./run.ts', import.meta.url).href)};
    runProcesses(${JSON.stringify([addressOfBatch(files)])}, ${JSON.stringify(options)});`;
  await writeFile(program, source);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [program], { env, cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { files, code: await code, output: out + err };
}

test('a file is loaded when the one before has ended, with its clean-ups', async () => {
  const said = JSON.stringify(pathToFileURL(path.join(folder, 'said.mjs')).href);
  await writeFile(path.join(folder, 'said.mjs'), 'export const said = [];');
  const { code, output } = await run([
    `import { createServer } from 'node:net';
     import { said } from ${said};
     const server = createServer().listen(0);
     after(() => { server.close(() => said.push('closed')); });
     await new Promise((resolve) => setTimeout(resolve, 20));
     test('one', async () => { await new Promise((resolve) => setTimeout(resolve, 20).unref()); said.push('tested'); });`,
    `import assert from 'node:assert';
     import { said } from ${said};
     const before = [...said];
     test('two', () => assert.deepEqual(before, ['tested', 'closed']));`,
  ]);
  assert.equal(code, 0, output);
  assert.match(output, /✔ one .*\n✔ two .*\nℹ tests 2\n(?:.*\n)*ℹ pass 2\nℹ fail 0/);
});

test('hooks around each test are of the tests of their file', async () => {
  const { code, output } = await run([
    `let [before, later] = [0, 0];
     beforeEach(() => { before += 1; if (globalThis.isNext) throw new Error('of another file'); });
     afterEach(async () => { later += 1; if (globalThis.isNext) throw new Error('of another file'); });
     test('one', () => {});
     test('two', () => { if (before !== 2 || later !== 1) throw new Error('not called'); });`,
    `globalThis.isNext = true;
     let before = 0;
     beforeEach(() => { before += 1; });
     test('three', () => { if (before !== 1) throw new Error('not called'); });`,
  ]);
  assert.equal(code, 0, output);
});

test('a test that fails is named with its place, and the next file runs', async () => {
  const { code, output, files } = await run([
    `test('one', () => { throw new Error('lost'); });`,
    `throw new Error('not loaded');`,
    `test('two', () => {});`,
  ]);
  assert.equal(code, 1);
  assert.match(output, /pass 1\nℹ fail 2\n/);
  assert.ok(output.includes(`test at ${path.relative(ROOT, files[0] ?? '')}:2:1\n✖ one`), output);
  assert.ok(output.includes(`✖ ${files[1]}`) && output.includes('Error: not loaded'), output);
});

test('a process that ends early, or by a failed clean-up, names its files and those that have not run', async () => {
  const sources = [
    `test('one', () => { process.exit(0); });`,
    `test('one', () => {}); after(() => { throw new Error('lost'); });`,
    `test('one', () => { process.kill(process.pid, 'SIGKILL'); });`,
  ];
  for (const source of sources) {
    const { code, output, files } = await run([source, `test('two', () => {});`]);
    assert.equal(code, 1, output);
    assert.doesNotMatch(output, /✔ two/);
    for (const file of files) assert.ok(output.includes(file), output);
  }
});

test('a process in which no test ends is ended, and is named', async () => {
  const { code, output, files } = await run([`test('one', () => { for (;;); });`], { silenceMs: 3_000 });
  assert.equal(code, 1);
  assert.match(output, /No test has ended for long\. Still running:\n/);
  for (const file of files) assert.ok(output.includes(file), output);
});

test('every file has one process; those that run alone begin, and exist', () => {
  const files = globSync('{lib,fhir,services,cli,demo,scripts,test}/**/*.test.ts', { cwd: ROOT });
  const entries = planProcesses(ROOT, files);
  const planned = entries.flatMap((entry) => (entry.includes('?') ? filesOf(entry) : [entry]));
  assert.deepEqual(planned.sort(), [...files].sort());
  const alone = entries.slice(
    0,
    entries.findIndex((entry) => entry.includes('?')),
  );
  assert.equal(alone[0], 'test/load/freeze.test.ts');
  for (const place of Object.keys(ALONE))
    assert.ok(
      alone.some((file) => file.startsWith(place)),
      place,
    );
});
