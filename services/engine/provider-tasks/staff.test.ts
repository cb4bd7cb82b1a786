// Staff of a provider in the inbox (decision L7, docs/adr/0077). They may do what the provider's key may, each under
// their own name, by the guid of the request. They see nothing of another provider.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { auditedAbout } from '#test/support/audit-events.ts';
import { startTestInbox } from '#test/support/engine/engine-inbox.ts';

const inbox = await startTestInbox({ after });
const { call, database, dispatch, provider, push } = inbox;

const at = (guid: string, rest = '') => `/provider-tasks/${guid}${rest}`;
const accept = (caller: string | undefined, guid: string) => call(caller, 'POST', at(guid, '/accept'));
const observation = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'https://example.org/codes', code: 'weight' }] },
  valueQuantity: { value: 80.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
};
const report = (caller: string | undefined, guid: string, status = 'partial') =>
  call(caller, 'POST', at(guid, '/report'), { status, observations: [observation] });

test('staff list, read, accept, report and complete the provider’s tasks; the task remembers who', async () => {
  const { requestGuid, token } = await push();
  const listed = await call('nurse', 'GET', '/provider-tasks/my');
  const [task] = listed.body.data;
  assert.deepEqual([task.request_guid, task.receipt_token], [requestGuid, requestGuid], 'no receipt token');
  assert.ok(!listed.text.includes(token));
  assert.equal((await call('nurse', 'GET', at(requestGuid))).body.status, 'received');
  const asked = dispatch.asked.length;
  const taken = await accept('nurse', requestGuid);
  const { user_guid } = taken.body.accepted_by;
  const sara = { user_guid, name: 'Sara Ek' };
  assert.deepEqual([taken.status, taken.body.accepted_by, taken.body.responsible], [200, sara, sara]);
  const sent = dispatch.asked[asked];
  assert.deepEqual(
    [sent?.path, sent?.json, sent?.hasCredentials],
    [`/api/v1/ServiceRequest/receipt/${requestGuid}/respond`, { decision: 'accepted', by: sara }, true],
  );
  assert.equal((await call('nurse', 'GET', at(requestGuid, '/careplan-details'))).status, 200);
  const reported = await report('colleague', requestGuid, 'final');
  assert.equal(reported.status, 200, reported.text);
  assert.deepEqual(
    [reported.body.task.status, reported.body.task.reported_by.name, reported.body.task.responsible.name],
    ['completed', 'Bo Dahl', 'Sara Ek'],
  );
  const ofKey = await call('provider', 'GET', '/provider-tasks/my');
  assert.deepEqual(
    [ofKey.body.data[0].receipt_token, ofKey.body.data[0].accepted_by.name],
    [token, 'Sara Ek'],
    'the key sees the token, and who it was',
  );
});

test('audit events name the person, the unit and the provider', async () => {
  const { requestGuid } = await push();
  await call('nurse', 'GET', at(requestGuid));
  await accept('nurse', requestGuid);
  await call('colleague', 'GET', at(requestGuid, '/careplan-details'));
  await report('colleague', requestGuid);
  for (const event of ['read', 'accept', 'details', 'report']) {
    const [entry] = await auditedAbout(database, `provider-task.${event}`, requestGuid);
    assert.match(entry.agent[0].who.reference, /^Practitioner\//, event);
    assert.match(entry.agent[1].who.reference, /^Organization\//, event);
    assert.deepEqual(entry.outcome.detail, [{ text: `for provider ${provider}` }], event);
  }
});

test('a colleague takes over, which is recorded; a key and a task that is over do not', async () => {
  const { requestGuid } = await push();
  const takeOver = (caller: string) => call(caller, 'POST', at(requestGuid, '/take-over'));
  assert.equal((await takeOver('colleague')).status, 409, 'not accepted yet');
  await accept('nurse', requestGuid);
  const taken = await takeOver('colleague');
  assert.deepEqual(
    [taken.status, taken.body.responsible.name, taken.body.accepted_by.name],
    [200, 'Bo Dahl', 'Sara Ek'],
  );
  assert.equal((await takeOver('colleague')).status, 200, 'again');
  assert.equal((await auditedAbout(database, 'provider-task.take-over', requestGuid)).length, 1);
  assert.equal((await takeOver('provider')).status, 403);
  assert.equal((await takeOver('otherNurse')).status, 404);
  await report('colleague', requestGuid, 'final');
  assert.equal((await takeOver('nurse')).status, 409);
});

test('two colleagues accept at once: one of them has accepted, and dispatch hears of one', async () => {
  const { requestGuid } = await push();
  const before = dispatch.asked.length;
  const answers = await Promise.all(['nurse', 'colleague'].map((caller) => accept(caller, requestGuid)));
  assert.ok(answers.every(({ status }) => status === 200 || status === 202));
  const names = answers.map(({ body }) => body.accepted_by.name);
  assert.equal(new Set(names).size, 1, names.join());
  const sent = dispatch.asked.slice(before).filter(({ path }) => path.includes('/respond'));
  assert.equal(sent.length, 1);
  assert.match(JSON.stringify(sent[0]?.json), new RegExp(`"name":"${names[0]}"`));
});

test('another provider’s staff find nothing, and a guid without credentials is an unknown token', async () => {
  const { requestGuid, token } = await push();
  assert.equal((await call('otherNurse', 'GET', '/provider-tasks/my')).body.total, 0);
  for (const caller of ['otherNurse', 'otherProvider', 'planner', 'patient', undefined]) {
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/careplan-details'],
      ['POST', '/accept'],
      ['POST', '/reject'],
    ] as const) {
      const answer = await call(caller, method, at(requestGuid, rest));
      assert.deepEqual([answer.status, answer.body.error], [404, 'not_found'], `${caller} ${method} ${rest}`);
    }
    assert.equal((await report(caller, requestGuid)).status, 404);
  }
  assert.equal((await call('nurse', 'GET', '/provider-tasks')).status, 403);
  assert.equal((await call('admin', 'GET', at(requestGuid))).status, 200, 'an administrator acts under their own name');
  assert.equal((await call(undefined, 'GET', at(token))).body.status, 'received', 'untouched');
});

test('a real receipt token opens the task for every caller, as before', async () => {
  const { token } = await push();
  const taken = await accept('otherNurse', token);
  assert.deepEqual([taken.status, 'accepted_by' in taken.body, taken.body.receipt_token], [200, false, token]);
});

test('staff of an inactive provider find nothing', async () => {
  const { requestGuid } = await push();
  const set = (status: string) =>
    database.query('UPDATE provider SET status = $2 WHERE provider_guid = $1', [provider, status]);
  await set('inactive');
  assert.equal((await call('nurse', 'GET', '/provider-tasks/my')).body.total, 0);
  assert.equal((await call('nurse', 'GET', at(requestGuid))).status, 404);
  await set('active');
  assert.equal((await call('nurse', 'GET', at(requestGuid))).status, 200);
});
