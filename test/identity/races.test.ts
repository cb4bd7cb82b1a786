// Races on two nodes that share one database (contract: identity, States; issue "Identity, complete"): of fifty at once exactly one
// has an effect, the others get the documented status, nothing is half-written, and nothing answers 500.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, type Identity, identityDatabase, REDIRECT, startIdentity } from '#test/support/identity.ts';
import {
  accessRequestBody,
  makeOrganisation,
  makePatient,
  makeProfessional,
  nextEmail,
  nextPersonnummer,
  PASSWORD,
} from '#test/support/identity-people.ts';
import { createIdentityRecords } from '#test/support/identity-records.ts';

const hooks = lastFirst({ after });
const shared = await identityDatabase(hooks);
/** Each node has a pool of its own, as in a process of its own. */
const on = { ...shared, database: (schema: string) => shared.database(schema, {}) };
const nodes = [await startIdentity(hooks, { on }), await startIdentity(hooks, { on })] as const;
const [first, second] = nodes;
const records = createIdentityRecords(first.database);
const su = await first.asAdmin();
const suGuid: string = (await first.app.inject({ url: '/api/auth/me', headers: su })).json().user_guid;
const FIFTY = 50;

type Headers = Record<string, string>;
interface Call {
  readonly headers?: Headers;
  readonly payload?: object;
}

function ask(node: Identity, address: string, call: Call = {}) {
  const [method = '', url = ''] = address.split(' ');
  return node.app.inject({ method: method as 'GET' | 'POST' | 'PUT' | 'DELETE', url, ...call });
}

type Answer = Awaited<ReturnType<typeof ask>>;

/** Fifty calls at once, every other one to the other node. */
function race(call: (index: number, node: Identity) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: FIFTY }, (_, index) => call(index, nodes[index % 2 === 0 ? 0 : 1])));
}

/** That exactly one answered `success`, and the others one of `rest`. */
function onlyOne(answers: readonly Answer[], success: number, rest: readonly number[]): Answer {
  const [winner, ...more] = answers.filter((answer) => answer.statusCode === success);
  assert.ok(winner !== undefined && more.length === 0, `one ${success} among ${statuses(answers)}`);
  onlyThese(
    answers.filter((answer) => answer !== winner),
    rest,
  );
  return winner;
}

function onlyThese(answers: readonly Answer[], allowed: readonly number[]): void {
  const strange = answers.find((answer) => !allowed.includes(answer.statusCode));
  assert.equal(strange, undefined, `${strange?.body} among ${statuses(answers)}`);
}

function statuses(answers: readonly Answer[]): string {
  const counts = Map.groupBy(answers, (answer) => answer.statusCode);
  return [...counts].map(([status, of]) => `${of.length} × ${status}`).join(', ');
}

async function rowsOf(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await first.database.query(text, values)).rows;
}

/** How many audit events with this code, or code and entity, there are. */
async function audited(event: string, entity = ''): Promise<number> {
  const resources = await rowsOf('SELECT resource FROM audit_event WHERE resource LIKE $1 AND resource LIKE $2', [
    `%"${event}"%`,
    `%${entity}%`,
  ]);
  return resources.length;
}

async function makeSuAdmin() {
  const made = await makeProfessional(first);
  await first.database.query('UPDATE app_user SET is_su_admin = true WHERE user_guid = $1', [made.userGuid]);
  return { ...made, headers: await first.signIn(made.email, PASSWORD) };
}

async function makeLeader(group: string) {
  const leader = await makeProfessional(first);
  await records.membership({ group, user: leader.userGuid, status: 'approved', isAdmin: true });
  return leader;
}

async function makeAccessRequest(phases: readonly string[] = []) {
  const body = await accessRequestBody(first, phases);
  const answer = await ask(first, 'POST /api/public/access-request', { payload: body });
  return { ...body, guid: String(answer.json().access_request_guid) };
}

const decideAccess = (node: Identity, access_request_guid: string, decision: string) =>
  ask(node, 'POST /api/admin/access-requests', { headers: su, payload: { access_request_guid, decision } });
const registration = async () => ({
  email: nextEmail(),
  password: PASSWORD,
  personnummer: nextPersonnummer(),
  organisation_guid: await makeOrganisation(first),
});

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

/** What there is of the account of an address, counted. */
const accountOf = (email: string) =>
  rowsOf(
    `SELECT count(*) AS users, count(p) AS professionals, count(t) AS patients,
       (SELECT count(*) FROM professional_organisation o JOIN app_user x USING (user_guid) WHERE x.email_key = $1) AS links,
       (SELECT count(*) FROM membership m JOIN app_user x ON x.user_guid = m.user_guid WHERE x.email_key = $1) AS memberships
     FROM app_user u LEFT JOIN professional p USING (user_guid) LEFT JOIN patient t USING (user_guid) WHERE u.email_key = $1`,
    [email],
  );

test('one access request is approved once, and makes one account', async () => {
  const request = await makeAccessRequest(['planning', 'analysis']);
  const answers = await race((_, node) => decideAccess(node, request.guid, 'approved'));
  onlyOne(answers, 200, [409]);
  assert.deepEqual(await accountOf(request.email), [
    { users: 1, professionals: 1, patients: 0, links: 1, memberships: 2 },
  ]);
  assert.equal(await audited('access-request.approved', request.guid), 1);
});

