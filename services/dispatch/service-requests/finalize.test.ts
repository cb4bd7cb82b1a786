// Finalize over HTTP: what it freezes, that it stays unchanged, errors, and races (decisions D3, D6, D12).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { objectsOf, referenceOf } from '#fhir/json/objects.ts';
import { fifty } from '#test/support/system/at-once.ts';
import { carePlanOf, FORM, makeActive, makeCarePlan, makeDraft, OTHER_FORM, PLAN } from '../testing/samples.ts';
import { assertValid, makeSite } from '../testing/site.ts';

const site = await makeSite({ after });
const { call, world } = site;

async function attach(id: string, formGuid: string): Promise<string> {
  const attached = await call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: formGuid } });
  assert.equal(attached.status, 201, attached.text);
  return String(attached.body['form_attachment_guid']);
}

test('everything that the request refers to is contained in it, hoisted, referred to, and valid R5', async () => {
  const id = await makeDraft(site);
  await attach(id, OTHER_FORM.id);
  await attach(id, FORM.id);
  const done = await call('POST', `ServiceRequest/${id}/finalize`);
  assert.equal(done.status, 200, done.text);
  assertValid(done.body);
  assert.equal(done.body['status'], 'active');
  assert.equal(done.body['authoredOn'], '2026-03-01T08:00:00.000Z');
  const contained = objectsOf(done.body['contained']).map(({ resourceType, id: inner }) => `${resourceType} ${inner}`);
  assert.deepEqual(contained, [
    'CarePlan careplan',
    'PlanDefinition plan',
    'ActivityDefinition plan-activity-1',
    'ObservationDefinition plan-transaction-1',
    'Questionnaire form-1',
    'ValueSet form-1-degrees',
    'Questionnaire form-2',
    'ValueSet form-2-degrees',
    'PractitionerRole requester',
  ]);
  assert.deepEqual(
    objectsOf(done.body['supportingInfo']).map(({ reference }) => referenceOf(reference)),
    ['#plan', '#form-1', '#form-2', '#requester'],
  );
  const basedOn = objectsOf(done.body['basedOn']).map((reference) => reference['reference']);
  assert.equal(basedOn[0], '#careplan');
  assert.match(String(basedOn[1]), /^CarePlan\/[0-9a-f-]{36}$/);
  const read = await call('GET', `ServiceRequest/${id}`);
  assert.deepEqual(read.body, done.body);
  const found = await call('GET', `ServiceRequest?status=active&_id=${id}`);
  assert.equal(objectsOf(found.body['entry']).length, 1);
});

test('frozen forms are readable at /Questionnaire under their attachment and stay as they were', async () => {
  const id = await makeDraft(site);
  const guid = await attach(id, FORM.id);
  assert.equal((await call('GET', `Questionnaire/${guid}`)).status, 404, 'not before');
  await call('POST', `ServiceRequest/${id}/finalize`);
  const frozen = await call('GET', `Questionnaire/${guid}`);
  assert.equal(frozen.status, 200);
  assertValid(frozen.body);
  assert.deepEqual([frozen.body['title'], frozen.body['version']], ['Breathing', '2']);
  const index = world.resources.indexOf(FORM);
  world.resources[index] = { ...FORM, title: 'Changed', version: '3' };
  assert.equal((await call('GET', `Questionnaire/${guid}`)).body['title'], 'Breathing');
  world.resources[index] = FORM;
  const listed = await call('GET', 'Questionnaire?per_page=200');
  assert.ok(objectsOf(listed.body['entry']).length >= 1);
  assert.equal((await call('GET', `Questionnaire/${guid}`, { as: 'bo' })).status, 404, 'another organisation');
});

test('the CarePlan shows the request as a planned activity', async () => {
  const careplanGuid = await makeCarePlan(site);
  const draft = await call('POST', 'ServiceRequest', { body: { careplan_guid: careplanGuid } });
  await call('POST', `ServiceRequest/${draft.body['id']}/finalize`);
  const carePlan = await call('GET', `CarePlan/${careplanGuid}`);
  assertValid(carePlan.body);
  assert.deepEqual(carePlan.body['activity'], [
    { plannedActivityReference: { reference: `ServiceRequest/${draft.body['id']}` } },
  ]);
});

test('resources that only past activities of a CarePlan refer to are not frozen', async () => {
  const careplanGuid = await makeCarePlan(site);
  const carePlan = await call('GET', `CarePlan/${careplanGuid}`);
  const goal = { resourceType: 'Goal', id: 'goal', lifecycleStatus: 'active', description: { text: 'Walk' } };
  const task = { resourceType: 'Task', id: 'task', status: 'completed', intent: 'order' };
  const changed = await call('PUT', `CarePlan/${careplanGuid}`, {
    body: {
      ...carePlan.body,
      contained: [
        { ...goal, subject: { reference: 'Patient/p1' } },
        { ...task, for: { reference: 'Patient/p1' } },
      ],
      goal: [{ reference: '#goal' }],
      activity: [{ plannedActivityReference: { reference: '#task' } }],
    },
  });
  assert.equal(changed.status, 200, changed.text);
  const draft = await call('POST', 'ServiceRequest', { body: { careplan_guid: careplanGuid } });
  const done = await call('POST', `ServiceRequest/${draft.body['id']}/finalize`);
  assert.equal(done.status, 200, done.text);
  const ids = objectsOf(done.body['contained']).map(({ id }) => id);
  assert.deepEqual(ids.slice(0, 2), ['careplan', 'careplan-goal']);
  assert.ok(!ids.includes('careplan-task'));
});

