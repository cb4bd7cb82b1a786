// Days of a filter as moments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfDay, startOfDay } from './days.ts';

test('a day begins at midnight here, and ends where the next one begins', () => {
  assert.equal(startOfDay('2026-03-01'), new Date(2026, 2, 1).toISOString());
  assert.equal(endOfDay('2026-02-28'), startOfDay('2026-03-01'));
  // 29 March 2026 has 23 hours in Sweden: the day after is counted, not hours.
  assert.equal(endOfDay('2026-03-29'), startOfDay('2026-03-30'));
  for (const day of [undefined, '', '2026-3-1', '2026-13-01', 'x'])
    assert.deepEqual([startOfDay(day), endOfDay(day)], [undefined, undefined], String(day));
});
