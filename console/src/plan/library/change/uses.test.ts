// What keeps an entry of the library from being deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usesOfActivity, usesOfConcept } from './uses.ts';

const step = (name: string, concept: string) => ({ name, concept }) as never;
const activities = [
  { name: 'Weighing', concept: 'weight', transactions: [step('In the morning', 'weight'), step('Breath', 'breath')] },
  { name: 'Call', concept: 'call', transactions: [] },
];
const goals = [{ name: 'Stable', concept: 'weight', activities: ['a1', 'a2'] }];

test('a concept is used by activities, by their steps and by goals', () => {
  assert.deepEqual(usesOfConcept('weight', { activities, goals }), [
    { kind: 'activity', name: 'Weighing' },
    { kind: 'step', name: 'In the morning' },
    { kind: 'goal', name: 'Stable' },
  ]);
  assert.deepEqual(usesOfConcept('breath', { activities, goals }), [{ kind: 'step', name: 'Breath' }]);
  assert.deepEqual(usesOfConcept('other', { activities, goals }), []);
});

test('an activity is used by the goals that it belongs to', () => {
  assert.deepEqual(usesOfActivity('a2', goals), [{ kind: 'goal', name: 'Stable' }]);
  assert.deepEqual(usesOfActivity('a3', goals), []);
});
