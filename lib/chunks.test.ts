import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunksOf } from './chunks.ts';

test('items come in lists of a size, the last with what is left', () => {
  assert.deepEqual([...chunksOf([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]]);
  assert.deepEqual([...chunksOf(new Set('ab'), 2)], [['a', 'b']]);
  assert.deepEqual([...chunksOf([], 2)], []);
});

test('no more is read than the list that is asked for', () => {
  let read = 0;
  function* endless() {
    for (;;) {
      read += 1;
      yield read;
    }
  }
  assert.deepEqual(chunksOf(endless(), 3).next().value, [1, 2, 3]);
  assert.equal(read, 3);
});
