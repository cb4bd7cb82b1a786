// The planner follows whether a match has arrived (decision L6). There is a provider's system that is away, the
// attempts, when the next one is, and that it was given up.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { PAUSE_MS } from '../people.ts';
import { makeRequest, pushTo } from '../request.ts';

/** A request whose webhook the outside provider's system refuses. */
export interface Undelivered {
  readonly id: string;
  readonly requestGuid: string;
  readonly matchUrl: string;
}

interface Delivery {
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly next_at: string | null;
}

/** Waits until the delivery of the match has the state. */
export function untilDelivery(
  { addresses, accounts }: Story,
  { id, requestGuid }: Pick<Undelivered, 'id' | 'requestGuid'>,
  state: string,
) {
  return eventually<Delivery>(
    `the delivery was ${state}`,
    async () => {
      const { body } = await call(`${addresses.dispatch}/ServiceRequest/${id}/matches`, { token: accounts.planner });
      const found = body.data.find((each: Record<string, string>) => each['request_guid'] === requestGuid);
      return found.delivery.state === state ? found.delivery : undefined;
    },
    20_000,
    PAUSE_MS,
  );
}

/** Leaves the delivery dead. */
export async function plannerFollowsDelivery(story: Story): Promise<Undelivered> {
  const { addresses, accounts, library, refused, walk } = story;
  const request = await makeRequest(story);
  const { id, matches } = request;
  refused.add(id);
  const requestGuid = await pushTo(library.outside, story, request);
  const matchUrl = `${addresses.dispatch}/ServiceRequest/${id}/matches/${matches.get(library.outside)}`;
  const undelivered = { id, requestGuid, matchUrl };
  await walk('R2', async () => {
    const waiting = await untilDelivery(story, undelivered, 'retrying');
    assert.equal(waiting.last_error, 'server_error');
    assert.ok(Date.parse(waiting.next_at ?? '') > Date.now() - 2_000, 'the next attempt has a time');
    const dead = await untilDelivery(story, undelivered, 'dead');
    assert.deepEqual([dead.attempts, dead.next_at], [3, null]);
    const { body } = await call(`${matchUrl}/attempts`, { token: accounts.planner });
    const [first] = body.data;
    assert.deepEqual([body.total, first.http_status, first.outcome], [3, 503, 'server_error']);
    assert.ok(!('answer' in first), 'what the provider’s system said is not for the planner');
    await call(`${matchUrl}/attempts`, { token: accounts.stranger, expect: 404 });
  });
  return undelivered;
}
