// Differences of library records: whose change is whose, and what of it would be replaced.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameIn, ownChanges, type Part, theirChanges } from './parts.ts';

interface Goal {
  readonly name: string;
  readonly concept: string;
  readonly target: object | null;
  readonly version: number;
}

const opened: Goal = { name: 'Stable', concept: 'c1', target: { value: 80, unit: null, unit_name: null }, version: 1 };
const parts: readonly Part<Goal>[] = [
  { field: 'name', label: 'Name', words: ({ name }) => name },
  { field: 'concept', label: 'Concept', words: ({ concept }) => concept },
  { field: 'target', label: 'Target', words: ({ target }) => JSON.stringify(target) },
];

test('what is as it was opened is no change, though its names are not in the form', () => {
  assert.deepEqual(ownChanges(opened, { name: 'Stable', concept: 'c1', target: { value: 80 } }), {});
  assert.deepEqual(ownChanges(opened, { name: 'Steady', concept: 'c1', target: null }), {
    name: 'Steady',
    target: null,
  });
});

test('a part that no form shows makes no difference', () => {
  assert.equal(isSameIn(parts, opened, { ...opened, version: 2 }), true);
  assert.equal(isSameIn(parts, opened, { ...opened, target: { value: 81 } }), false);
});

test('what they have changed is named, and what of it the form would replace', () => {
  const now: Goal = { ...opened, name: 'Theirs', concept: 'c2', version: 2 };
  const changes = { name: 'Mine', concept: 'c1', target: { value: 80 } };
  assert.deepEqual(theirChanges(parts, { opened, now, changes }), [
    { label: 'Name', before: 'Stable', now: 'Theirs', isMineToo: true },
    { label: 'Concept', before: 'c1', now: 'c2', isMineToo: false },
  ]);
  assert.deepEqual(
    theirChanges(parts, { opened, now, changes: { ...changes, name: 'Theirs' } }).map(({ isMineToo }) => isMineToo),
    [false, false],
    'both have changed it to the same',
  );
});
