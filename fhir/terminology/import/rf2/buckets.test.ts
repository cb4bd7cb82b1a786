import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpillFiles } from '../spill-file.ts';
import { Buckets, CellReader, startsOf } from './buckets.ts';

/** Longer than what is held of a bucket. */
const LONG = 'å'.repeat(10_000);

test('lines come back by bucket, in their order, whatever their length and letters', () => {
  const files = new SpillFiles();
  try {
    const buckets = new Buckets(files);
    const given: string[][] = [[], [], [], [], []];
    for (let number = 0; number < 3_000; number += 1) {
      const line = `${number}\tA\tnjursvikt ${'é€😀'.repeat(number % 7)}\t${number % 500 === 0 ? LONG : ''}`;
      const bucket = [0, 1, 4][number % 3] ?? 0;
      given[bucket]?.push(line);
      buckets.add(bucket, line);
    }
    assert.equal(buckets.count, 5);
    for (const [bucket, lines] of given.entries()) {
      const bytes = buckets.take(bucket);
      assert.equal(bytes.toString(), lines.map((line) => `${line}\n`).join(''));
      const starts = startsOf(bytes);
      assert.equal(starts.length, lines.length + 1);
      const cells = new CellReader(bytes);
      for (const [at, line] of lines.entries()) {
        cells.begin(starts[at] ?? 0, starts[at + 1] ?? 0);
        assert.equal(`${cells.number()}\t${cells.ascii()}\t${cells.rest()}`, line);
      }
      assert.equal(buckets.take(bucket).length, 0);
    }
  } finally {
    files.closeAll();
  }
});
