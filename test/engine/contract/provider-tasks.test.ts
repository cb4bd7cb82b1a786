// The rows of "Providers and provider tasks" (contract: engine; decisions E9, E10), and their states raced fifty-fold.
// Services between which they lie are held by services/engine/provider-tasks/*.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newGuid } from '#lib/guid.ts';
import { PATIENT } from '#test/support/engine/engine.ts';
import { INSTANT, UNKNOWN } from '#test/support/engine/engine-contract.ts';
import { makeRequest, startTestInbox } from '#test/support/engine/engine-inbox.ts';
import { assertShape, GUID, type Shape } from '#test/support/shape.ts';
import { fifty } from '#test/support/system/at-once.ts';

const inbox = await startTestInbox({ after });
const { app, call, clock, database, deliver, dispatch, engine, provider, push } = inbox;

const TASK: Shape = {
  receipt_token: /^[\w-]{43}$/,
  request_guid: GUID,
  provider_guid: GUID,
  status: 'received',
  pending_decision: null,
  requester: { person: /./, unit: /./, contacts: [{ system: 'phone', value: /./ }] },
  patient: { name: 'Maj Lis Berg' },
  title: /./,
  received_at: INSTANT,
  due: INSTANT,
  reason: null,
  updated_at: INSTANT,
};
const PROVIDER: Shape = {
  provider_guid: GUID,
  name: /./,
  organisation_guid: null,
  region: /./,
  status: 'active',
  version: 1,
  created_at: INSTANT,
  updated_at: INSTANT,
};

async function expect(caller: string | undefined, address: string, status: number, shape: Shape, body?: unknown) {
  const [method = '', path = ''] = address.split(' ');
  const answer = await call(caller, method as 'GET', path, body);
  assert.equal(answer.status, status, `${address}: ${answer.text}`);
  assertShape(answer.body, shape, address);
  return answer;
}
const refusal = (code: string): Shape => ({ error: code, message: /./ });
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

test('providers: 200 listed and read, 404 for an unknown one', async () => {
  await expect('provider', `GET /providers?search=hemv`, 200, { data: [PROVIDER], page: 1, per_page: 20, total: 1 });
  await expect('provider', `GET /providers/${provider}`, 200, PROVIDER);
  for (const guid of [UNKNOWN, 'x']) await expect('provider', `GET /providers/${guid}`, 404, refusal('not_found'));
});

test('tasks: 200, all for an administrator, the own for a provider; 400 for what is no page or state', async () => {
  const { requestGuid } = await push();
  const page = { data: [TASK], page: 1, per_page: 20, total: 1 };
  await expect('admin', 'GET /provider-tasks', 200, page);
  const own = await expect('provider', 'GET /provider-tasks/my?status=received', 200, page);
  assert.equal(own.body.data[0].request_guid, requestGuid);
  await expect('otherProvider', 'GET /provider-tasks/my', 200, { data: [], page: 1, per_page: 20, total: 0 });
  const issue = { ...(refusal('validation_error') as object), messages: [/./] };
  for (const query of ['page=0', 'per_page=201', 'status=x', 'q=1']) {
    await expect('admin', `GET /provider-tasks?${query}`, 400, issue);
    await expect('provider', `GET /provider-tasks/my?${query}`, 400, issue);
  }
});

test('a task: 200, before acceptance the least; 404 for an unknown token; 409 for details and reports', async () => {
  const { token } = await push();
  const { text, headers } = await expect(undefined, `GET /provider-tasks/${token}`, 200, TASK);
  assert.equal(headers['cache-control'], 'private, no-store');
  for (const known of [PATIENT, '1950', 'female', 'Questionnaire']) assert.ok(!text.includes(known), known);
  await expect(undefined, `GET /provider-tasks/${token}/careplan-details`, 409, refusal('conflict'));
  await expect(undefined, `POST /provider-tasks/${token}/report`, 409, refusal('conflict'), { status: 'final' });
  for (const rest of ['', '/careplan-details']) {
    await expect(undefined, `GET /provider-tasks/unknown${rest}`, 404, refusal('not_found'));
  }
  for (const [rest, body] of [
    ['accept', undefined],
    ['reject', undefined],
    ['report', { status: 'final' }],
  ] as const) {
    await expect(undefined, `POST /provider-tasks/unknown/${rest}`, 404, refusal('not_found'), body);
  }
});

const TAKEN: Shape = {
  ...(TASK as object),
  patient: { name: /./, patient_guid: PATIENT, birth_date: '1950-02-03', gender: 'female' },
};

test('accept, details, report: 200, from received to completed', async () => {
  const { token } = await push();
  await expect(undefined, `POST /provider-tasks/${token}/accept`, 200, { ...TAKEN, status: 'accepted' });
  const details = await call(undefined, 'GET', `/provider-tasks/${token}/careplan-details`);
  assert.deepEqual(
    [details.status, details.body.patient.id, details.body.care_plan.title, details.body.questionnaires.length],
    [200, PATIENT, 'Heart failure', 1],
  );
  const report = (status: string) => ({ status, note: 'Well' });
  const none = { observations: [], questionnaire_responses: [] };
  const answered = (status: string) => ({ task: { ...TAKEN, status }, ...none });
  await expect(undefined, `POST /provider-tasks/${token}/report`, 200, answered('in_progress'), report('partial'));
  await expect(undefined, `POST /provider-tasks/${token}/report`, 200, answered('completed'), report('final'));
  await expect(undefined, `POST /provider-tasks/${token}/report`, 409, refusal('conflict'), report('final'));
  await expect(undefined, `POST /provider-tasks/${token}/reject`, 409, refusal('conflict'));
});

