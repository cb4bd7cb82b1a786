// Which items go together, and whom a failure concerns.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { coalesce } from './coalesce.ts';

test('what is asked for at once goes together, and each gets its own result', async () => {
  const pieces: number[][] = [];
  const double = coalesce(
    async (items: readonly number[]) => {
      pieces.push([...items]);
      return items.map((item) => item * 2);
    },
    { maxSize: 10, maxRunning: 1 },
  );
  assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6]);
  assert.equal(await double(4), 8);
  assert.deepEqual(pieces, [[1, 2, 3], [4]]);
});

test('pieces are bounded in size and number; a large item goes alone', async () => {
  const pieces: number[][] = [];
  let running = 0;
  let most = 0;
  const work = coalesce(
    async (items: readonly number[]) => {
      pieces.push([...items]);
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return items;
    },
    { maxSize: 10, maxRunning: 2, sizeOf: (item) => item },
  );
  await Promise.all([4, 5, 6, 30, 1, 2, 3].map(work));
  assert.deepEqual(pieces, [[4, 5], [6], [30], [1, 2, 3]]);
  assert.equal(most, 2);
});

test('a failure concerns its own piece alone', async () => {
  const work = coalesce(
    async (items: readonly number[]) => {
      if (items.includes(2)) throw new Error('lost');
      return items;
    },
    { maxSize: 2, maxRunning: 4 },
  );
  const results = await Promise.allSettled([1, 2, 3, 4].map(work));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.equal(await work(5), 5);
});

test('an item without a result fails', async () => {
  const work = coalesce(async (items: readonly number[]) => items.slice(1), { maxSize: 9, maxRunning: 1 });
  const results = await Promise.allSettled([1, 2].map(work));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
});

test('a piece belongs to none of the requests that it serves', async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const work = coalesce(
    async (items: readonly number[]) => {
      seen.push(request.getStore());
      return items;
    },
    { maxSize: 9, maxRunning: 1 },
  );
  await request.run('a', () => work(1));
  assert.deepEqual(seen, [undefined]);
});
