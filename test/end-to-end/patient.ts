// The patient's own part (decision L2): they answer a form that a request gives them, and the planner sees the
// answer as the patient's own.
import assert from 'node:assert/strict';
import { call } from './call.ts';
import type { Accounts, Addresses, Library } from './context.ts';

interface Site {
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly library: Library;
}

const TAG = 'https://kedja.dev/codes/tag|patient-reported';

export async function patientReports(site: Site): Promise<void> {
  await answersForm(site);
}

/** A request with a form for the patient; returns its id, that of its CarePlan, and the form's guid. */
async function giveForm({ addresses: { dispatch }, accounts, library }: Site) {
  const asPlanner = { token: accounts.planner };
  const plan = {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    subject: { reference: `Patient/${accounts.patientGuid}` },
    instantiatesCanonical: [`${library.planUrl}|${library.planVersion}`],
  };
  const carePlan = (await call(`${dispatch}/CarePlan`, { ...asPlanner, json: plan, expect: 201 })).body.id;
  const draft = { ...asPlanner, json: { careplan_guid: carePlan }, expect: 201 };
  const request = (await call(`${dispatch}/ServiceRequest`, draft)).body.id;
  const json = { form_guid: library.formGuid, answered_by: 'patient', due: '2027-01-31' };
  const attached = await call(`${dispatch}/ServiceRequest/${request}/forms`, { ...asPlanner, json, expect: 201 });
  const final = await call(`${dispatch}/ServiceRequest/${request}/finalize`, { ...asPlanner, method: 'POST' });
  assert.doesNotMatch(final.text, /Hur är andningen/, 'providers get no form for the patient');
  return { request, carePlan, guid: attached.body.form_attachment_guid };
}

async function answersForm(site: Site): Promise<void> {
  const { addresses, accounts } = site;
  const { dispatch } = addresses;
  const { request, carePlan, guid } = await giveForm(site);
  const asPatient = { token: accounts.patient };
  const { body: list } = await call(`${dispatch}/patient-forms?status=to_do`, asPatient);
  const [form] = list.data.filter((each: { patient_form_guid: string }) => each.patient_form_guid === guid);
  assert.deepEqual([form.title, form.due], ['Andning', '2027-01-31']);
  const answers = (code: string) => ({
    resourceType: 'QuestionnaireResponse',
    item: [{ linkId: 'breath', answer: [{ valueCoding: { system: 'https://example.org/answers', code } }] }],
  });
  const address = `${dispatch}/patient-forms/${guid}`;
  await call(`${address}/draft`, { ...asPatient, method: 'PUT', json: answers('bad') });
  const { body: open } = await call(address, asPatient);
  assert.deepEqual([open.status, open.draft.status, open.render_ready.title], ['begun', 'in-progress', 'Andning']);
  const refused = await call(`${address}/response`, { ...asPatient, json: answers('unknown'), expect: 400 });
  assert.match(refused.text, /Item breath \(Hur är andningen\?\) must be one of the options/);
  const { body: made } = await call(`${address}/response`, { ...asPatient, json: answers('good'), expect: 201 });
  await call(`${address}/response`, { ...asPatient, json: answers('good'), expect: 409 });

  const search = `${dispatch}/QuestionnaireResponse?_tag=${TAG}&based-on=ServiceRequest/${request}`;
  const total = async (token: string) => (await call(search, { token })).body.total;
  assert.deepEqual(
    [await total(accounts.planner), await total(accounts.patient), await total(accounts.stranger)],
    [1, 1, 0],
  );
  const shown = await call(`${dispatch}/CarePlan/${carePlan}`, { token: accounts.planner });
  assert.match(shown.text, new RegExp(`patient-reported.*QuestionnaireResponse/${made.id}`));
  const notices = `${dispatch}/notifications?kind=patient_reported&service_request_id=${request}`;
  assert.equal((await call(notices, { token: accounts.planner })).body.total, 1);
  await call(`${address}/review`, { method: 'POST', token: accounts.planner });
  await call(`${address}/response`, { ...asPatient, method: 'PUT', json: answers('bad'), expect: 409 });
}
