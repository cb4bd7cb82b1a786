// Batching of concurrent calls, without a database.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { type BatcherLimits, createBatcher, type GroupOutcome } from './batcher.ts';

interface Item {
  readonly name: string;
  readonly key?: string;
  readonly size?: number;
}

/** Groups wait for `release` one after the other; `alone` returns lower case. */
function fixture(
  limits: BatcherLimits,
  outcomeOf: (item: Item) => GroupOutcome<string> = ({ name }) => ({ value: name.toUpperCase() }),
) {
  const groups: string[][] = [];
  const held: (() => void)[] = [];
  const singles: string[] = [];
  const ask = createBatcher<Item, string>({
    limits,
    keyOf: ({ key }) => key,
    sizeOf: ({ size = 1 }) => size,
    together: async (items) => {
      groups.push(items.map(({ name }) => name));
      await new Promise<void>((resolve) => held.push(resolve));
      return items.map(outcomeOf);
    },
    single: {
      isCommon: (error) => error instanceof Error && error.message === 'away',
      alone: async ({ name }) => {
        singles.push(name);
        if (name === 'bad') throw new Error('refused');
        return name.toLowerCase();
      },
    },
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  return { ask, groups, held, singles, turn };
}

const letters = (text: string): Item[] => [...text].map((name) => ({ name }));

test('items that come while groups run form a group, in order, up to the limit', async () => {
  const { ask, groups, held, turn } = fixture({ items: 3, size: 100, groups: 1 });
  const first = ask({ name: 'a' });
  await turn();
  const rest = letters('bcdef').map(ask);
  await turn();
  assert.deepEqual(groups, [['a']]);
  for (const expected of [
    [['a'], ['b', 'c', 'd']],
    [['a'], ['b', 'c', 'd'], ['e', 'f']],
  ]) {
    held.shift()?.();
    await turn();
    assert.deepEqual(groups, expected);
  }
  held.shift()?.();
  assert.deepEqual(await Promise.all([first, ...rest]), ['A', 'B', 'C', 'D', 'E', 'F']);
});

test('several groups run at once; two items of one key, or beyond the size, do not share one', async () => {
  const { ask, groups, held, turn } = fixture({ items: 10, size: 10, groups: 3 });
  const answers = [
    ask({ name: 'a', key: '1' }),
    ask({ name: 'b', key: '1' }),
    ask({ name: 'c', size: 20 }),
    ask({ name: 'd', key: '2' }),
  ];
  await turn();
  await turn();
  assert.deepEqual(groups, [['a', 'd'], ['b'], ['c']]);
  for (const release of held) release();
  assert.deepEqual(await Promise.all(answers), ['A', 'B', 'C', 'D']);
});

test('the items of a failed group run alone; refused and left-out ones do not affect the others', async () => {
  const failing = fixture({ items: 10, size: 10, groups: 1 }, () => {
    throw new Error('one of them');
  });
  const answers = [...letters('XY'), { name: 'bad' }].map((item) => failing.ask(item));
  const settled = Promise.allSettled(answers);
  await failing.turn();
  failing.held.shift()?.();
  assert.deepEqual(
    (await settled).map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    ['x', 'y', 'Error: refused'],
  );
  assert.deepEqual(failing.singles, ['X', 'Y', 'bad']);

  const batcher = fixture({ items: 10, size: 10, groups: 1 }, ({ name }) => {
    if (name === 'R') return { error: new Error('precondition') };
    return name === 'L' ? undefined : { value: name };
  });
  const mixed = Promise.allSettled(letters('ARL').map((item) => batcher.ask(item)));
  await batcher.turn();
  batcher.held.shift()?.();
  assert.deepEqual(
    (await mixed).map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    ['A', 'Error: precondition', 'l'],
  );
  assert.deepEqual(batcher.singles, ['L']);
});

test('a failure of all items is not tried again, and the next group runs', async () => {
  let isAway = true;
  const { ask, held, singles, turn } = fixture({ items: 10, size: 10, groups: 1 }, ({ name }) => {
    if (isAway) throw new Error('away');
    return { value: name };
  });
  const settled = Promise.allSettled(letters('AB').map((item) => ask(item)));
  await turn();
  held.shift()?.();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(singles, []);
  isAway = false;
  const next = ask({ name: 'C' });
  await turn();
  held.shift()?.();
  assert.equal(await next, 'C');
});

test('without a number groups are bounded by size alone; a large item runs alone, and smaller ones do not wait for it', async () => {
  const groups: number[][] = [];
  let running = 0;
  let most = 0;
  const work = createBatcher<number, number>({
    together: async (items) => {
      groups.push([...items]);
      running += 1;
      most = Math.max(most, running);
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
      running -= 1;
      return items.map((value) => ({ value }));
    },
    sizeOf: (item) => item,
    limits: { size: 10, groups: 2 },
  });
  assert.deepEqual(await Promise.all([4, 5, 6, 30, 1, 2, 3].map(work)), [4, 5, 6, 30, 1, 2, 3]);
  assert.deepEqual(groups, [[4, 5, 1], [6, 2], [30], [3]]);
  assert.equal(most, 2);
});

test('without single calls, a failure fails its whole group and no other, and an item without outcome fails', async () => {
  const failing = createBatcher<number, number>({
    together: async (items) => {
      if (items.includes(2)) throw new Error('lost');
      return items.map((value) => ({ value }));
    },
    limits: { size: 2, groups: 4 },
  });
  const results = await Promise.allSettled([1, 2, 3, 4].map(failing));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.equal(await failing(5), 5);

  const forgetful = createBatcher<number, number>({
    together: async (items) => items.slice(1).map((value) => ({ value })),
    limits: { size: 9, groups: 1 },
  });
  const forgotten = await Promise.allSettled([1, 2].map(forgetful));
  assert.deepEqual(
    forgotten.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
});

test('a group belongs to none of the requests that it serves', async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const work = createBatcher<number, number>({
    together: async (items) => {
      seen.push(request.getStore());
      return items.map((value) => ({ value }));
    },
    limits: { size: 9, groups: 1 },
  });
  await request.run('a', () => work(1));
  assert.deepEqual(seen, [undefined]);
});
