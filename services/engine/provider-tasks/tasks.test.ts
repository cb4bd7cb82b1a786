// Provider tasks, black-box (contract: engine, "Providers and provider tasks"; decision E10): lists, decisions,
// reports, and dispatch being away.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { ORGANISATION, PATIENT } from '#test/support/engine/engine.ts';
import { FORM_URL, REQUESTER, startTestInbox } from '#test/support/engine/engine-inbox.ts';

const inbox = await startTestInbox({ after });
const { call, clock, database, dispatch, engine, provider, push, send } = inbox;

const at = (token: string, rest = '') => `/provider-tasks/${token}${rest}`;
const accept = (token: string) => call(undefined, 'POST', at(token, '/accept'));
const report = (token: string, body: unknown) => call(undefined, 'POST', at(token, '/report'), body);
const show = async (token: string) => (await call(undefined, 'GET', at(token))).body;

const observation = (changes: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'https://example.org/codes', code: 'weight' }] },
  valueQuantity: { value: 80.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  ...changes,
});
const formAnswer = (changes: object = {}) => ({
  resourceType: 'QuestionnaireResponse',
  questionnaire: FORM_URL,
  status: 'completed',
  item: [{ linkId: '1', answer: [{ valueString: 'Fine' }] }],
  ...changes,
});

test('before acceptance a task shows a name and a title, afterwards the whole plan of care', async () => {
  const { requestGuid, token } = await push();
  const before = await call(undefined, 'GET', at(token));
  assert.deepEqual([before.status, before.headers['cache-control']], [200, 'private, no-store']);
  const now = new Date(clock.time).toISOString();
  assert.deepEqual(before.body, {
    receipt_token: token,
    request_guid: requestGuid,
    provider_guid: provider,
    status: 'received',
    pending_decision: null,
    requester: REQUESTER,
    patient: { name: 'Maj Lis Berg' },
    title: 'Heart failure',
    received_at: now,
    due: '2026-04-01T00:00:00.000Z',
    reason: null,
    updated_at: now,
  });
  const early = await call(undefined, 'GET', at(token, '/careplan-details'));
  assert.deepEqual([early.status, early.body.error], [409, 'conflict']);
  const taken = await accept(token);
  assert.deepEqual([taken.status, taken.body.status], [200, 'accepted']);
  assert.deepEqual(taken.body.patient, {
    name: 'Maj Lis Berg',
    patient_guid: PATIENT,
    birth_date: '1950-02-03',
    gender: 'female',
  });
  const details = await call(undefined, 'GET', at(token, '/careplan-details'));
  assert.deepEqual([details.status, details.body.care_plan.title], [200, 'Heart failure']);
  assert.deepEqual(details.body.requester, REQUESTER);
  assert.deepEqual(details.body.forms, [{ title: 'Breath', items: [] }]);
  assert.deepEqual([details.body.questionnaires[0].url, details.body.patient.id], [FORM_URL, PATIENT]);
  assert.equal((await call(undefined, 'GET', at('unknown'))).status, 404);
  assert.equal((await call(undefined, 'GET', at('unknown', '/careplan-details'))).status, 404);
});

test('a decimal of the bundle keeps its digits', async () => {
  const { token, requestGuid } = await push();
  await database.query(`UPDATE provider_task SET bundle = replace(bundle, '1.5', '1.50') WHERE request_guid = $1`, [
    requestGuid,
  ]);
  await accept(token);
  assert.match((await call(undefined, 'GET', at(token, '/careplan-details'))).text, /"value":1\.50\}/);
});

