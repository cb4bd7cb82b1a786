// Lets time-outs end at once: for what must answer although something that it asks never does.

import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';

const STEP_MS = 1_000;

/** Runs `act` while time passes a second at each turn of the event loop. Timers made before are not touched. */
export async function inMockedTime<T>(t: TestContext, act: () => Promise<T>): Promise<T> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let hasEnded = false;
  const ended = act().finally(() => {
    hasEnded = true;
  });
  try {
    while (!hasEnded) {
      await setImmediate();
      t.mock.timers.tick(STEP_MS);
    }
    return await ended;
  } finally {
    t.mock.timers.reset();
  }
}
