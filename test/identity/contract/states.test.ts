// The rows of the table of states and transitions, each with what else it brings about (contract: identity, States and
// transitions).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startContract } from '#test/support/identity/identity-contract.ts';
import { accessRequestBody, makeProfessional, nextEmail } from '#test/support/identity/identity-people.ts';
import { assertShape, GUID, PLAIN_TIME } from '#test/support/shape.ts';

const { identity, su, ask, refuse, makeGroup, makeAsker, makeMember } = await startContract({ after });
const suGuid: string = (await ask('GET /api/auth/me', { as: su })).body.user_guid;
const group = await makeGroup();
const group_guid = group.groupGuid;

/** The caller's own view of the membership: in the access blob, and in GET /api/groups when approved. */
async function viewOf(as: { headers: Record<string, string> }) {
  const { groups } = (await ask('GET /api/auth/me', { as })).body;
  const [own] = groups.filter((entry: { group_guid: string }) => entry.group_guid === group_guid);
  const listed = (await ask('GET /api/groups', { as })).body.some(
    (entry: { group_guid: string }) => entry.group_guid === group_guid,
  );
  return own === undefined ? { listed } : { status: own.status, is_admin: own.is_admin, listed };
}
const decide = (membership_guid: string, decision: string, as = group.leader) =>
  ask('POST /api/groups/admin/decide', { as, body: { membership_guid, decision } });
const isWaiting = async (membership: string) =>
  (await ask('GET /api/groups/admin/pending', { as: group.leader })).text.includes(membership);
const decidedBy = async (membership: string) => {
  const text = 'SELECT decided_by_guid FROM membership WHERE membership_guid = $1';
  return (await identity.database.query(text, [membership])).rows[0]?.['decided_by_guid'];
};

test('membership: none → pending by request-membership; the membership_guid is the one that waits', async () => {
  const asker = await makeAsker(group_guid);
  assert.deepEqual(await viewOf(asker), { status: 'pending', is_admin: false, listed: false });
  assert.ok(await isWaiting(asker.membershipGuid));
});

test('membership: none → pending by join-by-invite', async () => {
  const joiner = await makeProfessional(identity);
  const { token } = (await ask('POST /api/groups/admin/invite', { as: group.leader, body: { group_guid } })).body;
  const { body } = await ask('POST /api/groups/join-by-invite', { as: joiner, body: { token } });
  assert.deepEqual(await viewOf(joiner), { status: 'pending', is_admin: false, listed: false });
  assert.ok(await isWaiting(body.membership_guid));
});

test('membership: pending → approved; decided_by is the decider, the group is among the member’s', async () => {
  const asker = await makeAsker(group_guid);
  assert.equal((await decide(asker.membershipGuid, 'approved')).body.decided_by, group.leader.userGuid);
  assert.deepEqual(await viewOf(asker), { status: 'approved', is_admin: false, listed: true });
  assert.equal(await decidedBy(asker.membershipGuid), group.leader.userGuid);
  assert.ok(!(await isWaiting(asker.membershipGuid)));
});

test('membership: pending → rejected; decided_by is the decider, the group is not among the asker’s', async () => {
  const asker = await makeAsker(group_guid);
  const answer = await ask('POST /api/groups/admin/decide', {
    as: su,
    body: { membership_guid: asker.membershipGuid, decision: 'rejected' },
  });
  assert.equal(answer.body.decided_by, suGuid);
  assert.deepEqual(await viewOf(asker), { status: 'rejected', is_admin: false, listed: false });
  assert.equal(await decidedBy(asker.membershipGuid), suGuid);
});

test('membership: approved → approved with is_admin by assign-group-admin, who may then decide', async () => {
  const member = await makeMember(group_guid);
  const asker = await makeAsker(group_guid);
  assert.equal((await decide(asker.membershipGuid, 'approved', member)).status, 403);
  await ask('POST /api/admin/assign-group-admin', { as: su, body: { user_guid: member.userGuid, group_guid } });
  assert.deepEqual(await viewOf(member), { status: 'approved', is_admin: true, listed: true });
  assert.equal((await decide(asker.membershipGuid, 'approved', member)).status, 200);
});

async function requestLead(as: { headers: Record<string, string> }) {
  const { body } = await ask('POST /api/groups/request-admin', { as, body: { group_guid } });
  return String(body.leader_request_guid);
}
const decideLead = (leader_request_guid: string, decision: string) =>
  ask('POST /api/admin/leader-requests', { as: su, body: { leader_request_guid, decision } });

test('leader request: none → pending, for SU admins to review', async () => {
  const guid = await requestLead(await makeMember(group_guid));
  const listed = (await ask('GET /api/admin/leader-requests', { as: su })).body;
  const [item] = listed.filter((entry: { leader_request_guid: string }) => entry.leader_request_guid === guid);
  assert.equal(item.status, 'pending');
});

test('leader request: pending → approved; the membership has is_admin, and a missing or pending one is approved', async () => {
  const people = [await makeMember(group_guid), await makeAsker(group_guid), await makeProfessional(identity)];
  for (const person of people) {
    assert.equal((await decideLead(await requestLead(person), 'approved')).body.status, 'approved');
    assert.deepEqual(await viewOf(person), { status: 'approved', is_admin: true, listed: true });
  }
});

test('leader request: pending → rejected; the membership stays as it was', async () => {
  const member = await makeMember(group_guid);
  assert.equal((await decideLead(await requestLead(member), 'rejected')).body.status, 'rejected');
  assert.deepEqual(await viewOf(member), { status: 'approved', is_admin: false, listed: true });
});

