import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTestLogger } from '#test/support/http-app.ts';
import { ServiceError } from '../errors.ts';
import { createLeasedCalls, type LeaseTimes } from './leased-calls.ts';

const NOW = Date.parse('2026-03-02T08:00:00Z');

/** One call, which `send` sends; what was claimed and postponed, in milliseconds from `NOW`. */
function makeCalls({ attempt = 1, send = async () => undefined }: { attempt?: number; send?: () => Promise<unknown> }) {
  const lines: string[] = [];
  const claims: { leaseMs: number; requestGuid: string | undefined }[] = [];
  const postponed: number[] = [];
  const calls = createLeasedCalls({
    name: 'calls',
    postponedEvent: 'call.postponed',
    clock: { now: () => NOW },
    log: makeTestLogger(lines),
    async claim({ now, leaseEnds }: LeaseTimes, requestGuid) {
      claims.push({ leaseMs: leaseEnds.getTime() - now.getTime(), requestGuid });
      return claims.length > 1 ? undefined : { attempt };
    },
    send,
    async postpone(_call, nextAt) {
      postponed.push(nextAt.getTime() - NOW);
    },
    about: () => ({ request: 'r' }),
  });
  return { calls, lines, claims, postponed };
}

test('a request’s call is claimed for half a minute and sent', async () => {
  const { calls, claims, postponed } = makeCalls({});
  await calls.sendNow('r');
  assert.deepEqual(claims, [{ leaseMs: 30_000, requestGuid: 'r' }]);
  assert.deepEqual(postponed, []);
});

test('while the other service is away a call is postponed, for longer each time and a minute at most', async () => {
  for (const [attempt, least, most] of [
    [1, 800, 1_200],
    [3, 3_200, 4_800],
    [20, 48_000, 72_000],
  ] as const) {
    const send = () => Promise.reject(new ServiceError('upstream_unavailable', 'away'));
    const { calls, lines, postponed } = makeCalls({ attempt, send });
    await calls.sendNow('r');
    const [delay = 0] = postponed;
    assert.ok(delay >= least && delay <= most, `${attempt}: ${delay}`);
    const { event, request, code } = JSON.parse(lines[0] ?? '{}');
    assert.deepEqual([event, request, code], ['call.postponed', 'r', 'upstream_unavailable']);
  }
});

test('an error of ours postpones the call, too, and is thrown', async () => {
  const { calls, postponed } = makeCalls({ send: () => Promise.reject(new Error('of ours')) });
  await assert.rejects(calls.sendNow('r'), /of ours/);
  assert.equal(postponed.length, 1);
});
