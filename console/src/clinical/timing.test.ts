// How often something is done, in words and in a week.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TFunction } from 'i18next';
import i18next from 'i18next';
import sv from '../i18n/sv.json' with { type: 'json' };
import { type PlanContext, planOf, weekOf } from './care-plan.ts';
import { DAYS, type Repeat, timingWords, weekdaysOf } from './timing.ts';
import { datesOfWeek, dayOf } from './week-days.ts';

await i18next.init({ lng: 'sv', resources: { sv: { translation: sv } } });
const t = i18next.t as TFunction;

test('how often is worded', () => {
  const cases: readonly (readonly [Repeat | undefined, string | undefined])[] = [
    [undefined, undefined],
    [{}, undefined],
    [{ frequency: 1, period: 1, periodUnit: 'd' }, 'varje dag'],
    [{ frequency: 1, period: 1, periodUnit: 'd', when: ['MORN'] }, 'varje dag, på morgonen'],
    [{ frequency: 2, period: 1, periodUnit: 'wk' }, '2 gånger i veckan'],
    [
      { frequency: 3, period: 1, periodUnit: 'wk', dayOfWeek: ['fri', 'mon', 'wed'] },
      '3 gånger i veckan: måndag, onsdag, fredag',
    ],
    [{ frequency: 1, period: 3, periodUnit: 'mo' }, 'var 3:e månad'],
    [{ frequency: 1, period: 2, periodUnit: 'wk' }, 'varannan vecka'],
    [{ period: 1, periodUnit: 'd', timeOfDay: ['07:00:00'] }, 'varje dag, klockan 07:00'],
    [{ dayOfWeek: ['sun'] }, 'söndag'],
    [{ periodUnit: 'parsec', when: ['SOMETIME'] }, undefined],
  ];
  for (const [repeat, words] of cases) assert.equal(timingWords(repeat, t), words, JSON.stringify(repeat));
});

test('a week has what is on fixed days; open days and rarer things are apart', () => {
  assert.deepEqual(weekdaysOf({ period: 1, periodUnit: 'd' }), DAYS);
  assert.deepEqual(weekdaysOf({ frequency: 7, period: 1, periodUnit: 'wk' }), DAYS);
  assert.deepEqual(weekdaysOf({ period: 1, periodUnit: 'wk', dayOfWeek: ['sun', 'mon'] }), ['mon', 'sun']);
  for (const open of [{ frequency: 2, periodUnit: 'wk' }, { period: 2, periodUnit: 'wk', dayOfWeek: ['mon'] }, {}])
    assert.equal(weekdaysOf(open), undefined, JSON.stringify(open));
  const transaction = (id: string, repeat: Repeat, more = {}) => ({
    transaction_id: id,
    activity_id: 'a',
    title: id,
    timing: { repeat },
    ...more,
  });
  const daily = { period: 1, periodUnit: 'd' };
  const context = (status: 'active' | 'on-hold'): PlanContext => ({
    careplan_guid: 'p',
    careplan: { resourceType: 'CarePlan', intent: 'plan', status, subject: {} },
    snapshot: {
      activities: [
        { activity_id: 'a', title: 'Hemma' },
        { activity_id: 'b', title: 'Besök', timing: { repeat: { period: 4, periodUnit: 'wk' } } },
      ],
      transactions: [
        transaction('vikt', daily),
        transaction('svullnad', { period: 1, periodUnit: 'wk' }, { required: false }),
        transaction('utan tid', {}),
        transaction('bad', { period: 1, periodUnit: 'wk', dayOfWeek: ['sun'] }),
      ],
      goals: [],
    },
  });
  const week = weekOf([planOf(context('active')), planOf(context('active')), planOf(context('on-hold'))]);
  const titles = (steps: readonly { readonly title: string }[]) => steps.map(({ title }) => title);
  assert.deepEqual(titles(week.everyDay), ['vikt'], 'once');
  assert.deepEqual(
    week.days.map(({ steps }) => titles(steps).join()),
    ['', '', '', '', '', '', 'bad'],
  );
  assert.deepEqual(
    week.someDay.map(({ title, isOptional }) => [title, isOptional]),
    [['svullnad', true]],
  );
  assert.deepEqual(
    week.rare.map(({ title }) => title),
    ['utan tid', 'Besök'],
  );
});

test('a week begins on Monday, over the end of a month and of summer time', () => {
  assert.equal(dayOf(new Date(2026, 10, 26)), 'thu');
  assert.equal(dayOf(new Date(2026, 10, 29)), 'sun');
  const dates = datesOfWeek(new Date(2026, 9, 25)).map((date) => [date.getMonth() + 1, date.getDate()]);
  assert.deepEqual(
    [dates[0], dates[6]],
    [
      [10, 19],
      [10, 25],
    ],
  );
  assert.deepEqual(datesOfWeek(new Date(2026, 10, 1))[0]?.getDate(), 26);
});
