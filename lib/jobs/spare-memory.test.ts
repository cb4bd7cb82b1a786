// When V8 is told to give memory back: while there is little to do, and no thread works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { eventually } from '#test/support/http.ts';
import { beginThread, createSpareMemory, makeThread } from './spare-memory.ts';

function sparing(share: number | (() => number)) {
  const flags: string[] = [];
  const busyShare = typeof share === 'number' ? () => share : share;
  const spare = createSpareMemory({ setFlag: (flag) => void flags.push(flag), busyShare, checkMs: 1 });
  return { flags, spare };
}

test('it begins when there is little to do, ends at once with load, and with the end', async () => {
  let share = 0.9;
  const { flags, spare } = sparing(() => share);
  spare.start();
  await delay(30);
  assert.deepEqual(flags, []);
  share = 0.1;
  await eventually('it has begun', async () => (flags.length === 1 ? true : undefined));
  share = 0.9;
  await eventually('it has ended', async () => (flags.length === 2 ? true : undefined));
  share = 0.1;
  await eventually('it has begun again', async () => (flags.length === 3 ? true : undefined));
  spare.stop();
  await delay(30);
  const [on, off] = ['--optimize-for-size', '--no-optimize-for-size'];
  assert.deepEqual(flags, [on, off, on, off]);
});

test('a single quiet check is not enough', async () => {
  let turn = 0;
  const { flags, spare } = sparing(() => {
    turn += 1;
    return turn % 2;
  });
  spare.start();
  await eventually('there were some checks', async () => (turn > 20 ? true : undefined));
  spare.stop();
  assert.deepEqual(flags, []);
});

test('a thread ends it before the thread starts, and holds it off until the thread has ended', async () => {
  const { flags, spare } = sparing(0);
  spare.start();
  await eventually('it has begun', async () => (flags.length === 1 ? true : undefined));
  const end = beginThread();
  assert.equal(flags.length, 2);
  await delay(30);
  assert.equal(flags.length, 2);
  end();
  end();
  await eventually('it has begun again', async () => (flags.length === 3 ? true : undefined));
  const worker = makeThread(() => new Worker('', { eval: true }));
  assert.equal(flags.length, 4);
  await new Promise((done) => worker.once('exit', done));
  await eventually('and again', async () => (flags.length === 5 ? true : undefined));
  assert.throws(() => makeThread(() => new Worker('no path')));
  await eventually('also after one that was not made', async () => (flags.length === 7 ? true : undefined));
  spare.stop();
});

test('V8 takes the flags', () => {
  const spare = createSpareMemory({ busyShare: () => 0 });
  spare.start();
  spare.stop();
});
