import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Teardown } from './shutdown.ts';

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
