// Timings in words, in both languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timingText } from './timing-text.ts';

for (const [repeat, sv, en] of [
  [{ frequency: 1, period: 1, periodUnit: 'd' }, 'Varje dag', 'Every day'],
  [{ frequency: 3, period: 1, periodUnit: 'd' }, '3 gånger per dag', '3 times a day'],
  [{ period: 2, periodUnit: 'wk' }, 'Varannan vecka', 'Every 2 weeks'],
  [{ frequency: 1, period: 3, periodUnit: 'mo' }, 'Var 3:e månad', 'Every 3 months'],
  [{ period: 21, periodUnit: 'd' }, 'Var 21:a dag', 'Every 21 days'],
  [{ period: 2, periodUnit: 'a' }, 'Vartannat år', 'Every 2 years'],
  [{ period: 3, periodUnit: 'a' }, 'Vart 3:e år', 'Every 3 years'],
  [{ period: 2, periodMax: 3, periodUnit: 'wk' }, 'En gång på 2–3 veckor', 'Every 2–3 weeks'],
  [{ period: 1.5, periodUnit: 'h' }, 'En gång på 1,5 timmar', 'Every 1.5 hours'],
  [{ frequency: 2, frequencyMax: 3, period: 4, periodUnit: 'd' }, '2–3 gånger på 4 dagar', '2–3 times every 4 days'],
  [
    { dayOfWeek: ['mon', 'fri'], timeOfDay: ['08:00:00'] },
    'På måndag och fredag, kl. 08:00',
    'On Monday and Friday, at 08:00',
  ],
  [{ period: 1, periodUnit: 'd', when: ['ACM'] }, 'Varje dag, före frukost', 'Every day, before breakfast'],
  [
    { period: 1, periodUnit: 'd', boundsDuration: { value: 1, code: 'mo' } },
    'Varje dag, under 1 månad',
    'Every day, for 1 month',
  ],
  [{ boundsPeriod: { start: '2026-03-01' } }, 'Från 2026-03-01', 'From 2026-03-01'],
  [{ count: 5 }, '5 gånger sammanlagt', '5 times in all'],
  [{}, undefined, undefined],
] as const) {
  test(`a timing in words: ${en}`, () => {
    assert.deepEqual([timingText(repeat, 'sv'), timingText(repeat, 'en')], [sv, en]);
  });
}
