import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { millisecondsText } from './milliseconds-text.ts';

test('the text is the number, to a thousandth', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1_999_999, noNaN: true }), (ms) => {
      assert.equal(JSON.parse(millisecondsText(ms)), Math.round(ms * 1000) / 1000);
    }),
  );
  assert.deepEqual([0, 7, 0.0004, 0.9996, 12.04, 1e9].map(millisecondsText), [
    '0',
    '7',
    '0',
    '1',
    '12.040',
    '1000000000',
  ]);
});
