// The workflow with crashes: the worker is killed in the middle of a delivery, and the database crashes in the middle
// of pushes. By the provider's own record nothing is lost, and nothing has two effects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { startDurableDatabase } from '#test/support/database/durable-database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { call } from './call.ts';
import type { Scenario } from './context.ts';
import { giveConsent, match, requestWithStatus, writeRequest } from './request.ts';
import { type System, startSystem } from './system.ts';
import { prepareScenario } from './workflow.ts';

const REQUESTS_DURING_CRASH = 6;

test('a killed worker and a restarted database lose nothing and do nothing twice', async (t) => {
  const hooks = lastFirst(t);
  const database = await startDurableDatabase(hooks);
  const system = await startSystem(hooks, { databaseUrl: database.url, isApart: true });
  const scenario = await prepareScenario(system.addresses);
  await giveConsent(scenario.addresses, scenario.accounts);
  const deliveries = createDatabase({ url: database.url, schema: 'dispatch' });
  hooks.after(() => deliveries.close());
  await workerIsKilledWhileItDelivers(system, scenario, deliveries);
  await databaseGoesDownWhilePushing(scenario, async () => {
    assert.ok((await database.crash()) !== undefined, 'the database runs');
  });
  await expireLeases(deliveries);
  await receiverHoldsEveryRequestOnce(scenario);
});

/**
 * Expires the leases in the database instead of waiting for a minute. Returns how many deliveries that concerns.
 */
async function expireLeases(deliveries: Database): Promise<number> {
  const { rowCount } = await deliveries.query(
    "UPDATE delivery SET lease_until = lease_until - interval '1 minute' WHERE status = 'sending'",
  );
  return rowCount;
}

async function workerIsKilledWhileItDelivers(
  system: System,
  { addresses, accounts, library }: Scenario,
  deliveries: Database,
): Promise<void> {
  const { receiver } = addresses;
  const request = await writeRequest(addresses, accounts, library);
  await match(addresses, accounts, request.id);
  // The provider takes the webhook and never answers: whether it arrived, the sender cannot know.
  receiver.behave(() => undefined);
  await call(`${addresses.dispatch}/ServiceRequest/${request.id}/push`, {
    token: accounts.planner,
    json: {},
    expect: 202,
  });
  const first = await eventually('the webhook arrived', async () => receiver.ledger[0]);
  await system.processOf('dispatch').end('SIGKILL');
  receiver.behave(undefined);
  assert.ok((await expireLeases(deliveries)) > 0, 'the killed worker has left its claim');
  await system.restart('dispatch');
  const again = await eventually('the webhook was sent again', async () => receiver.ledger[1], 90_000);
  assert.deepEqual([again.id, again.body], [first.id, first.body]);
  await call(first.event.data.respond_url, { json: { decision: 'accepted' } });
  await requestWithStatus(addresses, accounts, request.id, 'active');
}

async function databaseGoesDownWhilePushing(
  { addresses, accounts, library }: Scenario,
  crash: () => Promise<void>,
): Promise<void> {
  const ids: string[] = [];
  for (let n = 0; n < REQUESTS_DURING_CRASH; n += 1) {
    const { id } = await writeRequest(addresses, accounts, library);
    await match(addresses, accounts, id);
    ids.push(id);
  }
  const pushes = ids.map((id) => pushUntilDone({ addresses, accounts, library }, id));
  await crash();
  await Promise.all(pushes);
}

/**
 * Pushes as a client does after a 503 or a lost connection: again, until the answer is that nothing is left to
 * push.
 */
function pushUntilDone({ addresses, accounts }: Scenario, id: string): Promise<true> {
  return eventually('the push got through', async () => {
    const url = `${addresses.dispatch}/ServiceRequest/${id}/push`;
    const headers = { authorization: `Bearer ${accounts.planner}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: '{}' }).catch(() => undefined);
    if (response === undefined) return undefined;
    assert.ok([202, 409, 503].includes(response.status), `push answered ${response.status}: ${await response.text()}`);
    return response.status === 503 ? undefined : true;
  });
}

async function receiverHoldsEveryRequestOnce({ addresses, library }: Scenario): Promise<void> {
  const { receiver } = addresses;
  const url = `${addresses.dispatch}/requests?provider_guid=${library.outside}&limit=200`;
  const feed = (await call(url, { apiKey: library.outsideKey })).body.requests as {
    request_guid: string;
    service_request_id: string;
  }[];
  assert.equal(feed.length, REQUESTS_DURING_CRASH + 1);
  assert.equal(
    new Set(feed.map((entry) => entry.service_request_id)).size,
    feed.length,
    'no ServiceRequest was pushed twice',
  );
  const dispatched = () => receiver.ledger.filter(({ event }) => event.type === 'request.dispatched');
  await eventually(
    'every request reached the provider',
    async () => {
      const seen = new Set(dispatched().map(({ event }) => event.data.request_guid));
      return feed.every((entry) => seen.has(entry.request_guid)) ? true : undefined;
    },
    90_000,
  );
  const bodies = new Map<string, string>();
  for (const { id, event, body, isSigned } of dispatched()) {
    assert.ok(isSigned);
    const key = `${event.data.request_guid} ${id}`;
    assert.equal(bodies.get(key) ?? body, body, 'every attempt carries the same bytes');
    bodies.set(key, body);
  }
  assert.equal(bodies.size, feed.length, 'every request has one webhook id');
}
