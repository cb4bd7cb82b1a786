// Who asks, as the finalized ServiceRequest names them (decision L8).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { requesterRole } from './requester-role.ts';

const organisationGuid = '019a0000-0000-7000-8000-00000000000a';
const known = { organisationGuid, name: 'Anna Berg', email: 'anna@example.org' };

test('the person, the organisation and both their contacts are named, and make a valid PractitionerRole', () => {
  const organisation = JSON.stringify({
    name: 'Vårdcentralen Linden',
    contact: [{ telecom: [{ system: 'phone', value: '040-1', rank: 1 }, { system: 'phone' }] }],
  });
  const role = requesterRole({ ...known, organisation, unitName: 'At identity' });
  assert.deepEqual(validateResource(role), []);
  assert.deepEqual(role['practitioner'], { display: 'Anna Berg' });
  assert.deepEqual(role['organization'], {
    reference: `Organization/${organisationGuid}`,
    display: 'Vårdcentralen Linden',
  });
  const telecom = [
    { system: 'email', value: 'anna@example.org' },
    { system: 'phone', value: '040-1' },
  ];
  assert.deepEqual(role['contact'], [{ telecom }]);
});

test('what is not known is left out', () => {
  const unknown = { organisation: undefined, unitName: undefined };
  const role = requesterRole({ organisationGuid, ...unknown, name: ' ', email: undefined });
  assert.deepEqual(Object.keys(role), ['resourceType', 'id', 'organization']);
});

test('an organisation that is not on record has the name that identity knows', () => {
  const role = requesterRole({ ...known, organisation: undefined, unitName: 'Hemsjukvården' });
  assert.deepEqual(role['organization'], { reference: `Organization/${organisationGuid}`, display: 'Hemsjukvården' });
});
