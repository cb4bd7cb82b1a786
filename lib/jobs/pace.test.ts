// The pace of a tenant's loops: quiet ones run in rounds, and a request waits for what it needs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { createPace, currentPace, runAtPace } from './pace.ts';
import { createWorkerLoop } from './worker-loop.ts';

const log = makeTestLogger();

/** A loop that counts its steps at the pace. */
function countingLoop(pace = createPace(), { isFollower = false, more = 0 } = {}) {
  let steps = 0;
  let left = more;
  const step = async () => {
    steps += 1;
    await delay(1);
    left -= 1;
    return left >= 0;
  };
  const loop = runAtPace(pace, () => createWorkerLoop({ name: 'counting', intervalMs: 5, log, step, isFollower }));
  loop.start();
  return { pace, loop, steps: () => steps };
}

test('in use a loop has its own interval; quiet, it waits for rounds', async () => {
  const { pace, loop, steps } = countingLoop();
  await eventually('it ran some times', async () => (steps() > 3 ? true : undefined));
  pace.rest();
  await pace.round();
  const then = steps();
  await delay(100);
  assert.equal(steps(), then, 'nothing between the rounds');
  await pace.round();
  assert.equal(steps(), then + 1);
  await pace.wake();
  await eventually('it runs by itself again', async () => (steps() > then + 3 ? true : undefined));
  await loop.stop();
});

test('a round goes on while there is work', async () => {
  const pace = createPace();
  pace.rest();
  const { loop, steps } = countingLoop(pace, { more: 7 });
  await pace.round();
  assert.equal(steps(), 8);
  await loop.stop();
});

test('waking waits for the followers, for everybody who wakes', async () => {
  const pace = createPace();
  const { loop, steps } = countingLoop(pace, { isFollower: true });
  await pace.round();
  pace.rest();
  await pace.round();
  const before = steps();
  await Promise.all([pace.wake(), pace.wake()].map((woken) => woken.then(() => assert.ok(steps() > before))));
  await loop.stop();
});

test('a loop that has stopped is in no round, and without a pace there is none', async () => {
  const { pace, loop, steps } = countingLoop();
  await loop.stop();
  const then = steps();
  await pace.round();
  assert.equal(steps(), then);
  assert.equal(currentPace(), undefined);
});
