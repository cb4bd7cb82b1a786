// Forms that patients answer (decision L2, docs/adr/0072). They are given by a request or by the plan, begun, answered,
// corrected, withdrawn and reviewed. The tests also check what others may not do.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makePrincipal, makeProxy } from '#test/support/http-app.ts';
import { carePlanOf, makeDraft, PLAN } from '../testing/samples.ts';
import { assertValid, makeSite } from '../testing/site.ts';

const site = await makeSite(
  { after },
  {
    me: makePrincipal(['patient'], { id: '01900000-0000-7000-8000-00000000c001', patientGuid: 'p1' }),
    other: makePrincipal(['patient'], { id: '01900000-0000-7000-8000-00000000c002', patientGuid: 'p2' }),
    reading: makeProxy('p1', 'read'),
    acting: makeProxy('p1', 'act'),
    ofOther: makeProxy('p2', 'act'),
    linked: makePrincipal(['patient'], {
      id: '01900000-0000-7000-8000-00000000c003',
      patientGuid: 'registered',
      linkedRecords: { engine: [], dispatch: ['p1'] },
    }),
  },
);
const { call, world } = site;
const TAG = { system: 'https://kedja.dev/codes/tag', code: 'patient-reported', display: 'Patient-reported' };

const PAIN = {
  resourceType: 'Questionnaire',
  id: 'pain',
  url: 'https://kedja.dev/forms/pain',
  version: '1',
  status: 'active',
  title: 'Pain this week',
  item: [
    { linkId: 'pain', type: 'boolean', text: 'Pain?', required: true },
    {
      linkId: 'how-much',
      type: 'integer',
      text: 'How much?',
      required: true,
      enableWhen: [{ question: 'pain', operator: '=', answerBoolean: true }],
      extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/maxValue', valueInteger: 10 }],
    },
    { linkId: 'note', type: 'string', text: 'Note', maxLength: 10 },
  ],
};
const DIARY = { ...PAIN, id: 'diary', url: 'https://kedja.dev/forms/diary', title: 'Diary' };
world.resources.push(PAIN, DIARY);

const answers = (...item: object[]) => ({ resourceType: 'QuestionnaireResponse', item });
const NO_PAIN = answers({ linkId: 'pain', answer: [{ valueBoolean: false }] });
const as = 'me';

type Json = Record<string, unknown>;
const dataOf = ({ body }: { body: Json }) => body['data'] as Json[];

/** A request with a form for the patient, finalized; returns its id and the form's guid. */
async function given(due?: string): Promise<{ id: string; plan: string; guid: string }> {
  const id = await makeDraft(site);
  const form = { form_guid: 'pain', answered_by: 'patient', ...(due === undefined ? {} : { due }) };
  const attached = await call('POST', `ServiceRequest/${id}/forms`, { body: form });
  assert.equal(attached.status, 201, attached.text);
  assert.deepEqual([attached.body['answered_by'], attached.body['due']], ['patient', due ?? null]);
  const guid = String(attached.body['form_attachment_guid']);
  assert.equal((await call('GET', `patient-forms/${guid}`, { as })).status, 404, 'a draft gives no form');
  const finalized = await call('POST', `ServiceRequest/${id}/finalize`);
  assert.equal(finalized.status, 200, finalized.text);
  assert.doesNotMatch(finalized.text, /Pain this week/, 'providers get no form for the patient');
  const plan = JSON.stringify(finalized.body['basedOn']).match(/"CarePlan\/([^"]+)"/)?.[1] ?? '';
  return { id, plan, guid };
}

