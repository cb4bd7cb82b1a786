// Notifications (docs/adr/0070): which event makes which, who sees them, and what is read.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { createSendingBench, ORGANISATION } from '../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { call, callers, clock, db, respond } = bench;
const planner = { organisationGuids: [ORGANISATION], phases: new Set(['planning']) };
callers['requester'] = makePrincipal(['professional', 'clinician'], { ...planner, id: newGuid() });
callers['colleague'] = makePrincipal(['professional', 'clinician'], { ...planner, id: newGuid() });
callers['elsewhere'] = makePrincipal(['professional', 'clinician'], {
  ...planner,
  id: newGuid(),
  organisationGuids: [newGuid()],
});
callers['former'] = { ...callers['requester'], organisationGuids: [] };
callers['leader'] = { ...callers['colleague'], roles: new Set(['professional', 'clinician', 'admin']) };

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
type Item = any;

function newProvider(): string {
  const guid = newGuid();
  callers[guid] = makePrincipal(['provider'], { id: newGuid(), kind: 'api_key', providerGuid: guid });
  return guid;
}

interface Pushed {
  readonly id: string;
  readonly patientGuid: string;
  readonly request: string;
  readonly token: string;
}

/** A request of `requester` that was pushed to the provider. */
async function pushed(provider: string, body: object = {}): Promise<Pushed> {
  const { id, patientGuid } = await bench.request([provider]);
  await db.query('UPDATE service_request SET requester_id = $2 WHERE id = $1', [id, callers['requester']?.id]);
  const sent = await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, body);
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  const request = String(sent.body.pushed[0].request_guid);
  const feed = (await call(provider, 'GET', '/api/v1/requests')).body.requests;
  const { receipt_token: token } = feed.find((item: Item) => item.request_guid === request);
  return { id, patientGuid, request, token };
}

