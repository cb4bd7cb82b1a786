import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOUR_MS } from '#lib/clock.ts';
import { handClock, startIdentity } from '#test/support/identity/identity.ts';
import { makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';
import { sweepInvites } from './service.ts';

const clock = handClock();
const identity = await startIdentity({ after }, { clock, config: { tokenTtlSeconds: 86_400 } });
const { app, database } = identity;
const admin = await identity.asAdmin();
const groups = (await app.inject('/api/public/groups')).json();
const [group, otherGroup] = groups;

const invite = (headers: Record<string, string>, payload: object) =>
  app.inject({ method: 'POST', url: '/api/groups/admin/invite', headers, payload });
const join = (headers: Record<string, string>, token: unknown) =>
  app.inject({ method: 'POST', url: '/api/groups/join-by-invite', headers, payload: { token } });

test('an invite is used by many, each gets a pending membership; only the hash of the token is kept', async () => {
  const made = await invite(admin, { group_guid: group.group_guid, hours_valid: 2 });
  assert.equal(made.statusCode, 201);
  const { token, expires_at, ...rest } = made.json();
  assert.deepEqual(Object.keys(rest).sort(), ['group_guid', 'invite_guid']);
  assert.match(expires_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  assert.ok(Math.abs(Date.parse(expires_at) - clock.now() - 2 * HOUR_MS) < 5_000);
  assert.equal(Buffer.from(token, 'base64url').length, 32);
  for (let user = 0; user < 2; user += 1) {
    const { headers } = await makeProfessional(identity);
    const joined = await join(headers, token);
    const { membership_guid } = joined.json();
    assert.deepEqual(
      [joined.statusCode, joined.json()],
      [201, { membership_guid, group_guid: group.group_guid, status: 'pending' }],
    );
  }
  const { rows } = await database.query<{ row: string }>('SELECT i::text AS row FROM group_invite i');
  assert.ok(rows.length > 0 && rows.every(({ row }) => !row.includes(token)));
  assert.ok(identity.lines.every((line) => !line.includes(token)));
});

test('it is valid for 72 hours when nothing is said, then 410; 404 for no such token; 409 for a member', async () => {
  const { headers } = await makeProfessional(identity);
  const { token, expires_at } = (await invite(admin, { group_guid: otherGroup.group_guid })).json();
  assert.ok(Math.abs(Date.parse(expires_at) - clock.now() - 72 * HOUR_MS) < 5_000);
  const unknown = await join(headers, 'x'.repeat(43));
  assert.deepEqual([unknown.statusCode, unknown.json().error], [404, 'not_found']);
  const many = await fifty(() => join(headers, token));
  assert.equal(many.filter((answer) => answer.statusCode === 201).length, 1);
  assert.equal(many.filter((answer) => answer.json().error === 'conflict').length, 49);
  const short = (await invite(admin, { group_guid: otherGroup.group_guid, hours_valid: 1 })).json().token;
  clock.advance(HOUR_MS + 1);
  const expired = await join(headers, short);
  assert.deepEqual([expired.statusCode, expired.json().error], [410, 'expired']);
});

test('an expired invite is 410 for 90 days, and is then deleted', async () => {
  const { token } = (await invite(admin, { group_guid: otherGroup.group_guid, hours_valid: 1 })).json();
  const sweepAfter = (hours: number) => sweepInvites(database, { now: () => clock.now() + hours * HOUR_MS });
  const { headers } = await makeProfessional(identity);
  await sweepAfter(1 + 90 * 24 - 1);
  clock.advance(HOUR_MS + 1);
  assert.equal((await join(headers, token)).statusCode, 410);
  await sweepAfter(90 * 24);
  assert.equal((await join(headers, token)).statusCode, 404);
});

test('404 for an unknown group, 403 for another group’s admin, 400 beyond 1 to 720 hours', async () => {
  const leader = await makeProfessional(identity, [group.name]);
  await database.query('UPDATE membership SET is_admin = true WHERE user_guid = $1', [leader.userGuid]);
  assert.equal((await invite(leader.headers, { group_guid: group.group_guid })).statusCode, 201);
  const other = await invite(leader.headers, { group_guid: otherGroup.group_guid });
  assert.deepEqual([other.statusCode, other.json().error], [403, 'forbidden']);
  assert.equal((await invite(admin, { group_guid: 'none' })).statusCode, 404);
  for (const hours_valid of [0, 721, 1.5, '2', null]) {
    const answer = await invite(admin, { group_guid: group.group_guid, hours_valid });
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'validation_error'], String(hours_valid));
  }
  assert.equal((await join(leader.headers, undefined)).json().error, 'validation_error');
});
