// A goal as a form and back: nothing of it is lost by a change of its name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_GOAL, formOfGoal, isGoalReady, numberIn, type Target, targetIn } from './goal-body.ts';

const goal = (target: Target | null) =>
  ({ name: 'Goal', concept: 'c', target, activities: ['a'] }) as unknown as Parameters<typeof formOfGoal>[0];

test('each kind of target comes back as it was', () => {
  const targets: (Target | null)[] = [
    null,
    { comparator: '<=', value: 80.5, unit: 'kg' },
    { comparator: '=', value: -2 },
    { low: 4, high: 7.2, unit: 'mmol' },
    { low: 4 },
    { high: 7 },
  ];
  for (const target of targets) assert.deepEqual(targetIn(formOfGoal(goal(target), ',')), target);
  assert.deepEqual(targetIn(formOfGoal(goal({ value: 3 }), '.')), { comparator: '=', value: 3 });
  assert.equal(formOfGoal(goal({ comparator: '<', value: 6.5 }), ',').value, '6,5');
});

test('a goal needs a name, a concept, and numbers in their order', () => {
  const form = { ...EMPTY_GOAL, name: 'Goal', concept: 'c' };
  assert.ok(isGoalReady(form) && isGoalReady({ ...form, value: '7,0' }));
  assert.ok(!isGoalReady({ ...form, name: ' ' }) && !isGoalReady({ ...form, concept: '' }));
  assert.ok(!isGoalReady({ ...form, value: 'seven' }));
  assert.ok(!isGoalReady({ ...form, sign: 'between', value: '8', high: '7' }));
  assert.ok(isGoalReady({ ...form, sign: 'between', value: '7', high: '7' }));
  assert.ok(isGoalReady({ ...form, value: '8', high: '7' }), 'the upper end belongs to a range');
  assert.deepEqual([numberIn(' '), numberIn('1,5'), numberIn('1.5')], [undefined, 1.5, 1.5]);
});
