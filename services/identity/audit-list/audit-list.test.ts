// The list of audit events (decision G9): each action is found with its actor and its subject.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { createAudit } from '#lib/audit/audit.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { ADMIN, handClock, SEALING_KEYS, startIdentity } from '#test/support/identity/identity.ts';
import { type AuditItem, createAuditReader } from '#test/support/identity/identity-audit.ts';
import { accessRequestBody, makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { createIdentityRecords } from '#test/support/identity/identity-records.ts';
import { createRevocations } from '../revocations/service.ts';
import { createKeyMaterial } from '../signing-keys/key-material.ts';
import { createKeyRotation } from '../signing-keys/rotation.ts';

type Headers = Record<string, string>;
const hooks = lastFirst({ after });
const clock = handClock();
const identity = await startIdentity(hooks, { clock });
const { app, database } = identity;
const records = createIdentityRecords(database);
const admin = await identity.asAdmin();
const guidOf = async (headers: Headers): Promise<string> =>
  (await app.inject({ url: '/api/auth/me', headers })).json().user_guid;
const adminGuid = await guidOf(admin);

const { audit, listed } = createAuditReader(identity, admin);
async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, headers: Headers, payload?: object) {
  const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: answer.json() };
}

const nurse = await makeProfessional(identity);
const leader = await makeProfessional(identity);
const patient = await makePatient(identity);
const patientUser = await guidOf(patient.headers);

interface Action {
  readonly event: string;
  /** Performs the action; returns the actor and the subject. */
  readonly run: () => Promise<{ actor: string | null; subject: string | null; outcome?: 'failure' }>;
}

async function completed<T>(work: PromiseLike<unknown>, parties: T): Promise<T> {
  await work;
  return parties;
}
const byAdmin = (subject: string | null) => ({ actor: adminGuid, subject });
const byNurse = { actor: nurse.userGuid, subject: nurse.userGuid };
const login = (email: string, password: string) => call('POST', '/api/auth/login', {}, { email, password });

async function decideMembership(decision: string) {
  const user = await records.professional();
  const membership_guid = await records.membership({ group: await records.group(), user });
  await call('POST', '/api/groups/admin/decide', admin, { membership_guid, decision });
  return byAdmin(user);
}
async function decideLeader(decision: string) {
  const group_guid = await records.group();
  const asked = await call('POST', '/api/groups/request-admin', nurse.headers, { group_guid });
  const { leader_request_guid } = asked.body;
  await call('POST', '/api/admin/leader-requests', admin, { leader_request_guid, decision });
  return byAdmin(nurse.userGuid);
}
async function decideProposal(decision: string) {
  const made = await call('POST', '/api/groups/proposals', nurse.headers, {
    name: `Group ${decision}`,
    group_type: 'team',
  });
  await call('POST', '/api/admin/group-proposals', admin, { proposal_guid: made.body.proposal_guid, decision });
  return byAdmin(nurse.userGuid);
}
async function decideAccess(decision: string) {
  const asked = await call('POST', '/api/public/access-request', {}, await accessRequestBody(identity));
  const { access_request_guid } = asked.body;
  const decided = await call('POST', '/api/admin/access-requests', admin, { access_request_guid, decision });
  return byAdmin(decided.body.user_guid ?? null);
}

