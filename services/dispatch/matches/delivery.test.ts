// What a requester sees of the delivery of each match (decision L6): its state, its attempts, and nothing of others.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makeActive } from '../testing/samples.ts';
import { ENGINE, makeSite } from '../testing/site.ts';
import { makeSiteWorker } from '../testing/site-worker.ts';
import { LIST_ATTEMPTS, LIST_WITH_DELIVERIES } from './store.ts';

type Wire = Record<string, unknown>;

const site = await makeSite({ after });
const { call, clock, database, world } = site;
let response = 204;
const { worker } = makeSiteWorker(site, () => response);
const PROVIDER = 'provider-1';
const consent = {
  resourceType: 'Consent',
  id: 'c1',
  status: 'active',
  subject: { reference: 'Patient/p1' },
  decision: 'permit',
};

world.contracts = [
  { contract_guid: 'contract-1', provider_guid: PROVIDER, provider_name: 'Hemvården' },
  { contract_guid: 'contract-2', provider_guid: 'provider-2', provider_name: 'Utan system' },
];

const setEndpoint = (enabled: boolean) =>
  call('PUT', `providers/${PROVIDER}/endpoint`, { as: 'admin', body: { url: `${ENGINE}/inbox`, enabled } });

/** A request that was pushed to both providers; returns its id and the match of the provider with an endpoint. */
async function pushed(): Promise<{ id: string; match: string }> {
  const id = await makeActive(site);
  const matched = await call('POST', `ServiceRequest/${id}/match`);
  const [match] = matched.body['matches'] as Wire[];
  assert.equal(match?.['delivery'], null, 'a pending match has no delivery');
  await call('PUT', 'Consent/c1', { body: consent });
  const sent = await call('POST', `ServiceRequest/${id}/push`, { body: {} });
  assert.equal(sent.status, 202, sent.text);
  return { id, match: String(match?.['match_guid']) };
}

async function deliveriesOf(id: string): Promise<(Wire | null)[]> {
  const { body } = await call('GET', `ServiceRequest/${id}/matches`);
  return (body['data'] as Wire[]).map((match) => match['delivery'] as Wire | null);
}

const attemptsOf = (id: string, match: string, as = 'anna') =>
  call('GET', `ServiceRequest/${id}/matches/${match}/attempts`, { as });

test('a match shows its delivery from queued to dead, a provider without an endpoint none', async () => {
  await setEndpoint(true);
  const { id, match } = await pushed();
  const nothing = { last_error: null, next_at: null, delivered_at: null };
  const at = (milliseconds = 0) => new Date(clock.now() + milliseconds).toISOString();
  assert.deepEqual(await deliveriesOf(id), [{ ...nothing, state: 'queued', attempts: 0, next_at: at() }, null]);
  response = 503;
  await worker.runOnce();
  const failed = { ...nothing, last_error: 'server_error' };
  assert.deepEqual(await deliveriesOf(id), [{ ...failed, state: 'retrying', attempts: 1, next_at: at(5000) }, null]);
  for (let attempt = 2; attempt <= 5; attempt += 1) {
    clock.move(6000);
    await worker.runOnce();
  }
  assert.deepEqual(await deliveriesOf(id), [{ ...failed, state: 'dead', attempts: 5 }, null]);
  const listed = await attemptsOf(id, match);
  assert.equal(listed.body['total'], 5);
  const [first] = listed.body['data'] as Wire[];
  assert.deepEqual(Object.keys(first ?? {}).sort(), ['attempt', 'duration_ms', 'http_status', 'outcome', 'started_at']);
  assert.deepEqual([first?.['attempt'], first?.['http_status'], first?.['outcome']], [1, 503, 'server_error']);
});

test('a dead letter that is discarded: the planner sees that it was given up, and the work list counts it', async () => {
  response = 503;
  const { id } = await pushed();
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await worker.runOnce();
    clock.move(6000);
  }
  const { body } = await call('GET', `dead-letters?provider_guid=${PROVIDER}&per_page=1`, { as: 'admin' });
  const [letter] = body['data'] as Wire[];
  const discard = (as: string) =>
    call('POST', `dead-letters/${letter?.['delivery_guid']}/discard`, { as, body: { reason: 'Closed for good' } });
  assert.equal((await discard('anna')).status, 403);
  const racing = await Promise.all([discard('admin'), discard('admin')]);
  assert.deepEqual(racing.map(({ status }) => status).sort(), [200, 409], 'once');
  const [first] = await deliveriesOf(id);
  assert.deepEqual([first?.['state'], first?.['last_error']], ['cancelled', 'discarded']);
  const { body: work } = await call('GET', 'worklist?undelivered=true');
  assert.ok((work['data'] as Wire[]).some((item) => item['service_request_id'] === id));
  const { rows } = await site.database.query<{ resource: string }>(
    "SELECT resource FROM audit_event WHERE event = 'delivery.discard'",
  );
  assert.equal(rows.length, 1);
  assert.doesNotMatch(rows[0]?.resource ?? '', /Closed/);
});

