// Dates of a zone: where days are 23 and 25 hours long, and where a day is left out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCalendar } from './calendar.ts';

/** Both ends in UTC. */
function utcOf(zone: string, text: string): string[] | undefined {
  const period = createCalendar(zone).periodOf(text);
  return period && [period.start, period.end].map((moment) => new Date(moment).toISOString());
}

test('a day, a month and a year are those of the zone, also where the clock is changed', () => {
  for (const [zone, text, start, end] of [
    ['Europe/Stockholm', '2026-11-22', '2026-11-21T23:00:00.000Z', '2026-11-22T22:59:59.999Z'],
    ['Europe/Stockholm', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
    ['Europe/Stockholm', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'],
    ['Europe/Stockholm', '2024-02', '2024-01-31T23:00:00.000Z', '2024-02-29T22:59:59.999Z'],
    ['Europe/Stockholm', '2026', '2025-12-31T23:00:00.000Z', '2026-12-31T22:59:59.999Z'],
    ['UTC', '2026-12', '2026-12-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T01:59:59.999Z'],
    ['Pacific/Kiritimati', '2026-11-22', '2026-11-21T10:00:00.000Z', '2026-11-22T09:59:59.999Z'],
  ] as const) {
    assert.deepEqual(utcOf(zone, text), [start, end], `${text} in ${zone}`);
  }
});

test('a time with a zone means the same in every calendar; one without, and an invalid date, has no interval', () => {
  for (const zone of ['Europe/Stockholm', 'Asia/Tokyo'])
    assert.deepEqual(utcOf(zone, '2026-11-22T10:00:00+01:00'), [
      '2026-11-22T09:00:00.000Z',
      '2026-11-22T09:00:00.999Z',
    ]);
  for (const text of ['2026-11-22T10:00:00', '2026-02-30', '2026-13', '', 'soon', '26'])
    assert.equal(utcOf('Europe/Stockholm', text), undefined, text);
});

test('the day of a moment depends on the zone; an unknown zone is refused', () => {
  const moment = Date.parse('2026-11-22T23:30:00Z');
  const days = ['UTC', 'Europe/Stockholm', 'America/Los_Angeles'].map((zone) => createCalendar(zone).dayOf(moment));
  assert.deepEqual(days, ['2026-11-22', '2026-11-23', '2026-11-22']);
  assert.throws(() => createCalendar('Europe/Nowhere'), RangeError);
});