test('lists: all for administrators, the own for a provider', async () => {
  const { requestGuid } = await push();
  const mine = await call('provider', 'GET', '/provider-tasks/my?status=received&per_page=1');
  assert.deepEqual([mine.status, mine.body.per_page], [200, 1]);
  assert.equal(mine.body.data[0].provider_guid, provider);
  assert.equal((await call('otherProvider', 'GET', '/provider-tasks/my')).body.total, 0);
  const all = await call('admin', 'GET', '/provider-tasks?per_page=200');
  assert.ok(all.body.data.some((task: { request_guid: string }) => task.request_guid === requestGuid));
  for (const caller of ['planner', 'patient', 'provider', 'service']) {
    assert.equal((await call(caller, 'GET', '/provider-tasks')).status, 403, caller);
    assert.equal((await call(caller, 'GET', '/provider-tasks/debug')).status, 403, caller);
  }
  for (const caller of ['planner', 'patient', 'admin', 'service']) {
    assert.equal((await call(caller, 'GET', '/provider-tasks/my')).status, 403, caller);
  }
  for (const path of ['/provider-tasks', '/provider-tasks/my', '/provider-tasks/debug']) {
    assert.equal((await call(undefined, 'GET', path)).status, 401, path);
  }
  assert.equal((await call('admin', 'GET', '/provider-tasks?status=odd')).status, 400);
});

test('the list goes on when the key of one receipt is missing, or the value damaged: that task says so, and its holder works on', async () => {
  const [lost, damaged, whole] = [await push(), await push(), await push()];
  const flip = (place: string, { requestGuid }: { requestGuid: string }) =>
    database.query(
      `UPDATE provider_task SET receipt_sealed = set_byte(receipt_sealed, ${place}, 255 - get_byte(receipt_sealed, ${place}))
       WHERE request_guid = $1`,
      [requestGuid],
    );
  // The first bytes name the key.
  await flip('0', lost);
  await flip('octet_length(receipt_sealed) - 1', damaged);
  const { status, body } = await call('provider', 'GET', '/provider-tasks/my?per_page=200');
  assert.equal(status, 200, JSON.stringify(body));
  const shown = ({ requestGuid }: { requestGuid: string }) =>
    body.data.find((task: { request_guid: string }) => task.request_guid === requestGuid);
  assert.deepEqual([shown(whole).receipt_token, 'problem' in shown(whole)], [whole.token, false]);
  for (const [task, why] of [
    [lost, /the key that it was sealed with is missing/],
    [damaged, /damaged/],
  ] as const) {
    const { receipt_token, problem, status: state, patient } = shown(task);
    assert.deepEqual(
      [receipt_token, problem.error, state, patient.name],
      [null, 'unavailable', 'received', 'Maj Lis Berg'],
    );
    assert.match(problem.message, why);
    assert.equal((await call('admin', 'GET', '/provider-tasks?per_page=200')).status, 200);
    assert.equal((await show(task.token)).receipt_token, task.token);
    await database.query('DELETE FROM provider_task WHERE request_guid = $1', [task.requestGuid]);
  }
});

test('accepting answers dispatch once, and is idempotent', async () => {
  const { token } = await push();
  const before = dispatch.asked.length;
  const answers = await Promise.all([accept(token), accept(token), accept(token)]);
  assert.ok(answers.every(({ status }) => status === 200 || status === 202));
  assert.equal((await accept(token)).body.status, 'accepted');
  const asked = dispatch.asked.slice(before);
  assert.deepEqual(asked, [
    {
      method: 'POST',
      path: `/api/v1/ServiceRequest/receipt/${token}/respond`,
      json: { decision: 'accepted' },
      hasCredentials: false,
    },
  ]);
  assert.equal((await call(undefined, 'POST', at(token, '/accept'), { odd: 1 })).status, 400);
});

