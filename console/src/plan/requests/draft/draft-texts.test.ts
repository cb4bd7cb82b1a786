// Two have changed the texts of one draft: each field that differs is named, and the changes of both are kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Snapshot } from '../request-queries.ts';
import { differencesOf, isRestChanged, mergedTexts, textsOf, withTexts } from './draft-texts.ts';

const base: Snapshot = { note: 'Before', priority: 'routine', occurrence: '2026-12-01' };

test('a field that they alone have changed is named, and stays as they have saved it', () => {
  const mine = { ...textsOf(base), note: 'Mine' };
  const saved: Snapshot = { ...base, priority: 'stat', note: 'Theirs' };
  assert.deepEqual(
    differencesOf(base, mine, saved).map(({ field, theirs, isMine }) => [field, theirs[field], isMine]),
    [
      ['priority', 'stat', false],
      ['note', 'Theirs', true],
    ],
  );
  assert.deepEqual(mergedTexts(base, mine, saved), { priority: 'stat', note: 'Mine' });
});

test('what both have changed is mine', () => {
  const mine = { priority: 'urgent', note: 'Before' } as const;
  const saved: Snapshot = { priority: 'stat', occurrence: '2026-12-02' };
  assert.deepEqual(
    differencesOf(base, mine, saved).map(({ field, isMine }) => [field, isMine]),
    [
      ['priority', true],
      ['note', false],
    ],
  );
  const merged = mergedTexts(base, mine, saved);
  assert.deepEqual(merged, { priority: 'urgent', note: '' });
  assert.deepEqual(withTexts(saved, merged), { priority: 'urgent', occurrence: '2026-12-02' });
  assert.ok(isRestChanged(base, saved));
});

test('spaces at the ends are no difference, and are not saved', () => {
  const mine = { priority: 'routine', note: ' Before ' } as const;
  assert.deepEqual(differencesOf(base, mine, base), []);
  assert.deepEqual(withTexts(base, mine), base);
  assert.equal(isRestChanged(base, { occurrence: '2026-12-01', note: 'Other' }), false);
});
