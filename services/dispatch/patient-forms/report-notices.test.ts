// Planners are notified of what patients report at the engine (docs/adr/0070, docs/adr/0072): the requester or all
// planners of the organisation, and not again until somebody has read it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { atOnce } from '#test/support/system/at-once.ts';
import { carePlanOf, makeCarePlan, makeDraft } from '../testing/samples.ts';
import { makeSite, ORGANISATION, OTHER_ORGANISATION } from '../testing/site.ts';

const site = await makeSite({ after });
const { call } = site;

interface Told {
  readonly kind: string;
  readonly service_request_id: string | null;
  readonly care_plan: { readonly reference: string } | null;
  readonly patient: { readonly reference: string };
  readonly notification_guid: string;
  readonly is_addressed: boolean;
}

function post(more: object = {}) {
  const notice = { patient_ids: ['p1'], organisation_guid: ORGANISATION, resource_type: 'Observation', based_on: [] };
  return call('POST', 'patient-reports/notices', { as: 'service', body: { notices: [{ ...notice, ...more }] } });
}

async function tell(more: object = {}): Promise<void> {
  const told = await post(more);
  assert.equal(told.status, 204, told.text);
}

async function newsOf(caller: string, kind = 'values_reported'): Promise<Told[]> {
  const { body } = await call('GET', `notifications?kind=${kind}&per_page=200`, { as: caller });
  return body['data'] as Told[];
}

test('many values of a plan are one notification for its planners, and a new one after somebody has read it', async () => {
  const plan = await makeCarePlan(site);
  const based_on = [`CarePlan/${newGuid()}`, `CarePlan/${plan}`];
  const raced = await atOnce(Array.from({ length: 8 }, () => () => post({ based_on })));
  assert.deepEqual(new Set(raced.map(({ status }) => status)), new Set([204]));
  const [first, ...others] = await newsOf('anna');
  assert.deepEqual([others.length, (await newsOf('bo')).length], [0, 0]);
  assert.deepEqual(
    [first?.care_plan?.reference, first?.service_request_id, first?.patient.reference],
    [`CarePlan/${plan}`, null, 'Patient/p1'],
  );
  await call('POST', `notifications/${first?.notification_guid}/read`);
  await tell({ based_on });
  await tell({ based_on });
  assert.equal((await newsOf('anna')).length, 2);
  await call('POST', 'notifications/read-all');
});

test('what is withdrawn is a notification of its own, once until somebody has read it', async () => {
  const plan = await makeCarePlan(site);
  const based_on = [`CarePlan/${plan}`];
  const ofPlan = async (kind: string) =>
    (await newsOf('anna', kind)).filter(({ care_plan: about }) => about?.reference === based_on[0]);
  await tell({ based_on });
  await tell({ based_on, is_withdrawn: true });
  await tell({ based_on, is_withdrawn: true });
  assert.deepEqual([(await ofPlan('values_reported')).length, (await ofPlan('values_withdrawn')).length], [1, 1]);
  await call('POST', `notifications/${(await ofPlan('values_withdrawn'))[0]?.notification_guid}/read`);
  await tell({ based_on, is_withdrawn: true });
  assert.equal((await ofPlan('values_withdrawn')).length, 2);
  await tell({ based_on, is_withdrawn: true, resource_type: 'QuestionnaireResponse' });
  assert.equal((await ofPlan('answer_withdrawn')).length, 1);
  await call('POST', 'notifications/read-all');
});

test('values of a request are for who made it; without a plan they are about the patient, by the id that is known here', async () => {
  const id = await makeDraft(site);
  await tell({ based_on: [`ServiceRequest/${id}`] });
  await tell({ based_on: [`ServiceRequest/${id}`] });
  const ofRequest = (await newsOf('anna')).filter((each) => each.service_request_id === id);
  assert.deepEqual(
    ofRequest.map((each) => each.is_addressed),
    [true],
  );
  const made = await call('POST', 'Patient', { body: { resourceType: 'Patient' } });
  const known = String(made.body['id']);
  await tell({ patient_ids: ['of-the-engine', known] });
  await tell({ patient_ids: ['of-the-engine'], based_on: [`CarePlan/${newGuid()}`] });
  const ofPatients = (await newsOf('anna')).filter((each) => each.service_request_id === null && !each.care_plan);
  assert.deepEqual(ofPatients.map((each) => each.patient.reference).toSorted(), [
    `Patient/${known}`,
    'Patient/of-the-engine',
  ]);
  await tell({ patient_ids: [known], resource_type: 'QuestionnaireResponse' });
  const answers = (await newsOf('anna', 'patient_reported')).map((each) => each.patient.reference);
  assert.deepEqual(answers, [`Patient/${known}`]);
});

test('a plan of another patient or organisation is not named', async () => {
  const others = await call('POST', 'CarePlan', { as: 'bo', body: carePlanOf('p9') });
  assert.equal(others.status, 201, others.text);
  const based_on = [`CarePlan/${others.body['id']}`];
  await tell({ patient_ids: ['p9'], based_on });
  const found = (await newsOf('anna')).filter((each) => each.patient.reference === 'Patient/p9');
  assert.deepEqual(
    found.map((each) => each.care_plan),
    [null],
  );
  await tell({ patient_ids: ['p9'], based_on, organisation_guid: OTHER_ORGANISATION });
  const [ofBo] = await newsOf('bo');
  assert.equal(ofBo?.care_plan?.reference, based_on[0]);
});

test('what is no notice is refused, and nobody but the engine tells', async () => {
  const body = { notices: [{ patient_ids: [], resource_type: 'Patient', based_on: ['Group/1'] }] };
  const refused = await call('POST', 'patient-reports/notices', { as: 'service', body });
  assert.equal(refused.status, 400);
  assert.equal((refused.body['messages'] as string[]).length, 4, refused.text);
  for (const as of ['anna', 'admin', 'patient'])
    assert.equal((await call('POST', 'patient-reports/notices', { as, body })).status, 403, as);
});
