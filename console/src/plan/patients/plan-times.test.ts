import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../clinical/care-plan.ts';
import { dueTimes, planTimesOf } from './plan-times.ts';

const at = (day: string) => Date.parse(`${day}T12:00:00Z`);
const days = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(5, 10));

test('days on which something is due', () => {
  const [from, to] = [at('2026-11-02'), at('2026-11-15')];
  assert.deepEqual(days(dueTimes({ period: 1, periodUnit: 'wk' }, from, to)), ['11-02', '11-09']);
  assert.deepEqual(days(dueTimes({ period: 1, periodUnit: 'wk', dayOfWeek: ['mon', 'sun'] }, from, to)), [
    ...['11-02', '11-08', '11-09', '11-15'],
  ]);
  assert.equal(dueTimes({ period: 2, periodUnit: 'd' }, from, to).length, 7);
  assert.deepEqual(dueTimes({ period: 1, periodUnit: 'd' }, from, at('2027-11-02')), [], 'too many to be drawn');
  assert.deepEqual([dueTimes(undefined, from, to), dueTimes({ period: 1, periodUnit: 'h' }, from, to)], [[], []]);
});

test('a plan has its activities, what was done, and which readings reached a goal', () => {
  const plan: Plan = {
    guid: 'p',
    title: 'Plan',
    isActive: true,
    start: '2026-11-01',
    end: undefined,
    goals: [],
    activities: [{ id: 'a', title: 'Väg', description: undefined, repeat: undefined, steps: [] }],
  };
  const reading = (id: string, value: number) => ({ id, at: '2026-11-10T08:00:00Z', value, isOwn: false });
  const series = {
    key: 'k',
    name: 'Vikt',
    unit: 'kg',
    readings: [reading('1', 80), reading('2', 70)],
    normal: undefined,
  };
  const carePlan = {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    subject: {},
    activity: [{ progress: [{ text: 'klar', time: '2026-11-12T08:00:00Z' }] }],
  } as const;
  const times = planTimesOf(
    plan,
    { ...carePlan, activity: [{ progress: [...carePlan.activity[0].progress] }] },
    [
      { ...series, goal: { high: 75 } },
      { ...series, goal: undefined },
    ],
    at('2026-11-26'),
  );
  assert.deepEqual(
    times?.goals.map(({ readings }) => readings.map(({ isReached }) => isReached)),
    [[false, true]],
  );
  assert.deepEqual([times?.done.length, times?.hasEnd, days([times?.to ?? 0])], [1, false, ['12-24']]);
  assert.equal(planTimesOf({ ...plan, start: undefined }, { ...carePlan, activity: [] }, [], 0), undefined);
});
