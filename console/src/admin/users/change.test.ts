// Only what has changed of a user is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf, formOf } from './change.ts';

const membership = (name: string, type: string, status: 'approved' | 'pending') => ({
  membership_guid: name,
  group_guid: name,
  group_name: name,
  group_type: type,
  status,
  is_admin: false,
});
const before = formOf({
  email: 'a@example.org',
  first_name: 'Åsa',
  last_name: null,
  organisations: [
    { organisation_guid: '1', name: 'A' },
    { organisation_guid: '2', name: 'B' },
  ],
  professional: {
    professional_guid: 'p',
    professional_role: 'nurse',
    memberships: [
      membership('planning', 'phase', 'approved'),
      membership('analysis', 'phase', 'pending'),
      membership('Wound care', 'team', 'approved'),
    ],
  },
});

test('the form has the approved phases alone', () => {
  assert.deepEqual([before.phases, before.lastName, before.role], [['planning'], '', 'nurse']);
});

test('nothing is sent that is as it was, in whatever order', () => {
  assert.deepEqual(changeOf(before, before), {});
  assert.deepEqual(
    changeOf(before, { ...before, firstName: ' Åsa ', organisations: before.organisations.toReversed() }),
    {},
  );
});

test('what differs is sent', () => {
  const after = {
    ...before,
    lastName: 'Ek',
    organisations: before.organisations.slice(1),
    phases: [],
    isOfficer: true,
  };
  assert.deepEqual(changeOf(before, after), {
    last_name: 'Ek',
    organisation_guids: ['2'],
    phases: [],
    is_privacy_officer: true,
  });
});
