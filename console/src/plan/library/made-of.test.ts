// What a published plan was made of is found again in the library.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeOf } from './made-of.ts';

const activities = [
  { activity_guid: 'a1', name: 'Weighing', status: 'active' as const },
  { activity_guid: 'a2', name: 'Call', status: 'retired' as const },
];
const goals = [{ goal_guid: 'g1', name: 'Stable' }];

test('activities and goals are found by name, and what is missing or out of use is named', () => {
  const plan = {
    title: 'Heart',
    action: [{ title: 'Weighing' }, { title: 'Call' }, { title: 'Weighing' }],
    goal: [{ description: { text: 'Stable' } }, { description: { text: 'Gone' } }],
  };
  assert.deepEqual(madeOf(plan, activities, goals), {
    title: 'Heart',
    activities: ['a1'],
    goals: ['g1'],
    missing: ['Call', 'Gone'],
  });
  assert.deepEqual(madeOf({}, activities, goals), { title: '', activities: [], goals: [], missing: [] });
});
