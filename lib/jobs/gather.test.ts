// Groups of what is asked at the same time, without any database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGatherer, type GatherLimits, type GroupOutcome } from './gather.ts';

interface Item {
  readonly name: string;
  readonly key?: string;
  readonly size?: number;
}

/** Groups wait for `release` one after the other; `alone` answers in lower case. */
function fixture(
  limits: GatherLimits,
  judge: (item: Item) => GroupOutcome<string> = ({ name }) => ({ value: name.toUpperCase() }),
) {
  const groups: string[][] = [];
  const held: (() => void)[] = [];
  const singles: string[] = [];
  const ask = createGatherer<Item, string>({
    limits,
    keyOf: ({ key }) => key,
    sizeOf: ({ size = 1 }) => size,
    isCommon: (error) => error instanceof Error && error.message === 'away',
    together: async (items) => {
      groups.push(items.map(({ name }) => name));
      await new Promise<void>((resolve) => held.push(resolve));
      return items.map(judge);
    },
    alone: async ({ name }) => {
      singles.push(name);
      if (name === 'bad') throw new Error('refused');
      return name.toLowerCase();
    },
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  return { ask, groups, held, singles, turn };
}

const letters = (text: string): Item[] => [...text].map((name) => ({ name }));

test('what comes while groups are under way goes together, in order, up to the limit', async () => {
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

test('several groups are under way at once, and no two items of one key or of too much size share one', async () => {
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

test('of a group that fails each is tried alone; refused and left ones do not touch the others', async () => {
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

  const judged = fixture({ items: 10, size: 10, groups: 1 }, ({ name }) => {
    if (name === 'R') return { error: new Error('precondition') };
    return name === 'L' ? undefined : { value: name };
  });
  const mixed = Promise.allSettled(letters('ARL').map((item) => judged.ask(item)));
  await judged.turn();
  judged.held.shift()?.();
  assert.deepEqual(
    (await mixed).map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    ['A', 'Error: precondition', 'l'],
  );
  assert.deepEqual(judged.singles, ['L']);
});

test('what fails for everybody is not tried again, and the next group is', async () => {
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
