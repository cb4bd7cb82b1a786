// Every decision of the consent gate is in the audit record with its occasion, patient and outcome (decisions D7, G9).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAccessUnpacker } from '#lib/audit/access-unpacker.ts';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal, makeTestLogger } from '#test/support/http-app.ts';
import { pageVisits } from '../testing/page-visits.ts';
import { startReceiver } from '../testing/receiver.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { call, db, sending } = bench;
const { post } = pageVisits(bench);
const unpacker = createAccessUnpacker({
  database: db,
  service: 'dispatch',
  entriesOf: async () => [],
  log: makeTestLogger(),
});

/** Returns the gate's decisions about a patient since the last call, from the audit log. */
function reader(patientGuid: string): () => Promise<string[]> {
  const seen = new Set<string>();
  return async () => {
    await unpacker.unpackAll();
    const { rows } = await db.query<{ event_guid: string; resource: string }>(
      'SELECT event_guid, resource FROM audit_event WHERE resource LIKE $1 AND resource LIKE $2',
      ['%consent.decision%', `%${patientGuid}%`],
    );
    const fresh = rows.filter(({ event_guid: guid }) => !seen.has(guid));
    for (const { event_guid: guid } of fresh) seen.add(guid);
    return fresh.map(({ resource }) =>
      String(/(?:push|attempt|feed|page): (?:permitted|refused), \w+/.exec(resource)?.[0]),
    );
  };
}

async function decide(patientGuid: string, decision: 'permit' | 'deny', id = newGuid()): Promise<string> {
  const subject = { reference: `Patient/${patientGuid}` };
  await bench.put({ resourceType: 'Consent', id, status: 'active', subject, decision });
  return id;
}

test('the decision is recorded at a push, an attempt, a read of the feed and a view of the page', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer(503);
  const provider = newGuid();
  bench.callers[provider] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: provider });
  await call('admin', 'PUT', `/api/v1/providers/${provider}/endpoint`, { url: receiver.url });
  const { id, patientGuid } = await bench.request([provider], 'none');
  const said = reader(patientGuid);
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`)).status, 403);
  assert.deepEqual(await said(), ['push: refused, no_consent']);
  const consent = await decide(patientGuid, 'permit');
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`)).status, 202);
  assert.deepEqual(await said(), ['push: permitted, consent']);
  await sending.worker.runOnce();
  assert.deepEqual(await said(), ['attempt: permitted, consent']);
  const feed = () => call(provider, 'GET', `/api/v1/requests?provider_guid=${provider}`);
  const { receipt_token: token } = (await feed()).body.requests[0];
  assert.deepEqual(await said(), ['feed: permitted, consent']);
  await post({ token });
  assert.deepEqual(await said(), ['page: permitted, consent']);
  await decide(patientGuid, 'deny', consent);
  assert.equal((await feed()).body.requests[0].bundle, null);
  assert.deepEqual(await said(), ['feed: refused, denied']);
  await post({ token });
  assert.deepEqual(await said(), ['page: refused, denied']);
  bench.clock.time += 60 * 60_000;
  await sending.worker.runOnce();
  assert.deepEqual(await said(), ['attempt: refused, denied']);
  assert.equal(receiver.ledger.length, 1, 'and nothing is sent');
});
