// What is yet to come, by the clock and by the day of a zone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isYetToCome } from './yet-to-come.ts';

test('a moment is compared with the clock, a day without a time with the day of the zone', () => {
  const now = Date.parse('2026-03-01T00:30:00+01:00');
  const inZone = (timeZone: string) => (value: string) => isYetToCome(value, { now, timeZone });
  const values = ['2026-03-01T00:30:01+01:00', '2026-03-01T00:30:00+01:00', '2026-03-02', '2026-03-01', '2026-03'];
  assert.deepEqual(values.map(inZone('Europe/Stockholm')), [true, false, true, false, false]);
  assert.deepEqual(values.map(inZone('America/New_York')), [true, false, true, true, true]);
});
