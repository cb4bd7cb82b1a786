// Removing users and groups while others decide on them: nothing is left half, and nobody waits in a circle (decision
// I10).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import { makeProfessional, nextEmail, PASSWORD } from '#test/support/identity/identity-people.ts';
import { ask, type Headers, onlyOne, onlyThese, startRaces } from '#test/support/identity/identity-races.ts';
import { fileForm, formOf, HEADER } from '#test/support/identity/user-csv.ts';

const races = await startRaces({ after }, { importPassword: new Secret('a temporary phrase') });
const {
  first,
  records,
  su,
  suGuid,
  rowsOf,
  race,
  audited,
  makeSuAdmin,
  makeLeader,
  makeAccessRequest,
  decideAccess,
  accountOf,
} = races;

test('five SU admins delete one another: one stays', async () => {
  const admins = await Promise.all(Array.from({ length: 5 }, makeSuAdmin));
  const answers = await race((index, node) => {
    const by = admins[index % 5];
    const victim = admins[(index + 1 + Math.floor(index / 5)) % 5];
    return ask(node, `DELETE /api/admin/users/${victim?.userGuid}`, { headers: by?.headers ?? {} });
  });
  onlyThese(answers, [200, 401, 404, 409]);
  const guids = admins.map((admin) => admin.userGuid);
  const left = await rowsOf('SELECT user_guid FROM app_user WHERE user_guid = ANY($1::uuid[])', [guids]);
  assert.equal(left.length, 5 - answers.filter((answer) => answer.statusCode === 200).length);
  assert.ok(left.length >= 1);
});

test('the last two SU admins delete each other: one stays', async () => {
  const rival = await makeSuAdmin();
  await first.database.query(
    'UPDATE app_user SET is_su_admin = false WHERE is_su_admin AND user_guid <> ALL($1::uuid[])',
    [[rival.userGuid, suGuid]],
  );
  // The other admin's token must live on for the tests that follow: only the rival's deletion is let through to the
  // end.
  const answers = await race((index, node) =>
    index % 2 === 0
      ? ask(node, `DELETE /api/admin/users/${rival.userGuid}`, { headers: su })
      : ask(node, `DELETE /api/admin/users/${rival.userGuid}`, { headers: rival.headers }),
  );
  onlyOne(answers, 200, [401, 404, 409]);
  assert.equal((await rowsOf('SELECT FROM app_user WHERE is_su_admin')).length, 1);
  const own = await race((_, node) => ask(node, `DELETE /api/admin/users/${suGuid}`, { headers: su }));
  onlyThese(own, [409]);
});

test('a group is removed while people join, ask to lead, are decided on and appointed: nothing of it is left', async () => {
  const group = await records.group();
  const leader = await makeLeader(group);
  const people = await Promise.all(Array.from({ length: 4 }, () => makeProfessional(first)));
  const invited = await ask(first, 'POST /api/groups/admin/invite', { headers: su, payload: { group_guid: group } });
  const membership_guid = await records.membership({ group });
  const leader_request_guid = await records.leaderRequest(group);
  const acts: readonly ((headers: Headers) => [string, Headers, object?])[] = [
    () => [`DELETE /api/admin/groups/${group}`, su],
    (headers) => ['POST /api/groups/request-membership', headers, { group_guid: group }],
    (headers) => ['POST /api/groups/request-admin', headers, { group_guid: group }],
    (headers) => ['POST /api/groups/join-by-invite', headers, { token: invited.json().token }],
    () => ['POST /api/groups/admin/decide', leader.headers, { membership_guid, decision: 'approved' }],
    () => ['POST /api/admin/leader-requests', su, { leader_request_guid, decision: 'approved' }],
    () => ['POST /api/admin/assign-group-admin', su, { user_guid: leader.userGuid, group_guid: group }],
    () => ['POST /api/groups/admin/invite', leader.headers, { group_guid: group }],
  ];
  const answers = await race((index, node) => {
    const headers = people[index % people.length]?.headers ?? {};
    const [address, as, payload] = acts[(index * 3) % acts.length]!(headers);
    return ask(node, address, payload === undefined ? { headers: as } : { headers: as, payload });
  });
  onlyThese(answers, [200, 201, 403, 404, 409]);
  const left = await rowsOf(
    `SELECT 'membership' FROM membership WHERE group_guid = $1 UNION ALL SELECT 'invite' FROM group_invite WHERE group_guid = $1
     UNION ALL SELECT 'request' FROM leader_request WHERE group_guid = $1 UNION ALL SELECT 'group' FROM care_group WHERE group_guid = $1`,
    [group],
  );
  assert.deepEqual(left, []);
  assert.equal(await audited('group.delete', group), 1);
});