async function propose() {
  const proposer = await makeProfessional(identity);
  const name = nextEmail();
  const { body } = await ask('POST /api/groups/proposals', {
    as: proposer,
    body: { name, group_type: 'quality_registry' },
  });
  const decision = (decided: string) =>
    ask('POST /api/admin/group-proposals', { as: su, body: { proposal_guid: body.proposal_guid, decision: decided } });
  const isMade = async () => (await ask('GET /api/public/groups')).text.includes(name);
  return { proposer, name, decision, isMade };
}

test('group proposal: pending → approved; the group is there and the proposer its admin', async () => {
  const { proposer, name, decision, isMade } = await propose();
  assert.equal(await isMade(), false);
  const { body } = await decision('approved');
  assert.equal(await isMade(), true);
  assert.deepEqual((await ask('GET /api/groups', { as: proposer })).body, [
    {
      resourceType: 'Group',
      group_guid: body.group_guid,
      name,
      group_type: 'quality_registry',
      is_admin: true,
      membership_status: 'approved',
    },
  ]);
});

test('group proposal: pending → rejected; no group', async () => {
  const { proposer, decision, isMade } = await propose();
  assert.equal((await decision('rejected')).body.status, 'rejected');
  assert.equal(await isMade(), false);
  assert.deepEqual((await ask('GET /api/groups', { as: proposer })).body, []);
});

async function requestAccess() {
  const form = await accessRequestBody(identity, ['planning', 'analysis']);
  const { body } = await ask('POST /api/public/access-request', { body: form });
  const access_request_guid = String(body.access_request_guid);
  const decision = (decided: string) =>
    ask('POST /api/admin/access-requests', { as: su, body: { access_request_guid, decision: decided } });
  const login = () => ask('POST /api/auth/login', { body: { email: form.email, password: form.password } });
  const state = async () => {
    const open = (await ask('GET /api/admin/access-requests', { as: su })).body;
    return open.find((item: Record<string, string>) => item['access_request_guid'] === access_request_guid)?.status;
  };
  return { form, access_request_guid, status: body.status, decision, login, state };
}

test('access request: none → pending', async () => {
  const { status, state } = await requestAccess();
  assert.deepEqual([status, await state()], ['pending', 'pending']);
});

test('access request: pending → endorsed; still open, and no account yet', async () => {
  const { decision, state, login } = await requestAccess();
  await decision('endorsed');
  assert.deepEqual([await state(), (await login()).status], ['endorsed', 401]);
});

for (const before of [[], ['endorsed']]) {
  const from = before.at(-1) ?? 'pending';
  test(`access request: ${from} → approved; user, professional, organisation and phases are made`, async () => {
    const { form, decision, state, login } = await requestAccess();
    for (const decided of before) await decision(decided);
    const approved = await decision('approved');
    const { token, user_guid } = (await login()).body;
    assert.deepEqual([approved.body.user_guid, await state()], [user_guid, undefined]);
    const { body } = await ask('GET /api/auth/me', { headers: { authorization: `Bearer ${token}` } });
    assertShape(body.professional_guid, GUID);
    assert.deepEqual(
      [body.user_guid, body.email, body.user_type, body.professional_role, body.organization_ids],
      [user_guid, form.email, 'professional', 'nurse', [form.organisation_guid]],
    );
    assert.deepEqual([...body.effective_phases].sort(), ['analysis', 'planning']);
    const listed = (await ask('GET /api/admin/users', { as: su })).body;
    const [user] = listed.filter((entry: { user_guid: string }) => entry.user_guid === user_guid);
    assert.deepEqual([user.first_name, user.last_name], [form.first_name, form.last_name]);
    assertShape(user.created_at, PLAIN_TIME);
  });

  test(`access request: ${from} → rejected; no account, the password is dropped, one may ask again`, async () => {
    const { form, access_request_guid, decision, state, login } = await requestAccess();
    for (const decided of before) await decision(decided);
    const { body } = await decision('rejected');
    assert.deepEqual(body, { access_request_guid, status: 'rejected' });
    assert.deepEqual([await state(), (await login()).status], [undefined, 401]);
    const text = 'SELECT password_hash FROM access_request WHERE access_request_guid = $1';
    assert.deepEqual((await identity.database.query(text, [access_request_guid])).rows, [{ password_hash: null }]);
    assert.equal((await ask('POST /api/public/access-request', { body: form })).status, 201);
  });
}

for (const [before, decided] of [
  [['endorsed'], 'endorsed'],
  [['approved'], 'endorsed'],
  [['approved'], 'approved'],
  [['approved'], 'rejected'],
  [['rejected'], 'endorsed'],
  [['rejected'], 'approved'],
  [['rejected'], 'rejected'],
] as const) {
  test(`access request: ${before[0]} may not be ${decided}: 409 conflict naming the state`, async () => {
    const { access_request_guid, decision } = await requestAccess();
    for (const step of before) assert.equal((await decision(step)).status, 200);
    const body = { access_request_guid, decision: decided };
    const answer = await refuse('POST /api/admin/access-requests', { as: su, body }, 409, 'conflict');
    assert.match(answer.body.message, new RegExp(before[0]));
  });
}

test('token: issued → revoked by logout; its jti is in the table of revoked tokens, and use is 401', async () => {
  const session = { headers: await identity.asAdmin() };
  const [, claims = ''] = session.headers.authorization.split('.');
  const { jti } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const isRevoked = async () =>
    (await identity.database.query('SELECT FROM revoked_token WHERE token_id = $1', [jti])).rowCount;
  assert.equal(await isRevoked(), 0);
  await ask('POST /api/auth/logout', { as: session });
  assert.equal(await isRevoked(), 1);
  await refuse('GET /api/auth/me', { as: session }, 401, 'unauthorized');
});