test('the edited draft is frozen', async () => {
  const id = await makeDraft(site);
  await call('PUT', `ServiceRequest/${id}/snapshot`, {
    text: JSON.stringify({ plan_definition: { ...PLAN, title: 'Adjusted' }, note: 'Mornings' }).replace(
      '80.5',
      '80.50',
    ),
  });
  const done = await call('POST', `ServiceRequest/${id}/finalize`);
  assert.equal(done.status, 200, done.text);
  const plan = objectsOf(done.body['contained']).find(({ id: inner }) => inner === 'plan');
  assert.equal(plan?.['title'], 'Adjusted');
  assert.match(done.text, /80\.50/);
  assert.deepEqual(done.body['note'], [{ text: 'Mornings' }]);
});

test('a form that cannot be read, a missing patient and a missing plan: 422 naming it, nothing changed', async () => {
  const id = await makeDraft(site);
  await attach(id, FORM.id);
  const index = world.resources.indexOf(FORM);
  world.resources.splice(index, 1);
  const unreadable = await call('POST', `ServiceRequest/${id}/finalize`);
  assert.deepEqual([unreadable.status, unreadable.text.includes(FORM.id)], [422, true]);
  world.resources.push({ ...FORM, item: [{ linkId: '1', type: 'coding', answerValueSet: 'https://x.example/vs' }] });
  const unlisted = await call('POST', `ServiceRequest/${id}/finalize`);
  assert.deepEqual([unlisted.status, unlisted.text.includes('https://x.example/vs')], [422, true]);
  world.resources.pop();
  world.resources.push({ ...FORM, status: 'wrong' });
  assert.equal((await call('POST', `ServiceRequest/${id}/finalize`)).status, 422, 'not valid');
  world.resources.pop();
  world.resources.push(FORM);
  await assertUntouched(id);

  const body = { ...carePlanOf('gone'), instantiatesCanonical: undefined };
  const planless = await call('POST', 'CarePlan', { body });
  const draft = await call('POST', 'ServiceRequest', { body: { careplan_guid: planless.body['id'] } });
  const refused = await call('POST', `ServiceRequest/${draft.body['id']}/finalize`);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /no such patient.*plan_definition/s);
  await assertUntouched(String(draft.body['id']));
});

test('a CarePlan that is about another patient by now is not frozen into the request: 422', async () => {
  const careplanGuid = await makeCarePlan(site);
  const draft = await call('POST', 'ServiceRequest', { body: { careplan_guid: careplanGuid } });
  const carePlan = await call('GET', `CarePlan/${careplanGuid}`);
  await call('PUT', `CarePlan/${careplanGuid}`, { body: { ...carePlan.body, subject: { reference: 'Patient/p2' } } });
  const refused = await call('POST', `ServiceRequest/${draft.body['id']}/finalize`);
  assert.deepEqual([refused.status, /another patient/.test(refused.text)], [422, true]);
  await assertUntouched(String(draft.body['id']));
});

test('with the plan service down: 503, nothing changed', async () => {
  const id = await makeDraft(site);
  await attach(id, FORM.id);
  world.isPlanDown = true;
  const refused = await call('POST', `ServiceRequest/${id}/finalize`);
  world.isPlanDown = false;
  assert.equal(refused.status, 503);
  assert.match(refused.text, /upstream_unavailable/);
  assert.ok(refused.headers['retry-after']);
  await assertUntouched(id);
  assert.equal((await call('POST', `ServiceRequest/${id}/finalize`)).status, 200);
});

const UNITS = 'http://hl7.org/fhir/StructureDefinition/questionnaire-unitValueSet';

