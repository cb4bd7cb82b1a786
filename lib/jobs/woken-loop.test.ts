import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wokenBy } from './woken-loop.ts';

test('it listens before it starts, is woken by notifications, and listens no more before it stops', async () => {
  const done: string[] = [];
  const loop = {
    start: () => void done.push('start'),
    wake: () => void done.push('wake'),
    stop: async () => void done.push('stop'),
  };
  let notify = (_payload: string): void => undefined;
  const database = {
    listen: async (channel: string, wake: (payload: string) => void) => {
      done.push(`listen to ${channel}`);
      notify = wake;
      return async () => void done.push('unlisten');
    },
  };
  const woken = wokenBy({ database, channel: 'mail' }, loop);
  await woken.start();
  notify('');
  await woken.stop();
  await woken.stop();
  assert.deepEqual(done, ['listen to mail', 'start', 'wake', 'unlisten', 'stop', 'stop']);
});
