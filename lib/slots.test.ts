import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from './slots.ts';

test('a removed item is gone, and the next one gets its slot', () => {
  const slots = new Slots<string>();
  const [a, b, c] = ['a', 'b', 'c'].map((item) => slots.add(item));
  assert.deepEqual(
    [...slots.entries()],
    [
      [a, 'a'],
      [b, 'b'],
      [c, 'c'],
    ],
  );
  slots.remove(b ?? -1);
  slots.remove(b ?? -1);
  assert.deepEqual(
    [...slots.entries()].map(([, item]) => item),
    ['a', 'c'],
  );
  assert.equal(slots.add('d'), b);
  assert.equal(slots.add('e'), 3, 'a slot that was emptied twice is given once');
});

test('items can be removed during the iteration', () => {
  const slots = new Slots<number>();
  for (let item = 0; item < 5; item += 1) slots.add(item);
  for (const [slot] of slots.entries()) slots.remove(slot);
  assert.deepEqual([...slots.entries()], []);
});
