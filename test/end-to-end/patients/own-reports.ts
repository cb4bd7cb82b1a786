// The patient's own part (decision L2). They answer a form that a request gives them, report a value, correct and
// withdraw it. The planner sees both as the patient's own.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { makeCarePlan } from '../request.ts';

const TAG = 'https://kedja.dev/codes/tag|patient-reported';

export async function patientReports(story: Story): Promise<void> {
  const given = await giveForm(story);
  await story.walk('P4', () => answersForm(story, given));
  const observation = await story.walk('P5', () => reportsValue(story, given.carePlan));
  await story.walk('R8', () => plannerReviews(story, given, observation));
  await story.walk('P5', () => correctsAndWithdraws(story, observation));
}

type Given = Awaited<ReturnType<typeof giveForm>>;

/** A request with a form for the patient; returns its id, that of its CarePlan, and the form's guid. */
export async function giveForm({ addresses, accounts, library }: Pick<Story, 'addresses' | 'accounts' | 'library'>) {
  const { dispatch } = addresses;
  const asPlanner = { token: accounts.planner };
  const carePlan = await makeCarePlan(addresses, accounts, library);
  const draft = { ...asPlanner, json: { careplan_guid: carePlan }, expect: 201 };
  const request = (await call(`${dispatch}/ServiceRequest`, draft)).body.id;
  const json = { form_guid: library.formGuid, answered_by: 'patient', due: '2027-01-31' };
  const attached = await call(`${dispatch}/ServiceRequest/${request}/forms`, { ...asPlanner, json, expect: 201 });
  const final = await call(`${dispatch}/ServiceRequest/${request}/finalize`, { ...asPlanner, method: 'POST' });
  assert.doesNotMatch(final.text, /Hur är andningen/, 'providers get no form for the patient');
  return { request, carePlan, guid: attached.body.form_attachment_guid };
}

export const answers = (code: string) => ({
  resourceType: 'QuestionnaireResponse',
  item: [{ linkId: 'breath', answer: [{ valueCoding: { system: 'https://example.org/answers', code } }] }],
});

async function answersForm({ addresses, accounts }: Story, { request, guid }: Given): Promise<void> {
  const { dispatch } = addresses;
  const asPatient = { token: accounts.patient };
  const { body: list } = await call(`${dispatch}/patient-forms?status=to_do`, asPatient);
  const [form] = list.data.filter((each: { patient_form_guid: string }) => each.patient_form_guid === guid);
  assert.deepEqual([form.title, form.due], ['Andning', '2027-01-31']);
  const address = `${dispatch}/patient-forms/${guid}`;
  await call(`${address}/draft`, { ...asPatient, method: 'PUT', json: answers('bad') });
  const { body: open } = await call(address, asPatient);
  assert.deepEqual([open.status, open.draft.status, open.render_ready.title], ['begun', 'in-progress', 'Andning']);
  const refused = await call(`${address}/response`, { ...asPatient, json: answers('unknown'), expect: 400 });
  assert.match(refused.text, /Item breath \(Hur är andningen\?\): Choose one of the answers/);
  await call(`${address}/response`, { ...asPatient, json: answers('good'), expect: 201 });
  await call(`${address}/response`, { ...asPatient, json: answers('good'), expect: 409 });
  await call(`${address}/response`, { ...asPatient, method: 'PUT', json: answers('bad') });
  const own = await call(`${dispatch}/QuestionnaireResponse?_tag=${TAG}&based-on=ServiceRequest/${request}`, asPatient);
  assert.match(own.text, /"code":"bad"/, 'corrected');
}

/**
 * The planner finds the answer and the value as the patient's own, cannot change them, and notes that they are
 * reviewed.
 */
