// Which faces somebody has, and where they begin.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facesAt, facesOf, homeOf } from './faces.ts';

test('navigation follows who somebody is', () => {
  assert.deepEqual(
    facesOf({ user_type: 'patient' }).map(({ name }) => name),
    ['my', 'account'],
  );
  const planner = { user_type: 'professional', effective_phases: ['planning', 'execution'] };
  const staff = { provider_staff: [{ provider_guid: 'p' }] };
  assert.deepEqual(
    facesOf({ ...planner, ...staff }).map(({ name }) => name),
    ['planner', 'caregiver', 'account'],
  );
  assert.deepEqual(
    facesAt(planner, '/developer/fhir').map(({ name }) => name),
    ['planner', 'developer', 'account'],
    'the face in which one is',
  );
  assert.deepEqual(
    facesAt(planner, '/developers').map(({ name }) => name),
    ['planner', 'account'],
  );
  assert.equal(homeOf({ user_type: 'professional', effective_phases: ['execution'], ...staff }), '/care');
  assert.equal(homeOf({ user_type: 'professional', groups: [{ is_admin: false }, { is_admin: true }] }), '/admin');
  assert.equal(homeOf({ user_type: 'professional', is_su_admin: true }), '/admin');
  const officer = { user_type: 'professional', is_privacy_officer: true };
  assert.equal(homeOf(officer), '/review');
  assert.deepEqual(
    facesOf({ ...officer, effective_phases: ['planning'] }).map(({ name }) => name),
    ['planner', 'review', 'account'],
  );
  const dietitian = { user_type: 'professional', effective_phases: ['analysis', 'followup'] };
  assert.equal(homeOf(dietitian), '/plan');
  assert.equal(homeOf({ user_type: 'professional', effective_phases: ['followup'] }), '/plan');
  assert.equal(homeOf({ ...dietitian, ...staff }), '/care', 'who performs, too, begins there');
  assert.equal(homeOf({ ...officer, effective_phases: ['followup'] }), '/review');
  const [follower] = facesOf(dietitian);
  assert.equal(follower?.nameFor?.(dietitian), 'follower');
  assert.equal(follower?.nameFor?.(planner), undefined);
  assert.deepEqual([follower?.streamFor?.(dietitian), follower?.streamFor?.(planner)], ['worklist', 'notifications']);
  assert.deepEqual(
    follower?.screens
      .filter(({ label, isFor }) => label !== undefined && isFor?.(dietitian) !== false)
      .map(({ path }) => path),
    ['/plan', '/plan/patients', '/plan/requests', '/plan/statistics'],
  );
  assert.equal(homeOf({ user_type: 'patient' }), '/my');
  assert.equal(homeOf({ user_type: 'professional' }), '/account');
});
