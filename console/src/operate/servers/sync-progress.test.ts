// How far a synchronization is, by its types and within one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareOf } from './sync-progress.ts';

test('the share grows by types and by what was seen of one, and is not whole before the end', () => {
  const at = (done: number, types: number, seen: number, total: number | null) =>
    shareOf({ direction: 'pull', progress: { types_done: done, types_total: types, seen, total } });
  assert.deepEqual([at(0, 2, 0, null), at(0, 2, 50, 100), at(1, 2, 0, 100), at(1, 2, 25, 100)], [0, 25, 50, 62]);
  assert.deepEqual([at(2, 2, 10, 10), at(0, 0, 0, 0), at(0, 1, 20, 10)], [99, 0, 99]);
});