async function plannerReviews(
  { addresses, accounts }: Story,
  { request, carePlan, guid }: Given,
  observation: string,
): Promise<void> {
  const { dispatch, engine } = addresses;
  const search = `${dispatch}/QuestionnaireResponse?_tag=${TAG}&based-on=ServiceRequest/${request}`;
  const total = async (token: string) => (await call(search, { token })).body.total;
  assert.deepEqual(
    [await total(accounts.planner), await total(accounts.patient), await total(accounts.stranger)],
    [1, 1, 0],
  );
  const [{ resource: made }] = (await call(search, { token: accounts.planner })).body.entry;
  const shown = await call(`${dispatch}/CarePlan/${carePlan}`, { token: accounts.planner });
  assert.match(shown.text, new RegExp(`patient-reported.*QuestionnaireResponse/${made.id}`));
  const notices = `${dispatch}/notifications?kind=patient_reported&service_request_id=${request}`;
  assert.equal((await call(notices, { token: accounts.planner })).body.total, 2, 'the answer and its correction');
  const url = `${engine}/Observation/${observation}`;
  const { body: value } = await call(url, { token: accounts.planner });
  await call(url, { token: accounts.planner, method: 'PUT', json: { ...value, meta: undefined }, expect: 403 });
  const address = `${dispatch}/patient-forms/${guid}`;
  await call(`${address}/review`, { method: 'POST', token: accounts.planner });
  const correction = { token: accounts.patient, method: 'PUT', json: answers('good'), expect: 409 } as const;
  await call(`${address}/response`, correction);
}

const weight = ({ library }: Story, value: number, more: object) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [library.concept] },
  effectiveDateTime: '2026-11-21T07:00:00+01:00',
  valueQuantity: { value, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  ...more,
});

/** The CarePlan is dispatch's, and so may be the only record of the patient. Returns the id of the Observation. */
async function reportsValue(story: Story, carePlan: string): Promise<string> {
  const { addresses, accounts } = story;
  const { engine } = addresses;
  const json = weight(story, 77, { basedOn: [{ reference: `CarePlan/${carePlan}` }] });
  const { body: made } = await call(`${engine}/Observation`, { token: accounts.patient, json, expect: 201 });
  const own = { reference: `Patient/${accounts.patientGuid}` };
  assert.deepEqual([made.subject, made.performer], [own, [own]], 'on the record that staff made');
  const found = async (token: string) =>
    (await call(`${engine}/Observation?_tag=${TAG}&_id=${made.id}`, { token })).body.total;
  assert.deepEqual([await found(accounts.planner), await found(accounts.stranger)], [1, 0]);
  const news = `${addresses.dispatch}/notifications?kind=values_reported`;
  await eventually('the planner is notified of the value', async () => {
    const { body } = await call(news, { token: accounts.planner });
    return body.data.some((each: Notice) => each.care_plan?.reference === `CarePlan/${carePlan}`) || undefined;
  });
  return made.id;
}

interface Notice {
  readonly care_plan: { readonly reference: string } | null;
}

async function correctsAndWithdraws(story: Story, id: string): Promise<void> {
  const { addresses, accounts } = story;
  const { engine } = addresses;
  const asPatient = { token: accounts.patient };
  const address = `${engine}/Observation/${id}`;
  await call(address, { ...asPatient, method: 'PUT', json: weight(story, 76.5, { id }) });
  await call(address, { ...asPatient, method: 'DELETE', expect: 204 });
  const news = `${addresses.dispatch}/notifications?kind=values_withdrawn`;
  await eventually('the planner is notified that it is withdrawn', async () => {
    return (await call(news, { token: accounts.planner })).body.total > 0 ? true : undefined;
  });
  for (const about of [`entity=Observation/${id}`, 'code=patient-form.answer']) {
    await eventually('the patient found their reports in the access record', async () => {
      const query = `patient=Patient/${accounts.patientGuid}&${about}&_summary=count`;
      return (await call(`${engine}/AuditEvent?${query}`, asPatient)).body.total > 0 ? true : undefined;
    });
  }
}
