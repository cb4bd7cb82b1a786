// Responding by receipt token and the status callback over HTTP (D11): races, deadlines, completion (D3, D5).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { fifty } from '#test/support/system/at-once.ts';
import { startReceiver } from '../testing/receiver.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { call, clock, db, respond } = bench;

interface PushedRequest {
  id: string;
  patientGuid: string;
  /** In the providers' order. */
  requests: { requestGuid: string; token: string; provider: string }[];
}

/** A pushed request; each provider can call by its guid. */
async function pushed(providers: number, options: object = {}): Promise<PushedRequest> {
  const guids = Array.from({ length: providers }, () => newGuid());
  for (const guid of guids) bench.callers[guid] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid });
  const { id, patientGuid } = await bench.request(guids);
  const answer = await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, options);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const requests = [];
  for (const provider of guids) {
    const feed = await call(provider, 'GET', '/api/v1/requests');
    const [item] = feed.body.requests;
    requests.push({ requestGuid: item.request_guid, token: item.receipt_token, provider });
  }
  return { id, patientGuid, requests };
}

const report = (caller: string, requestGuid: string, status: string, extra: object = {}) =>
  call(caller, 'PUT', `/api/v1/requests/${requestGuid}/status`, { status, ...extra });

const statusesOf = async (id: string) => (await bench.matches(id)).map(({ status }) => status);

test('respond answers 200 with request_guid and status, again the same, and 409 to the opposite', async () => {
  for (const [decision, opposite] of [
    ['accepted', 'rejected'],
    ['rejected', 'accepted'],
  ] as const) {
    const { id, requests } = await pushed(1);
    const { token, requestGuid } = requests[0]!;
    const first = await respond(token, decision, { reason: 'because' });
    assert.equal(first.status, 200);
    assert.deepEqual(first.body, { request_guid: requestGuid, status: decision });
    assert.equal(first.headers['cache-control'], 'no-store');
    assert.ok(first.headers['ratelimit-limit']);
    const { rows } = await db.query('SELECT feed_position FROM receipt WHERE request_guid = $1', [requestGuid]);
    assert.deepEqual((await respond(token, decision)).body, first.body);
    assert.deepEqual(
      (await db.query('SELECT feed_position FROM receipt WHERE request_guid = $1', [requestGuid])).rows,
      rows,
    );
    const late = await respond(token, opposite);
    assert.equal(late.status, 409);
    assert.ok(late.body.message.includes(decision));
    assert.deepEqual(await statusesOf(id), [decision]);
  }
});

test('an unknown token is 404 without a hint, another method 405, another decision 400', async () => {
  const { requests } = await pushed(1);
  const unknown = await respond('A'.repeat(43), 'accepted');
  assert.deepEqual([unknown.status, unknown.body.error], [404, 'not_found']);
  const { token } = requests[0]!;
  assert.equal((await call(undefined, 'GET', `/api/v1/ServiceRequest/receipt/${token}/respond`)).status, 405);
  const wrong = await respond(token, 'maybe', { more: 1 });
  assert.deepEqual([wrong.status, wrong.body.messages.length], [400, 2]);
  assert.ok(!bench.logLines.join('').includes(token), 'the token is in no log');
});

test('under first the first acceptance withdraws the others, who get 409 already_taken', async () => {
  const { id, requests } = await pushed(3, { selection: 'first' });
  assert.equal((await respond(requests[1]!.token, 'accepted')).status, 200);
  assert.deepEqual(await statusesOf(id), ['withdrawn', 'accepted', 'withdrawn']);
  const late = await respond(requests[0]!.token, 'accepted');
  assert.deepEqual([late.status, late.body.error], [409, 'already_taken']);
  const rejection = await respond(requests[0]!.token, 'rejected');
  assert.deepEqual([rejection.status, rejection.body.error], [410, 'expired']);
  const byReport = await report(requests[2]!.provider, requests[2]!.requestGuid, 'in_progress');
  assert.deepEqual([byReport.status, byReport.body.error], [409, 'already_taken']);
  const feed = await call(requests[0]!.provider, 'GET', '/api/v1/requests');
  assert.deepEqual(
    feed.body.requests.map((item: { status: string; bundle: unknown }) => [item.status, item.bundle]),
    [['withdrawn', null]],
  );
});

