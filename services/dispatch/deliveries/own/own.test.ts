// A provider's own view (decision L10): its endpoint, its deliveries with message and responses, sending again, a ping,
// and a new secret; never another provider's.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { startReceiver } from '../../testing/receiver.ts';
import { createSendingBench } from '../../testing/sending-bench.ts';

const ENGINE = 'http://127.0.0.1:8083';
const bench = await createSendingBench({ after }, { trustedOrigins: [ENGINE] });
const { call, clock, db, sending } = bench;
const receiver = await startReceiver({ after });

/** A provider with a key of that name and an endpoint at the receiver. */
async function provider(url = receiver.url): Promise<string> {
  const guid = newGuid();
  bench.callers[guid] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid });
  assert.equal((await call('admin', 'PUT', `/api/v1/providers/${guid}/endpoint`, { url })).status, 201);
  return guid;
}

async function pushedTo(guid: string, options: object = {}): Promise<{ id: string; patientGuid: string }> {
  const request = await bench.request([guid]);
  const sent = await call('planner', 'POST', `/api/v1/ServiceRequest/${request.id}/push`, options);
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  return request;
}

const own = (guid: string) => `/api/v1/providers/${guid}/deliveries`;

async function onlyDelivery(guid: string): Promise<Record<string, unknown> & { delivery_guid: string }> {
  const { body } = await call(guid, 'GET', own(guid));
  assert.equal(body.total, 1, JSON.stringify(body));
  return body.data[0];
}

async function consentOf(patientGuid: string, decision: 'permit' | 'deny'): Promise<void> {
  const subject = { reference: `Patient/${patientGuid}` };
  await bench.put({ resourceType: 'Consent', id: newGuid(), status: 'active', subject, decision });
}

/** Attempts what is due, and returns the webhook-ids that arrived. */
async function arrivals(): Promise<string[]> {
  const before = receiver.ledger.length;
  await sending.worker.runOnce();
  return receiver.ledger.slice(before).map(({ id }) => id);
}

test('a provider reads its own deliveries with attempts and responses; what is of another is 404, as what is not there', async () => {
  const [mine, other] = [await provider(), await provider()];
  receiver.answer((response) => response.writeHead(500).end('no disk'));
  await pushedTo(mine);
  await sending.worker.runOnce();
  const delivery = await onlyDelivery(mine);
  assert.deepEqual([delivery['status'], delivery['last_error']], ['waiting', 'server_error']);
  const url = `${own(mine)}/${delivery.delivery_guid}`;
  const { body } = await call(mine, 'GET', url);
  assert.deepEqual([body.attempts[0].http_status, body.attempts[0].answer], [500, 'no disk']);
  assert.equal((await call(mine, 'GET', `${own(mine)}?status=delivered`)).body.total, 0);
  for (const path of [own(mine), url, `${url}/payload`]) {
    const hidden = await call(other, 'GET', path);
    const absent = await call(other, 'GET', path.replace(mine, newGuid()));
    assert.deepEqual([hidden.status, hidden.body], [404, absent.body], path);
  }
  assert.equal((await call(other, 'GET', `${own(other)}/${delivery.delivery_guid}`)).status, 404);
  assert.equal((await call(other, 'POST', `${own(other)}/${delivery.delivery_guid}/resend`)).status, 404);
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/ping'],
    ['POST', '/rotate-secret'],
  ] as const) {
    assert.equal((await call(other, method, `/api/v1/providers/${mine}/endpoint${path}`)).status, 404, path);
  }
  receiver.answer(204);
});

