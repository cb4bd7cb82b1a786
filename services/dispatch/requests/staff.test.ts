// Staff of a provider at dispatch (decision L7, docs/adr/0077): what the provider's key may, each under their own name,
// and nothing of another provider.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { auditedAbout } from '#test/support/audit-events.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

const ENDPOINT = 'http://127.0.0.1:8083';
const bench = await createSendingBench({ after }, { trustedOrigins: [ENDPOINT] });
const { call, db } = bench;

/** A provider, with a nurse of its own whose caller's name is the provider's guid, with `-2` a colleague. */
function provider(): string {
  const guid = newGuid();
  for (const [caller, name] of [
    [guid, 'Sara Ek'],
    [`${guid}-2`, 'Bo Dahl'],
  ] as const) {
    const organisationGuid = newGuid();
    bench.callers[caller] = makePrincipal(['professional', 'clinician', 'provider'], {
      id: newGuid(),
      name,
      professionalGuid: newGuid(),
      organisationGuids: [newGuid(), organisationGuid],
      phases: new Set(['execution']),
      staffOf: [{ organisationGuid, providerGuid: guid }],
    });
  }
  return guid;
}

async function pushedTo(guid: string, options: object = {}) {
  const { id, patientGuid } = await bench.request([guid]);
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, options)).status, 202);
  const [item] = (await call(guid, 'GET', '/api/v1/requests')).body.requests;
  return { id, patientGuid, requestGuid: String(item.request_guid), item };
}

const respond = (caller: string | undefined, address: string, decision = 'accepted') =>
  call(caller, 'POST', `/api/v1/ServiceRequest/receipt/${address}/respond`, { decision });
const report = (caller: string, guid: string, body: object) =>
  call(caller, 'PUT', `/api/v1/requests/${guid}/status`, body);
const peopleOf = async (id: string) =>
  (await bench.matches(id)).map(({ acceptedByName, reportedByName }) => [acceptedByName, reportedByName])[0];

test('staff read the feed of their provider without a receipt token, respond and report under their own names', async () => {
  const guid = provider();
  const { id, patientGuid, requestGuid, item } = await pushedTo(guid);
  assert.equal(item.receipt_token, requestGuid, 'the guid opens it with their own credentials alone');
  assert.equal(item.bundle.resourceType, 'Bundle');
  assert.equal((await respond(undefined, requestGuid)).status, 404, 'a guid is no receipt token');
  assert.equal((await respond(guid, requestGuid)).status, 200);
  assert.equal((await respond(`${guid}-2`, requestGuid)).status, 200, 'again, by a colleague');
  assert.deepEqual(await peopleOf(id), ['Sara Ek', undefined], 'the first has accepted');
  assert.equal((await report(`${guid}-2`, requestGuid, { status: 'completed', note: 'Klart' })).status, 200);
  assert.deepEqual(await peopleOf(id), ['Sara Ek', 'Bo Dahl']);
  for (const [event, caller] of [
    ['request.accept', guid],
    ['request.report', `${guid}-2`],
  ] as const) {
    const principal = bench.callers[caller];
    const [entry] = await auditedAbout(db, event, requestGuid);
    assert.equal(entry.agent[0].who.reference, `Practitioner/${principal?.professionalGuid}`);
    assert.equal(entry.agent[1].who.reference, `Organization/${principal?.staffOf?.[0]?.organisationGuid}`);
    assert.match(entry.outcome.detail[0].text, new RegExp(`for provider ${guid}`));
    assert.equal(entry.patient.reference, `Patient/${patientGuid}`);
  }
});

test('nothing of another provider is there for staff', async () => {
  const [mine, other] = [provider(), provider()];
  const { requestGuid } = await pushedTo(mine);
  assert.equal((await call(other, 'GET', `/api/v1/requests?provider_guid=${mine}`)).status, 403);
  assert.deepEqual((await call(other, 'GET', '/api/v1/requests')).body.requests, []);
  for (const answer of [
    await respond(other, requestGuid),
    await report(other, requestGuid, { status: 'in_progress' }),
    await call(other, 'GET', `/api/v1/requests/${requestGuid}/questions`),
    await call(other, 'POST', `/api/v1/requests/${requestGuid}/questions`, { question: 'Who?' }),
    await call(other, 'GET', `/api/v1/providers/${mine}/deliveries`),
  ]) {
    assert.deepEqual([answer.status, answer.body.error], [404, 'not_found']);
  }
});

