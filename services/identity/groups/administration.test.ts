// Appointment of group admins and deletion of groups (contract: identity, Admin; decision I10).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const identity = await startIdentity({ after });
const { app, database } = identity;
const admin = await identity.asAdmin();
let made = 0;

const assign = (user_guid: unknown, group_guid: unknown) =>
  app.inject({
    method: 'POST',
    url: '/api/admin/assign-group-admin',
    headers: admin,
    payload: { user_guid, group_guid },
  });
const remove = (guid: string) => app.inject({ method: 'DELETE', url: `/api/admin/groups/${guid}`, headers: admin });
const post = (url: string, headers: Record<string, string>, payload: object) =>
  app.inject({ method: 'POST', url, headers, payload });
const groupsOf = async (headers: Record<string, string>) =>
  (await app.inject({ url: '/api/auth/me', headers })).json().groups;

/** A group and the professional who proposed it. */
async function makeGroup() {
  made += 1;
  const proposer = await makeProfessional(identity);
  const body = { name: `Team ${made}`, group_type: 'team' };
  const { proposal_guid } = (await post('/api/groups/proposals', proposer.headers, body)).json();
  const decided = await post('/api/admin/group-proposals', admin, { proposal_guid, decision: 'approved' });
  return { groupGuid: String(decided.json().group_guid), proposer };
}

async function joinGroup(groupGuid: string) {
  const member = await makeProfessional(identity);
  const asked = await post('/api/groups/request-membership', member.headers, { group_guid: groupGuid });
  const { membership_guid } = asked.json();
  return {
    ...member,
    approve: () => post('/api/groups/admin/decide', admin, { membership_guid, decision: 'approved' }),
  };
}

test('an approved member becomes admin of the group, at once, and again without harm', async () => {
  const { groupGuid } = await makeGroup();
  const member = await joinGroup(groupGuid);
  await member.approve();
  assert.equal((await app.inject({ url: '/api/groups/admin/pending', headers: member.headers })).statusCode, 403);
  const answer = await assign(member.userGuid, groupGuid);
  const { message, ...rest } = answer.json();
  assert.ok(message.length > 0);
  assert.deepEqual(
    [answer.statusCode, rest],
    [200, { user_guid: member.userGuid, group_guid: groupGuid, is_admin: true }],
  );
  assert.equal((await groupsOf(member.headers))[0].is_admin, true);
  assert.equal((await app.inject({ url: '/api/groups/admin/pending', headers: member.headers })).statusCode, 200);
  assert.equal((await assign(member.userGuid, groupGuid)).statusCode, 200);
  assert.ok((await auditedEvents(identity)).includes('group.assign-admin'));
});

test('assigning: 404 no such user or group, 409 for no member and one who is pending, 400 for missing fields', async () => {
  const { groupGuid, proposer } = await makeGroup();
  for (const unknown of [UNKNOWN, 'none']) {
    assert.equal((await assign(unknown, groupGuid)).statusCode, 404);
    assert.equal((await assign(proposer.userGuid, unknown)).statusCode, 404);
  }
  const stranger = await makeProfessional(identity);
  const waiting = await joinGroup(groupGuid);
  const patient = (await makePatient(identity)).answer.user_guid;
  for (const guid of [stranger.userGuid, waiting.userGuid, patient]) {
    assert.deepEqual((await assign(guid, groupGuid)).json().error, 'conflict');
  }
  const issues = (await assign(undefined, undefined)).json();
  assert.deepEqual([issues.error, issues.messages.length], ['validation_error', 2]);
});

test('a removed group takes memberships, invites and requests with it, and its members’ rights at once', async () => {
  const { groupGuid, proposer } = await makeGroup();
  const member = await joinGroup(groupGuid);
  await member.approve();
  await post('/api/groups/request-admin', member.headers, { group_guid: groupGuid });
  const invited = await post('/api/groups/admin/invite', proposer.headers, { group_guid: groupGuid });
  assert.equal((await groupsOf(member.headers)).length, 1);
  const answer = await remove(groupGuid);
  const { message, ...rest } = answer.json();
  assert.ok(message.length > 0);
  assert.deepEqual([answer.statusCode, rest], [200, { group_guid: groupGuid }]);
  assert.deepEqual([await groupsOf(member.headers), await groupsOf(proposer.headers)], [[], []]);
  assert.equal((await app.inject({ url: '/api/groups/admin/pending', headers: proposer.headers })).statusCode, 403);
  const { token } = invited.json();
  assert.equal((await post('/api/groups/join-by-invite', member.headers, { token })).statusCode, 404);
  const left = await database.query(
    `SELECT group_guid FROM membership WHERE group_guid = $1 UNION ALL
     SELECT group_guid FROM group_invite WHERE group_guid = $1 UNION ALL
     SELECT group_guid FROM leader_request WHERE group_guid = $1`,
    [groupGuid],
  );
  assert.equal(left.rowCount, 0);
  assert.ok((await auditedEvents(identity)).includes('group.delete'));
});

test('removing: 404 for an unknown group, and one of 50 removals succeeds while others request to join', async () => {
  for (const unknown of [UNKNOWN, 'none']) assert.equal((await remove(unknown)).statusCode, 404);
  const { groupGuid } = await makeGroup();
  const asker = await makeProfessional(identity);
  const answers = await fifty((index) =>
    index % 5 === 4
      ? post('/api/groups/request-membership', asker.headers, { group_guid: groupGuid })
      : remove(groupGuid),
  );
  const codes = answers.filter((_, index) => index % 5 !== 4).map((answer) => answer.statusCode);
  assert.equal(codes.filter((code) => code === 200).length, 1);
  assert.equal(codes.filter((code) => code === 404).length, 39);
  assert.deepEqual(await groupsOf(asker.headers), []);
});
