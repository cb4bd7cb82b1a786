// The patient's own part (decision L2): they answer a form that a request gives them, report a value, correct and
// withdraw it, and the planner sees both as the patient's own.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from './call.ts';
import type { Accounts, Addresses, Library } from './context.ts';

interface Site {
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly library: Library;
}

const TAG = 'https://kedja.dev/codes/tag|patient-reported';

export async function patientReports(site: Site): Promise<void> {
  const carePlan = await answersForm(site);
  await reportsValue(site, carePlan);
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

/** Returns the id of the CarePlan. */
async function answersForm(site: Site): Promise<string> {
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
  assert.match(refused.text, /Item breath \(Hur är andningen\?\): Choose one of the answers/);
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
  return carePlan;
}

/** The CarePlan is dispatch's, and so may be the only record of the patient. */
async function reportsValue({ addresses: { engine }, accounts, library }: Site, carePlan: string): Promise<void> {
  const asPatient = { token: accounts.patient };
  const weight = (value: number, basedOn?: string) => ({
    resourceType: 'Observation',
    status: 'final',
    code: { coding: [library.concept] },
    ...(basedOn === undefined ? {} : { basedOn: [{ reference: `CarePlan/${basedOn}` }] }),
    effectiveDateTime: '2026-11-21T07:00:00+01:00',
    valueQuantity: { value, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  });
  const { body: made } = await call(`${engine}/Observation`, { ...asPatient, json: weight(77, carePlan), expect: 201 });
  const own = { reference: `Patient/${accounts.patientGuid}` };
  assert.deepEqual([made.subject, made.performer], [own, [own]], 'on the record that staff made');
  const address = `${engine}/Observation/${made.id}`;
  const found = async (token: string) =>
    (await call(`${engine}/Observation?_tag=${TAG}&_id=${made.id}`, { token })).body.total;
  assert.deepEqual([await found(accounts.planner), await found(accounts.stranger)], [1, 0]);
  const changed = { ...weight(90), id: made.id, subject: own };
  await call(address, { token: accounts.planner, method: 'PUT', json: changed, expect: 403 });
  await call(address, { ...asPatient, method: 'PUT', json: { ...weight(76.5), id: made.id } });
  await call(address, { ...asPatient, method: 'DELETE', expect: 204 });
  await eventually('the patient found their reports in the access record', async () => {
    const { body } = await call(`${engine}/AuditEvent?patient=Patient/${accounts.patientGuid}&_count=200`, asPatient);
    const text = JSON.stringify(body);
    return text.includes(`Observation/${made.id}`) && text.includes('patient-form.answer') ? true : undefined;
  });
}
