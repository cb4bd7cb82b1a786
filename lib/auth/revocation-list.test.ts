// How long the list of revoked tokens is trusted: by the time that passes, whatever the clock is set to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../clock.ts';
import { createRevocationList } from './revocation-list.ts';

test('the list is fresh for two seconds after its refresh, also when the clock is set', async () => {
  const clock = { time: 10 * HOUR_MS, passed: 0, now: () => clock.time, elapsed: () => clock.passed };
  const source = { readAfter: async () => ({ events: [], sequence: 1, hasMore: false }) };
  const list = createRevocationList({ source, clock });
  assert.equal(list.isFresh(), false, 'it was never loaded');
  await list.refresh();
  for (const time of [11 * HOUR_MS, 9 * HOUR_MS]) {
    clock.time = time;
    assert.equal(list.isFresh(), true);
  }
  clock.passed += 2_001;
  assert.equal(list.isFresh(), false, 'a clock that was set back keeps no stale list');
});
