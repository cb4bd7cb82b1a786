// When a consent is in force, by the days of Sweden.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phaseOf, swedishDay } from './consent-phase.ts';

/** After midnight in Sweden, and before it in UTC. */
const NOW = new Date('2026-11-28T23:30:00Z');

test('a consent is in force from its first day to its last, and no longer', () => {
  const phase = (from: string | null, to: string | null, isActive = true) => phaseOf({ isActive, from, to }, NOW);
  assert.equal(swedishDay(NOW), '2026-11-29');
  assert.deepEqual(
    [
      phase(null, null),
      phase('2026-11-29', '2026-11-29'),
      phase(null, '2026-11-28'),
      phase('2026-11-30', null),
      phase('2026-11', '2026'),
      phase('2026-12', null),
      phase('2026-11-28T23:31:00Z', null),
      phase(null, '2026-11-28T23:29:00Z'),
      phase(null, null, false),
    ],
    ['now', 'now', 'over', 'later', 'now', 'later', 'later', 'over', 'over'],
  );
});