test('staff ask questions, see their provider’s deliveries, and are notified; each keeps own read marks', async () => {
  const guid = provider();
  const { id, requestGuid } = await pushedTo(guid);
  const asked = await call(guid, 'POST', `/api/v1/requests/${requestGuid}/questions`, { question: 'Which floor?' });
  assert.equal(asked.status, 201);
  const [entry] = await auditedAbout(db, 'request.ask', requestGuid);
  assert.match(entry.agent[0].who.reference, /^Practitioner\//);
  assert.equal((await call(guid, 'GET', `/api/v1/providers/${guid}/deliveries`)).status, 200);
  const answer = `/api/v1/ServiceRequest/${id}/questions/${asked.body.question_guid}/answer`;
  assert.equal((await call('planner', 'POST', answer, { answer: 'The second' })).status, 200);
  const unreadOf = async (caller: string) => (await call(caller, 'GET', '/api/v1/notifications?unread=true')).body;
  const { data } = await unreadOf(guid);
  assert.deepEqual(
    data.map((each: { kind: string }) => each.kind),
    ['question_answered'],
  );
  await call(guid, 'POST', `/api/v1/notifications/${data[0].notification_guid}/read`);
  assert.deepEqual([(await unreadOf(guid)).total, (await unreadOf(`${guid}-2`)).total], [0, 1]);
});

test('staff who do not plan read no notifications of the requests of their own organisation', async () => {
  const guid = provider();
  const planner = bench.callers['planner'];
  const nurse = bench.callers[guid];
  assert.ok(planner !== undefined && nurse !== undefined);
  bench.callers[guid] = { ...nurse, organisationGuids: planner.organisationGuids };
  const other = provider();
  const { requestGuid } = await pushedTo(other);
  await respond(other, requestGuid);
  assert.ok((await call('planner', 'GET', '/api/v1/notifications')).body.total > 0);
  assert.equal((await call(guid, 'GET', '/api/v1/notifications')).body.total, 0);
});

test('staff of two providers say whose feed they read', async () => {
  const [one, two] = [provider(), provider()];
  const nurse = bench.callers[one];
  const colleague = bench.callers[two];
  assert.ok(nurse?.staffOf !== undefined && colleague?.staffOf !== undefined);
  bench.callers[one] = { ...nurse, staffOf: [...nurse.staffOf, ...colleague.staffOf] };
  const unnamed = await call(one, 'GET', '/api/v1/requests');
  assert.deepEqual([unnamed.status, unnamed.body.error], [400, 'validation_error']);
  for (const guid of [one, two])
    assert.equal((await call(one, 'GET', `/api/v1/requests?provider_guid=${guid}`)).status, 200);
});

test('only the engine names a person other than the caller', async () => {
  const guid = provider();
  const { requestGuid } = await pushedTo(guid);
  const by = { user_guid: newGuid(), name: 'Somebody else' };
  const refused = await report(guid, requestGuid, { status: 'in_progress', by });
  assert.deepEqual([refused.status, refused.body.error], [403, 'forbidden']);
});

test('the payload of a delivery has the guid of the request in place of the receipt token for staff', async () => {
  const guid = provider();
  const endpoint = { url: `${ENDPOINT}/hook` };
  assert.equal((await call('admin', 'PUT', `/api/v1/providers/${guid}/endpoint`, endpoint)).status, 201);
  const key = `${guid}-key`;
  bench.callers[key] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid });
  const { requestGuid } = await pushedTo(guid);
  const [{ delivery_guid }] = (await call(guid, 'GET', `/api/v1/providers/${guid}/deliveries`)).body.data;
  const payload = `/api/v1/providers/${guid}/deliveries/${delivery_guid}/payload`;
  const [ofKey, ofStaff] = [await call(key, 'GET', payload), await call(guid, 'GET', payload)];
  const { data } = ofStaff.body;
  assert.match(ofKey.body.data.receipt_token, /^[\w-]{43}$/);
  assert.equal(data.receipt_token, requestGuid);
  assert.ok(data.respond_url.endsWith(`/${requestGuid}/respond`));
  assert.deepEqual(data.bundle, ofKey.body.data.bundle);
  assert.equal((await respond(guid, requestGuid)).status, 200);
});