test('a form of a request is to do, begun, answered; the planner sees it as the patient’s own, and is notified', async () => {
  const { id, plan, guid } = await given('2026-04-01');
  const list = async (query = '') =>
    dataOf(await call('GET', `patient-forms${query}`, { as })).filter((form) => form['patient_form_guid'] === guid);
  const [toDo] = await list();
  assert.deepEqual(
    [toDo?.['title'], toDo?.['status'], toDo?.['due'], toDo?.['given_by']],
    [
      'Pain this week',
      'to_do',
      '2026-04-01',
      { plan: { reference: `CarePlan/${plan}` }, request: { reference: `ServiceRequest/${id}` } },
    ],
  );
  const begun = await call('PUT', `patient-forms/${guid}/draft`, { as, body: answers() });
  assert.deepEqual([begun.status, begun.body['status']], [200, 'begun'], begun.text);
  const open = await call('GET', `patient-forms/${guid}`, { as });
  assert.equal((open.body['render_ready'] as Json)['title'], 'Pain this week');
  assert.equal((open.body['draft'] as Json)['status'], 'in-progress');
  assert.equal((await list('?status=begun')).length, 1);
  assert.equal((await list('?status=to_do')).length, 0);

  const made = await call('POST', `patient-forms/${guid}/response`, { as, body: NO_PAIN });
  assert.equal(made.status, 201, made.text);
  assertValid(made.body);
  const me = { reference: 'Patient/p1' };
  assert.deepEqual([made.body['subject'], made.body['author'], made.body['source']], [me, me, me]);
  assert.equal(made.body['questionnaire'], 'https://kedja.dev/forms/pain|1');
  assert.deepEqual(made.body['basedOn'], [{ reference: `ServiceRequest/${id}` }, { reference: `CarePlan/${plan}` }]);
  assert.deepEqual((made.body['meta'] as Json)['tag'], [TAG]);
  const [answered] = await list();
  assert.deepEqual(
    [answered?.['status'], answered?.['response']],
    ['answered', { reference: `QuestionnaireResponse/${made.body['id']}` }],
  );

  const search = `QuestionnaireResponse?_tag=${TAG.system}|${TAG.code}&based-on=ServiceRequest/${id}`;
  const seen = async (caller: string) => (await call('GET', search, { as: caller })).body['total'];
  assert.deepEqual(
    [await seen('anna'), await seen('reader'), await seen(as), await seen('bo'), await seen('other')],
    [1, 1, 1, 0, 0],
  );
  const carePlan = await call('GET', `CarePlan/${plan}`);
  assertValid(carePlan.body);
  const activity = (carePlan.body['activity'] as Json[]).find((each) => JSON.stringify(each).includes(id));
  assert.deepEqual(activity?.['performedActivity'], [
    {
      concept: { coding: [TAG], text: 'Pain this week' },
      reference: { reference: `QuestionnaireResponse/${made.body['id']}` },
    },
  ]);
  assert.match(
    JSON.stringify(activity?.['progress']),
    /"authorReference":\{"reference":"Patient\/p1"\}.*Patient-reported: Pain/,
  );
  const [result] = dataOf(await call('GET', `ServiceRequest/${id}/results`));
  assert.deepEqual(
    [result?.['reporter'], result?.['state'], String(result?.['reference']).endsWith(`/${made.body['id']}`)],
    ['patient', 'stored', true],
  );
  const notified = async (kind: string, caller: string) =>
    (await call('GET', `notifications?kind=${kind}&service_request_id=${id}`, { as: caller })).body['total'];
  assert.deepEqual([await notified('patient_reported', 'anna'), await notified('patient_reported', as)], [1, 0]);
  assert.deepEqual(
    [await notified('form_given', as), await notified('form_given', 'linked'), await notified('form_given', 'other')],
    [1, 1, 0],
    'the patient was notified of the form',
  );
  const audit = await site.database.query(
    `SELECT FROM audit_event WHERE resource LIKE '%patient-form.answer%' AND resource LIKE $1`,
    [`%${id}%`],
  );
  assert.equal(audit.rows.length, 1);
});

