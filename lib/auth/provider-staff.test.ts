import assert from 'node:assert/strict';
import { test } from 'node:test';
import { principalOfBlob } from './access-blob.ts';
import { principalOfKey } from './api-key-principal.ts';
import { decide } from './permissions.ts';
import type { Principal } from './principal.ts';
import { actsForProvider, onBehalfOf, onlyProviderOf, personOf, providersOf } from './provider-staff.ts';

const NURSE = {
  user_guid: 'u1',
  email: 'sara@example.org',
  user_type: 'professional',
  is_su_admin: false,
  fhir_resource_type: 'Practitioner',
  professional_guid: 'p1',
  professional_role: 'nurse',
  organization_ids: ['o1', 'o2'],
  groups: [],
  effective_phases: ['execution'],
} as const;
const blob = { ...NURSE, organization_ids: [...NURSE.organization_ids], groups: [], effective_phases: ['execution'] };
const STAFF = { organisation_guid: 'o2', provider_guid: 'a' };
const staffOf = (...providers: (typeof STAFF)[]): Principal =>
  principalOfBlob({ ...blob, name: 'Sara Ek', provider_staff: providers });

test('staff act for their provider alone, and nobody else does', () => {
  const nurse = staffOf(STAFF);
  assert.deepEqual(providersOf(nurse), ['a']);
  assert.deepEqual([actsForProvider(nurse, 'a'), actsForProvider(nurse, 'b')], [true, false]);
  assert.equal(decide('provider-task:read-own', nurse), 'allowed');
  const other = principalOfBlob(blob);
  assert.deepEqual([actsForProvider(other, 'a'), providersOf(other)], [false, []]);
  assert.equal(decide('provider-task:read-own', other), 'forbidden');
  assert.equal(actsForProvider(principalOfBlob({ ...blob, is_su_admin: true }), 'b'), true);
  const key = principalOfKey({ keyGuid: 'k1', scopes: [], providerGuid: 'a' });
  assert.deepEqual([actsForProvider(key, 'a'), actsForProvider(key, 'b')], [true, false]);
});

test('of several providers none is taken for granted', () => {
  assert.equal(onlyProviderOf(staffOf(STAFF)), 'a');
  assert.equal(onlyProviderOf(staffOf(STAFF, { organisation_guid: 'o1', provider_guid: 'a' })), 'a');
  assert.equal(onlyProviderOf(staffOf(STAFF, { organisation_guid: 'o1', provider_guid: 'b' })), undefined);
  assert.equal(onlyProviderOf(principalOfBlob(blob)), undefined);
});

test('what staff do is recorded with the person, the unit and the provider', () => {
  const nurse = staffOf(STAFF);
  assert.deepEqual(personOf(nurse), { userGuid: 'u1', name: 'Sara Ek' });
  assert.deepEqual(onBehalfOf(nurse, 'a'), { organisationGuids: ['o2'], detail: 'for provider a' });
  const key = principalOfKey({ keyGuid: 'k1', scopes: [], providerGuid: 'a' });
  assert.deepEqual([personOf(key), onBehalfOf(key, 'a')], [undefined, {}]);
});