test('under first nobody gets what was accepted before, until it is given up', async () => {
  const guids = [newGuid(), newGuid()];
  for (const guid of guids) bench.callers[guid] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid });
  const { id } = await bench.request(guids);
  const pushOne = async (provider: string, body: object) => {
    const match = (await bench.matches(id)).find(({ providerGuid }) => providerGuid === provider);
    return call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push/${match?.matchGuid}`, body);
  };
  const requestOf = (answer: { body: { pushed: { request_guid: string }[] } }) => answer.body.pushed[0]!.request_guid;
  const [early, late] = guids as [string, string];
  const taken = requestOf(await pushOne(early, {}));
  assert.equal((await report(early, taken, 'in_progress')).status, 200);
  const refused = await pushOne(late, { selection: 'first' });
  assert.deepEqual([refused.status, refused.body.issue[0].details.coding[0].code], [409, 'already_taken']);
  assert.equal((await report(early, taken, 'rejected')).status, 200);
  const asked = requestOf(await pushOne(late, { selection: 'first' }));
  assert.equal((await report(late, asked, 'in_progress')).status, 200);
});

test('of fifty concurrent acceptances under first exactly one wins, by response or by report', async () => {
  const { id, requests } = await pushed(50, { selection: 'first' });
  const answers = await Promise.all(
    requests.map(({ token, provider, requestGuid }, index) =>
      index % 2 === 0 ? respond(token, 'accepted') : report(provider, requestGuid, 'in_progress'),
    ),
  );
  const codes = answers.map(({ status, body }) => (status === 200 ? 200 : body.error));
  assert.equal(codes.filter((code) => code === 200).length, 1);
  assert.equal(codes.filter((code) => code === 'already_taken').length, 49);
  assert.equal((await statusesOf(id)).filter((status) => status === 'accepted').length, 1);
});

test('concurrent acceptances of requests with the same providers do not deadlock', async () => {
  const providers = Array.from({ length: 6 }, () => newGuid());
  for (const guid of providers)
    bench.callers[guid] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid });
  for (let round = 0; round < 12; round += 1) {
    const { id } = await bench.request(providers);
    await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, { selection: 'first' });
  }
  const tokens = [];
  for (const provider of providers) {
    const feed = await call(provider, 'GET', '/api/v1/requests');
    tokens.push(...feed.body.requests.map((item: { receipt_token: string }) => item.receipt_token));
  }
  const before = await deadlocks();
  const answers = await Promise.all(tokens.map((token) => respond(token, 'accepted')));
  assert.equal(answers.filter(({ status }) => status === 200).length, 12);
  assert.ok(answers.every(({ status, body }) => status === 200 || body.error === 'already_taken'));
  assert.equal(await deadlocks(), before);
});

async function deadlocks(): Promise<number> {
  await db.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await db.query<{ deadlocks: number }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.deadlocks);
}

test('without first several may accept, and fifty equal concurrent responses change one match once', async () => {
  const { id, requests } = await pushed(2);
  const answers = await fifty(() => respond(requests[0]!.token, 'accepted'));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal((await respond(requests[1]!.token, 'accepted')).status, 200);
  assert.deepEqual(await statusesOf(id), ['accepted', 'accepted']);
  const { rows } = await db.query<{ n: number }>(
    `SELECT count(*) AS n FROM audit_event WHERE resource LIKE '%request.accept%' AND resource LIKE $1`,
    [`%${requests[0]!.requestGuid}%`],
  );
  assert.equal(rows[0]?.n, 1);
});

test('the callback moves forward, may skip, is 200 again and 409 backward with the current status', async () => {
  const { id, requests } = await pushed(1);
  const { provider, requestGuid } = requests[0]!;
  const first = await report(provider, requestGuid, 'acknowledged');
  assert.deepEqual([first.status, first.body], [200, { request_guid: requestGuid, status: 'acknowledged' }]);
  assert.deepEqual(await statusesOf(id), ['pushed']);
  assert.equal((await report(provider, requestGuid, 'in_progress')).status, 200);
  assert.deepEqual(await statusesOf(id), ['accepted'], 'work that has begun implies an acceptance');
  assert.equal((await report(provider, requestGuid, 'in_progress')).status, 200);
  const back = await report(provider, requestGuid, 'acknowledged');
  assert.equal(back.status, 409);
  assert.match(back.body.message, /in_progress/);
  assert.equal((await report(provider, requestGuid, 'completed')).status, 200);
  assert.equal((await report(provider, requestGuid, 'rejected')).status, 409);
});

test('a result is the address of a resource and nothing more', async () => {
  const { requests } = await pushed(1);
  const [first] = requests;
  const url = 'https://engine.example/fhir/Observation/1';
  for (const result of [
    `${url} or so`,
    `${url}/more`,
    'https://engine.example/?/Observation/1',
    'Observation/1',
    `${url}\n`,
  ]) {
    const refused = await report(first!.provider, first!.requestGuid, 'in_progress', { results: [result] });
    assert.deepEqual([refused.status, refused.body.error], [400, 'validation_error'], result);
  }
  const taken = await report(first!.provider, first!.requestGuid, 'in_progress', { results: [`${url}/_history/2`] });
  assert.equal(taken.status, 200);
});

test('completed completes the ServiceRequest when nobody else is open, and the CarePlan shows the results', async () => {
  const { id, requests } = await pushed(2);
  const [first, second] = requests;
  const result = 'https://engine.example.org/api/v1/Observation/o1';
  await report(first!.provider, first!.requestGuid, 'in_progress', { results: [result] });
  await report(first!.provider, first!.requestGuid, 'in_progress', { results: [`${result}2`] });
  await report(first!.provider, first!.requestGuid, 'completed', { note: 'Done', results: [result] });
  assert.equal((await bench.record(id)).status, 'active', 'another provider has not answered yet');
  assert.deepEqual((await bench.matches(id))[0]?.results, [result, `${result}2`]);
  await respond(second!.token, 'rejected');
  assert.equal((await bench.record(id)).status, 'completed');
});

test('rejected after the work began is a failed task: the request stays active and another may accept', async () => {
  const { id, requests } = await pushed(2, { selection: 'all' });
  const [first, second] = requests;
  await db.query(`UPDATE service_request SET selection = 'first' WHERE id = $1`, [id]);
  await report(second!.provider, second!.requestGuid, 'acknowledged');
  await db.query(`UPDATE service_request SET selection = 'all' WHERE id = $1`, [id]);
  await report(first!.provider, first!.requestGuid, 'in_progress');
  assert.equal((await report(first!.provider, first!.requestGuid, 'rejected', { reason: 'ill' })).status, 200);
  const record = await bench.record(id);
  assert.equal(record.status, 'active');
  await db.query(`UPDATE service_request SET selection = 'first' WHERE id = $1`, [id]);
  assert.equal((await respond(second!.token, 'accepted')).status, 200);
});

test('a provider reports for itself alone, administrators for any, patients not at all', async () => {
  const { requests } = await pushed(2);
  const [first, second] = requests;
  assert.equal((await report(first!.provider, second!.requestGuid, 'acknowledged')).status, 404);
  assert.equal((await report('admin', second!.requestGuid, 'in_progress')).status, 200);
  assert.equal((await report('patient', second!.requestGuid, 'completed')).status, 403);
  assert.equal((await report(first!.provider, 'no-guid', 'acknowledged')).status, 404);
  const future = new Date(clock.time + 3_600_000).toISOString();
  assert.equal(
    (await report(first!.provider, first!.requestGuid, 'acknowledged', { occurred_at: future })).status,
    400,
  );
});

test('after the deadline an answer is 410 and expires the request, also when the job has not come by', async () => {
  const respondBy = new Date(clock.time + 60_000).toISOString();
  const { id, requests } = await pushed(2, { respond_by: respondBy });
  assert.equal((await respond(requests[0]!.token, 'accepted')).status, 200);
  clock.time += 60_000;
  const late = await respond(requests[1]!.token, 'accepted');
  assert.deepEqual([late.status, late.body.error], [410, 'expired']);
  assert.deepEqual(await statusesOf(id), ['accepted', 'expired']);
  assert.equal((await respond(requests[1]!.token, 'accepted')).status, 410);
  assert.equal((await respond(requests[0]!.token, 'accepted')).status, 200, 'who answered in time is not touched');
});

test('the job expires what was not answered in time and notifies the providers', async () => {
  const respondBy = new Date(clock.time + 60_000).toISOString();
  const provider = newGuid();
  await call('admin', 'PUT', `/api/v1/providers/${provider}/endpoint`, { url: 'http://127.0.0.1:9/', enabled: false });
  const { id } = await bench.request([provider]);
  await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, { respond_by: respondBy });
  await bench.sending.expireOverdue();
  assert.deepEqual(await statusesOf(id), ['pushed']);
  clock.time += 60_000;
  await bench.sending.expireOverdue();
  assert.deepEqual(await statusesOf(id), ['expired']);
  const list = await call('admin', 'GET', `/api/v1/deliveries?provider_guid=${provider}`);
  assert.deepEqual(
    list.body.data.map((item: { type: string; status: string }) => [item.type, item.status]),
    [
      ['request.withdrawn', 'held'],
      ['request.dispatched', 'cancelled'],
    ],
  );
});

test('no attempt to send a dispatch begins once its time to respond has run out, by whichever job that was recorded', async (t) => {
  const receiver = await startReceiver(t);
  const [late, inTime] = [newGuid(), newGuid()];
  for (const guid of [late, inTime])
    await call('admin', 'PUT', `/api/v1/providers/${guid}/endpoint`, { url: receiver.url, enabled: true });
  const first = await bench.request([late]);
  await call('planner', 'POST', `/api/v1/ServiceRequest/${first.id}/push`, {
    respond_by: new Date(clock.time + 60_000).toISOString(),
  });
  receiver.answer(500);
  assert.equal(await bench.sending.worker.runOnce(), 1);
  clock.time += 60_000;
  const second = await bench.request([inTime]);
  await call('planner', 'POST', `/api/v1/ServiceRequest/${second.id}/push`, {
    respond_by: new Date(clock.time + 60_000).toISOString(),
  });
  receiver.answer(204);
  assert.equal(await bench.sending.worker.runOnce(), 1, 'the one that may still be answered');
  assert.equal(receiver.ledger.length, 2);
  const shown = async () => {
    const { body } = await call('admin', 'GET', `/api/v1/deliveries?provider_guid=${late}`);
    return body.data.map((item: Record<string, unknown>) => [item['type'], item['status'], item['cancelled_reason']]);
  };
  assert.deepEqual(await shown(), [['request.dispatched', 'cancelled', 'expired']]);
  assert.deepEqual(await statusesOf(first.id), ['pushed'], 'the worker settles no request');
  await bench.sending.expireOverdue();
  assert.deepEqual(await statusesOf(first.id), ['expired']);
  assert.deepEqual((await shown()).length, 2, 'and the provider is notified');
});

test('revoking withdraws and notifies; an answer after that is 410', async () => {
  const { id, patientGuid, requests } = await pushed(2);
  const matches = await bench.matches(id);
  const actor = { principal: bench.callers['planner']!, address: undefined, requestId: undefined };
  await db.transaction(async (transaction) => {
    const serviceRequest = await bench.record(id);
    await bench.sending.withdrawMatches(transaction, { serviceRequest, matches, reason: 'revoked', actor });
  });
  assert.ok(patientGuid);
  assert.deepEqual(await statusesOf(id), ['withdrawn', 'withdrawn']);
  assert.equal((await respond(requests[0]!.token, 'accepted')).status, 410);
  assert.equal((await report(requests[1]!.provider, requests[1]!.requestGuid, 'completed')).status, 409);
});

test('text that cannot be stored and moments that are none are refused by name', async () => {
  const { requests } = await pushed(1);
  const { provider, requestGuid, token } = requests[0]!;
  assert.equal((await respond(token, 'rejected', { reason: 'a\u0000b' })).status, 400);
  assert.equal((await report(provider, requestGuid, 'acknowledged', { note: '\u0000' })).status, 400);
  for (const moment of ['2026-06-14T23:59:60Z', '0000-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-06-14']) {
    assert.equal((await report(provider, requestGuid, 'acknowledged', { occurred_at: moment })).status, 400, moment);
  }
  assert.equal((await call('admin', 'GET', '/api/v1/requests?provider_guid=%00')).status, 400);
  assert.equal((await call('admin', 'GET', '/api/v1/deliveries?provider_guid=%00')).status, 400);
});

test('guesses at tokens are limited by client, answers with a token by the push', async () => {
  const { requests } = await pushed(2);
  const guesses = await Promise.all(Array.from({ length: 310 }, (_, index) => respond(`guess-${index}`, 'accepted')));
  const limited = guesses.find(({ status }) => status === 429);
  assert.equal(limited?.body.error, 'rate_limited');
  assert.ok(limited.headers['retry-after']);
  assert.ok(guesses.filter(({ status }) => status === 404).length <= 300);
  assert.equal(
    (await respond(requests[0]!.token, 'accepted')).status,
    200,
    'who holds a token is not kept out by who guesses',
  );
  const floods = await Promise.all(Array.from({ length: 305 }, () => respond(requests[1]!.token, 'accepted')));
  assert.equal(floods.filter(({ status }) => status === 429).length, 5);
});
