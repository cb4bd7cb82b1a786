import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const identity = await startIdentity({ after });
const { app, database } = identity;
const admin = await identity.asAdmin();

const catalogue = (await app.inject('/api/public/groups')).json();
const phaseGuid = (name: string): string => catalogue.find((group: { name: string }) => group.name === name).group_guid;
const ask = (headers: Record<string, string>, group_guid: unknown) =>
  app.inject({ method: 'POST', url: '/api/groups/request-membership', headers, payload: { group_guid } });
const decide = (headers: Record<string, string>, membership_guid: string, decision: string) =>
  app.inject({ method: 'POST', url: '/api/groups/admin/decide', headers, payload: { membership_guid, decision } });
const pending = (headers: Record<string, string>) => app.inject({ url: '/api/groups/admin/pending', headers });

/** A professional who administers the planning group. */
async function makeLeader() {
  const leader = await makeProfessional(identity, ['planning']);
  await database.query('UPDATE membership SET is_admin = true WHERE user_guid = $1', [leader.userGuid]);
  return leader;
}

test('the four phases are in the catalogue from the start', () => {
  assert.deepEqual(
    catalogue.map((group: { name: string }) => group.name),
    ['analysis', 'execution', 'followup', 'planning'],
  );
  assert.deepEqual(Object.keys(catalogue[0]).sort(), ['group_guid', 'group_type', 'name']);
});

test('leaders in the catalogue are SU admins and group admins', async () => {
  const leader = await makeLeader();
  const member = await makeProfessional(identity, ['planning']);
  const leaders = (await app.inject('/api/public/group-leaders')).json();
  const guids = leaders.map((entry: { user_guid: string }) => entry.user_guid);
  assert.ok(guids.includes(leader.userGuid) && !guids.includes(member.userGuid));
  const listed = leaders.find((entry: { user_guid: string }) => entry.user_guid === leader.userGuid);
  assert.deepEqual(listed, { user_guid: leader.userGuid, first_name: 'Anna', last_name: 'Berg', is_su_admin: false });
  assert.ok(leaders.some((entry: { is_su_admin: boolean }) => entry.is_su_admin));
});

test('a membership is asked for, approved by the group’s admin and then among the member’s groups', async () => {
  const leader = await makeLeader();
  const member = await makeProfessional(identity);
  const group_guid = phaseGuid('planning');
  const asked = await ask(member.headers, group_guid);
  const { membership_guid } = asked.json();
  assert.deepEqual([asked.statusCode, asked.json()], [201, { membership_guid, group_guid, status: 'pending' }]);
  assert.deepEqual((await app.inject({ url: '/api/groups', headers: member.headers })).json(), []);
  const waiting = (await pending(leader.headers)).json().at(-1);
  assert.match(waiting.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
  assert.deepEqual(
    { ...waiting, created_at: '' },
    {
      membership_guid,
      user_guid: member.userGuid,
      user_email: member.email,
      group_guid,
      group_name: 'planning',
      status: 'pending',
      created_at: '',
    },
  );
  const decided = await decide(leader.headers, membership_guid, 'approved');
  assert.deepEqual(
    [decided.statusCode, decided.json()],
    [200, { membership_guid, status: 'approved', decided_by: leader.userGuid }],
  );
  assert.deepEqual((await app.inject({ url: '/api/groups', headers: member.headers })).json(), [
    {
      resourceType: 'Group',
      group_guid,
      name: 'planning',
      group_type: 'phase',
      is_admin: false,
      membership_status: 'approved',
    },
  ]);
  const me = (await app.inject({ url: '/api/auth/me', headers: member.headers })).json();
  assert.deepEqual(me.effective_phases, ['planning']);
  const events = await auditedEvents(identity);
  assert.ok(events.includes('membership.request') && events.includes('membership.approved'));
});

test('a rejected membership brings nothing and stands in the way of another', async () => {
  const member = await makeProfessional(identity);
  const { membership_guid } = (await ask(member.headers, phaseGuid('planning'))).json();
  assert.equal((await decide(admin, membership_guid, 'rejected')).json().status, 'rejected');
  assert.deepEqual((await app.inject({ url: '/api/groups', headers: member.headers })).json(), []);
  assert.equal((await ask(member.headers, phaseGuid('planning'))).statusCode, 409);
});

test('asking: 404 for an unknown group, 409 for a membership that exists, 400 for a missing field', async () => {
  const { headers } = await makeProfessional(identity, ['analysis']);
  for (const group of ['01900000-0000-7000-8000-000000000000', 'none']) {
    assert.equal((await ask(headers, group)).statusCode, 404);
  }
  const again = await ask(headers, phaseGuid('analysis'));
  assert.deepEqual([again.statusCode, again.json().error], [409, 'conflict']);
  assert.equal((await ask(headers, undefined)).json().error, 'validation_error');
});

test('deciding: 404, 403 for another group’s admin, 409 when decided, 400 for another literal', async () => {
  const leader = await makeLeader();
  const member = await makeProfessional(identity);
  const { membership_guid } = (await ask(member.headers, phaseGuid('analysis'))).json();
  assert.equal((await decide(leader.headers, membership_guid, 'approved')).statusCode, 403);
  assert.equal((await decide(member.headers, membership_guid, 'approved')).statusCode, 403);
  assert.equal((await decide(admin, 'none', 'approved')).statusCode, 404);
  assert.equal((await decide(admin, membership_guid, 'maybe')).json().error, 'validation_error');
  assert.equal((await decide(admin, membership_guid, 'approved')).statusCode, 200);
  const again = await decide(admin, membership_guid, 'rejected');
  assert.deepEqual([again.statusCode, again.json().error], [409, 'conflict']);
  assert.match(again.json().message, /approved/);
});

test('pending: a group’s admin sees that group, an SU admin all, others 403', async () => {
  const leader = await makeLeader();
  const member = await makeProfessional(identity);
  await ask(member.headers, phaseGuid('planning'));
  await ask(member.headers, phaseGuid('followup'));
  const mine = (answer: { json(): Array<{ user_guid: string; group_name: string }> }) =>
    answer
      .json()
      .filter((item) => item.user_guid === member.userGuid)
      .map((item) => item.group_name);
  assert.deepEqual(mine(await pending(leader.headers)), ['planning']);
  assert.deepEqual(mine(await pending(admin)), ['planning', 'followup']);
  assert.equal((await pending(member.headers)).statusCode, 403);
  const page = await app.inject({ url: '/api/groups/admin/pending?per_page=1', headers: admin });
  assert.equal(page.json().length, 1);
  assert.ok(Number(page.headers['x-total-count']) >= 2);
});

test('two admins decide one membership 50-fold: one decision holds', async () => {
  const leader = await makeLeader();
  const member = await makeProfessional(identity);
  const { membership_guid } = (await ask(member.headers, phaseGuid('planning'))).json();
  const answers = await fifty((index) =>
    index % 2 === 0 ? decide(leader.headers, membership_guid, 'approved') : decide(admin, membership_guid, 'rejected'),
  );
  assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 1);
  assert.ok(answers.every((answer) => [200, 409].includes(answer.statusCode)));
});

test('groups are for professionals', async () => {
  const patient = (await makePatient(identity)).headers;
  for (const [headers, status] of [
    [{}, 401],
    [patient, 403],
  ] as const) {
    assert.equal((await app.inject({ url: '/api/groups', headers })).statusCode, status);
    assert.equal((await ask(headers, phaseGuid('planning'))).statusCode, status);
    assert.equal((await pending(headers)).statusCode, status);
    assert.equal((await decide(headers, 'x', 'approved')).statusCode, status);
  }
});
