import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

test('threads take their modules from the compile cache of the process', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-compiled-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const source = `
    import { Worker } from 'node:worker_threads';
    import { keepCompiledModules } from ${JSON.stringify(new URL('compile-cache.mjs', import.meta.url))};
    keepCompiledModules();
    const thread = "const module = await import('node:module'); console.log(module.getCompileCacheDir());";
    new Worker(thread, { eval: true });`;
  const { NODE_COMPILE_CACHE: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env;
  const env = { ...inherited, TMPDIR: folder };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { env });
  assert.ok((await text(child.stdout)).startsWith(folder));
});