test('refused access to what is another provider’s is recorded about its patient; of what is not there, nothing', async () => {
  const [mine, other] = [await provider(), await provider()];
  const { patientGuid } = await pushedTo(mine);
  const { delivery_guid: guid, request_guid: request } = await onlyDelivery(mine);
  const asks: [caller: string, method: 'GET' | 'PUT' | 'POST', path: string, body?: object][] = [
    [other, 'GET', `${own(mine)}/${guid}`],
    [other, 'GET', `${own(other)}/${guid}/payload`],
    [other, 'POST', `${own(mine)}/${guid}/resend`],
    [other, 'GET', `/api/v1/requests/${request}/questions`],
    [other, 'POST', `/api/v1/requests/${request}/questions`, { question: 'Who is it?' }],
    [other, 'PUT', `/api/v1/requests/${request}/status`, { status: 'completed' }],
    ['planner', 'GET', `/api/v1/deliveries/${guid}`],
  ];
  for (const [caller, method, path, body] of asks) {
    const { status } = await call(caller, method, path, body);
    assert.equal(status, caller === other ? 404 : 403, `${method} ${path}`);
    assert.equal(
      (await call(caller, method, path.replaceAll(guid, newGuid()).replaceAll(String(request), newGuid()), body))
        .status,
      status,
    );
  }
  const { rows } = await db.query<{ event: string }>(
    `SELECT event FROM audit_event WHERE resource LIKE $1 AND outcome = 'failure' ORDER BY event_guid`,
    [`%Patient/${patientGuid}%`],
  );
  assert.deepEqual(
    rows.map(({ event }) => event),
    [
      'delivery.look',
      'delivery.look',
      'delivery.resend',
      'request.look',
      'request.ask',
      'request.report',
      'delivery.look',
    ],
  );
  assert.equal((await call(mine, 'GET', `${own(mine)}/${guid}/payload`)).status, 200);
});

test('the payload is what the webhook carried, while consent permits and the request is open; each reading is recorded', async () => {
  const mine = await provider();
  const { id, patientGuid } = await pushedTo(mine);
  await sending.worker.runOnce();
  const { delivery_guid: guid } = await onlyDelivery(mine);
  const read = () => call(mine, 'GET', `${own(mine)}/${guid}/payload`);
  const shown = await read();
  assert.deepEqual([shown.status, shown.headers['cache-control']], [200, 'private, no-store']);
  assert.deepEqual(shown.body, JSON.parse(receiver.ledger.at(-1)?.body ?? ''));
  await consentOf(patientGuid, 'deny');
  const refused = await read();
  assert.deepEqual([refused.status, refused.body.error], [403, 'consent_required']);
  assert.equal((await call(mine, 'POST', `${own(mine)}/${guid}/resend`)).status, 403);
  const { rows } = await db.query<{ outcome: string }>(
    `SELECT outcome FROM audit_event WHERE event = 'delivery.payload' AND resource LIKE $1 ORDER BY event_guid`,
    [`%ServiceRequest/${id}%`],
  );
  assert.deepEqual(
    rows.map(({ outcome }) => outcome),
    ['success', 'failure'],
  );
  assert.equal((await call('planner', 'GET', own(mine))).status, 403);
  assert.ok(!bench.logLines.some((line) => line.includes(String(shown.body.data.receipt_token))), 'no token is logged');
});

test('what a revoked or expired request carried is gone: 410', async () => {
  const mine = await provider();
  await pushedTo(mine, { respond_by: new Date(clock.time + 1000).toISOString() });
  await sending.worker.runOnce();
  const { delivery_guid: guid } = await onlyDelivery(mine);
  clock.time += 1000;
  for (const [method, what] of [
    ['GET', 'payload'],
    ['POST', 'resend'],
  ] as const) {
    const { status, body } = await call(mine, method, `${own(mine)}/${guid}/${what}`);
    assert.deepEqual([status, body.error], [410, 'expired'], what);
  }
});

test('ten concurrent resends of a delivery are one message more, under the same webhook-id', async () => {
  const mine = await provider();
  await pushedTo(mine);
  await sending.worker.runOnce();
  const { delivery_guid: guid } = await onlyDelivery(mine);
  const again = () => call(mine, 'POST', `${own(mine)}/${guid}/resend`);
  const answers = await Promise.all(Array.from({ length: 10 }, again));
  for (const { status, body } of answers)
    assert.deepEqual([status, body], [202, { delivery_guid: guid, status: 'queued' }]);
  assert.deepEqual(await arrivals(), [guid]);
  assert.deepEqual(await arrivals(), []);
  const [bodies] = [receiver.ledger.filter(({ id }) => id === guid).map(({ body }) => body)];
  assert.equal(bodies.length, 2);
  assert.equal(bodies[0], bodies[1]);
});