test('debug: 200, counts without anything of a person', async () => {
  const { text, body } = await call('admin', 'GET', '/provider-tasks/debug');
  assert.deepEqual(Object.keys(body).sort(), ['inboxes', 'outbox', 'tasks']);
  assert.ok(!/Berg|Maj|Heart|1950/.test(text) && !text.includes(PATIENT));
});

test('fifty acceptances of one task at once: dispatch hears of one decision', async () => {
  const { token, requestGuid } = await push();
  const before = dispatch.asked.length;
  const answers = await fifty(() => call(undefined, 'POST', `/provider-tasks/${token}/accept`));
  assert.ok(answers.every(({ status }) => status === 200 || status === 202));
  await settle(token, 'accepted');
  const decisions = dispatch.asked.slice(before).filter(({ path }) => path.endsWith('/respond'));
  assert.equal(decisions.length, 1);
  const { rows } = await database.query('SELECT FROM dispatch_call WHERE request_guid = $1', [requestGuid]);
  assert.equal(rows.length, 0);
});

test('fifty acceptances and rejections at once: one kind wins, and the others get the conflict', async () => {
  const { token } = await push();
  const answers = await fifty((index) =>
    call(undefined, 'POST', `/provider-tasks/${token}/${index % 2 === 0 ? 'accept' : 'reject'}`),
  );
  assert.ok(
    answers.every(({ status }) => [200, 202, 409].includes(status)),
    String(statuses(answers)),
  );
  assert.ok(answers.some(({ status }) => status < 300));
});

test('fifty final reports at once: one is stored, with its Provenance, and reported', async () => {
  const { token } = await push();
  await call(undefined, 'POST', `/provider-tasks/${token}/accept`);
  await settle(token, 'accepted');
  const observation = { resourceType: 'Observation', status: 'final', code: { text: 'Raced' }, valueInteger: 1 };
  const count = async () => (await database.query(`SELECT FROM fhir_resource`)).rowCount ?? 0;
  const before = await count();
  const answers = await fifty(() =>
    call(undefined, 'POST', `/provider-tasks/${token}/report`, { status: 'final', observations: [observation] }),
  );
  assert.deepEqual(statuses(answers), [200, ...Array(49).fill(409)]);
  assert.equal((await count()) - before, 2, 'the Observation and its Provenance');
});

test('fifty final reports and withdrawals at once: the task ends once, and a report that was taken is stored and sent', async () => {
  for (const first of [0, 1]) {
    const { token, requestGuid } = await push();
    await call(undefined, 'POST', `/provider-tasks/${token}/accept`);
    await settle(token, 'accepted');
    const withdrawal = { type: 'request.withdrawn', data: { request_guid: requestGuid } };
    const observation = { resourceType: 'Observation', status: 'final', code: { text: `Raced ${requestGuid}` } };
    const report = { status: 'final', observations: [observation] };
    const answers = await fifty((index) =>
      index % 2 === first ? deliver(withdrawal) : call(undefined, 'POST', `/provider-tasks/${token}/report`, report),
    );
    const taken = answers.filter(({ status }) => status === 200).length;
    assert.ok(answers.every(({ status }) => [200, 204, 409].includes(status)));
    const { status } = (await call(undefined, 'GET', `/provider-tasks/${token}`)).body;
    assert.deepEqual([taken, status], taken === 1 ? [1, 'completed'] : [0, 'withdrawn']);
    const { rowCount } = await database.query('SELECT FROM fhir_resource WHERE content LIKE $1', [
      `%Raced ${requestGuid}%`,
    ]);
    assert.equal(rowCount, taken);
  }
});

test('a webhook that another implementation of Standard Webhooks signed, fifty times at once: one task; a replay of old has no effect', async () => {
  const request = makeRequest();
  const id = newGuid();
  const payload = JSON.stringify({ ...request.message, timestamp: new Date(clock.time).toISOString() });
  const secret = dispatch.secrets.get(provider) ?? '';
  const post = (at: number, text = payload) =>
    app.inject({
      method: 'POST',
      url: `/api/v1/provider-tasks/inbox?provider_guid=${provider}`,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, new Date(at), payload),
      },
      payload: text,
    });
  assert.equal((await post(clock.time - 6 * 60_000)).statusCode, 401);
  assert.equal((await post(clock.time, `${payload} `)).statusCode, 401);
  const answers = await fifty(() => post(clock.time));
  assert.ok(
    answers.every(({ statusCode }) => statusCode === 204),
    String(answers.map(({ statusCode }) => statusCode)),
  );
  const { rowCount } = await database.query('SELECT FROM provider_task WHERE request_guid = $1', [request.requestGuid]);
  assert.equal(rowCount, 1);
});

/** Until dispatch has heard what was decided; the courier is woken, and steps in after its head start. */
async function settle(token: string, status: string): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    if ((await call(undefined, 'GET', `/provider-tasks/${token}`)).body.status === status) return;
    clock.time += 10_000;
    await engine.start();
    engine.wake();
  }
  assert.fail(`the task never became ${status}`);
}
