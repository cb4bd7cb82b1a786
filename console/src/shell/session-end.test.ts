// When the end of the session is said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceOf } from '../account/device.ts';
import { facesAt, facesOf, homeOf } from './faces.ts';
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

test('a browser is named as people call it', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36';
  assert.deepEqual(deviceOf(chrome), { browser: 'Chrome', system: 'Linux' });
  assert.deepEqual(deviceOf(`${chrome} Edg/156`)?.browser, 'Edge');
  assert.equal(deviceOf('curl/8'), undefined);
  assert.equal(deviceOf(null), undefined);
});

test('navigation follows who somebody is', () => {
  assert.deepEqual(
    facesOf({ user_type: 'patient' }).map(({ name }) => name),
    ['my', 'account'],
  );
  const planner = { user_type: 'professional', effective_phases: ['planning', 'execution'] };
  const staff = { provider_staff: [{ provider_guid: 'p' }] };
  assert.deepEqual(
    facesOf({ ...planner, ...staff }).map(({ name }) => name),
    ['planner', 'caregiver', 'account'],
  );
  assert.deepEqual(
    facesAt(planner, '/developer/fhir').map(({ name }) => name),
    ['planner', 'developer', 'account'],
    'the face in which one is',
  );
  assert.deepEqual(
    facesAt(planner, '/developers').map(({ name }) => name),
    ['planner', 'account'],
  );
  assert.equal(homeOf({ user_type: 'professional', effective_phases: ['execution'], ...staff }), '/care');
  assert.equal(homeOf({ user_type: 'professional', groups: [{ is_admin: false }, { is_admin: true }] }), '/admin');
  assert.equal(homeOf({ user_type: 'professional', is_su_admin: true }), '/admin');
  assert.equal(homeOf({ user_type: 'patient' }), '/my');
  assert.equal(homeOf({ user_type: 'professional' }), '/account');
});