const ACTIONS: readonly Action[] = [
  { event: 'user.sign-in', run: async () => completed(login(nurse.email, PASSWORD), byNurse) },
  {
    event: 'user.sign-in',
    run: async () =>
      completed(login(nurse.email, 'wrong'), { actor: null, subject: nurse.userGuid, outcome: 'failure' }),
  },
  {
    event: 'user.sign-in',
    run: async () => completed(login('nobody@example.org', 'x'), { actor: null, subject: null, outcome: 'failure' }),
  },
  {
    event: 'user.sign-out',
    run: async () => completed(call('POST', '/api/auth/logout', await identity.signIn(nurse.email, PASSWORD)), byNurse),
  },
  {
    event: 'user.change-password',
    run: async () => {
      const passwords = { current_password: PASSWORD, new_password: PASSWORD };
      return completed(call('POST', '/api/auth/change-password', nurse.headers, passwords), byNurse);
    },
  },
  {
    event: 'user.change-password',
    run: async () => {
      const passwords = { current_password: 'wrong', new_password: PASSWORD };
      return completed(call('POST', '/api/auth/change-password', nurse.headers, passwords), {
        ...byNurse,
        outcome: 'failure',
      });
    },
  },
  { event: 'session.list', run: async () => completed(call('GET', '/api/auth/sessions', nurse.headers), byNurse) },
  {
    event: 'session.revoke',
    run: async () => {
      await identity.signIn(nurse.email, PASSWORD);
      const [{ session_guid }] = (await call('GET', '/api/auth/sessions', nurse.headers)).body;
      return completed(call('DELETE', `/api/auth/sessions/${session_guid}`, nurse.headers), byNurse);
    },
  },
  {
    event: 'session.revoke-others',
    run: async () => completed(call('DELETE', '/api/auth/sessions', nurse.headers), byNurse),
  },
  {
    event: 'user.revoke-sessions',
    run: async () =>
      completed(call('DELETE', `/api/admin/users/${leader.userGuid}/sessions`, admin), byAdmin(leader.userGuid)),
  },
  { event: 'membership.approved', run: () => decideMembership('approved') },
  { event: 'membership.rejected', run: () => decideMembership('rejected') },
  {
    event: 'membership.request',
    run: async () => {
      const group_guid = await records.group();
      return completed(call('POST', '/api/groups/request-membership', nurse.headers, { group_guid }), byNurse);
    },
  },
  {
    event: 'leader-request.submit',
    run: async () => {
      const group_guid = await records.group();
      return completed(call('POST', '/api/groups/request-admin', nurse.headers, { group_guid }), byNurse);
    },
  },
  { event: 'leader-request.approved', run: () => decideLeader('approved') },
  { event: 'leader-request.rejected', run: () => decideLeader('rejected') },
  {
    event: 'group-proposal.submit',
    run: async () => {
      const proposal = { name: 'Wound care', group_type: 'team' };
      return completed(call('POST', '/api/groups/proposals', nurse.headers, proposal), byNurse);
    },
  },
  { event: 'group-proposal.approved', run: () => decideProposal('approved') },
  { event: 'group-proposal.rejected', run: () => decideProposal('rejected') },
  {
    event: 'access-request.submit',
    run: async () => {
      await call('POST', '/api/public/access-request', {}, await accessRequestBody(identity));
      return { actor: null, subject: null };
    },
  },
  { event: 'access-request.endorsed', run: () => decideAccess('endorsed') },
  { event: 'access-request.approved', run: () => decideAccess('approved') },
  { event: 'access-request.rejected', run: () => decideAccess('rejected') },
  {
    event: 'patient.register',
    run: async () => ({ actor: null, subject: await guidOf((await makePatient(identity)).headers) }),
  },
  {
    event: 'registry-status.read',
    run: async () => {
      await call('GET', '/api/patient/registry-status', patient.headers);
      return { actor: patientUser, subject: patientUser };
    },
  },
  {
    event: 'patient.registries',
    run: async () => {
      const url = `/api/admin/patients/${patient.answer.patient_guid}/registries`;
      return completed(call('PUT', url, admin, { registries: ['Swedeheart'] }), byAdmin(patientUser));
    },
  },
  {
    event: 'group.assign-admin',
    run: async () => {
      const [user_guid, group_guid] = [await records.professional(), await records.group()];
      await records.membership({ group: group_guid, user: user_guid, status: 'approved' });
      return completed(
        call('POST', '/api/admin/assign-group-admin', admin, { user_guid, group_guid }),
        byAdmin(user_guid),
      );
    },
  },
  {
    event: 'group.delete',
    run: async () => completed(call('DELETE', `/api/admin/groups/${await records.group()}`, admin), byAdmin(null)),
  },
  {
    event: 'group.invite',
    run: async () => {
      const group_guid = await records.group();
      return completed(call('POST', '/api/groups/admin/invite', admin, { group_guid }), byAdmin(null));
    },
  },
  {
    event: 'user.promote-su',
    run: async () => {
      const user_guid = await records.professional();
      const promotion = { user_guid, password: ADMIN.password };
      return completed(call('POST', '/api/admin/promote-su', admin, promotion), byAdmin(user_guid));
    },
  },
  {
    event: 'user.delete',
    run: async () => {
      const user = await records.professional();
      return completed(call('DELETE', `/api/admin/users/${user}`, admin), byAdmin(user));
    },
  },
  {
    event: 'memberships.list-pending',
    run: async () => completed(call('GET', '/api/groups/admin/pending', admin), byAdmin(null)),
  },
  {
    event: 'leader-requests.list',
    run: async () => completed(call('GET', '/api/admin/leader-requests', admin), byAdmin(null)),
  },
  {
    event: 'group-proposals.list',
    run: async () => completed(call('GET', '/api/admin/group-proposals', admin), byAdmin(null)),
  },
  {
    event: 'access-requests.list',
    run: async () => completed(call('GET', '/api/admin/access-requests', admin), byAdmin(null)),
  },
  { event: 'users.list', run: async () => completed(call('GET', '/api/admin/users?page=1', admin), byAdmin(null)) },
  {
    event: 'users.export',
    run: async () => completed(app.inject({ url: '/api/admin/export-users', headers: admin }), byAdmin(null)),
  },
  {
    event: 'organisation.create',
    run: async () => completed(call('POST', '/api/admin/organisations', admin, { name: 'Unit' }), byAdmin(null)),
  },
  {
    event: 'service-registry.replace',
    run: async () => completed(call('PUT', '/api/admin/oath-overview', admin, []), byAdmin(null)),
  },
  {
    event: 'audit.list',
    run: async () => completed(audit(`?user_guid=${nurse.userGuid}`), byAdmin(nurse.userGuid)),
  },
];

