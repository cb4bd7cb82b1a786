// The story under blows: the worker is killed in the middle of a delivery, and the database goes down in the middle of
// pushes. Judge is the provider's own ledger: nothing is lost, nothing has two effects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { startDurableDatabase } from '#test/support/database/durable-database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { call } from './call.ts';
import { giveConsent, match, requestWithStatus, writeRequest } from './request.ts';
import { type StorySystem, startStorySystem } from './stages.ts';
import { type Stage, setTheStage } from './story.ts';

const REQUESTS_UNDER_FIRE = 6;

test('a killed worker and a restarted database lose nothing and do nothing twice', async (t) => {
  const hooks = lastFirst(t);
  const database = await startDurableDatabase(hooks);
  const theatre = await startStorySystem(hooks, { databaseUrl: database.url, isApart: true });
  const stage = await setTheStage(theatre.world);
  await giveConsent(stage.world, stage.cast);
  const deliveries = createDatabase({ url: database.url, schema: 'dispatch' });
  hooks.after(() => deliveries.close());
  await workerIsKilledWhileItDelivers(theatre, stage, deliveries);
  await databaseGoesDownWhilePushing(stage, async () => {
    assert.ok((await database.strike()) !== undefined, 'the database runs');
  });
  await minuteOfLeasesGoesBy(deliveries);
  await ledgerHoldsEveryRequestOnce(stage);
});

/**
 * In the record instead of on the wall: what was claimed is as old as if its minute had passed. Answers how many
 * deliveries that concerns.
 */
async function minuteOfLeasesGoesBy(deliveries: Database): Promise<number> {
  const { rowCount } = await deliveries.query(
    "UPDATE delivery SET lease_until = lease_until - interval '1 minute' WHERE status = 'sending'",
  );
  return rowCount;
}

async function workerIsKilledWhileItDelivers(
  theatre: StorySystem,
  { world, cast, library }: Stage,
  deliveries: Database,
): Promise<void> {
  const { receiver } = world;
  const request = await writeRequest(world, cast, library);
  await match(world, cast, request.id);
  // The provider takes the webhook and never answers: whether it arrived, the sender cannot know.
  receiver.behave(() => undefined);
  await call(`${world.dispatch}/ServiceRequest/${request.id}/push`, { token: cast.planner, json: {}, expect: 202 });
  const first = await eventually('the webhook arrived', async () => receiver.ledger[0]);
  await theatre.processOf('dispatch').end('SIGKILL');
  receiver.behave(undefined);
  assert.ok((await minuteOfLeasesGoesBy(deliveries)) > 0, 'the killed worker has left its claim');
  await theatre.restart('dispatch');
  const again = await eventually('the webhook was sent again', async () => receiver.ledger[1], 90_000);
  assert.deepEqual([again.id, again.body], [first.id, first.body]);
  await call(first.event.data.respond_url, { json: { decision: 'accepted' } });
  await requestWithStatus(world, cast, request.id, 'active');
}

async function databaseGoesDownWhilePushing(
  { world, cast, library }: Stage,
  strike: () => Promise<void>,
): Promise<void> {
  const ids: string[] = [];
  for (let n = 0; n < REQUESTS_UNDER_FIRE; n += 1) {
    const { id } = await writeRequest(world, cast, library);
    await match(world, cast, id);
    ids.push(id);
  }
  const pushes = ids.map((id) => pushUntilDone({ world, cast, library }, id));
  await strike();
  await Promise.all(pushes);
}

/**
 * Pushes as a client does that is told 503 or loses the connection: again, until the answer is that nothing is left to
 * push.
 */
function pushUntilDone({ world, cast }: Stage, id: string): Promise<true> {
  return eventually('the push got through', async () => {
    const url = `${world.dispatch}/ServiceRequest/${id}/push`;
    const headers = { authorization: `Bearer ${cast.planner}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: '{}' }).catch(() => undefined);
    if (response === undefined) return undefined;
    assert.ok([202, 409, 503].includes(response.status), `push answered ${response.status}: ${await response.text()}`);
    return response.status === 503 ? undefined : true;
  });
}

async function ledgerHoldsEveryRequestOnce({ world, library }: Stage): Promise<void> {
  const { receiver } = world;
  const url = `${world.dispatch}/requests?provider_guid=${library.outside}&limit=200`;
  const feed = (await call(url, { apiKey: library.outsideKey })).body.requests as {
    request_guid: string;
    service_request_id: string;
  }[];
  assert.equal(feed.length, REQUESTS_UNDER_FIRE + 1);
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
