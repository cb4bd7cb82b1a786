// $validate over HTTP: forms of the request, modes, profiles, what is stored
// (hl7.org/fhir/R5/resource-operation-validate.html).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type FhirCallOptions, startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient', 'Group']);
const parameters = (...parameter: object[]) => ({ resourceType: 'Parameters', parameter });
const bad = { resourceType: 'Patient', gender: 'nonsense', birthDate: 'yesterday' };

async function issues(path: string, options: FhirCallOptions) {
  const { status, body } = await call('POST', path, options);
  assert.deepEqual([status, body.resourceType], [200, 'OperationOutcome'], JSON.stringify(body));
  return body.issue.map((issue: { severity: string; code: string; expression?: string[] }) =>
    [issue.severity, issue.code, ...(issue.expression ?? [])].join(' '),
  );
}

test('every error in one answer, at each of the addresses', async () => {
  const expected = ['error code-invalid Patient.gender', 'error value Patient.birthDate'];
  for (const path of ['/$validate', '/Patient/$validate', '/Patient/some/$validate']) {
    assert.deepEqual((await issues(path, { body: bad })).sort(), expected, path);
    assert.deepEqual(
      (await issues(path, { body: parameters({ name: 'resource', resource: bad }) })).sort(),
      expected,
      path,
    );
  }
  assert.deepEqual(await issues('/$validate', { body: { resourceType: 'Patient' } }), ['success success']);
  assert.deepEqual(await issues('/Group/$validate', { body: { resourceType: 'Patient' } }), [
    'error value resourceType',
  ]);
});

test('modes: what a create, update or delete would get', async () => {
  const body = { resourceType: 'Patient', id: 'one' };
  assert.deepEqual(await issues('/Patient/$validate?mode=create', { body }), ['success success']);
  assert.deepEqual(await issues('/Patient/$validate?mode=create', { body, as: 'pat' }), ['error forbidden']);
  assert.deepEqual(await issues('/Patient/two/$validate?mode=update', { body }), ['error value Patient.id']);
  assert.deepEqual(
    await issues('/Patient/$validate', {
      body: parameters({ name: 'mode', valueCode: 'update' }, { name: 'resource', resource: body }),
    }),
    ['error required'],
  );
  const { body: made } = await call('POST', '/Patient', { body });
  assert.deepEqual(await issues(`/Patient/${made.id}/$validate?mode=delete`, {}), ['success success']);
  assert.equal((await call('POST', '/Patient/$validate?mode=jump', { body })).status, 400);
});

test('a stored resource is validated when none is sent, for those who see it', async () => {
  const { body: made } = await call('POST', '/Patient', { as: 'anna', body: { resourceType: 'Patient' } });
  assert.equal((await call('GET', `/Patient/${made.id}/$validate`, { as: 'anna' })).body.issue[0].severity, 'success');
  assert.equal((await call('GET', `/Patient/${made.id}/$validate`, { as: 'bo' })).status, 404);
  assert.equal((await call('POST', '/$validate', {})).status, 400);
});

test('a profile that is not known is said to be so', async () => {
  const profile = (valueCanonical: string) => ({
    body: parameters({ name: 'profile', valueCanonical }, { name: 'resource', resource: { resourceType: 'Patient' } }),
  });
  assert.deepEqual(await issues('/$validate', profile('http://hl7.org/fhir/StructureDefinition/Patient')), [
    'success success',
  ]);
  assert.deepEqual(await issues('/$validate', profile('http://example.org/other')), ['error not-found']);
});

test('a profile is read whatever kind of text it is; without a value it is asked for', async () => {
  const resource = { name: 'resource', resource: { resourceType: 'Patient' } };
  const ask = (profile: object) => ({ body: parameters({ name: 'profile', ...profile }, resource) });
  for (const kind of ['valueCanonical', 'valueUri', 'valueString']) {
    assert.deepEqual(await issues('/$validate', ask({ [kind]: 'http://example.org/other' })), ['error not-found']);
  }
  const { status, body } = await call('POST', '/$validate', ask({ valueBoolean: true }));
  assert.equal(status, 400);
  assert.equal(body.issue[0].details.text, 'The parameter profile needs a value: valueCanonical');
});
