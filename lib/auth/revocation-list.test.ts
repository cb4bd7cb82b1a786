// How long the list of revoked tokens is trusted: by the time that passes, whatever the clock is set to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRevocationList } from './revocation-list.ts';

const HOUR = 3_600_000;

test('the list is fresh for two seconds after its refresh, also when the clock is set', async () => {
  const clock = { time: 10 * HOUR, passed: 0, now: () => clock.time, elapsed: () => clock.passed };
  const source = { readAfter: async () => ({ events: [], sequence: 1, hasMore: false }) };
  const list = createRevocationList({ source, clock });
  assert.equal(list.isFresh(), false, 'it was never loaded');
  await list.refresh();
  for (const time of [11 * HOUR, 9 * HOUR]) {
    clock.time = time;
    assert.equal(list.isFresh(), true);
  }
  clock.passed += 2_001;
  assert.equal(list.isFresh(), false, 'a clock that was set back keeps no stale list');
});
