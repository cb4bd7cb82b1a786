// A provider sees by its key how its webhooks fare (decision L10). It sees a delivery with message and answers, sent
// again, a test event, and a new secret beside the old one.
import assert from 'node:assert/strict';
import type { Arrival } from '#test/support/dispatch/receiver.ts';
import { eventually } from '#test/support/http.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { type Undelivered, untilDelivery } from '../requesters/delivery.ts';

/** The delivery is dead when it begins. */
export async function providerSeesToItsDeliveries(story: Story, undelivered: Undelivered): Promise<void> {
  const { walk } = story;
  const delivery = await walk('C7', () => readsTheDelivery(story, undelivered));
  await walk('C8', () => sendsItAgain(story, undelivered, delivery));
  await walk('C9', () => test(story));
  await walk('C10', () => rotatesTheSecret(story));
}

const own = ({ addresses, library }: Story) => `${addresses.dispatch}/providers/${library.outside}`;

/** Returns the delivery's guid. */
async function readsTheDelivery(story: Story, { requestGuid }: Undelivered): Promise<string> {
  const { addresses, library } = story;
  const apiKey = library.outsideKey;
  const list = await call(`${own(story)}/deliveries?request_guid=${requestGuid}`, { apiKey });
  const [delivery] = list.body.data;
  assert.deepEqual([list.body.total, delivery.status, delivery.attempts_made], [1, 'dead', 3]);
  const url = `${own(story)}/deliveries/${delivery.delivery_guid}`;
  const { attempts } = (await call(url, { apiKey })).body;
  assert.deepEqual([attempts[0].http_status, attempts[0].answer], [503, 'No disk']);
  const payload = await call(`${url}/payload`, { apiKey });
  const arrived = addresses.receiver.ledger.find(({ id }) => id === delivery.delivery_guid);
  assert.equal(payload.text, arrived?.body, 'byte for byte');
  const others = `${addresses.dispatch}/providers/${library.hosted}/deliveries`;
  await call(others, { apiKey, expect: 404 });
  return delivery.delivery_guid;
}

async function sendsItAgain(story: Story, undelivered: Undelivered, guid: string): Promise<void> {
  const { addresses, library, refused } = story;
  const apiKey = library.outsideKey;
  const before = arrivalsOf(story, guid).length;
  refused.delete(undelivered.id);
  await call(`${own(story)}/deliveries/${guid}/resend`, { method: 'POST', apiKey, expect: 202 });
  await untilDelivery(story, undelivered, 'delivered');
  const [first, ...again] = arrivalsOf(story, guid).slice(before - 1);
  assert.deepEqual([again.length, again[0]?.body], [1, first?.body], 'the same message under the same id, once');
  await call(`${addresses.dispatch}/requests/${undelivered.requestGuid}/status`, {
    method: 'PUT',
    apiKey,
    json: { status: 'completed' },
  });
}

const arrivalsOf = ({ addresses }: Story, guid: string) => addresses.receiver.ledger.filter(({ id }) => id === guid);

/** Sends a test event; returns it as it arrived. */
async function test(story: Story): Promise<Arrival> {
  const ping = { method: 'POST', apiKey: story.library.outsideKey, expect: 202 } as const;
  const { delivery_guid: guid } = (await call(`${own(story)}/endpoint/ping`, ping)).body;
  const arrival = await eventually('the test event arrived', async () => arrivalsOf(story, guid)[0]);
  assert.deepEqual([arrival.event.type, arrival.event.data], ['ping', { provider_guid: story.library.outside }]);
  assert.ok(arrival.isSigned);
  return arrival;
}

/** The receiver goes on verifying with the former secret, as other rows' webhooks show too. */
async function rotatesTheSecret(story: Story): Promise<void> {
  const rotate = `${own(story)}/endpoint/rotate-secret`;
  const { body } = await call(rotate, { apiKey: story.library.outsideKey, json: { grace_hours: 24 } });
  assert.ok(Date.parse(body.previous_secret_valid_until) > Date.now());
  const arrival = await test(story);
  assert.ok(arrival.isSigned, 'signed with the former secret');
  assert.ok(arrival.isSignedWith(body.secret), 'and with the new one');
}
