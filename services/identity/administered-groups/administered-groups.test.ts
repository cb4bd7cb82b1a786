// Groups as who administers them sees them: counts, members, their removal, and invites.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const identity = await startIdentity({ after });
const { app } = identity;
type Headers = Record<string, string>;
const admin = await identity.asAdmin();
const PATH = '/api/groups/admin/groups';
const inject = (method: 'GET' | 'POST' | 'DELETE', url: string, headers: Headers, payload?: object) =>
  app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
const get = async (url: string, headers: Headers) => (await inject('GET', url, headers)).json();

const leader = await makeProfessional(identity);
const member = await makeProfessional(identity);
const asking = await makeProfessional(identity);
const { proposal_guid } = (
  await inject('POST', '/api/groups/proposals', leader.headers, { name: 'Wound care', group_type: 'team' })
).json();
const decided = await inject('POST', '/api/admin/group-proposals', admin, { proposal_guid, decision: 'approved' });
const { group_guid } = decided.json();
for (const { headers } of [member, asking]) {
  await inject('POST', '/api/groups/request-membership', headers, { group_guid });
}
const [first] = await get('/api/groups/admin/pending', leader.headers);
await inject('POST', '/api/groups/admin/decide', leader.headers, {
  membership_guid: first.membership_guid,
  decision: 'approved',
});

test('a leader has the own groups with their counts, an SU admin all, anybody else none', async () => {
  const own = await get(PATH, leader.headers);
  assert.deepEqual(own.data, [
    {
      group_guid,
      name: 'Wound care',
      group_type: 'team',
      description: null,
      members: 2,
      admins: 1,
      pending: 1,
      invites: 0,
    },
  ]);
  assert.equal((await get(PATH, admin)).total, 5);
  assert.equal((await get(`${PATH}?group_type=phase`, admin)).total, 4);
  assert.equal((await get(`${PATH}?search=WOUND`, admin)).total, 1);
  assert.deepEqual((await get(PATH, member.headers)).data, []);
  assert.equal((await get(`${PATH}/${group_guid}`, admin)).pending, 1);
});

test('members are listed to who administers the group: admins first, the pending ones by themselves', async () => {
  const members = await get(`${PATH}/${group_guid}/members`, leader.headers);
  assert.deepEqual(
    members.data.map((each: { email: string; is_admin: boolean }) => [each.email, each.is_admin]),
    [
      [leader.email, true],
      [member.email, false],
    ],
  );
  const pending = await get(`${PATH}/${group_guid}/members?status=pending`, admin);
  assert.deepEqual([pending.total, pending.data[0].email], [1, asking.email]);
  assert.equal((await get(`${PATH}/${group_guid}/members?search=${member.email}`, admin)).total, 1);
  for (const path of ['', '/members', '/invites']) {
    assert.equal((await inject('GET', `${PATH}/${group_guid}${path}`, member.headers)).statusCode, 403, path);
    assert.equal((await inject('GET', `${PATH}/none${path}`, admin)).statusCode, 404, path);
  }
});

test('an invite is listed without its token, has a link and a picture of it, and is of no use once revoked', async () => {
  const made = (
    await inject('POST', '/api/groups/admin/invite', leader.headers, { group_guid, hours_valid: 2, with_link: true })
  ).json();
  assert.match(made.link, new RegExp(`/account/join\\?invite=${made.token}$`));
  assert.match(made.qr_svg, /^<svg/);
  const invites = `${PATH}/${group_guid}/invites`;
  const listed = await get(invites, admin);
  assert.deepEqual(
    listed.map(({ created_at: _, ...invite }: Record<string, unknown>) => invite),
    [{ invite_guid: made.invite_guid, expires_at: made.expires_at, created_by: 'Anna Berg' }],
  );
  assert.equal((await get(`${PATH}/${group_guid}`, leader.headers)).invites, 1);
  const revoke = (headers: Headers) => inject('DELETE', `${invites}/${made.invite_guid}`, headers);
  assert.equal((await revoke(member.headers)).statusCode, 403);
  const answers = await fifty(() => revoke(leader.headers));
  assert.deepEqual(answers.filter(({ statusCode }) => statusCode === 200).length, 1);
  assert.ok(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 404));
  const newcomer = await makeProfessional(identity);
  const join = await inject('POST', '/api/groups/join-by-invite', newcomer.headers, { token: made.token });
  assert.equal(join.statusCode, 404);
  assert.ok((await auditedEvents(identity)).includes('group.revoke-invite'));
});

test('a leader removes members and no other admins; the member loses the group at once', async () => {
  const remove = (user: string, headers: Headers) => inject('DELETE', `${PATH}/${group_guid}/members/${user}`, headers);
  const groupsOf = async (headers: Headers) => (await get('/api/auth/me', headers)).groups.length;
  assert.equal((await remove(leader.userGuid, member.headers)).statusCode, 403);
  await inject('POST', '/api/admin/assign-group-admin', admin, { user_guid: member.userGuid, group_guid });
  assert.equal((await remove(leader.userGuid, member.headers)).statusCode, 403, 'the other admin');
  assert.equal(await groupsOf(leader.headers), 1);
  assert.equal((await remove(leader.userGuid, admin)).statusCode, 200);
  assert.equal(await groupsOf(leader.headers), 0);
  assert.equal((await remove(leader.userGuid, admin)).statusCode, 404);
  assert.equal((await remove(asking.userGuid, member.headers)).statusCode, 200, 'one who waits');
  assert.equal((await remove(member.userGuid, member.headers)).statusCode, 200, 'oneself');
  assert.ok((await auditedEvents(identity)).includes('membership.remove'));
});