test('a user is deleted while decided on, promoted, appointed and signing in: nothing of the user is left', async () => {
  const group = await records.group();
  const { userGuid: user, email, headers } = await makeProfessional(first);
  const membership_guid = await records.membership({ group, user });
  const acts: readonly (() => [string, Headers, object?])[] = [
    () => [`DELETE /api/admin/users/${user}`, su],
    () => ['POST /api/groups/admin/decide', su, { membership_guid, decision: 'approved' }],
    () => ['POST /api/admin/assign-group-admin', su, { user_guid: user, group_guid: group }],
    () => ['POST /api/groups/request-admin', headers, { group_guid: group }],
    () => ['POST /api/auth/login', {}, { email, password: PASSWORD }],
    () => ['POST /api/groups/proposals', headers, { name: nextEmail(), group_type: 'team' }],
    () => ['POST /api/auth/logout', headers],
  ];
  const answers = await race((index, node) => {
    const [address, as, payload] = acts[(index * 3) % acts.length]!();
    return ask(node, address, payload === undefined ? { headers: as } : { headers: as, payload });
  });
  onlyThese(answers, [200, 201, 401, 404, 409, 429, 503]);
  const left = await rowsOf(
    `SELECT 'user' FROM app_user WHERE user_guid = $1 UNION ALL SELECT 'membership' FROM membership WHERE user_guid = $1
     UNION ALL SELECT 'request' FROM leader_request WHERE user_guid = $1 UNION ALL SELECT 'proposal' FROM group_proposal WHERE user_guid = $1`,
    [user],
  );
  assert.deepEqual(left, []);
  const living = await rowsOf(
    `SELECT FROM issued_token i WHERE user_guid = $1 AND NOT EXISTS (SELECT FROM revoked_token r WHERE r.token_id = i.token_id)`,
    [user],
  );
  assert.equal(living.length, 0, 'every token that was issued is revoked');
  for (const answer of answers.filter((one) => one.statusCode === 200 && one.json().token !== undefined)) {
    const me = await ask(first, 'GET /api/auth/me', { headers: { authorization: `Bearer ${answer.json().token}` } });
    assert.equal(me.statusCode, 401);
  }
});

test('an SU admin is deleted while deciding: what was decided stays without a decider', async () => {
  const decider = await makeSuAdmin();
  const group = await records.group();
  const memberships = await Promise.all(Array.from({ length: 24 }, () => records.membership({ group })));
  const answers = await race((index, node) =>
    index === 12
      ? ask(node, `DELETE /api/admin/users/${decider.userGuid}`, { headers: su })
      : ask(node, 'POST /api/groups/admin/decide', {
          headers: decider.headers,
          payload: { membership_guid: memberships[index % 24], decision: 'approved' },
        }),
  );
  onlyThese(answers, [200, 401, 409]);
  const decided = await rowsOf('SELECT status, decided_by_guid FROM membership WHERE group_guid = $1', [group]);
  assert.ok(decided.every((row) => row['decided_by_guid'] === null));
  const approved = decided.filter((row) => row['status'] === 'approved').length;
  assert.equal(approved, answers.filter((one) => one.statusCode === 200).length - 1);
});

test('a group is removed while users are imported into it: whole users, and no membership of the group', async () => {
  const group = await records.group();
  const rowsPerFile = 4;
  const emails: string[] = [];
  const answers = await race(async (index, node) => {
    if (index === 25) return ask(node, `DELETE /api/admin/groups/${group}`, { headers: su });
    const rows = Array.from({ length: rowsPerFile }, () => {
      emails.push(nextEmail());
      return `${emails.at(-1)},professional,Anna,Berg,nurse,,,${group},false`;
    });
    const { payload, headers } = await formOf(fileForm([HEADER, ...rows, ''].join('\r\n')));
    return ask(node, 'POST /api/admin/import-users', { headers: { ...su, ...headers }, payload });
  });
  onlyThese(answers, [200]);
  const reports = answers.map((answer) => answer.json()).filter((report) => report.created !== undefined);
  for (const { created, errors } of reports) assert.equal(created + errors.length, rowsPerFile);
  const users = await rowsOf(
    'SELECT count(*) AS users, count(p) AS professionals FROM app_user u LEFT JOIN professional p USING (user_guid) WHERE email_key = ANY($1::text[])',
    [emails],
  );
  const created = reports.reduce((sum, report) => sum + report.created, 0);
  assert.deepEqual(users, [{ users: created, professionals: created }]);
  assert.deepEqual(await rowsOf('SELECT FROM membership WHERE group_guid = $1', [group]), []);
});

test('a phase is removed while access requests that name it are approved: all of the account or nothing', async () => {
  const group = await records.group();
  await first.database.query(`UPDATE care_group SET group_type = 'phase' WHERE group_guid = $1`, [group]);
  const requests = await Promise.all(Array.from({ length: 10 }, () => makeAccessRequest(['planning', group])));
  const answers = await race((index, node) =>
    index === 20
      ? ask(node, `DELETE /api/admin/groups/${group}`, { headers: su })
      : decideAccess(node, requests[index % 10]!.guid, 'approved'),
  );
  onlyThese(answers, [200, 409]);
  for (const request of requests) {
    const [account] = await accountOf(request.email);
    const [row] = await rowsOf('SELECT status FROM access_request WHERE access_request_guid = $1', [request.guid]);
    assert.equal(account?.['users'], row?.['status'] === 'approved' ? 1 : 0);
  }
});

test('no node has answered what nobody foresaw', races.requireNoInternalErrors);
