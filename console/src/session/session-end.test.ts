// When the end of the session is said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfSession } from './session-end.ts';

const at = (time: string) => Date.parse(`2026-11-26T${time}:00Z`);
const session = { expires_at: '2026-11-26T20:00:00+00:00', idle_ends_at: '2026-11-26T08:30:00+00:00' };
const readAt = at('08:00');

test('two minutes before the end for want of use, which each use puts off', () => {
  assert.equal(endOfSession({ session, readAt, usedAt: readAt, now: at('08:27') }), undefined);
  assert.deepEqual(endOfSession({ session, readAt, usedAt: readAt, now: at('08:28') }), {
    at: at('08:30'),
    isFinal: false,
  });
  assert.equal(endOfSession({ session, readAt, usedAt: at('08:10'), now: at('08:28') }), undefined);
  assert.deepEqual(endOfSession({ session, readAt, usedAt: at('08:10'), now: at('08:39') })?.at, at('08:40'));
});

test('no use puts off the end at the latest; a session that no want of use ends has only that', () => {
  const late = { session, readAt, usedAt: at('19:50'), now: at('19:59') };
  assert.deepEqual(endOfSession(late), { at: at('20:00'), isFinal: true });
  const token = { expires_at: session.expires_at, idle_ends_at: null };
  assert.equal(endOfSession({ session: token, readAt, usedAt: readAt, now: at('12:00') }), undefined);
  assert.equal(endOfSession({ session: token, readAt, usedAt: readAt, now: at('19:58') })?.isFinal, true);
});