test('every issue is named at its item, and nothing is stored', async () => {
  const { guid } = await given();
  const wrong = answers(
    { linkId: 'pain', answer: [{ valueBoolean: true }] },
    { linkId: 'pain', answer: [{ valueBoolean: true }] },
    { linkId: 'how-much', answer: [{ valueInteger: 11 }] },
    { linkId: 'note', answer: [{ valueString: 'far too long' }] },
    { linkId: 'other', answer: [{ valueString: 'x' }] },
  );
  const { status, body } = await call('POST', `patient-forms/${guid}/response`, { as, body: wrong });
  const messages = (body['messages'] as string[]).join('\n');
  assert.equal(status, 400);
  for (const issue of [
    /Item how-much \(How much\?\): Enter at most 10/,
    /Item note .*at most 10 characters/,
    /Item other: There is no such question/,
  ])
    assert.match(messages, issue);
  const missing = await call('POST', `patient-forms/${guid}/response`, {
    as,
    body: answers({ linkId: 'pain', answer: [{ valueBoolean: true }] }),
  });
  assert.match(missing.text, /Item how-much \(How much\?\): Enter an answer/);
  const invalid = await call('PUT', `patient-forms/${guid}/draft`, {
    as,
    body: answers({ answer: [{ valueBoolean: 'x' }] }),
  });
  assert.equal(invalid.status, 400);
  const { body: form } = await call('GET', `patient-forms/${guid}`, { as });
  assert.deepEqual([form['status'], form['answer'], form['draft']], ['to_do', null, null]);
});

test('an answer that is no valid value is named at its item, beside what the form does not allow', async () => {
  const { guid } = await given();
  const body = answers(
    { linkId: 'pain', answer: [{ valueBoolean: true }] },
    { linkId: 'how-much', answer: [{ valueInteger: 11 }] },
    { linkId: 'note', answer: [{ valueString: 5 }] },
  );
  const { status, body: told } = await call('POST', `patient-forms/${guid}/response`, { as, body });
  assert.equal(status, 400);
  assert.deepEqual(told['messages'], [
    'Item note: QuestionnaireResponse.item[2].answer[0].value must be a JSON string ' +
      '(a text of 1 to 1 048 576 characters without NUL), not a number',
    'Item how-much (How much?): Enter at most 10.',
  ]);
});

test('sent twice it is stored once: with the key, without it, and by two at the same time', async () => {
  const first = await given();
  const headers = { 'idempotency-key': '"once"' };
  const post = (guid: string, more: object = {}) =>
    call('POST', `patient-forms/${guid}/response`, { as, body: NO_PAIN, ...more });
  const made = await post(first.guid, { headers });
  const again = await post(first.guid, { headers });
  assert.deepEqual([made.status, again.status, again.body['id']], [201, 201, made.body['id']]);
  assert.equal((await post(first.guid)).status, 409);
  const second = await given();
  const both = await Promise.all([post(second.guid), post(second.guid)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
});

test('the patient corrects and withdraws until staff have reviewed it', async () => {
  const { id, plan, guid } = await given();
  const address = `patient-forms/${guid}/response`;
  assert.equal((await call('PUT', address, { as, body: NO_PAIN })).status, 409, 'nothing to correct');
  const made = await call('POST', address, { as, body: NO_PAIN });
  const corrected = await call('PUT', address, {
    as,
    body: answers(
      { linkId: 'pain', answer: [{ valueBoolean: true }] },
      { linkId: 'how-much', answer: [{ valueInteger: 3 }] },
    ),
  });
  assert.deepEqual(
    [corrected.status, corrected.body['status'], corrected.body['id']],
    [200, 'amended', made.body['id']],
    corrected.text,
  );
  assert.deepEqual((corrected.body['meta'] as Json)['tag'], [TAG]);
  assert.equal((await call('DELETE', address, { as })).status, 204);
  const gone = await call('GET', `QuestionnaireResponse/${made.body['id']}`);
  assert.equal(gone.body['status'], 'entered-in-error');
  const carePlan = await call('GET', `CarePlan/${plan}`);
  assert.doesNotMatch(carePlan.text, new RegExp(`QuestionnaireResponse/${made.body['id']}`));
  assert.match(carePlan.text, /Withdrawn by the patient/);
  const again = await call('POST', address, { as, body: NO_PAIN });
  assert.equal(again.status, 201);
  const review = (caller: string) => call('POST', `patient-forms/${guid}/review`, { as: caller });
  assert.deepEqual(
    [(await review('bo')).status, (await review(as)).status, (await review('reader')).status],
    [404, 403, 200],
  );
  assert.equal((await call('PUT', address, { as, body: NO_PAIN })).status, 409);
  assert.equal((await call('DELETE', address, { as })).status, 409);
  assert.equal((await call('GET', `patient-forms/${guid}`, { as })).body['can_change'], false);
  const told = async (kind: string) =>
    (await call('GET', `notifications?kind=${kind}&service_request_id=${id}`)).body['total'];
  assert.deepEqual([await told('patient_reported'), await told('answer_withdrawn')], [3, 1]);
});

test('nobody else answers or sees the form, and no other patient is named in it', async () => {
  const { guid } = await given();
  for (const caller of ['other', 'anna', 'admin', 'provider', 'nobody']) {
    const expected = caller === 'other' ? 404 : caller === 'nobody' ? 401 : 403;
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', '/draft'],
      ['DELETE', '/draft'],
      ['POST', '/response'],
      ['PUT', '/response'],
      ['DELETE', '/response'],
    ] as const) {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: NO_PAIN };
      assert.equal(
        (await call(method, `patient-forms/${guid}${path}`, { as: caller, ...body })).status,
        expected,
        `${caller} ${method} ${path}`,
      );
    }
  }
  const naming = { ...NO_PAIN, extension: [{ url: 'urn:x', valueReference: { reference: 'Patient/p2' } }] };
  assert.equal((await call('POST', `patient-forms/${guid}/response`, { as, body: naming })).status, 400);
  const forged = {
    ...NO_PAIN,
    subject: { reference: 'Patient/p2' },
    author: { reference: 'Practitioner/anna' },
    id: 'mine',
    meta: { tag: [] },
    contained: [],
  };
  const made = await call('POST', `patient-forms/${guid}/response`, { as: 'linked', body: forged });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    [made.body['subject'], made.body['author'], (made.body['meta'] as Json)['tag']],
    [{ reference: 'Patient/p1' }, { reference: 'Patient/p1' }, [TAG]],
  );
  for (const method of ['PUT', 'DELETE'] as const)
    assert.ok(
      [404, 405].includes(
        (await call(method, `QuestionnaireResponse/${made.body['id']}`, { as: 'anna', body: made.body })).status,
      ),
      method,
    );
});

