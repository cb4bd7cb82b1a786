import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSlices, mapInSlices, sortInSlices } from './slices.ts';

test('texts are sorted as a list sorts them, whatever their number', async () => {
  const texts = fc.array(fc.string({ maxLength: 3 }), { maxLength: 9_000, size: 'max' });
  await fc.assert(
    fc.asyncProperty(texts, async (given) => assert.deepEqual(await sortInSlices(given), given.toSorted())),
    { numRuns: 20 },
  );
});

test('others have their turn while a list is worked on', async () => {
  let turns = 0;
  const count = setInterval(() => (turns += 1), 1);
  const items = Array.from({ length: 1_000 }, (_, index) => index);
  const busy = (item: number) => {
    const end = performance.now() + 0.06;
    while (performance.now() < end);
    return item;
  };
  assert.deepEqual(await mapInSlices(items, busy, createSlices()), items);
  clearInterval(count);
  assert.ok(turns > 0, 'nobody had a turn');
});
