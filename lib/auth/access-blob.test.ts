import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccessBlob, principalOfBlob } from './access-blob.ts';
import { authorise } from './permissions.ts';

const ADMIN: AccessBlob = {
  user_guid: 'u1',
  email: 'su@example.org',
  is_su_admin: true,
  user_type: 'professional',
  fhir_resource_type: 'Practitioner',
  professional_guid: 'p1',
  professional_role: 'other',
  organization_ids: ['o1'],
  groups: [],
  effective_phases: ['planning'],
};

test('an SU admin is professional, clinician and admin', () => {
  const principal = principalOfBlob(ADMIN, 't1');
  assert.deepEqual([...principal.roles], ['professional', 'clinician', 'admin']);
  assert.equal(principal.tokenId, 't1');
  assert.doesNotThrow(() => authorise('provider:administer', principal));
});

test('a required action of the blob, such as a change of password, applies in every service', () => {
  const oneFactor = principalOfBlob({ ...ADMIN, must_set_up_second_factor: true });
  for (const permission of ['provider:administer', 'request:plan', 'directory:administer'] as const) {
    assert.throws(() => authorise(permission, oneFactor), { code: 'second_factor_required' });
  }
  const temporary = principalOfBlob({ ...ADMIN, must_set_up_second_factor: true, must_change_password: true });
  assert.throws(() => authorise('second-factor:manage-own', temporary), { code: 'password_change_required' });
});