test('a plan gives its forms to the patient, while it is active', async () => {
  const action = {
    title: 'Diary',
    definitionCanonical: `${DIARY.url}|1`,
    participant: [{ type: 'patient' }],
    timingTiming: { repeat: { boundsPeriod: { end: '2026-05-01' } } },
  };
  const url = 'https://kedja.dev/plans/diary';
  world.resources.push({
    ...PLAN,
    id: 'diary-plan',
    url,
    action: [...(PLAN as unknown as { action: object[] }).action, action],
  });
  await makeDraft(site);
  const made = await call('POST', 'CarePlan', { body: { ...carePlanOf('p1'), instantiatesCanonical: [url] } });
  assert.equal(made.status, 201, made.text);
  const plan = String(made.body['id']);
  const listed = async () => {
    const forms = dataOf(await call('GET', 'patient-forms?per_page=200', { as }));
    return forms.filter((form) => JSON.stringify(form['given_by']).includes(plan));
  };
  const [form] = await listed();
  assert.deepEqual(
    [form?.['title'], form?.['due'], (form?.['given_by'] as Json | undefined)?.['request']],
    ['Diary', '2026-05-01', null],
  );
  const guid = String(form?.['patient_form_guid']);
  const notificationsOf = async (kind: string, caller: string) =>
    dataOf(await call('GET', `notifications?kind=${kind}&per_page=200`, { as: caller })).filter((each) =>
      JSON.stringify(each['care_plan']).includes(plan),
    ).length;
  assert.deepEqual([await notificationsOf('form_given', as), await notificationsOf('form_given', 'anna')], [1, 0]);
  const put = (status: string, body: Json) => call('PUT', `CarePlan/${plan}`, { body: { ...body, status } });
  assert.equal((await put('on-hold', made.body)).status, 200);
  assert.equal((await put('revoked', made.body)).status, 200);
  assert.deepEqual(await listed(), [], 'a revoked plan gives nothing');
  assert.equal((await call('POST', `patient-forms/${guid}/response`, { as, body: NO_PAIN })).status, 404);
  assert.equal((await put('active', made.body)).status, 200);
  assert.equal(await notificationsOf('form_given', as), 2, 'it is open again');
  const answered = await call('POST', `patient-forms/${guid}/response`, { as, body: NO_PAIN });
  assert.equal(answered.status, 201, answered.text);
  assert.deepEqual(
    [
      await notificationsOf('patient_reported', 'anna'),
      await notificationsOf('patient_reported', 'bo'),
      await notificationsOf('patient_reported', as),
    ],
    [1, 0, 0],
    'planners of the organisation',
  );
  const { body: shown, text } = await call('GET', `CarePlan/${plan}`);
  assertValid(shown);
  assert.match(text, new RegExp(`QuestionnaireResponse/${answered.body['id']}`));
  assert.equal((await call('DELETE', `patient-forms/${guid}/response`, { as })).status, 204);
  assertValid((await call('GET', `CarePlan/${plan}`)).body);
});

