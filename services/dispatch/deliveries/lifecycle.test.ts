import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RETRY_SCHEDULE_SECONDS, readRetryAfter, retryDelay } from './backoff.ts';
import { dispatchedEnvelope, fillEnvelope } from './envelope.ts';
import {
  DELIVERY_EVENTS,
  DELIVERY_STATUSES,
  type DeliveryEvent,
  type DeliveryStatus,
  moveDelivery,
} from './lifecycle.ts';

type Cell = DeliveryStatus | undefined;

// Decision D3, every event in every state: queued, sending, delivered, waiting, dead, held, cancelled.
const EXPECTED: Record<DeliveryEvent, readonly [Cell, Cell, Cell, Cell, Cell, Cell, Cell]> = {
  claim: ['sending', undefined, undefined, 'sending', undefined, undefined, undefined],
  succeed: [undefined, 'delivered', undefined, undefined, undefined, undefined, undefined],
  fail: [undefined, 'waiting', undefined, undefined, undefined, undefined, undefined],
  give_up: [undefined, 'dead', undefined, undefined, undefined, undefined, undefined],
  lease_expired: [undefined, 'waiting', undefined, undefined, undefined, undefined, undefined],
  hold: ['held', 'held', undefined, 'held', undefined, undefined, undefined],
  release: [undefined, undefined, undefined, undefined, undefined, 'queued', undefined],
  cancel: ['cancelled', 'cancelled', undefined, 'cancelled', 'cancelled', 'cancelled', undefined],
  replay: [undefined, undefined, undefined, undefined, 'queued', undefined, undefined],
  discard: [undefined, undefined, undefined, undefined, 'cancelled', undefined, undefined],
  resend: [undefined, undefined, 'queued', 'queued', 'queued', undefined, undefined],
};

for (const event of DELIVERY_EVENTS) {
  test(`every state answers ${event} as decision D3 says`, () => {
    assert.deepEqual(
      DELIVERY_STATUSES.map((status) => moveDelivery(status, event)),
      [...EXPECTED[event]],
    );
  });
}

test('the schedule is that of decision D8, with a jitter of a fifth', () => {
  const at = (random: number) =>
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((failures) =>
      retryDelay(failures, undefined, { scheduleSeconds: RETRY_SCHEDULE_SECONDS, random: () => random }),
    );
  const exact = [5, 60, 300, 1800, 7200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1000);
  assert.deepEqual(at(0.5), [...exact, undefined]);
  assert.deepEqual(at(0), [...exact.map((ms) => ms * 0.8), undefined]);
  assert.deepEqual(at(1), [...exact.map((ms) => ms * 1.2), undefined]);
});

test('Retry-After delays an attempt by at most a day, and never makes it earlier', () => {
  const options = { scheduleSeconds: [60], random: () => 0.5 };
  assert.equal(retryDelay(1, 120_000, options), 120_000);
  assert.equal(retryDelay(1, 1000, options), 60_000);
  assert.equal(retryDelay(1, 10 ** 12, options), 86_400_000);
});

test('Retry-After is read as seconds or as an HTTP date', () => {
  const now = Date.parse('2026-06-15T12:00:00Z');
  assert.equal(readRetryAfter('120', now), 120_000);
  assert.equal(readRetryAfter('Mon, 15 Jun 2026 12:01:00 GMT', now), 60_000);
  assert.equal(readRetryAfter('Mon, 15 Jun 2026 11:00:00 GMT', now), 0);
  for (const other of [undefined, '', '-5', '1.5', 'soon', '2026-06-15'])
    assert.equal(readRetryAfter(other, now), undefined);
});

test('filling in an envelope does not change the bundle', async () => {
  const envelope = dispatchedEnvelope('https://d.example/api/v1', 'guid', 0);
  const bundle = '{"text":"\\u0001 \\u0002 $& 1.0"}';
  const { pieces } = await fillEnvelope(envelope, { token: '$&TOKEN', bundle });
  const body = Buffer.concat(pieces).toString();
  assert.ok(body.endsWith(`"bundle":${bundle}}}`));
  assert.equal(JSON.parse(body).data.receipt_token, '$&TOKEN');
});
