// Dispatch's CapabilityStatement claims exactly what is served, as the engine's does.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { CapabilityStatement } from 'fhir/r5.js';
import { objectOf, objectsOf } from '#fhir/json/objects.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { claimedTypes, type Sample, senderOf, testClaims } from '#test/support/fhir/capability.ts';
import { FORM, makeActive, makeDraft } from './testing/samples.ts';
import { BASE, makeSite } from './testing/site.ts';

const site = await makeSite({ after });
const answer = await site.app.inject('/api/v1/metadata');
const statement: CapabilityStatement = answer.json();
// Only administrators may write organisations.
const send = senderOf(site.app, 'admin');
const ownValues = { archived: 'true', page: '2', per_page: '10', _count: '5' };
const claims = { statement, send, parameters: loadSearchParameters(BASE), ownValues };

async function idsOf(type: string): Promise<string[]> {
  const { body } = await site.call('GET', type);
  return objectsOf(body['entry']).map((entry) => String(objectOf(entry['resource'])?.['id']));
}

/** A patient's answer to a form; returns its id. */
async function answeredForm(): Promise<string> {
  const id = await makeDraft(site);
  const form = { form_guid: FORM.id, answered_by: 'patient' };
  const attached = await site.call('POST', `ServiceRequest/${id}/forms`, { body: form });
  await site.call('POST', `ServiceRequest/${id}/finalize`);
  const body = { item: [{ linkId: '1', answer: [{ valueBoolean: false }] }] };
  const path = `patient-forms/${attached.body['form_attachment_guid']}/response`;
  const made = await site.call('POST', path, { as: 'patient', body });
  assert.equal(made.status, 201, made.text);
  return String(made.body['id']);
}

/** A sample of each type: written under a new id where that is possible, else the existing one. */
async function samples(): Promise<ReadonlyMap<string, Sample>> {
  const draft = await makeDraft(site);
  await makeActive(site);
  const responses = await answeredForm();
  const [form = ''] = await idsOf('Questionnaire');
  const [carePlan = ''] = await idsOf('CarePlan');
  const subject = { reference: 'Patient/p1' };
  const written = (resource: { resourceType: string }) => {
    const id = 'a-new-one';
    return [resource.resourceType, { id, text: JSON.stringify({ ...resource, id }), isThere: true }] as const;
  };
  return new Map<string, Sample>([
    written({ resourceType: 'Patient' }),
    written({ resourceType: 'CarePlan', ...{ status: 'active', intent: 'plan', subject } }),
    written({ resourceType: 'Organization', ...{ name: 'Hemvården' } }),
    written({ resourceType: 'Consent', ...{ status: 'active', subject, decision: 'permit' } }),
    [
      'QuestionnaireResponse',
      { id: responses, text: JSON.stringify({ resourceType: 'QuestionnaireResponse' }), isThere: true },
    ],
    ...['Observation', 'Provenance'].map((type) => {
      return [type, { id: 'none', text: JSON.stringify({ resourceType: type }), isThere: false }] as const;
    }),
    ['ServiceRequest', { id: draft, text: JSON.stringify({ careplan_guid: carePlan }), isThere: true }],
    [
      'Questionnaire',
      { id: form, text: JSON.stringify({ resourceType: 'Questionnaire', status: 'draft' }), isThere: true },
    ],
  ]);
}

const known = samples();

testClaims(claims, async (type) => (await known).get(type) ?? assert.fail(type));

test('every type is claimed that can be written or read', async () => {
  assert.equal(claimedTypes(claims).length, (await known).size);
});

test('patients are found with what they refer to, and with what refers to them', () => {
  const patient = claimedTypes(claims).find(({ type }) => type === 'Patient');
  assert.ok(patient !== undefined);
  assert.ok(patient.searchInclude?.includes('Patient:general-practitioner'));
  assert.ok(patient.searchRevInclude?.includes('Consent:subject'));
});

test('conditions are as claimed', async () => {
  for (const { type, conditionalCreate, conditionalUpdate, conditionalDelete } of claimedTypes(claims)) {
    const text = JSON.stringify({ resourceType: type });
    assert.deepEqual([conditionalUpdate, conditionalDelete], [undefined, undefined], type);
    assert.equal((await send('PUT', `/${type}?_id=nobody`, { body: text })).status, 405, type);
    assert.equal((await send('DELETE', `/${type}?_id=nobody`)).status, 405, type);
    if (conditionalCreate !== true) continue;
    const [id = ''] = await idsOf(type);
    const headers = { 'if-none-exist': `_id=${id}` };
    const sample = (await known).get(type) ?? assert.fail(type);
    const found = await site.call('POST', type, { as: 'admin', text: sample.text, headers });
    assert.deepEqual([found.status, found.body['id']], [200, id], found.text);
  }
});
