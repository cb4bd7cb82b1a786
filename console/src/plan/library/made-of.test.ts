// What a published plan was made of is found again in the library.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeOf } from './made-of.ts';

const activity = (activity_guid: string, name: string, concept_name: string, status: 'active' | 'retired' = 'active') =>
  ({ activity_guid, name, concept_name, status }) as const;
const goal = (goal_guid: string, name: string, concept_name: string) => ({ goal_guid, name, concept_name });
const action = (title: string, text: string) => ({ title, code: { text } });
const aim = (text: string, measure: string) => ({ description: { text }, target: [{ measure: { text: measure } }] });

test('activities and goals are found by name, and what is missing or out of use is named', () => {
  const activities = [activity('a1', 'Weighing', 'weight'), activity('a2', 'Call', 'call', 'retired')];
  const plan = {
    title: 'Heart',
    action: [action('Weighing', 'weight'), action('Call', 'call'), { title: 'Weighing' }],
    goal: [aim('Stable', 'weight'), { description: { text: 'Gone' } }],
  };
  assert.deepEqual(madeOf(plan, activities, [goal('g1', 'Stable', 'weight')]), {
    title: 'Heart',
    activities: ['a1'],
    goals: ['g1'],
    missing: ['Call', 'Gone'],
  });
  assert.deepEqual(madeOf({}, activities, []), { title: '', activities: [], goals: [], missing: [] });
});

test('what was renamed is found by its concept, unless that could be another', () => {
  const plan = { action: [action('Weihging', 'weight')], goal: [aim('Belwo 7', 'glucose')] };
  const renamed = [activity('a1', 'Weighing', 'weight'), activity('a2', 'Call', 'call')];
  const one = [goal('g1', 'Below 7', 'glucose')];
  assert.deepEqual(madeOf(plan, renamed, one), { title: '', activities: ['a1'], goals: ['g1'], missing: [] });
  const two = [...one, goal('g2', 'Below 9', 'glucose')];
  assert.deepEqual(madeOf(plan, renamed, two).missing, ['Belwo 7']);
  const both = { goal: [aim('Below 7', 'glucose'), aim('Below nine', 'glucose')] };
  assert.deepEqual(madeOf(both, [], two).goals, ['g1', 'g2'], 'the one of the name is not taken for the other');
});
