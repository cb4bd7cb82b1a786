// A plan, forms and records for tests, in the shape that the engine publishes, and functions that create a draft of
// them.
import assert from 'node:assert/strict';
import type { Site } from './site.ts';

export const LIBRARY = 'https://kedja.dev/libraries/vitals';
const EXTENSION = 'https://kedja.dev/fhir/StructureDefinition/';
const UCUM = 'http://unitsofmeasure.org';

const weight = { coding: [{ system: LIBRARY, code: 'weight', display: 'Body weight' }], text: 'Body weight' };
const weighing = { coding: [{ system: LIBRARY, code: 'weighing', display: 'Weighing' }], text: 'Weighing' };
const daily = { repeat: { frequency: 1, period: 1, periodUnit: 'd' } };

export const PLAN = {
  resourceType: 'PlanDefinition',
  id: '019a0000-0000-7000-8000-0000000000f1',
  contained: [
    {
      resourceType: 'ActivityDefinition',
      id: 'activity-1',
      identifier: [{ system: 'https://kedja.dev/ids/activity', value: '019a0000-0000-7000-8000-0000000000a1' }],
      title: 'Weigh at home',
      status: 'active',
      kind: 'ServiceRequest',
      code: weighing,
      intent: 'plan',
      timingTiming: daily,
      observationResultRequirement: ['#transaction-1'],
    },
    {
      resourceType: 'ObservationDefinition',
      id: 'transaction-1',
      extension: [
        { url: `${EXTENSION}transaction-required`, valueBoolean: true },
        { url: `${EXTENSION}transaction-timing`, valueTiming: daily },
      ],
      identifier: { system: 'https://kedja.dev/ids/transaction', value: '019a0000-0000-7000-8000-0000000000b1' },
      title: 'Weight',
      status: 'active',
      code: weight,
      permittedDataType: ['Quantity'],
      permittedUnit: [{ system: UCUM, code: 'kg', display: 'kilogram' }],
    },
  ],
  url: 'https://kedja.dev/plans/heart-failure',
  version: '1',
  title: 'Heart failure at home',
  status: 'active',
  goal: [
    {
      id: 'goal-1',
      description: { text: 'Stable weight' },
      target: [{ measure: weight, detailQuantity: { value: 80.5, unit: 'kg', system: UCUM, code: 'kg' } }],
    },
  ],
  action: [
    { id: 'action-1', title: 'Weigh at home', code: weighing, goalId: ['goal-1'], definitionCanonical: '#activity-1' },
  ],
};

export const FORM = {
  resourceType: 'Questionnaire',
  id: '019a0000-0000-7000-8000-0000000000c1',
  meta: { versionId: '4', lastUpdated: '2026-01-01T00:00:00Z' },
  url: 'https://kedja.dev/forms/breath',
  version: '2',
  title: 'Breathing',
  status: 'active',
  contained: [
    {
      resourceType: 'ValueSet',
      id: 'degrees',
      status: 'active',
      compose: { include: [{ system: LIBRARY, concept: [{ code: 'none', display: 'None' }, { code: 'much' }] }] },
    },
  ],
  item: [
    { linkId: '1', type: 'boolean', text: 'Short of breath?', required: true },
    {
      linkId: '2',
      type: 'coding',
      text: 'How much?',
      answerValueSet: '#degrees',
      enableWhen: [{ question: '1', operator: '=', answerBoolean: true }],
    },
  ],
};

export const OTHER_FORM = {
  resourceType: 'Questionnaire',
  id: '019a0000-0000-7000-8000-0000000000c2',
  url: 'https://kedja.dev/forms/sleep',
  title: 'Sleep',
  status: 'active',
  contained: [
    {
      resourceType: 'ValueSet',
      id: 'degrees',
      status: 'active',
      compose: { include: [{ system: LIBRARY, concept: [{ code: 'well' }] }] },
    },
  ],
  item: [{ linkId: '1', type: 'coding', text: 'How did you sleep?', answerValueSet: '#degrees' }],
};

/** A patient with the id `p1` and a CarePlan made from {@link PLAN}; returns the CarePlan's guid. */
export async function makeCarePlan(site: Site): Promise<string> {
  if (!site.world.resources.includes(PLAN)) site.world.resources.push(PLAN, FORM, OTHER_FORM);
  await site.call('PUT', 'Patient/p1', { body: { resourceType: 'Patient', id: 'p1', name: [{ family: 'Ek' }] } });
  const made = await site.call('POST', 'CarePlan', { body: carePlanOf('p1') });
  assert.equal(made.status, 201, made.text);
  return String(made.body['id']);
}

export function carePlanOf(patient: string): Record<string, unknown> {
  return {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    title: 'Care at home',
    subject: { reference: `Patient/${patient}` },
    instantiatesCanonical: [PLAN.url],
  };
}

/** A draft made from a new CarePlan; returns its id. */
export async function makeDraft(site: Site): Promise<string> {
  const made = await site.call('POST', 'ServiceRequest', { body: { careplan_guid: await makeCarePlan(site) } });
  assert.equal(made.status, 201, made.text);
  return String(made.body['id']);
}

/** An active request with the form {@link FORM} frozen in it. */
export async function makeActive(site: Site): Promise<string> {
  const id = await makeDraft(site);
  const attached = await site.call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: FORM.id } });
  assert.equal(attached.status, 201, attached.text);
  const finalized = await site.call('POST', `ServiceRequest/${id}/finalize`);
  assert.equal(finalized.status, 200, finalized.text);
  return id;
}