for (const { event, run } of ACTIONS) {
  test(`${event} names who did it and whom it was about`, async () => {
    clock.advance(1);
    const { actor, subject, outcome = 'success' } = await run();
    const [newest] = await listed(`?event=${event}`);
    assert.ok(newest !== undefined, 'nothing was recorded');
    assert.deepEqual(
      [newest.event, newest.actor.user_guid, newest.subject?.user_guid ?? null, newest.outcome],
      [event, actor, subject, outcome],
    );
    assert.equal(newest.address, '127.0.0.1');
    assert.ok((newest.request_id ?? '').length > 0);
    for (const user of [actor, subject]) {
      if (user === null) continue;
      const found = await listed(`?event=${event}&user_guid=${user}`);
      assert.ok(
        found.some((each) => each.audit_guid === newest.audit_guid),
        'found by who and by whose',
      );
    }
  });
}

test('an unknown address is stored nowhere; a deleted account keeps its guid', async () => {
  const { rows } = await database.query("SELECT FROM audit_event WHERE resource LIKE '%nobody@example.org%'");
  assert.equal(rows.length, 0);
  const gone = await makeProfessional(identity);
  await call('DELETE', `/api/admin/users/${gone.userGuid}`, admin);
  const events = await listed(`?user_guid=${gone.userGuid}`);
  const parties = events.flatMap(({ actor, subject }) => [actor, subject]);
  assert.deepEqual(
    events.filter(({ event }) => event !== 'audit.list').map(({ event }) => event),
    ['user.delete', 'user.sign-in', 'access-request.approved'],
  );
  assert.ok(parties.filter((party) => party?.user_guid === gone.userGuid).every((party) => party?.email === null));
});

test('the list is filtered by outcome and time, and names existing accounts', async () => {
  const failures = await listed('?outcome=failure&per_page=200');
  assert.ok(failures.length >= 3 && failures.every(({ outcome }) => outcome === 'failure'));
  clock.advance(10_000);
  const since = new Date(clock.now()).toISOString();
  await login(nurse.email, PASSWORD);
  clock.advance(10_000);
  const until = new Date(clock.now()).toISOString();
  await login(leader.email, PASSWORD);
  const within = await listed(`?since=${since}&until=${until}&event=user.sign-in`);
  assert.deepEqual(
    within.map(({ actor }) => actor.email),
    [nurse.email],
  );
  const [newest] = await listed('?event=user.sign-in');
  assert.deepEqual([newest?.actor.email, newest?.subject?.email], [leader.email, leader.email]);
  assert.deepEqual(newest?.actor.roles.includes('professional'), true);
});