test('one access request is approved or rejected, not both', async () => {
  const request = await makeAccessRequest(['planning']);
  const decisions = ['approved', 'rejected', 'endorsed'] as const;
  const answers = await race((index, node) => decideAccess(node, request.guid, decisions[index % 3] ?? 'rejected'));
  onlyThese(answers, [200, 409]);
  const taken = answers.filter((answer) => answer.statusCode === 200).map((answer) => answer.json().status);
  const final = taken.filter((status) => status !== 'endorsed');
  assert.equal(final.length, 1);
  assert.ok(taken.length <= 2);
  const rows = await rowsOf('SELECT status, password_hash FROM access_request WHERE access_request_guid = $1', [
    request.guid,
  ]);
  assert.deepEqual(rows, [{ status: final[0], password_hash: null }]);
  const [account] = await accountOf(request.email);
  assert.equal(account?.['users'], final[0] === 'approved' ? 1 : 0);
});

test('one address asks for access once', async () => {
  const body = await accessRequestBody(first);
  const answers = await race((_, node) => ask(node, 'POST /api/public/access-request', { payload: body }));
  onlyOne(answers, 201, [409, 503]);
  assert.equal((await rowsOf('SELECT FROM access_request WHERE email_key = $1', [body.email])).length, 1);
});

test('one address is registered once', async () => {
  const body = await registration();
  const answers = await race((_, node) =>
    ask(node, 'POST /api/patient/register', { payload: { ...body, personnummer: nextPersonnummer() } }),
  );
  onlyOne(answers, 201, [409, 503]);
  assert.deepEqual(await accountOf(body.email), [
    { users: 1, professionals: 0, patients: 1, links: 0, memberships: 0 },
  ]);
});

test('one personnummer is registered once, and leaves no user behind', async () => {
  const body = await registration();
  const answers = await race((_, node) =>
    ask(node, 'POST /api/patient/register', { payload: { ...body, email: nextEmail() } }),
  );
  onlyOne(answers, 201, [409, 503]);
  const orphans = await rowsOf(
    `SELECT FROM app_user u WHERE user_type = 'patient' AND NOT EXISTS (SELECT FROM patient p WHERE p.user_guid = u.user_guid)`,
  );
  assert.equal(orphans.length, 0);
});

test('a patient registers with the address of an access request that is approved meanwhile: one account', async () => {
  const request = await makeAccessRequest(['planning']);
  const body = await registration();
  const answers = await race((index, node) =>
    index % 10 === 0
      ? decideAccess(node, request.guid, 'approved')
      : ask(node, 'POST /api/patient/register', {
          payload: { ...body, email: request.email, personnummer: nextPersonnummer() },
        }),
  );
  const made = answers.filter((answer) => answer.statusCode === 201 || answer.statusCode === 200);
  assert.equal(made.length, 1, statuses(answers));
  onlyThese(answers, [200, 201, 409, 503]);
  const [account] = await accountOf(request.email);
  const isApproved = made[0]?.statusCode === 200;
  assert.deepEqual(
    account,
    isApproved
      ? { users: 1, professionals: 1, patients: 0, links: 1, memberships: 1 }
      : { users: 1, professionals: 0, patients: 1, links: 0, memberships: 0 },
  );
});

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
  // The other admin's token must live on for the tests that follow: only the rival's deletion is let through to the end.
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

test('one professional is promoted once', async () => {
  const { userGuid: user_guid } = await makeProfessional(first);
  const payload = { user_guid, password: ADMIN.password };
  const answers = await race((_, node) => ask(node, 'POST /api/admin/promote-su', { headers: su, payload }));
  onlyOne(answers, 200, [409, 503]);
  assert.equal(await audited('user.promote-su', user_guid), 1);
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

test('one one-time code is exchanged once', async () => {
  const next = `${REDIRECT}callback`;
  const payload = { ...ADMIN, next, response_mode: 'code' };
  const { headers } = await ask(first, 'POST /api/auth/login', { payload });
  const code = new URL(String(headers.location)).searchParams.get('code');
  onlyOne(await race((_, node) => ask(node, 'POST /api/auth/token', { payload: { code, next } })), 200, [401]);
});

test('one password is changed once, and the one that answered 200 is the password', async () => {
  const { headers, email } = await makeProfessional(first);
  const nextOf = (index: number) => `a phrase that is new ${index}`;
  const answers = await race((index, node) =>
    ask(node, 'POST /api/auth/change-password', {
      headers,
      payload: { current_password: PASSWORD, new_password: nextOf(index) },
    }),
  );
  const winner = onlyOne(answers, 200, [401, 429, 503]);
  await first.database.query('DELETE FROM login_failure');
  assert.equal((await first.signIn(email, nextOf(answers.indexOf(winner)))).authorization.slice(0, 7), 'Bearer ');
});

test('a token is used while it is signed out: 200 or 401, and 401 on both nodes afterwards', async () => {
  const { headers } = await makeProfessional(first);
  const answers = await race((index, node) =>
    index % 5 === 4 ? ask(node, 'POST /api/auth/logout', { headers }) : ask(node, 'GET /api/auth/me', { headers }),
  );
  onlyThese(answers, [200, 401]);
  assert.ok(answers.some((answer, index) => index % 5 === 4 && answer.statusCode === 200));
  assert.equal((await ask(first, 'GET /api/auth/me', { headers })).statusCode, 401);
  const deadline = performance.now() + 2_000;
  while ((await ask(second, 'GET /api/auth/me', { headers })).statusCode !== 401) {
    assert.ok(performance.now() < deadline, 'within two seconds');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
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

test('no node has logged an unexpected error', () => {
  const failures = nodes.flatMap((node) => node.lines).filter((line) => line.includes('internal_error'));
  assert.deepEqual(failures, []);
});
