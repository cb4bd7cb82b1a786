// How long background work rests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThrottle, restOf } from './throttle.ts';

test('work rests the longer the busier the machine is, and never too long', () => {
  assert.equal(restOf(100, 0.3), 0);
  assert.equal(restOf(100, 0.5), 0);
  assert.ok(restOf(100, 0.75) > 500);
  assert.equal(restOf(100, 1), 3900);
  assert.equal(restOf(60_000, 1), 5000);
});

test('after a step without work, after an abort, or when it is urgent, there is no rest', async () => {
  let runs = 0;
  const startGauge = () => {
    runs += 1;
    return { read: () => 1 };
  };
  const throttle = createThrottle({ startGauge });
  assert.equal(await throttle.run(async () => false, new AbortController().signal), false);
  assert.equal(await throttle.run(async () => true, AbortSignal.abort()), true);
  const urgent = createThrottle({ startGauge, isUrgent: () => true });
  assert.equal(await urgent.run(async () => true, new AbortController().signal), true);
  assert.equal(runs, 0);
});
