import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { stopLimitOf, Teardown } from './shutdown.ts';

test('each part is stopped once, in reverse order, also after an error', async () => {
  const stopped: string[] = [];
  const teardown = new Teardown();
  teardown.add(async () => void stopped.push('database'));
  teardown.add(async () => {
    stopped.push('worker');
    throw new Error('stuck');
  });
  teardown.add(async () => void stopped.push('server'));
  await assert.rejects(Promise.all([teardown.run(), teardown.run()]), /stuck/);
  assert.deepEqual(stopped, ['server', 'worker', 'database']);
});

test('a process that does not stop within its limit says so and ends with 1', async () => {
  const script = `
    import { createLogger } from '#lib/log/logger.ts';
    import { shutDown, Teardown } from './runtime/shutdown.ts';
    const teardown = new Teardown();
    const busy = setInterval(() => undefined, 1_000);
    teardown.add(() => new Promise(() => busy));
    await shutDown(teardown, createLogger({ level: 'info', format: 'json' }), 50);`;
  const cwd = new URL('..', import.meta.url);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { cwd });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = await once(child, 'close');
  assert.equal(code, 1);
  assert.match(output, /"event":"process\.stop-overdue","limitMs":50/);
});

test('a primary waits for workers that use their whole limit', () => {
  assert.equal(stopLimitOf(10), 10_000);
  assert.ok(stopLimitOf(10, { isPrimary: true }) > stopLimitOf(10));
});