test('a ValueSet that a form names by its address, for answers or for units, is fetched and frozen with it', async () => {
  const valueSet = {
    resourceType: 'ValueSet',
    id: 'vs1',
    url: 'https://kedja.dev/valuesets/yes-no',
    status: 'active',
    compose: { include: [{ system: 'https://x.example', concept: [{ code: 'yes', display: 'Yes' }, { code: 'no' }] }] },
  };
  const masses = {
    ...{ resourceType: 'ValueSet', id: 'vs2', url: 'https://kedja.dev/valuesets/masses', status: 'active' },
    compose: { include: [{ system: 'http://unitsofmeasure.org', concept: [{ code: 'kg', display: 'kilogram' }] }] },
  };
  const form = {
    ...OTHER_FORM,
    id: '019a0000-0000-7000-8000-0000000000c9',
    contained: undefined,
    item: [
      { linkId: '1', type: 'coding', text: 'Well?', answerValueSet: valueSet.url },
      { linkId: '2', type: 'quantity', text: 'Weight', extension: [{ url: UNITS, valueCanonical: masses.url }] },
    ],
  };
  world.resources.push(valueSet, masses, form);
  const id = await makeDraft(site);
  await attach(id, form.id);
  const done = await call('POST', `ServiceRequest/${id}/finalize`);
  assert.equal(done.status, 200, done.text);
  assertValid(done.body);
  const ids = objectsOf(done.body['contained']).map(({ id: inner }) => inner);
  assert.deepEqual(ids.slice(-4), ['form-1', 'form-1-valueset-1', 'form-1-valueset-2', 'requester']);
  assert.ok(done.text.includes('"valueCanonical":"#form-1-valueset-2"'));
});

test('of fifty concurrent finalize calls one succeeds', async () => {
  const id = await makeDraft(site);
  const guid = await attach(id, FORM.id);
  const answers = await fifty(() => call('POST', `ServiceRequest/${id}/finalize`));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 409)]);
  const { rows } = await site.database.query<{ count: number }>(
    `SELECT count(*) AS count FROM audit_event WHERE resource LIKE '%service-request.finalize%' AND resource LIKE $1`,
    [`%${id}%`],
  );
  assert.equal(rows[0]?.count, 1);
  assert.equal((await call('GET', `Questionnaire/${guid}`)).headers['etag'], 'W/"1"');
});

test('attaching during finalize either freezes the form too or is refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    const id = await makeDraft(site);
    const [attached, done] = await Promise.all([
      call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: FORM.id } }),
      call('POST', `ServiceRequest/${id}/finalize`),
    ]);
    assert.equal(done.status, 200, done.text);
    assert.ok(attached.status === 201 || attached.status === 409, attached.text);
    const forms = objectsOf(done.body['contained']).filter(({ resourceType }) => resourceType === 'Questionnaire');
    assert.equal(forms.length, attached.status === 201 ? 1 : 0);
  }
});

test('an active request cannot be edited', async () => {
  const id = await makeActive(site);
  const refusals = await Promise.all([
    call('PUT', `ServiceRequest/${id}/snapshot`, { body: { plan_definition: PLAN } }),
    call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: OTHER_FORM.id } }),
    call('DELETE', `ServiceRequest/${id}/forms/019a0000-0000-7000-8000-0000000000aa`),
    call('POST', `ServiceRequest/${id}/forms/reorder`, { body: { ordered_guids: [] } }),
    call('POST', `ServiceRequest/${id}/finalize`),
  ]);
  for (const { status, text } of refusals) assert.deepEqual([status, text.includes('active')], [409, true], text);
});

async function assertUntouched(id: string): Promise<void> {
  const { body } = await call('GET', `ServiceRequest/${id}`);
  assert.deepEqual([body['status'], body['contained']], ['draft', undefined]);
}

test('a request that would be too large for its receivers is refused while it can still be changed', async () => {
  const text = 'x'.repeat(1024 * 1024);
  const item = Array.from({ length: 6 }, (_, index) => ({ linkId: `${index}`, type: 'display', text }));
  const large = { resourceType: 'Questionnaire', id: '019a0000-0000-7000-8000-00000000ee01', status: 'active', item };
  world.resources.push(large);
  const id = await makeDraft(site);
  const attachment = await attach(id, large.id);
  const refused = await call('POST', `ServiceRequest/${id}/finalize`);
  assert.equal(refused.status, 422, refused.text.slice(0, 300));
  assert.match(refused.text, /smaller forms/);
  assert.equal((await call('GET', `ServiceRequest/${id}`)).body['status'], 'draft');
  assert.equal((await call('DELETE', `ServiceRequest/${id}/forms/${attachment}`)).status, 204);
  assert.equal((await call('POST', `ServiceRequest/${id}/finalize`)).status, 200);
});

test('a plan that was written before its patient was on record dispatches nothing of a patient of another organisation', async () => {
  await makeCarePlan(site);
  const early = await call('POST', 'CarePlan', { as: 'bo', body: carePlanOf('p-late') });
  assert.equal(early.status, 201, early.text);
  const draft = await call('POST', 'ServiceRequest', { as: 'bo', body: { careplan_guid: early.body['id'] } });
  assert.equal(draft.status, 201, draft.text);
  const finalize = () => call('POST', `ServiceRequest/${draft.body['id']}/finalize`, { as: 'bo' });
  const unknown = await finalize();
  const patient = { resourceType: 'Patient', id: 'p-late', name: [{ family: 'Late' }] };
  assert.equal((await call('PUT', 'Patient/p-late', { body: patient })).status, 201);
  const hidden = await finalize();
  assert.deepEqual([unknown.status, hidden.status], [422, 422], hidden.text);
  assert.deepEqual(hidden.body, unknown.body, 'it does not say which');
});
