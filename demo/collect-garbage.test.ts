import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectGarbage } from './collect-garbage.ts';

test('the heap shrinks to about what is in use', () => {
  let garbage: object[] | undefined = Array.from({ length: 1_000_000 }, (_, index) => ({
    index,
    text: `number ${index}`,
  }));
  assert.equal(garbage.length, 1_000_000);
  const { heapTotal: before } = process.memoryUsage();
  garbage = undefined;
  collectGarbage();
  const { heapTotal: after } = process.memoryUsage();
  assert.ok(after < before / 2, `${before} → ${after}`);
});