test('an ended request keeps the answers that it has, and takes no more', async () => {
  const [done, undone] = [await given(), await given()];
  await call('POST', `patient-forms/${done.guid}/response`, { as, body: NO_PAIN });
  for (const { id } of [done, undone]) assert.equal((await call('POST', `ServiceRequest/${id}/revoke`)).status, 200);
  const forms = dataOf(await call('GET', 'patient-forms?per_page=200', { as })).map(
    (form) => form['patient_form_guid'],
  );
  assert.deepEqual([forms.includes(done.guid), forms.includes(undone.guid)], [true, false]);
  assert.equal((await call('PUT', `patient-forms/${done.guid}/response`, { as, body: NO_PAIN })).status, 409);
});

test('a proxy who may read sees the forms; one who may act answers for the patient, as themself', async () => {
  const { id, plan, guid } = await given();
  const path = `patient-forms/${guid}`;
  for (const caller of ['reading', 'acting'])
    assert.equal((await call('GET', path, { as: caller })).status, 200, caller);
  assert.equal((await call('GET', path, { as: 'ofOther' })).status, 404);
  assert.equal((await call('POST', `${path}/response`, { as: 'ofOther', body: NO_PAIN })).status, 404);
  for (const [method, address] of [
    ['PUT', `${path}/draft`],
    ['DELETE', `${path}/draft`],
    ['POST', `${path}/response`],
    ['PUT', `${path}/response`],
    ['DELETE', `${path}/response`],
  ] as const)
    assert.equal((await call(method, address, { as: 'reading', body: NO_PAIN })).status, 403, `${method} ${address}`);
  assert.equal((await call('PUT', `${path}/draft`, { as: 'acting', body: answers() })).status, 200);
  const forged = { ...NO_PAIN, author: { reference: 'Patient/p1' }, source: { reference: 'Patient/p2' } };
  const made = await call('POST', `${path}/response`, { as: 'acting', body: forged });
  assert.equal(made.status, 201, made.text);
  assertValid(made.body);
  const me = { reference: 'Patient/p1' };
  const proxy = (made.body['author'] as Json)['identifier'] as Json;
  assert.deepEqual([made.body['subject'], made.body['source']], [me, me]);
  assert.deepEqual(made.body['author'], {
    type: 'RelatedPerson',
    identifier: { system: 'https://kedja.dev/ids/identity-user', value: proxy['value'] },
  });
  const seen = await call('GET', `QuestionnaireResponse/${made.body['id']}`, { as });
  assert.equal(seen.status, 200, 'the patient sees it');
  const carePlan = await call('GET', `CarePlan/${plan}`);
  assertValid(carePlan.body);
  const activity = (carePlan.body['activity'] as Json[]).find((each) => JSON.stringify(each).includes(id));
  const progress = (activity?.['progress'] ?? []) as Json[];
  assert.deepEqual(progress.at(-1)?.['authorReference'], made.body['author']);
  const corrected = await call('PUT', `${path}/response`, { as, body: NO_PAIN });
  assert.deepEqual([corrected.status, corrected.body['author']], [200, me], 'the patient corrects it as themself');
  assert.equal((await call('DELETE', `${path}/response`, { as: 'acting' })).status, 204);
});
