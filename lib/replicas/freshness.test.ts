// How old the data of a standby may be, by where the primary was when.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFreshness } from './freshness.ts';

test('the floor is where the primary was within the greatest lag, and unknown when nobody has looked since', () => {
  const freshness = createFreshness(1_000);
  assert.equal(freshness.floor(0), undefined);
  for (let at = 0; at <= 5_000; at += 100) freshness.observe(BigInt(at), at);
  assert.equal(freshness.floor(5_000), 4_000n);
  assert.equal(freshness.floor(5_950), 5_000n);
  assert.equal(freshness.floor(6_001), undefined);
  freshness.reset();
  assert.equal(freshness.floor(5_000), undefined);
});

test('a position was reached at the latest observation that is not behind it', () => {
  const freshness = createFreshness(1_000);
  for (let at = 0; at <= 5_000; at += 100) freshness.observe(BigInt(at), at);
  assert.equal(freshness.reachedAt(-1n), undefined);
  assert.equal(freshness.reachedAt(350n), 300);
  assert.equal(freshness.reachedAt(9_999n), 5_000);
});

test('an hour of observations keeps what is needed for the lag', () => {
  const freshness = createFreshness(1_000);
  for (let at = 0; at <= 3_600_000; at += 100) freshness.observe(BigInt(at), at);
  assert.equal(freshness.floor(3_600_000), 3_599_000n);
  assert.equal(freshness.reachedAt(3_540_000n), 3_540_000);
});
