// A moment is the same wherever it is read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantOf } from './instant.ts';

test('a time without an offset is in UTC, others say where they are', () => {
  assert.equal(instantOf('2026-01-31T12:00:00.000').toISOString(), '2026-01-31T12:00:00.000Z');
  assert.equal(instantOf('2026-01-31T12:00:00.000+02:00').toISOString(), '2026-01-31T10:00:00.000Z');
  assert.equal(instantOf('2026-01-31T12:00:00Z').toISOString(), '2026-01-31T12:00:00.000Z');
  assert.ok(Number.isNaN(instantOf('no date').getTime()));
});
