// The concurrency limit: so many calls at once, the rest in order, whether they succeed or fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConcurrencyLimit } from './concurrency-limit.ts';

const timeoutError = () => new Error('too late');

test('at most the limit runs at once, the queue is in order, and a failed call frees its place', async () => {
  const turns = createConcurrencyLimit({ atOnce: 2, patienceMs: 60_000, timeoutError });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const works = [1, 2, 3, 4, 5].map((number) =>
    turns(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (number === 1) throw new Error('one');
      return number;
    }),
  );
  const settled = Promise.allSettled(works);
  await turn();
  assert.deepEqual(begun, [1, 2]);
  ends.shift()?.();
  await turn();
  assert.deepEqual(begun, [1, 2, 3]);
  for (let round = 0; round < 4; round += 1) {
    for (const end of ends.splice(0)) end();
    await turn();
  }
  assert.deepEqual(
    (await settled).map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    ['Error: one', 2, 3, 4, 5],
  );
  assert.equal(await turns(async () => 6), 6);
});

test('a call that has waited too long is rejected, and those behind it still run', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = createConcurrencyLimit({ atOnce: 1, patienceMs: 100, timeoutError });
  const end = Promise.withResolvers<void>();
  const first = turns(() => end.promise);
  const late = turns(async () => 'late');
  t.mock.timers.tick(50);
  const patient = turns(async () => 'patient');
  t.mock.timers.tick(50);
  await assert.rejects(late, { message: 'too late' });
  end.resolve();
  await first;
  assert.equal(await patient, 'patient');
  t.mock.timers.tick(100);
  assert.equal(await turns(async () => 'next'), 'next');
});
