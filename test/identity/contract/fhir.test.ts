// The row of the capability statement (contract: identity, Health and capability; Versioning; decisions G3 and I15).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startContract } from '#test/support/identity/identity-contract.ts';
import { makePatient } from '#test/support/identity/identity-people.ts';

const { identity, su, ask } = await startContract({ after });
const { status, headers, body } = await ask('GET /fhir/metadata');

test('metadata: 200 application/fhir+json, to everybody', () => {
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^application\/fhir\+json/);
});

test('metadata: a CapabilityStatement of a server of FHIR 5.0.0', () => {
  const { resourceType, fhirVersion, kind, rest } = body;
  assert.deepEqual([resourceType, fhirVersion, kind], ['CapabilityStatement', '5.0.0', 'instance']);
  assert.equal(body.status, 'active');
  assert.deepEqual([rest.length, rest[0].mode], [1, 'server']);
});

test('metadata: Patient and Practitioner read and create, Organization and Group search too', () => {
  const declared = Object.fromEntries(
    body.rest[0].resource.map((entry: { type: string; interaction: { code: string }[] }) => [
      entry.type,
      entry.interaction.map(({ code }) => code).sort(),
    ]),
  );
  assert.deepEqual(declared, {
    Patient: ['create', 'read'],
    Practitioner: ['create', 'read'],
    Organization: ['create', 'read', 'search-type'],
    Group: ['create', 'read', 'search-type'],
  });
});

test('under /fhir an error is an OperationOutcome that carries the code', async () => {
  const patient = await makePatient(identity);
  for (const [address, call, wanted, code] of [
    ['GET /fhir/Patient/01900000-0000-7000-8000-000000000000', {}, 401, 'unauthorized'],
    ['GET /fhir/Patient/01900000-0000-7000-8000-000000000000', { as: su }, 404, 'not_found'],
    ['GET /fhir/Patient/none', { as: su }, 404, 'not_found'],
    ['GET /fhir/Nothing', { as: su }, 404, 'not_found'],
    ['PATCH /fhir/Group', { as: su }, 405, 'method_not_allowed'],
    ['POST /fhir/Organization', { as: patient, body: { resourceType: 'Organization', name: 'x' } }, 403, 'forbidden'],
  ] as const) {
    const answer = await ask(address, call);
    assert.equal(answer.status, wanted, `${address}: ${answer.text}`);
    assert.match(String(answer.headers['content-type']), /^application\/fhir\+json/);
    assert.equal(answer.body.resourceType, 'OperationOutcome');
    assert.equal(answer.body.issue[0].details.coding[0].code, code);
  }
});
