// What approvals bring about, and for how long something has waited.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysSince, effectsOf } from './effects.ts';

test('effects are counted by what is made', () => {
  const asked = (kind: 'access_request' | 'membership' | 'leader_request' | 'group_proposal', ...phases: string[]) => ({
    kind,
    requested_phases: phases,
  });
  assert.deepEqual(effectsOf([]), { users: 0, phases: 0, members: 0, leaders: 0, groups: 0 });
  assert.deepEqual(
    effectsOf([
      asked('access_request', 'planning', 'analysis'),
      asked('access_request'),
      asked('membership'),
      asked('leader_request'),
      asked('group_proposal'),
      asked('group_proposal'),
    ]),
    { users: 2, phases: 2, members: 1, leaders: 1, groups: 2 },
  );
});

test('days are whole, and never less than none', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  assert.equal(daysSince('2026-11-24T13:00:00Z', now), 1);
  assert.equal(daysSince('2026-11-24T12:00:00Z', now), 2);
  assert.equal(daysSince('2026-11-27T12:00:00Z', now), 0);
});