test('resent are a dead letter, one that waits, and after the deadline what was accepted; a cancelled one is not: 409', async () => {
  const mine = await provider();
  receiver.answer(500);
  await pushedTo(mine, { respond_by: new Date(clock.time + 600_000).toISOString() });
  await sending.worker.runOnce();
  receiver.answer(204);
  const { delivery_guid: guid } = await onlyDelivery(mine);
  const again = () => call(mine, 'POST', `${own(mine)}/${guid}/resend`);
  await again();
  const arrived = async () => (await arrivals()).filter((id) => id === guid).length;
  assert.equal(await arrived(), 1, 'at once, without the pause after a failure');
  await db.query(`UPDATE delivery SET status = 'dead', dead_at = now() WHERE delivery_guid = $1`, [guid]);
  await again();
  assert.equal(await arrived(), 1);
  const { receipt_token: token } = (await call(mine, 'GET', '/api/v1/requests')).body.requests[0];
  await call(undefined, 'POST', `/api/v1/ServiceRequest/receipt/${token}/respond`, { decision: 'accepted' });
  clock.time += 600_000;
  await again();
  assert.equal(await arrived(), 1);
  receiver.answer(500);
  await again();
  await sending.worker.runOnce();
  const failed = await onlyDelivery(mine);
  assert.equal(failed['status'], 'waiting');
  assert.ok(failed['delivered_at'], 'that it had arrived is not forgotten');
  await call('admin', 'DELETE', `/api/v1/providers/${mine}/endpoint`);
  assert.equal((await again()).status, 409);
  receiver.answer(204);
});

test('a provider pings itself and replaces its secret with an overlap; the engine’s inbox keeps its own', async () => {
  const mine = await provider();
  const endpoint = `/api/v1/providers/${mine}/endpoint`;
  const read = await call(mine, 'GET', endpoint);
  assert.deepEqual([read.status, read.body.url, read.body.secret], [200, receiver.url, undefined]);
  const rotated = await call(mine, 'POST', `${endpoint}/rotate-secret`, { grace_hours: 1 });
  assert.equal(rotated.status, 200);
  const pinged = await call(mine, 'POST', `${endpoint}/ping`);
  assert.deepEqual(await arrivals(), [pinged.body.delivery_guid]);
  const received = receiver.ledger.at(-1);
  assert.ok(received);
  assert.equal(String(received.headers['webhook-signature']).split(' ').length, 2, 'signed with both');
  assert.ok(receiver.verify(received, rotated.body.secret));
  const payload = await call(mine, 'GET', `${own(mine)}/${pinged.body.delivery_guid}/payload`);
  assert.deepEqual(payload.body.data, { provider_guid: mine });
  for (const method of ['PUT', 'DELETE'] as const) {
    assert.equal((await call(mine, method, endpoint, { url: receiver.url })).status, 403, method);
  }
  const hosted = await provider(`${ENGINE}/api/v1/provider-tasks/inbox`);
  for (const who of [hosted, 'admin']) {
    const refused = await call(who, 'POST', `/api/v1/providers/${hosted}/endpoint/rotate-secret`);
    assert.deepEqual([refused.status, /renew_secret/.test(refused.body.message)], [409, true], who);
  }
});

test('a provider has at most sixty messages a minute sent to itself, whichever its key: 429', async () => {
  const mine = await provider();
  bench.callers['second'] = makePrincipal(['provider'], { id: newGuid(), kind: 'api_key', providerGuid: mine });
  const ping = (as: string) => call(as, 'POST', `/api/v1/providers/${mine}/endpoint/ping`);
  const answers = await Promise.all(Array.from({ length: 62 }, (_, index) => ping(index % 2 === 0 ? mine : 'second')));
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 2);
  assert.ok(refused[0]?.headers['retry-after']);
});
