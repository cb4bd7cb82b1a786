// One queue of what waits for a decision. For an SU admin it has everything, for a leader what concerns the leader. The
// tests also check the reason of a decision, which is recorded and mailed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { accessRequestBody, makeProfessional } from '#test/support/identity/identity-people.ts';
import { startMailServer } from '#test/support/mail.ts';

const hooks = lastFirst({ after });
const mails = await startMailServer(hooks);
const identity = await startIdentity(hooks, { sendMail: mails.send });
const { app } = identity;
type Headers = Record<string, string>;
const admin = await identity.asAdmin();
const PATH = '/api/groups/admin/decision-queue';

const read = async (headers: Headers, query: Record<string, string> = {}) => {
  const response = await app.inject({ url: `${PATH}?${new URLSearchParams(query)}`, headers });
  assert.equal(response.statusCode, 200, response.body);
  return response.json();
};
const post = async (url: string, headers: Headers, payload: object) =>
  (await app.inject({ method: 'POST', url, headers, payload })).json();
const kindsOf = (queue: { data: { kind: string }[] }) => queue.data.map(({ kind }) => kind);

const leader = await makeProfessional(identity);
const member = await makeProfessional(identity);
const proposed = await post('/api/groups/proposals', leader.headers, { name: 'Wound care', group_type: 'team' });
await post('/api/admin/group-proposals', admin, { proposal_guid: proposed.proposal_guid, decision: 'approved' });
const groups: { group_guid: string; name: string }[] = (await app.inject('/api/public/groups')).json();
const group_guid = groups.find(({ name }) => name === 'Wound care')?.group_guid ?? '';
const joining = await post('/api/groups/request-membership', member.headers, { group_guid });
await identity.database.query(
  `UPDATE membership SET created_at = created_at - interval '1 day' WHERE membership_guid = $1`,
  [joining.membership_guid],
);
const elsewhere = groups.find(({ name }) => name === 'analysis')?.group_guid ?? '';
await post('/api/groups/request-membership', member.headers, { group_guid: elsewhere });
await post('/api/groups/request-admin', member.headers, { group_guid });
await post('/api/groups/proposals', member.headers, { name: 'Night team', group_type: 'team', description: 'Nights' });
const applicant = { ...(await accessRequestBody(identity, ['planning'])), chosen_leader_guid: leader.userGuid };
const asked = await post('/api/public/access-request', {}, { ...applicant, last_name: 'Åkesson' });

test('an SU admin has every kind, the oldest first, with how many there are of each', async () => {
  const queue = await read(admin);
  assert.deepEqual(kindsOf(queue).sort(), [
    'access_request',
    'group_proposal',
    'leader_request',
    'membership',
    'membership',
  ]);
  assert.equal(queue.data[0].guid, joining.membership_guid);
  assert.deepEqual(queue.counts, { access_request: 1, membership: 2, leader_request: 1, group_proposal: 1 });
  assert.equal(queue.total, 5);
  assert.ok(queue.data.every((entry: { may_decide: boolean }) => entry.may_decide));
  const request = queue.data.find(({ kind }: { kind: string }) => kind === 'access_request');
  assert.deepEqual([request.last_name, request.requested_phases, request.user_guid], ['Åkesson', ['planning'], null]);
  const newest = await read(admin, { order: 'newest' });
  assert.equal(newest.data.at(-1).guid, joining.membership_guid);
});

test('a leader has the memberships of the own groups, and sees the access requests that name the leader', async () => {
  const queue = await read(leader.headers);
  assert.deepEqual(
    queue.data.map((entry: { kind: string; may_decide: boolean }) => [entry.kind, entry.may_decide]),
    [
      ['membership', true],
      ['access_request', false],
    ],
  );
  assert.deepEqual(queue.counts, { access_request: 1, membership: 1, leader_request: 0, group_proposal: 0 });
  const none = await read(member.headers);
  assert.deepEqual([none.total, none.data], [0, []]);
});

test('it is narrowed by kind, text and age; the counts are of all kinds', async () => {
  const kinds = await read(admin, { kind: 'membership', per_page: '1', page: '2' });
  assert.deepEqual([kinds.total, kindsOf(kinds), kinds.counts.leader_request], [2, ['membership'], 1]);
  assert.deepEqual(kindsOf(await read(admin, { search: 'åkess' })), ['access_request']);
  assert.deepEqual((await read(admin, { search: 'nobody' })).data, []);
  assert.equal((await read(admin, { search: '   ' })).total, 5);
  const old = await read(admin, { min_days: '1' });
  assert.deepEqual(
    old.data.map(({ guid }: { guid: string }) => guid),
    [joining.membership_guid],
  );
  assert.deepEqual((await read(admin, { page: '9' })).counts, old.counts && (await read(admin)).counts);
});

test('a reason is recorded with the decision, and mailed to who asked', async () => {
  const reason = ' Ask the <b>day</b> team first ';
  await post('/api/groups/admin/decide', leader.headers, {
    membership_guid: joining.membership_guid,
    decision: 'rejected',
    reason,
  });
  const mail = await mails.mailTo(member.email, /rejected/);
  assert.match(mail.body, /Wound care/);
  assert.match(mail.body, /Reason: Ask the <b>day<\/b> team first/);
  const events = (await app.inject({ url: '/api/admin/audit?event=membership.rejected', headers: admin })).json();
  assert.equal(events[0].detail, reason.trim());
  await post('/api/admin/access-requests', admin, {
    access_request_guid: asked.access_request_guid,
    decision: 'approved',
  });
  assert.match((await mails.mailTo(applicant.email, /approved/)).body, /You can sign in/);
  assert.equal((await read(admin)).counts.access_request, 0);
  const tooLong = await app.inject({
    method: 'POST',
    url: '/api/groups/admin/decide',
    headers: admin,
    payload: { membership_guid: joining.membership_guid, decision: 'rejected', reason: 'x'.repeat(501) },
  });
  assert.equal(tooLong.statusCode, 400);
});
