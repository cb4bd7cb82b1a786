import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../log/logger.ts';
import { createWorkerLoop } from './worker-loop.ts';

function silentLog(lines: string[] = []) {
  const destination = { write: (line: string) => void lines.push(line) };
  return createLogger({ level: 'info', format: 'json', destination });
}

/** Resolves when the step has run `count` times. */
function makeCounter(count: number, step: (run: number) => boolean) {
  const done = Promise.withResolvers<void>();
  let runs = 0;
  return {
    done: done.promise,
    runs: () => runs,
    step: async () => {
      runs += 1;
      if (runs === count) done.resolve();
      return step(runs);
    },
  };
}

test('a step that asks for more runs again at once, then the loop waits to be woken', async () => {
  const counter = makeCounter(3, (run) => run < 3);
  const loop = createWorkerLoop({ name: 'w', intervalMs: 3_600_000, log: silentLog(), step: counter.step });
  loop.start();
  await counter.done;
  await loop.stop();
  assert.equal(counter.runs(), 3);
});

test('a wake during a step makes it run once more', async () => {
  const counter = makeCounter(2, (run) => {
    if (run === 1) loop.wake();
    return false;
  });
  const loop = createWorkerLoop({ name: 'w', intervalMs: 3_600_000, log: silentLog(), step: counter.step });
  loop.start();
  await counter.done;
  await loop.stop();
  assert.equal(counter.runs(), 2);
});

test('failures are logged ever more rarely, and the loop goes on', async () => {
  const lines: string[] = [];
  const counter = makeCounter(5, (run) => {
    if (run < 5) throw new Error('down');
    return false;
  });
  const loop = createWorkerLoop({
    name: 'w',
    intervalMs: 1,
    maxBackoffMs: 1,
    log: silentLog(lines),
    step: counter.step,
  });
  loop.start();
  await counter.done;
  await loop.stop();
  assert.equal(lines.length, 3, 'failures 1, 2 and 4');
});

test('stop aborts the signal, waits for the running step, and nothing runs afterwards', async () => {
  const started = Promise.withResolvers<void>();
  let isFinished = false;
  let runs = 0;
  const loop = createWorkerLoop({
    name: 'w',
    intervalMs: 1,
    log: silentLog(),
    step: async (signal) => {
      runs += 1;
      started.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      isFinished = true;
      return true;
    },
  });
  loop.start();
  await started.promise;
  await loop.stop();
  loop.wake();
  assert.deepEqual([isFinished, runs], [true, 1]);
});