test('rejecting, and giving accepted work back', async () => {
  const first = await push();
  const rejected = await call(undefined, 'POST', at(first.token, '/reject'), { reason: 'No staff' });
  assert.deepEqual([rejected.status, rejected.body.status, rejected.body.reason], [200, 'rejected', 'No staff']);
  assert.deepEqual(dispatch.asked.at(-1)?.json, { decision: 'rejected', reason: 'No staff' });
  assert.equal((await accept(first.token)).status, 409);
  const second = await push();
  await accept(second.token);
  const back = await call(undefined, 'POST', at(second.token, '/reject'), { reason: 'Ill' });
  assert.deepEqual([back.status, back.body.status], [200, 'rejected']);
  assert.equal(dispatch.asked.at(-1)?.path, `/api/v1/requests/${second.requestGuid}/status`);
  assert.deepEqual(dispatch.asked.at(-1)?.json, {
    status: 'rejected',
    reason: 'Ill',
    occurred_at: new Date(clock.time).toISOString(),
  });
  assert.equal((await report(second.token, { status: 'final' })).status, 409);
});

test('dispatch says no: the task moves', async () => {
  const cases = [
    { answer: { status: 409, error: 'already_taken' }, code: 'already_taken' },
    { answer: { status: 410, error: 'expired' }, code: 'conflict' },
    { answer: { status: 404, error: 'not_found' }, code: 'conflict' },
  ];
  for (const { answer, code } of cases) {
    const { token } = await push();
    dispatch.answer = answer;
    const refused = await accept(token);
    assert.deepEqual([refused.status, refused.body.error], [409, code]);
    const task = await show(token);
    assert.deepEqual([task.status, task.reason, task.pending_decision], ['withdrawn', answer.error, null]);
    assert.equal((await accept(token)).status, 409);
    dispatch.answer = 'ok';
  }
});

test('a withdrawal that arrives while dispatch is answering counts', async () => {
  const { token, requestGuid } = await push();
  dispatch.meanwhile = () => send({ type: 'request.withdrawn', data: { request_guid: requestGuid } });
  const answer = await accept(token);
  dispatch.meanwhile = undefined;
  assert.equal(answer.status, 409);
  assert.equal((await show(token)).status, 'withdrawn');
});

test('accept and reject at once: one of them wins', async () => {
  const { token } = await push();
  const answers = await Promise.all([accept(token), call(undefined, 'POST', at(token, '/reject'))]);
  const won = answers.filter(({ status }) => status === 200);
  assert.ok(won.length >= 1, answers.map(({ text }) => text).join());
  const { status } = await show(token);
  assert.ok(status === 'accepted' || status === 'rejected');
});

