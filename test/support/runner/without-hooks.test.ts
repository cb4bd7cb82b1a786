// Test files run without the asynchronous hooks of `node:test`, and an uncaught error fails its file all the same.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const PRELOAD = new URL('./without-hooks.ts', import.meta.url).href;

/** Runs a test file of this source as the runner does; its exit code and what it printed. */
async function run(source: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['--import', PRELOAD, '--input-type=module', '--eval', source];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, output: out + err };
}

test('promises of a test have no asynchronous ids of their own, and other code may still have hooks', async () => {
  const { code, output } = await run(`
    import assert from 'node:assert/strict';
    import { createHook, executionAsyncId } from 'node:async_hooks';
    import { test } from 'node:test';
    test('one', async () => {
      await null;
      const first = executionAsyncId();
      await null;
      assert.equal(executionAsyncId(), first);
      let created = 0;
      const hook = createHook({ init: () => void (created += 1) }).enable();
      await null;
      hook.disable();
      assert.ok(created > 0);
    });`);
  assert.equal(code, 0, output);
});

test('an uncaught error fails its file, and is shown', async () => {
  const sources = [`Promise.reject(new Error('lost'))`, `setImmediate(() => { throw new Error('lost'); })`];
  for (const source of sources) {
    const wait = 'new Promise((resolve) => setTimeout(resolve, 50))';
    const { code, output } = await run(`
      import { test } from 'node:test';
      test('one', async () => { ${source}; await ${wait}; });`);
    assert.equal(code, 1, output);
    assert.match(output, /Error: lost/);
  }
});

test('a file that cannot be loaded fails', async () => {
  const passes = `import { test } from 'node:test'; test('one', () => {});`;
  const sources = [
    `throw new Error('lost');`,
    `import '${new URL('./no-such-file.ts', import.meta.url).href}';`,
    `await Promise.reject(new Error('lost')); ${passes}`,
    `Promise.reject(new Error('lost')); await new Promise((resolve) => setTimeout(resolve, 20)); ${passes}`,
  ];
  for (const source of sources) {
    const { code, output } = await run(source);
    assert.equal(code, 1, `${source}\n${output}`);
  }
});
