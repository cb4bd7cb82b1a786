// When a failed attempt is retried (decision D8): the schedule with its jitter, and Retry-After in both forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RETRY_SCHEDULE_SECONDS, readRetryAfter, retryDelay } from './backoff.ts';

const at = (random: number) => ({ scheduleSeconds: RETRY_SCHEDULE_SECONDS, random: () => random });

test('each retry follows the schedule with a jitter of a fifth; after the last there is none', () => {
  for (const [index, seconds] of RETRY_SCHEDULE_SECONDS.entries()) {
    assert.deepEqual(
      [0, 0.5, 1].map((random) => retryDelay(index + 1, undefined, at(random))),
      [0.8, 1, 1.2].map((factor) => Math.round(seconds * 1000 * factor)),
    );
  }
  assert.equal(retryDelay(RETRY_SCHEDULE_SECONDS.length + 1, undefined, at(0)), undefined);
});

test('Retry-After lengthens the wait by a day at most, never shortens it, and adds no attempt', () => {
  assert.equal(retryDelay(1, 90_000, at(0.5)), 90_000);
  assert.equal(retryDelay(1, 1000, at(0.5)), 5000);
  assert.equal(retryDelay(1, 9e12, at(0.5)), 86_400_000);
  assert.equal(retryDelay(9, 1000, at(0.5)), undefined);
});

test('Retry-After is seconds or an HTTP date; anything else is ignored', () => {
  const now = Date.parse('2026-06-15T12:00:00Z');
  assert.equal(readRetryAfter('120', now), 120_000);
  assert.equal(readRetryAfter('Mon, 15 Jun 2026 12:02:00 GMT', now), 120_000);
  assert.equal(readRetryAfter('Mon, 15 Jun 2026 11:00:00 GMT', now), 0);
  for (const other of [undefined, '', '-1', '1.5', 'soon', '2026-06-15T12:02:00Z', 'Mon, 99 Jun 2026 12:02:00 GMT']) {
    assert.equal(readRetryAfter(other, now), undefined, String(other));
  }
});