test('a report is validated, stored with the new state, and sent to dispatch with references', async () => {
  const { token, requestGuid } = await push();
  assert.equal((await report(token, { status: 'partial' })).status, 409);
  await accept(token);
  const text = JSON.stringify({ status: 'partial', note: 'On the way', observations: [observation()] }).replace(
    '80.5',
    '80.50',
  );
  const partial = await report(token, text);
  assert.deepEqual([partial.status, partial.body.task.status], [200, 'in_progress'], partial.text);
  const [{ reference }] = partial.body.observations;
  const stored = await call('planner', 'GET', `/${reference}`);
  assert.equal(stored.status, 200, 'the ordering organisation sees it');
  assert.match(stored.text, /"value":80\.50/);
  assert.equal(stored.body.subject.reference, `Patient/${PATIENT}`);
  assert.match(stored.body.basedOn[0].reference, /^ServiceRequest\//);
  assert.deepEqual(stored.body.performer, [{ display: 'Hemvården' }]);
  assert.deepEqual(validateResource(stored.body), []);
  const { body: made } = await call('planner', 'GET', `/Provenance?target=${reference}`);
  assert.equal(made.entry[0].resource.agent[0].who.identifier.value, provider);
  assert.equal((await call('patient', 'GET', `/${reference}`)).status, 200);
  assert.equal((await call('stranger', 'GET', `/${reference}`)).status, 404);
  const final = await report(token, {
    status: 'final',
    observations: [observation()],
    questionnaire_responses: [formAnswer()],
  });
  assert.deepEqual([final.status, final.body.task.status], [200, 'completed'], final.text);
  assert.equal((await report(token, { status: 'final' })).status, 409);
  await drain();
  const reported = dispatch.asked.filter(({ path }) => path === `/api/v1/requests/${requestGuid}/status`);
  const occurred_at = new Date(clock.time).toISOString();
  const results = (answer: typeof final) =>
    [...answer.body.observations, ...answer.body.questionnaire_responses].map(
      (item) => `http://engine.test/api/v1/${item.reference}`,
    );
  assert.deepEqual(
    reported.map(({ json }) => json),
    [
      { status: 'in_progress', note: 'On the way', occurred_at, results: results(partial) },
      { status: 'completed', occurred_at, results: results(final) },
    ],
  );
  assert.ok(reported.every(({ hasCredentials }) => hasCredentials));
  const { rows } = await database.query(
    'SELECT DISTINCT organisation FROM fhir_resource WHERE organisation IS NOT NULL',
  );
  assert.deepEqual(rows, [{ organisation: ORGANISATION }]);
});

test('every error of a report is named, and nothing of it is stored', async () => {
  const { token } = await push();
  await accept(token);
  const count = async () => (await database.query('SELECT FROM fhir_resource WHERE organisation IS NOT NULL')).rowCount;
  const before = await count();
  const bad = await report(token, {
    status: 'final',
    observations: [
      observation(),
      observation({ status: 'odd' }),
      observation({ subject: { reference: 'Patient/other' } }),
      formAnswer(),
    ],
    questionnaire_responses: [
      formAnswer({ questionnaire: 'https://example.org/other' }),
      formAnswer({ item: [{ linkId: '1', answer: [{ valueString: 'More than twenty characters' }] }] }),
    ],
  });
  assert.deepEqual([bad.status, bad.body.error], [400, 'validation_error']);
  const all = bad.body.messages.join('\n');
  assert.match(all, /^observations\[1\]: Observation\.status/m);
  assert.match(all, /^observations\[2\]: Observation\.subject must be the patient of the task/m);
  assert.match(all, /^observations\[3\]: /m);
  assert.match(all, /^questionnaire_responses\[0\]: QuestionnaireResponse\.questionnaire must be one of the forms/m);
  assert.match(all, /^questionnaire_responses\[1\]: .*Item 1 \(How is the breath\?\): Write at most 20 characters/m);
  assert.doesNotMatch(all, /observations\[0\]/);
  assert.deepEqual([await count(), (await show(token)).status], [before, 'accepted']);
  // A number is checked as it was written.
  const whole = JSON.stringify({
    status: 'final',
    observations: [{ ...observation(), valueQuantity: undefined, valueInteger: 1 }],
  });
  const written = await report(token, whole.replace('"valueInteger":1', '"valueInteger":1.0'));
  assert.match(written.body.messages.join(), /observations\[0\]: Observation\.value must be written as a whole number/);
  for (const body of [
    {},
    { status: 'done' },
    { status: 'final', observations: [1] },
    { status: 'final', extra: 1 },
    '{',
  ]) {
    assert.equal((await report(token, body)).status, 400);
  }
  assert.equal((await report('unknown', { status: 'final' })).status, 404);
});

test('a report is in the record of its patient alone', async () => {
  const { token } = await push();
  await accept(token);
  const sneaky = [
    { performer: [{ reference: 'Patient/other' }] },
    { subject: { reference: 'Patient/other' } },
    { subject: { reference: `Patient/x/Patient/${PATIENT}` } },
    { subject: { reference: 'Group/1' } },
  ];
  for (const changes of sneaky) {
    const answer = await report(token, { status: 'final', observations: [observation(changes)] });
    assert.equal(answer.status, 400, JSON.stringify(changes));
  }
  const byAddress = { reference: `http://dispatch.test/api/v1/Patient/${PATIENT}` };
  const answer = await report(token, { status: 'final', observations: [observation({ subject: byAddress })] });
  const [{ reference }] = answer.body.observations;
  assert.equal((await call('patient', 'GET', `/${reference}`)).body.subject.reference, `Patient/${PATIENT}`);
});

test('two final reports at once: one is stored', async () => {
  const { token } = await push();
  await accept(token);
  const body = { status: 'final', observations: [observation()] };
  const count = async () => (await database.query('SELECT FROM fhir_resource WHERE organisation IS NOT NULL')).rowCount;
  const before = await count();
  const answers = await Promise.all([report(token, body), report(token, body), report(token, body)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  assert.equal(await count(), before + 2, 'an Observation and its Provenance');
});

test('with dispatch down for an hour nothing is lost, and the order is kept', async () => {
  const undecided = await push();
  const working = await push();
  await accept(working.token);
  dispatch.answer = 'down';
  const pending = await accept(undecided.token);
  assert.deepEqual([pending.status, pending.body.status, pending.body.pending_decision], [202, 'received', 'accepted']);
  assert.equal((await call(undefined, 'POST', at(undecided.token, '/reject'))).status, 409);
  assert.deepEqual(pending.body.patient, { name: 'Maj Lis Berg' });
  await report(working.token, { status: 'partial', note: 'one' });
  await report(working.token, { status: 'final', note: 'two' });
  for (let minute = 0; minute < 60; minute += 1) {
    clock.time += 60_000;
    engine.wake();
  }
  const debug = await call('admin', 'GET', '/provider-tasks/debug');
  assert.equal(debug.body.outbox.waiting, 3);
  assert.doesNotMatch(debug.text, /Berg|Heart/);
  dispatch.answer = 'ok';
  const before = dispatch.asked.length;
  clock.time += 120_000;
  await drain();
  const asked = dispatch.asked.slice(before);
  const notes = asked.flatMap(({ json }) =>
    typeof json === 'object' && json !== null && 'note' in json ? [json.note] : [],
  );
  assert.deepEqual(notes, ['one', 'two']);
  assert.equal((await show(undecided.token)).status, 'accepted');
  assert.equal((await call('admin', 'GET', '/provider-tasks/debug')).body.outbox.waiting, 0);
});

test('a report that dispatch refuses for good is kept for the operator', async () => {
  const { token } = await push();
  await accept(token);
  dispatch.answer = { status: 409, error: 'conflict' };
  await report(token, { status: 'final', note: 'Late' });
  await drain();
  dispatch.answer = 'ok';
  const { outbox } = (await call('admin', 'GET', '/provider-tasks/debug')).body;
  assert.deepEqual([outbox.waiting, outbox.refused], [0, 1]);
  assert.equal((await show(token)).status, 'completed');
});

test('accesses, decisions and reports are in the audit record with their patient', async () => {
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const events = rows.map(({ resource }) => JSON.parse(resource));
  const codes = new Set(events.map((event) => event.code.coding[0].code));
  for (const code of ['receive', 'withdraw', 'read', 'details', 'accept', 'reject', 'report', 'search']) {
    assert.ok(codes.has(`provider-task.${code}`), code);
  }
  const accepted = events.find((event) => event.code.coding[0].code === 'provider-task.accept');
  assert.equal(accepted.patient.reference, `Patient/${PATIENT}`);
  assert.deepEqual(validateResource(accepted), []);
  assert.doesNotMatch(rows.map(({ resource }) => resource).join(), /Berg/);
});

/** Runs the courier until nothing waits that could be carried. */
async function drain(): Promise<void> {
  engine.wake();
  for (let round = 0; round < 400; round += 1) {
    const { rows } = await database.query(
      'SELECT FROM dispatch_call WHERE refused_at IS NULL AND (leased_until IS NOT NULL OR next_at <= $1)',
      [new Date(clock.time)],
    );
    if (rows.length === 0) return;
    engine.wake();
  }
  assert.fail('calls to dispatch are still waiting');
}
