// Pools with a common limit of threads: no more run at once, and each gets its turn (docs/adr/0156).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createThreadLimit, type ThreadLimit, type ThreadMember } from './thread-limit.ts';
import { createBudget, createWorkerPool } from './worker-pool.ts';

const url = new URL('./testing/echo-worker.ts', import.meta.url);
const open: { close(): Promise<void> }[] = [];
after(() => Promise.all(open.map((pool) => pool.close())));

/** A pool whose threads are held in their work until `release` is called, and who are in it. */
function heldPool(limit: ThreadLimit, { size = 1, running = new Set<object>() } = {}) {
  const held: (() => void)[] = [];
  let isFree = false;
  let most = 0;
  const pool = createWorkerPool({
    url,
    data: 'given',
    size,
    limit,
    queue: 8,
    memoryMb: 64,
    idleMs: 60_000,
    onQuestion: async () => {
      if (isFree) return 'answer';
      const me = {};
      running.add(me);
      most = Math.max(most, running.size);
      await new Promise<void>((resolve) => held.push(resolve));
      running.delete(me);
      return 'answer';
    },
  });
  open.push(pool);
  return {
    pool,
    most: () => most,
    work: () => pool.run({ message: { kind: 'ask' }, budget: createBudget(60_000) }),
    /** Resolves when `count` threads ask. */
    async asked(count: number) {
      while (held.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    release() {
      isFree = true;
      for (const each of held.splice(0)) each();
    },
  };
}

test('pools together start no more threads than the limit, and those that wait are served afterwards', async () => {
  const running = new Set<object>();
  const limit = createThreadLimit(2);
  const pools = Array.from({ length: 5 }, () => heldPool(limit, { running }));
  const works = pools.map(({ work }) => work());
  await Promise.all(pools.slice(0, 2).map(({ asked }) => asked(1)));
  assert.equal(running.size, 2);
  for (const { release } of pools) release();
  assert.deepEqual(await Promise.all(works), Array(5).fill('end'));
  assert.equal(Math.max(...pools.map(({ most }) => most())), 2);
});

test('an idle thread of one pool gives its place to the work of another', async () => {
  const limit = createThreadLimit(1);
  const [one, other] = [heldPool(limit), heldPool(limit)];
  one.release();
  other.release();
  for (let turn = 0; turn < 2; turn += 1) {
    assert.equal(await one.work(), 'end');
    assert.equal(await other.work(), 'end');
  }
});

test('a pool with much work does not keep the others waiting until it has none', async () => {
  const limit = createThreadLimit(1);
  const [busy, other] = [heldPool(limit), heldPool(limit)];
  const done: string[] = [];
  const first = busy.work();
  await busy.asked(1);
  // After its turn of a second, the thread gives its place to whom it is due.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const rest = Array.from({ length: 4 }, () => busy.work().then(() => done.push('busy')));
  other.release();
  const others = other.work().then(() => done.push('other'));
  busy.release();
  await Promise.all([first, ...rest, others]);
  assert.equal(done[0], 'other');
});

test('work that is given up, and a closed pool, leave their places to others', async () => {
  const limit = createThreadLimit(1);
  const [one, closed, last] = [heldPool(limit), heldPool(limit), heldPool(limit)];
  const held = one.work();
  await one.asked(1);
  const refused = assert.rejects(closed.work(), /Too many/);
  last.release();
  const waits = last.work();
  await closed.pool.close();
  await refused;
  const given = assert.rejects(held, /Too many/);
  await one.pool.close();
  await given;
  assert.equal(await waits, 'end');
});

test('places are given in the order of asking, and one that is not used goes to the next', () => {
  const limit = createThreadLimit(1);
  const served: string[] = [];
  const member = (name: string, takes: boolean): ThreadMember => ({
    usePlace: () => {
      served.push(name);
      return takes;
    },
    yieldIdle: () => false,
  });
  const [a, b, c, d] = [member('a', true), member('b', false), member('c', true), member('d', true)] as const;
  assert.equal(limit.take(a), true);
  for (const each of [b, c, d, c]) assert.equal(limit.take(each), false);
  assert.deepEqual([limit.isWanted(a), served], [true, []]);
  limit.release();
  assert.deepEqual(served, ['b', 'c']);
  limit.forget(d);
  limit.release();
  assert.deepEqual([served, limit.isWanted(a), limit.take(a)], [['b', 'c'], false, true]);
});