test('following the links shows every event once, while others are added', async () => {
  const { rows } = await database.query<{ event_guid: string }>('SELECT event_guid FROM audit_event');
  const seen: string[] = [];
  let url: string | undefined = '?per_page=7';
  while (url !== undefined) {
    const answer = await audit(url);
    assert.equal(answer.statusCode, 200, answer.body);
    seen.push(...answer.json().map((event: AuditItem) => event.audit_guid));
    url = /\?[^>]*(?=>; rel="next")/.exec(String(answer.headers.link ?? ''))?.[0];
  }
  assert.equal(new Set(seen).size, seen.length);
  assert.deepEqual(
    rows.filter(({ event_guid: guid }) => !seen.includes(guid)),
    [],
  );
});

test('an event of a command names who ran it', async () => {
  const revocations = createRevocations({ database, clock });
  const material = createKeyMaterial(SEALING_KEYS);
  const recorder = createAudit({ database, clock, service: 'identity' });
  const operator = makePrincipal(['admin'], { kind: 'operator', id: 'root' });
  await createKeyRotation({ database, clock, audit: recorder, revocations, material, operator }).rotate();
  const [event] = await listed('?event=signing-key.rotate');
  assert.deepEqual([event?.actor.operator, event?.actor.user_guid, event?.entities.length], ['root', null, 1]);
});

test('numbered pages have a total and links; the newest come first', async () => {
  const answer = await audit('?page=2&per_page=5&event=user.sign-in');
  const total = Number(answer.headers['x-total-count']);
  assert.ok(total > 10);
  assert.match(String(answer.headers.link), /page=1&[^>]*>; rel="prev", [^>]*page=3&[^>]*>; rel="next"/);
  const all = await listed('?per_page=200&event=user.sign-in');
  assert.deepEqual(answer.json(), all.slice(5, 10));
  const times = all.map(({ recorded_at: time }) => time);
  assert.deepEqual(times, [...times].sort().reverse());
});

test('invalid parameters are refused by name', async () => {
  const invalid = {
    'user_guid=x': 'user_guid',
    'since=yesterday': 'since',
    'since=0000-01-01T00:00:00Z': 'since',
    'until=2026-02-30T25:00:00Z': 'until',
    'outcome=maybe': 'outcome',
    'per_page=201': 'per_page',
    'page=0': 'page',
    'cursor=x': 'cursor',
    'cursor=MSB4&page=1': 'cursor',
    'what=x': 'what',
  };
  for (const [query, field] of Object.entries(invalid)) {
    const answer = await audit(`?${query}`);
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'validation_error'], query);
    assert.ok(
      answer.json().messages.some((message: string) => message.includes(field)),
      answer.body,
    );
  }
});

test('events of an earlier version are listed as they are, and found like those of now after the migration', async () => {
  const columns = ['event', 'outcome', 'actor_guid'];
  const before = await database.query(`SELECT event_guid, ${columns} FROM audit_event ORDER BY event_guid`);
  await database.query('ALTER TABLE audit_event DISABLE TRIGGER audit_event_append_only');
  await database.query('UPDATE audit_event SET event = NULL, outcome = NULL, actor_guid = NULL, subject_guid = NULL');
  const answer = await audit('?page=1&per_page=200');
  assert.equal(answer.statusCode, 200, 'as written by a node of before, beside this one');
  assert.ok(answer.json().some(({ event }: AuditItem) => event === 'user.delete'));
  const migration = await readFile(new URL('../migrations/0014_audit_list.sql', import.meta.url), 'utf8');
  await database.query(/^UPDATE[^;]+/m.exec(migration)?.[0] ?? '');
  const guids = before.rows.map(({ event_guid: guid }) => guid);
  const after = await database.query(
    `SELECT event_guid, ${columns} FROM audit_event WHERE event_guid = ANY($1::uuid[]) ORDER BY event_guid`,
    [guids],
  );
  // The professional of a deleted user is gone, so the actor of those events is unknown.
  const living = after.rows.filter(({ actor_guid: actor }) => actor !== null);
  const known = new Set(living.map(({ event_guid: guid }) => guid));
  assert.deepEqual(
    living,
    before.rows.filter(({ event_guid: guid }) => known.has(guid)),
  );
  assert.ok(living.length > guids.length / 2);
  assert.ok((await listed(`?user_guid=${patientUser}&event=patient.registries`)).length > 0);
});