test('delivered, held while the endpoint is disabled, cancelled when it is removed', async () => {
  response = 204;
  const delivered = await pushed();
  await worker.runOnce();
  const [sent] = await deliveriesOf(delivered.id);
  const done = { state: 'delivered', attempts: 1, last_error: null, next_at: null };
  assert.deepEqual(sent, { ...done, delivered_at: new Date(clock.now()).toISOString() });
  await setEndpoint(false);
  const { id } = await pushed();
  const held = { state: 'queued', attempts: 0, last_error: 'endpoint_disabled', next_at: null, delivered_at: null };
  assert.deepEqual((await deliveriesOf(id))[0], held);
  await call('DELETE', `providers/${PROVIDER}/endpoint`, { as: 'admin' });
  assert.deepEqual((await deliveriesOf(id))[0], { ...held, state: 'cancelled', last_error: 'endpoint_removed' });
});

test('attempts of a match of another request, or of nobody’s, are 404; a patient reads their own', async () => {
  const [one, other] = [await pushed(), await pushed()];
  for (const match of [other.match, newGuid(), 'no-guid']) {
    assert.equal((await attemptsOf(one.id, match)).status, 404, match);
  }
  assert.equal((await attemptsOf(one.id, one.match, 'bo')).status, 404, "another organisation's planner");
  assert.deepEqual((await attemptsOf(one.id, one.match, 'patient')).body['data'], []);
  const { rows } = await database.query(
    `SELECT FROM audit_event WHERE resource LIKE '%service-request.match-attempts%' AND resource LIKE $1`,
    [`%ServiceRequest/${one.id}%`],
  );
  assert.equal(rows.length, 1, 'the reading is in the audit record');
});

test('a mail with the link that was given up is at the match, for staff alone, and in the work list', async () => {
  response = 204;
  const { id } = await pushed();
  await worker.runOnce();
  const { body } = await call('GET', `ServiceRequest/${id}/matches`);
  const [, outside] = body['data'] as Wire[];
  const linkMail = async (as = 'anna') => {
    const listed = await call('GET', `ServiceRequest/${id}/matches`, { as });
    return (listed.body['data'] as Wire[]).map((match) => match['link_mail']);
  };
  const isUndelivered = async () => {
    const { body: work } = await call('GET', 'worklist?undelivered=true');
    return (work['data'] as Wire[]).some((item) => item['service_request_id'] === id);
  };
  await call('POST', `ServiceRequest/${id}/matches/${outside?.['match_guid']}/link`, { body: {} });
  assert.deepEqual(await linkMail(), [undefined, undefined], 'handed over');
  const request = outside?.['request_guid'];
  const now = new Date(clock.now());
  await database.query('UPDATE receipt_link SET is_mailed = true, mail_guid = $2 WHERE request_guid = $1', [
    request,
    newGuid(),
  ]);
  assert.deepEqual(await linkMail(), [undefined, { state: 'sent', last_error: null, next_at: null }]);
  assert.equal(await isUndelivered(), false);
  const giveUp = 'UPDATE receipt_link SET mail_dead_at = $2, mail_error = $3 WHERE request_guid = $1';
  await database.query(giveUp, [request, now, 'address_refused']);
  assert.deepEqual(await linkMail(), [undefined, { state: 'dead', last_error: 'address_refused', next_at: null }]);
  assert.deepEqual(await linkMail('patient'), [undefined, undefined]);
  assert.equal(await isUndelivered(), true);
  await call('DELETE', `ServiceRequest/${id}/matches/${outside?.['match_guid']}/link`);
  assert.deepEqual([await linkMail(), await isUndelivered()], [[undefined, undefined], false]);
});

test('matches and attempts are read by their indexes, in one statement each', async () => {
  const { id, match } = await pushed();
  for (const [{ text }, values] of [
    [LIST_WITH_DELIVERIES, [id]],
    [LIST_ATTEMPTS, [id, match]],
  ] as const) {
    const plan = await database.transaction(async (transaction) => {
      await transaction.query('SET LOCAL enable_seqscan = off');
      const { rows } = await transaction.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    assert.match(plan, /delivery_request/);
    assert.doesNotMatch(plan, /Seq Scan/);
  }
});
