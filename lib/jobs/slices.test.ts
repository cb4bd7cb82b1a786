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

test('the event loop is free while a list is processed', async () => {
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

test('callers that share slices have one slice in a turn, not one each', async () => {
  const slices = createSlices();
  let [turn, longest, spent] = [0, 0, 0];
  const count = setInterval(() => ([turn, spent] = [turn + 1, 0]), 1);
  const busy = () => {
    const end = performance.now() + 1;
    while (performance.now() < end);
    spent += 1;
    longest = Math.max(longest, spent);
  };
  const work = async () => {
    for (let item = 0; item < 30; item += 1) {
      await slices.rest();
      busy();
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  clearInterval(count);
  assert.ok(turn > 1, 'nobody had a turn');
  assert.ok(longest < 40, `${longest} items of a millisecond were worked on in one turn`);
});
