// Which prefetched deliveries are claimed next (D8): providers in turn, none above its limit, failing ones within their
// lane.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityAfter, type LaneCapacity } from './lanes.ts';
import { createPrefetch, type DueOfProvider } from './prefetch.ts';

const CAPACITY: LaneCapacity = {
  capacity: 8,
  perProvider: 3,
  quotas: new Map(),
  slowLane: { providers: [], capacity: 4 },
};

function due(providerGuid: string, count: number, { from = 0, hasMore = false } = {}): DueOfProvider {
  const numbers = Array.from({ length: count }, (_, index) => index);
  return {
    providerGuid,
    deliveryGuids: numbers.map((n) => `${providerGuid}${n}`),
    dueAt: numbers.map((n) => from + n),
    hasMore,
  };
}

async function filled(...found: DueOfProvider[]) {
  const ahead = createPrefetch();
  await ahead.fill(async () => found);
  const take = (available: Partial<LaneCapacity> = {}) =>
    ahead.take({ ...CAPACITY, ...available }).map(({ deliveryGuid }) => deliveryGuid);
  return { ahead, take };
}

test('the first delivery of each provider comes before any second one, the longest due first, and none twice', async () => {
  const { take } = await filled(due('a', 5, { from: 100 }), due('b', 2), due('c', 1, { from: 50 }));
  assert.deepEqual(take({ capacity: 4 }), ['b0', 'c0', 'a0', 'b1']);
  assert.deepEqual(take(), ['a1', 'a2', 'a3']);
  assert.deepEqual(take({ quotas: new Map([['a', 0]]) }), []);
  assert.deepEqual(take(), ['a4']);
});

test('failing providers together get no more than their lane’s capacity', async () => {
  const { take } = await filled(due('a', 3), due('b', 3), due('c', 3, { from: 100 }));
  const slowLane = { providers: ['a', 'b'], capacity: 3 };
  assert.deepEqual(take({ slowLane }), ['a0', 'b0', 'c0', 'a1', 'c1', 'c2']);
  assert.deepEqual(take({ slowLane: { ...slowLane, capacity: 0 } }), []);
});

test('it is short only when a provider with capacity may have more than was read', async () => {
  const { ahead, take } = await filled(due('a', 2, { hasMore: true }), due('b', 1));
  assert.equal(ahead.isShort(CAPACITY), false);
  take();
  assert.equal(ahead.isShort(CAPACITY), true);
  assert.equal(ahead.isShort({ ...CAPACITY, quotas: new Map([['a', 0]]) }), false);
});

test('an invalidation during a read, or a failed read, causes another read', async () => {
  const ahead = createPrefetch();
  assert.equal(ahead.isForgotten(), true);
  await ahead.fill(async () => []);
  assert.equal(ahead.isForgotten(), false);
  await ahead.fill(async () => {
    ahead.forget();
    return [];
  });
  assert.equal(ahead.isForgotten(), true);
  await assert.rejects(ahead.fill(() => Promise.reject(new Error('away'))));
  assert.equal(ahead.isForgotten(), true);
});

test('a claim reduces the capacity in all, of its provider and of failing providers', () => {
  const available = { ...CAPACITY, quotas: new Map([['a', 2]]), slowLane: { providers: ['a'], capacity: 4 } };
  const left = capacityAfter(available, ['a', 'b', 'b']);
  assert.deepEqual(
    [left.capacity, left.slowLane.capacity, [...left.quotas]],
    [
      5,
      3,
      [
        ['a', 1],
        ['b', 1],
      ],
    ],
  );
});
