// Races of decisions and requests: of fifty at once one counts (contract: identity, States; decisions I8, I9 and I11).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ADMIN } from '#test/support/identity/identity.ts';
import { makePatient, makeProfessional, nextEmail } from '#test/support/identity/identity-people.ts';
import { ask, onlyOne, onlyThese, startRaces } from '#test/support/identity/identity-races.ts';

const races = await startRaces({ after });
const { first, records, su, suGuid, rowsOf, race, audited, makeLeader } = races;

test('two admins decide one membership oppositely: one decision holds, with its decider', async () => {
  const group = await records.group();
  const leader = await makeLeader(group);
  const membership_guid = await records.membership({ group });
  const answers = await race((index, node) =>
    ask(node, 'POST /api/groups/admin/decide', {
      headers: index % 4 < 2 ? leader.headers : su,
      payload: { membership_guid, decision: index % 4 < 2 ? 'approved' : 'rejected' },
    }),
  );
  const { status, decided_by } = onlyOne(answers, 200, [409]).json();
  assert.equal(decided_by, status === 'approved' ? leader.userGuid : suGuid);
  const rows = await rowsOf('SELECT status, decided_by_guid FROM membership WHERE membership_guid = $1', [
    membership_guid,
  ]);
  assert.deepEqual(rows, [{ status, decided_by_guid: decided_by }]);
  assert.equal((await audited('membership.approved', group)) + (await audited('membership.rejected', group)), 1);
});

test('one group proposal is approved once, and makes one group with one admin', async () => {
  const proposal_guid = await records.proposal();
  const answers = await race((index, node) =>
    ask(node, 'POST /api/admin/group-proposals', {
      headers: su,
      payload: { proposal_guid, decision: index % 3 === 2 ? 'rejected' : 'approved' },
    }),
  );
  const { status, group_guid = null } = onlyOne(answers, 200, [409]).json();
  const groups = await rowsOf(
    `SELECT group_guid, (SELECT count(*) FROM membership m WHERE m.group_guid = g.group_guid AND is_admin) AS admins
     FROM care_group g WHERE name = $1`,
    [proposal_guid],
  );
  assert.deepEqual(groups, status === 'approved' ? [{ group_guid, admins: 1 }] : []);
});

test('one name is proposed once', async () => {
  const { headers } = await makeProfessional(first);
  const payload = { name: nextEmail(), group_type: 'team' };
  onlyOne(await race((_, node) => ask(node, 'POST /api/groups/proposals', { headers, payload })), 201, [409]);
});

test('one leader request is decided once, and the membership follows', async () => {
  const group = await records.group();
  const leader_request_guid = await records.leaderRequest(group);
  const answers = await race((index, node) =>
    ask(node, 'POST /api/admin/leader-requests', {
      headers: su,
      payload: { leader_request_guid, decision: index % 2 === 0 ? 'approved' : 'rejected' },
    }),
  );
  const { status } = onlyOne(answers, 200, [409]).json();
  const members = await rowsOf('SELECT status, is_admin FROM membership WHERE group_guid = $1', [group]);
  assert.deepEqual(members, status === 'approved' ? [{ status: 'approved', is_admin: true }] : []);
});

test('one user joins by one invite once', async () => {
  const { headers, userGuid } = await makeProfessional(first);
  const token = await records.invite();
  const answers = await race((_, node) =>
    ask(node, 'POST /api/groups/join-by-invite', { headers, payload: { token } }),
  );
  onlyOne(answers, 201, [409]);
  assert.equal((await rowsOf('SELECT FROM membership WHERE user_guid = $1', [userGuid])).length, 1);
});

for (const address of ['POST /api/groups/request-membership', 'POST /api/groups/request-admin']) {
  test(`${address}: one user asks once`, async () => {
    const { headers } = await makeProfessional(first);
    const payload = { group_guid: await records.group() };
    onlyOne(await race((_, node) => ask(node, address, { headers, payload })), 201, [409]);
  });
}

test('one professional is promoted once', async () => {
  const { userGuid: user_guid } = await makeProfessional(first);
  const payload = { user_guid, password: ADMIN.password };
  const answers = await race((_, node) => ask(node, 'POST /api/admin/promote-su', { headers: su, payload }));
  onlyOne(answers, 200, [409, 503]);
  assert.equal(await audited('user.promote-su', user_guid), 1);
});

test('a patient’s registries are set by many at once: the last one holds as a whole', async () => {
  const { answer } = await makePatient(first);
  const sets = [['Swedeheart'], ['NDR', 'SRQ'], []];
  const answers = await race((index, node) =>
    ask(node, `PUT /api/admin/patients/${answer.patient_guid}/registries`, {
      headers: su,
      payload: { registries: sets[index % 3] },
    }),
  );
  onlyThese(answers, [200]);
  const [row] = await rowsOf('SELECT registries FROM patient WHERE patient_guid = $1', [answer.patient_guid]);
  assert.ok(sets.some((set) => JSON.stringify(set) === JSON.stringify(row?.['registries'])));
});

test('no node has answered what nobody foresaw', races.requireNoInternalErrors);
