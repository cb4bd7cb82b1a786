import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const identity = await startIdentity({ after });
const { app } = identity;
const admin = await identity.asAdmin();
const [group] = (await app.inject('/api/public/groups')).json();

const ask = (headers: Record<string, string>, group_guid: unknown = group.group_guid) =>
  app.inject({ method: 'POST', url: '/api/groups/request-admin', headers, payload: { group_guid } });
const decide = (leader_request_guid: string, decision: string) =>
  app.inject({
    method: 'POST',
    url: '/api/admin/leader-requests',
    headers: admin,
    payload: { leader_request_guid, decision },
  });
const groupsOf = async (headers: Record<string, string>) =>
  (await app.inject({ url: '/api/auth/me', headers })).json().groups;

test('a professional submits, an SU admin sees who and which group, approves, and the membership is created with it', async () => {
  const { headers, userGuid, email } = await makeProfessional(identity);
  const asked = await ask(headers);
  const { leader_request_guid } = asked.json();
  const { group_guid } = group;
  assert.deepEqual([asked.statusCode, asked.json()], [201, { leader_request_guid, group_guid, status: 'pending' }]);
  const listed = (await app.inject({ url: '/api/admin/leader-requests', headers: admin })).json();
  const { created_at, ...item } = listed.at(-1);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
  assert.deepEqual(item, {
    leader_request_guid,
    user_guid: userGuid,
    user_email: email,
    first_name: 'Anna',
    last_name: 'Berg',
    group_guid,
    group_name: group.name,
    status: 'pending',
  });
  const decided = await decide(leader_request_guid, 'approved');
  assert.deepEqual(decided.json(), { leader_request_guid, group_guid, user_guid: userGuid, status: 'approved' });
  const [membership] = await groupsOf(headers);
  assert.deepEqual([membership.group_guid, membership.status, membership.is_admin], [group_guid, 'approved', true]);
  assert.equal((await app.inject({ url: '/api/groups/admin/pending', headers })).statusCode, 200);
  const leaders = (await app.inject('/api/public/group-leaders')).json();
  assert.ok(leaders.some((leader: { user_guid: string }) => leader.user_guid === userGuid));
  const events = await auditedEvents(identity);
  assert.ok(events.includes('leader-request.submit') && events.includes('leader-request.approved'));
});

test('a pending membership is approved with the request; a rejected request changes nothing', async () => {
  const member = await makeProfessional(identity);
  const payload = { group_guid: group.group_guid };
  await app.inject({ method: 'POST', url: '/api/groups/request-membership', headers: member.headers, payload });
  const first = (await ask(member.headers)).json().leader_request_guid;
  assert.equal((await decide(first, 'rejected')).json().status, 'rejected');
  assert.deepEqual(
    (await groupsOf(member.headers)).map((entry: { status: string }) => entry.status),
    ['pending'],
  );
  const second = (await ask(member.headers)).json().leader_request_guid;
  await decide(second, 'approved');
  const [membership] = await groupsOf(member.headers);
  assert.deepEqual([membership.status, membership.is_admin], ['approved', true]);
});

test('404 for an unknown group, 409 while a request is open and for an admin of the group', async () => {
  const { headers } = await makeProfessional(identity);
  assert.equal((await ask(headers, '01900000-0000-7000-8000-000000000000')).statusCode, 404);
  assert.equal((await ask(headers, 'none')).statusCode, 404);
  const many = await fifty(() => ask(headers));
  assert.equal(many.filter((answer) => answer.statusCode === 201).length, 1);
  assert.equal(many.filter((answer) => answer.json().error === 'conflict').length, 49);
  const made = many.find((answer) => answer.statusCode === 201)?.json();
  await decide(made.leader_request_guid, 'approved');
  assert.equal((await ask(headers)).statusCode, 409);
});

test('deciding: 404, 400 for another literal, and of 50 decisions one holds', async () => {
  assert.equal((await decide('none', 'approved')).statusCode, 404);
  const { headers } = await makeProfessional(identity);
  const guid = (await ask(headers)).json().leader_request_guid;
  assert.equal((await decide(guid, 'endorsed')).json().error, 'validation_error');
  const answers = await fifty((index) => decide(guid, index % 2 === 0 ? 'approved' : 'rejected'));
  assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 1);
  assert.equal(answers.filter((answer) => answer.statusCode === 409).length, 49);
});