async function listOf(as: string, query = ''): Promise<Item> {
  const { status, body } = await call(as, 'GET', `/api/v1/notifications?per_page=200${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const kindsOf = async (as: string, id: string): Promise<string[]> =>
  (await listOf(as, `&service_request_id=${id}`)).data.map(({ kind }: Item) => kind).reverse();
const report = (provider: string, request: string, status: string, more: object = {}) =>
  call(provider, 'PUT', `/api/v1/requests/${request}/status`, { status, ...more });

test('the requester is notified of question, acceptance, reports and completion; repeating one adds none', async () => {
  const provider = newProvider();
  const { id, patientGuid, request, token } = await pushed(provider);
  const asked = await call(provider, 'POST', `/api/v1/requests/${request}/questions`, { question: 'Which floor?' });
  const answer = `/api/v1/ServiceRequest/${id}/questions/${asked.body.question_guid}/answer`;
  assert.equal((await call('colleague', 'POST', answer, { answer: 'The third' })).status, 200);
  for (let round = 0; round < 2; round += 1) {
    assert.equal((await respond(token, 'accepted')).status, 200);
    assert.equal((await report(provider, request, 'in_progress')).status, 200);
  }
  const results = ['https://example.org/Observation/1'];
  assert.equal((await report(provider, request, 'in_progress', { results })).status, 200);
  assert.equal((await report(provider, request, 'completed')).status, 200);
  assert.equal((await respond(token, 'rejected')).status, 409);
  assert.deepEqual(await kindsOf('requester', id), [
    'question_asked',
    'question_answered',
    'request_accepted',
    'report_received',
    'report_received',
    'request_completed',
  ]);
  assert.deepEqual(await kindsOf(provider, id), ['question_answered']);
  callers['own'] = makePrincipal(['patient'], { id: patientGuid, patientGuid });
  assert.deepEqual(await kindsOf('own', id), ['results_received'], 'once, and nothing of the progress');
  const [item] = (await listOf('requester', `&service_request_id=${id}&kind=request_accepted`)).data;
  const { notification_guid: guid, match_guid: match, ...rest } = item;
  assert.ok(guid && match);
  assert.deepEqual(rest, {
    kind: 'request_accepted',
    service_request_id: id,
    care_plan: null,
    request_guid: request,
    provider_guid: provider,
    provider_name: `Provider ${provider.slice(-4)}`,
    patient: { reference: `Patient/${patientGuid}` },
    is_addressed: true,
    created_at: new Date(clock.time).toISOString(),
    read_at: null,
  });
  const { rows } = await db.query(
    `SELECT FROM audit_event WHERE event = 'notification.look' AND resource LIKE $1 AND resource LIKE $2`,
    [`%ServiceRequest/${id}%`, `%${callers['requester']?.id}%`],
  );
  assert.ok(rows.length > 0, 'the reading is in the audit record');
});

test('of refusal, work given up, expiry and a dead letter the requester is notified; a closed request its provider', async () => {
  const provider = newProvider();
  const refused = await pushed(provider);
  await respond(refused.token, 'rejected');
  assert.deepEqual(await kindsOf('requester', refused.id), ['request_rejected']);
  const given = await pushed(provider);
  await respond(given.token, 'accepted');
  await report(provider, given.request, 'rejected');
  assert.deepEqual(await kindsOf('requester', given.id), ['request_accepted', 'request_given_up']);
  const expired = await pushed(provider, { respond_by: new Date(clock.time + 1000).toISOString() });
  clock.time += 1000;
  await Promise.all([bench.sending.expireOverdue(), bench.sending.expireOverdue()]);
  assert.deepEqual(await kindsOf('requester', expired.id), ['request_expired']);
  assert.deepEqual(await kindsOf(provider, expired.id), ['request_withdrawn']);
  const endpoint = { url: 'http://127.0.0.1:9/', enabled: true };
  assert.equal((await call('admin', 'PUT', `/api/v1/providers/${provider}/endpoint`, endpoint)).status, 201);
  const dead = await pushed(provider);
  for (let attempt = 0; attempt < 9; attempt += 1) {
    await bench.sending.worker.runOnce();
    clock.time += 15 * 3_600_000;
  }
  assert.deepEqual(await kindsOf('requester', dead.id), ['delivery_dead']);
  assert.deepEqual(await kindsOf(provider, dead.id), ['delivery_dead']);
  const blocked = await pushed(provider);
  const subject = { reference: `Patient/${blocked.patientGuid}` };
  await bench.put({ resourceType: 'Consent', id: newGuid(), status: 'active', subject, decision: 'deny' });
  await bench.sending.worker.runOnce();
  assert.deepEqual(await kindsOf('requester', blocked.id), ['delivery_blocked']);
  assert.deepEqual(await kindsOf(provider, blocked.id), [], 'a provider need not know of a consent');
});

test('marks are each reader’s own; marking again changes nothing; what one does not see is 404', async () => {
  const provider = newProvider();
  const { id, request } = await pushed(provider);
  await report(provider, request, 'acknowledged');
  await report(provider, request, 'in_progress');
  const [latest] = (await listOf('requester', `&service_request_id=${id}`)).data;
  const mark = (as: string) => call(as, 'POST', `/api/v1/notifications/${latest.notification_guid}/read`);
  const first = await mark('requester');
  assert.deepEqual([first.status, first.body.read_at], [200, new Date(clock.time).toISOString()]);
  clock.time += 1000;
  assert.deepEqual((await mark('requester')).body, first.body);
  for (const other of ['colleague', 'elsewhere', 'former', provider, 'leader']) {
    assert.equal((await mark(other)).status, 404, other);
  }
  for (const guid of [newGuid(), 'no-guid']) {
    assert.equal((await call('requester', 'POST', `/api/v1/notifications/${guid}/read`)).status, 404);
  }
  const unread = await listOf('requester', `&service_request_id=${id}&unread=true`);
  assert.equal(unread.data.length, 1);
  const all = await call('requester', 'POST', '/api/v1/notifications/read-all');
  assert.equal(all.body.read, unread.unread);
  assert.deepEqual((await call('requester', 'POST', '/api/v1/notifications/read-all')).body, { read: 0 });
  assert.equal((await listOf('requester')).unread, 0);
});

test('what its addressee has not read for a day is for all planners of the organisation; lost membership hides all', async () => {
  const provider = newProvider();
  const { id, request } = await pushed(provider);
  await report(provider, request, 'acknowledged');
  const another = await pushed(provider);
  await report(provider, another.request, 'acknowledged');
  const [read] = (await listOf('requester', `&service_request_id=${another.id}`)).data;
  await call('requester', 'POST', `/api/v1/notifications/${read.notification_guid}/read`);
  for (const other of ['colleague', 'elsewhere']) assert.deepEqual(await kindsOf(other, id), [], other);
  clock.time += 86_400_000;
  await Promise.all([bench.sending.notifications.maintain(), bench.sending.notifications.maintain()]);
  assert.deepEqual(await kindsOf('colleague', id), ['report_received']);
  assert.deepEqual(await kindsOf('requester', id), ['report_received'], 'once');
  assert.deepEqual(await kindsOf('colleague', another.id), [], 'its addressee has read it');
  const [shared] = (await listOf('colleague', `&service_request_id=${id}`)).data;
  assert.equal(shared.is_addressed, false);
  for (const other of ['elsewhere', 'former', newProvider()]) assert.deepEqual(await kindsOf(other, id), [], other);
});

test('a request whose requester is nobody’s is for all planners at once, and the provider’s side for the provider alone', async () => {
  const provider = newProvider();
  const { id, request } = await pushed(provider);
  await db.query('UPDATE service_request SET requester_id = NULL WHERE id = $1', [id]);
  await report(provider, request, 'acknowledged');
  for (const reader of ['requester', 'colleague', 'planner', 'leader']) {
    assert.deepEqual(await kindsOf(reader, id), ['report_received'], reader);
  }
  assert.deepEqual(await kindsOf(provider, id), []);
  assert.equal((await call('patient', 'GET', '/api/v1/notifications')).body.total, 0, 'patients have their own');
  assert.equal((await call(undefined, 'GET', '/api/v1/notifications')).status, 401);
});

test('concurrent events take places without gaps, and a lost race adds none', async () => {
  const provider = newProvider();
  const requests = await Promise.all(Array.from({ length: 6 }, () => pushed(provider)));
  const races = requests.flatMap(({ token }) => [respond(token, 'accepted'), respond(token, 'rejected')]);
  const answers = await Promise.all(races);
  assert.equal(answers.filter(({ status }) => status === 200).length, requests.length);
  for (const { id } of requests) assert.equal((await kindsOf('requester', id)).length, 1);
  const { rows } = await db.query<{ places: number; last: number; top: number }>(
    `SELECT count(*) AS places, max(place) AS last, (SELECT position FROM notification_feed WHERE feed_key = $1) AS top
     FROM (SELECT position AS place FROM notification WHERE feed_key = $1
       UNION SELECT shared_position FROM notification WHERE feed_key = $1 AND shared_position IS NOT NULL) p`,
    [`organisation/${ORGANISATION}`],
  );
  assert.deepEqual([Number(rows[0]?.places), Number(rows[0]?.last)], [Number(rows[0]?.top), Number(rows[0]?.top)]);
});

test('old notifications are deleted with their marks', async () => {
  clock.time += 91 * 86_400_000;
  while (await bench.sending.notifications.maintain());
  const { rows } = await db.query('SELECT FROM notification UNION ALL SELECT FROM notification_read');
  assert.equal(rows.length, 0);
});
