// For which providers the engine may report (decisions D11, E10): those that it hosts, and those that it hosted when a
// report waited there.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

const ENGINE = 'http://127.0.0.1:8083';
const bench = await createSendingBench({ after }, { trustedOrigins: [ENGINE] });
const { call, db } = bench;

const endpoint = (provider: string) => `/api/v1/providers/${provider}/endpoint`;
const inboxOf = (provider: string) => `${ENGINE}/api/v1/provider-tasks/inbox?provider_guid=${provider}`;
const host = (provider: string, by = 'service') =>
  call(by, 'PUT', endpoint(provider), { url: inboxOf(provider), enabled: false });

/** The guid of a request that was pushed to the provider. */
async function pushedTo(provider: string): Promise<string> {
  const { id } = await bench.request([provider]);
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, {})).status, 202);
  return String((await bench.matches(id))[0]?.requestGuid);
}

const report = async (requestGuid: string, status = 'acknowledged') =>
  (await call('service', 'PUT', `/api/v1/requests/${requestGuid}/status`, { status })).status;

test('the engine reports for a provider whose endpoint is its inbox, and for no other: 404, as for what is not there', async () => {
  const [hosted, other, feedAlone] = [newGuid(), newGuid(), newGuid()];
  assert.equal((await host(hosted)).status, 201);
  const elsewhere = { url: 'http://127.0.0.1:8084/inbox', enabled: false };
  assert.equal((await call('admin', 'PUT', endpoint(other), elsewhere)).status, 201);
  assert.equal(await report(await pushedTo(hosted)), 200);
  for (const provider of [other, feedAlone]) {
    const requestGuid = await pushedTo(provider);
    assert.equal(await report(requestGuid), 404);
    const { rows } = await db.query('SELECT progress FROM match WHERE request_guid = $1', [requestGuid]);
    assert.deepEqual(rows, [{ progress: null }], 'nothing is written');
  }
});

test('a delayed report of the engine is accepted after the endpoint was removed or changed', async () => {
  for (const leave of [
    (provider: string) => call('admin', 'DELETE', endpoint(provider)),
    (provider: string) => call('admin', 'PUT', endpoint(provider), { url: 'http://127.0.0.1:8084/', enabled: false }),
  ]) {
    const provider = newGuid();
    await host(provider, 'admin');
    const requestGuid = await pushedTo(provider);
    assert.ok((await leave(provider)).status < 300);
    assert.equal(await report(requestGuid), 200);
  }
});

test('an endpoint that was set by the release before, which remembers nothing, counts by its address, also when it is changed', async () => {
  const provider = newGuid();
  await host(provider, 'admin');
  await db.query('DELETE FROM hosted_provider');
  const requestGuid = await pushedTo(provider);
  assert.equal(await report(requestGuid), 200);
  await call('admin', 'DELETE', endpoint(provider));
  assert.equal(await report(requestGuid, 'in_progress'), 200);
});
