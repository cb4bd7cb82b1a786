// A user's own sessions and their end (decisions I1, G8, G9), on two nodes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually, promptly } from '#test/support/http.ts';
import { ADMIN, handClock, identityDatabase, REDIRECT, startIdentity } from '#test/support/identity/identity.ts';
import { codeFor, credentialsOf, exchange, makeClient } from '#test/support/identity/identity-clients.ts';
import { auditedEvents, makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

type Headers = Record<string, string>;
interface Item {
  readonly session_guid: string;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly client_id: string | null;
  readonly client_name: string | null;
  readonly current: boolean;
}

const hooks = lastFirst({ after });
const on = await identityDatabase(hooks);
const clock = handClock();
const [identity, other] = [await startIdentity(hooks, { on, clock }), await startIdentity(hooks, { on, clock })];
const { app } = identity;

const list = async (headers: Headers): Promise<Item[]> => {
  const answer = await app.inject({ url: '/api/auth/sessions', headers });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
};
const end = (headers: Headers, session = '') =>
  app.inject({ method: 'DELETE', url: `/api/auth/sessions${session === '' ? '' : `/${session}`}`, headers });
const me = async (node: typeof identity, headers: Headers) =>
  (await node.app.inject({ url: '/api/auth/me', headers })).statusCode;
const endedEverywhere = async (headers: Headers) => {
  assert.equal(await me(identity, headers), 401, 'at once on the node that handled it');
  const refused = async () => ((await me(other, headers)) === 401 ? true : undefined);
  await promptly('the other node refused it', refused, 2_000);
};
const countOf = async (event: string) => (await auditedEvents(identity)).filter((each) => each === event).length;

async function signInFrom(email: string, headers: Headers, password: string = PASSWORD): Promise<Headers> {
  const payload = { email, password };
  const answer = await app.inject({ method: 'POST', url: '/api/auth/login', payload, headers });
  return { authorization: `Bearer ${answer.json().token}` };
}

test('when the own session ends is read without a record in the audit log, which has no more than the list', async () => {
  const { headers } = await makeProfessional(identity);
  const [item] = await list(headers);
  const listed = await countOf('session.list');
  const recorded = (await auditedEvents(identity)).length;
  const answer = await app.inject({ url: '/api/auth/sessions/current', headers });
  assert.equal(answer.statusCode, 200, answer.body);
  const { expires_at: end, idle_ends_at: idle } = item as Item & Record<'expires_at' | 'idle_ends_at', string>;
  assert.deepEqual(answer.json(), { expires_at: end, idle_ends_at: idle });
  assert.equal((await auditedEvents(identity)).length, recorded);
  assert.equal(await countOf('session.list'), listed);
});

test('one’s sessions are listed with where they were begun, the asking one marked, the newest first', async () => {
  const { email, headers } = await makeProfessional(identity);
  const forwarded = { 'x-forwarded-for': '192.0.2.7', 'user-agent': `Firefox\u00e5\t(${'x'.repeat(400)})` };
  const phone = await signInFrom(email, forwarded);
  const [newest, first] = await list(headers);
  assert.deepEqual([newest?.address, first?.address], ['192.0.2.7', '127.0.0.1']);
  assert.deepEqual([newest?.current, first?.current], [false, true]);
  assert.match(newest?.user_agent ?? '', /^Firefox \(x+$/);
  assert.equal(newest?.user_agent?.length, 256);
  assert.deepEqual(
    (await list(phone)).map(({ current }) => current),
    [true, false],
  );
  const keys = [
    'session_guid',
    'created_at',
    'expires_at',
    'last_used_at',
    'idle_ends_at',
    'address',
    'user_agent',
    'client_id',
    'client_name',
    'clients',
    'current',
  ];
  assert.deepEqual(Object.keys(newest ?? {}), keys);
  const page = await app.inject({ url: '/api/auth/sessions?per_page=1', headers });
  assert.deepEqual([page.json().length, page.headers['x-total-count']], [1, '2']);
});

test('a session that began with a one-time code is of the browser that signed in, not of the server that exchanged it', async () => {
  const { email } = await makeProfessional(identity);
  const next = `${REDIRECT}callback`;
  const handed = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'user-agent': 'Browser', 'x-forwarded-for': '192.0.2.8' },
    payload: { email, password: PASSWORD, next, response_mode: 'code' },
  });
  const code = new URL(String(handed.headers.location)).searchParams.get('code');
  const exchange = { method: 'POST', url: '/api/auth/token', headers: { 'user-agent': 'Server' } } as const;
  const { token } = (await app.inject({ ...exchange, payload: { code, next } })).json();
  const [session] = await list({ authorization: `Bearer ${token}` });
  assert.deepEqual([session?.user_agent, session?.address], ['Browser', '192.0.2.8']);
});

test('a session names the client that it was made for, of the record and of the configuration', async () => {
  const { id, headers: records } = await makeClient(identity, {
    client_id: 'records',
    name: 'Region’s records',
    redirects: [REDIRECT],
  });
  const { email, headers } = await makeProfessional(identity);
  for (const [client_id, credentials] of [
    [id, records],
    ['journal', credentialsOf('journal', 'another-secret-of-some-length')],
  ] as const) {
    const wanted = { client_id, next: REDIRECT, email, password: PASSWORD };
    const code = await codeFor(identity, wanted);
    assert.equal((await exchange(identity, { code, next: REDIRECT }, credentials)).statusCode, 200);
  }
  assert.deepEqual(
    (await list(headers)).map((each) => [each.client_id, each.client_name]),
    [
      ['journal', 'journal'],
      ['records', 'Region’s records'],
      [null, null],
    ],
  );
});

test('a one-time code that is presented again ends the session of its first use, everywhere (RFC 6749 §4.1.2)', async () => {
  const { email, headers } = await makeProfessional(identity);
  const presented = { code: await codeFor(identity, { next: REDIRECT, email, password: PASSWORD }), next: REDIRECT };
  const first = await exchange(identity, presented);
  const session = { authorization: `Bearer ${first.json().token}` };
  assert.deepEqual([await me(identity, session), await me(other, session)], [200, 200]);
  const before = await countOf('user.reuse-code');
  for (let again = 0; again < 2; again += 1) assert.equal((await exchange(identity, presented)).statusCode, 401);
  await endedEverywhere(session);
  assert.deepEqual([await me(identity, headers), (await list(headers)).length], [200, 1], 'and no other');
  assert.equal((await countOf('user.reuse-code')) - before, 1);
});

test('one session is ended, everywhere; again it is not found', async () => {
  const { email, headers } = await makeProfessional(identity);
  const lost = await identity.signIn(email, PASSWORD);
  assert.deepEqual([await me(identity, lost), await me(other, lost)], [200, 200]);
  const [session] = await list(headers);
  const answer = await end(headers, session?.session_guid);
  assert.deepEqual([answer.statusCode, answer.json().session_guid], [200, session?.session_guid]);
  await endedEverywhere(lost);
  assert.deepEqual([(await end(headers, session?.session_guid)).statusCode, (await list(headers)).length], [404, 1]);
});

test('the asking session can be ended, too', async () => {
  const { headers } = await makePatient(identity);
  const [session] = await list(headers);
  assert.equal((await end(headers, session?.session_guid)).statusCode, 200);
  await endedEverywhere(headers);
});

test('an unknown session, another user’s session and an invalid guid get 404', async () => {
  const [anna, bo] = [await makeProfessional(identity), await makeProfessional(identity)];
  const [session] = await list(anna.headers);
  for (const guid of [session?.session_guid ?? '', '01900000-0000-7000-8000-000000000000', 'x', '%00']) {
    assert.equal((await end(bo.headers, guid)).statusCode, 404, guid);
  }
  assert.equal(await me(identity, anna.headers), 200);
});

test('all others are ended, with what has not been exchanged yet', async () => {
  const { email, headers, userGuid } = await makeProfessional(identity);
  const others = [await identity.signIn(email, PASSWORD), await identity.signIn(email, PASSWORD)];
  const next = `${REDIRECT}callback`;
  const payload = { email, password: PASSWORD, next, response_mode: 'code' };
  await app.inject({ method: 'POST', url: '/api/auth/login', payload });
  assert.deepEqual((await end(headers)).json().revoked, 2);
  for (const ended of others) await endedEverywhere(ended);
  assert.equal(await me(identity, headers), 200);
  const codes = await identity.database.query('SELECT FROM sign_in_code WHERE user_guid = $1', [userGuid]);
  assert.equal(codes.rowCount, 0);
});

test('without tenants nothing names one', async () => {
  const { headers } = await makeProfessional(identity);
  const [session] = (await app.inject({ url: '/api/auth/sessions', headers })).json();
  const caller = (await app.inject({ url: '/api/auth/me', headers })).json();
  assert.ok(session.session_guid && caller.user_guid);
  assert.deepEqual([session.tenants, session.clients[0].tenant, caller.tenant], [undefined, undefined, undefined]);
});

test('an SU admin ends all sessions of a user, who may sign in again', async () => {
  const { email, headers, userGuid } = await makeProfessional(identity);
  const admin = await identity.asAdmin();
  const url = (guid: string) => `/api/admin/users/${guid}/sessions`;
  const answer = await app.inject({ method: 'DELETE', url: url(userGuid), headers: admin });
  const { message, ...rest } = answer.json();
  assert.deepEqual([answer.statusCode, rest, typeof message], [200, { user_guid: userGuid, revoked: 1 }, 'string']);
  await endedEverywhere(headers);
  assert.equal(await me(identity, await identity.signIn(email, PASSWORD)), 200);
  for (const guid of ['01900000-0000-7000-8000-000000000000', 'x']) {
    assert.equal((await app.inject({ method: 'DELETE', url: url(guid), headers: admin })).statusCode, 404);
  }
});

test('an expired session is not listed', async () => {
  const { email } = await makeProfessional(identity);
  clock.advance(3600_000);
  const headers = await signInFrom(email, {});
  assert.equal((await list(headers)).length, 1);
});

test('one session ended 50 times at once is ended once', async () => {
  const { email, headers } = await makeProfessional(identity);
  await identity.signIn(email, PASSWORD);
  const [session] = await list(headers);
  const before = await countOf('session.revoke');
  const answers = await fifty((index) =>
    (index % 2 === 0 ? app : other.app).inject({
      method: 'DELETE',
      url: `/api/auth/sessions/${session?.session_guid}`,
      headers,
    }),
  );
  const statuses = answers.map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 404)]);
  assert.equal((await countOf('session.revoke')) - before, 1);
});

test('of 50 sessions that end all others at once, one is left', async () => {
  const { email } = await makeProfessional(identity);
  const all: Headers[] = [];
  for (let index = 0; index < 50; index += 1) all.push(await identity.signIn(email, PASSWORD));
  const answers = await Promise.all(
    all.map((headers, index) =>
      (index % 2 === 0 ? app : other.app).inject({ method: 'DELETE', url: '/api/auth/sessions', headers }),
    ),
  );
  const winners = answers.filter(({ statusCode }) => statusCode === 200);
  assert.deepEqual([winners.length, winners[0]?.json().revoked], [1, 50]);
  assert.ok(answers.every(({ statusCode }) => [200, 401].includes(statusCode)));
  const statuses = await Promise.all(all.map((headers) => me(identity, headers)));
  assert.equal(statuses.filter((status) => status === 200).length, 1);
});

test('deletions, password changes and ends of sessions at once wait for each other in one line', async () => {
  const admin = await identity.asAdmin();
  for (let round = 0; round < 5; round += 1) {
    const { email, headers, userGuid } = await makeProfessional(identity);
    const second = await identity.signIn(email, PASSWORD);
    const passwords = { current_password: PASSWORD, new_password: PASSWORD };
    const answers = await Promise.all([
      app.inject({ method: 'POST', url: '/api/auth/change-password', headers, payload: passwords }),
      end(second),
      app.inject({ method: 'DELETE', url: `/api/admin/users/${userGuid}/sessions`, headers: admin }),
      other.app.inject({ method: 'DELETE', url: `/api/admin/users/${userGuid}`, headers: admin }),
    ]);
    const statuses = answers.map(({ statusCode }) => statusCode);
    assert.ok(
      statuses.every((status) => [200, 401, 404].includes(status)),
      JSON.stringify(statuses),
    );
    assert.equal(statuses[3], 200);
    for (const session of [headers, second])
      await eventually('gone', async () => ((await me(other, session)) === 401 ? true : undefined));
  }
});

test('reads and ends of sessions are recorded', async () => {
  const admin = await signInFrom(ADMIN.email, {}, ADMIN.password);
  await list(admin);
  const events = new Set(await auditedEvents(identity));
  for (const event of ['session.list', 'session.revoke', 'session.revoke-others', 'user.revoke-sessions']) {
    assert.ok(events.has(event), event);
  }
});

test('a one-time code that is exchanged while all other sessions are ended leaves no session behind', async () => {
  const { email, headers } = await makeProfessional(identity);
  const next = `${REDIRECT}callback`;
  for (let round = 0; round < 25; round += 1) {
    const handed = await app.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { email, password: PASSWORD, next, response_mode: 'code' },
    });
    const code = new URL(String(handed.headers.location)).searchParams.get('code');
    const exchange = app.inject({ method: 'POST', url: '/api/auth/token', payload: { code, next } });
    const [ended, exchanged] = await Promise.all([end(headers), exchange]);
    assert.equal(ended.statusCode, 200);
    if (exchanged.statusCode !== 200) continue;
    assert.equal(await me(identity, { authorization: `Bearer ${exchanged.json().token}` }), 401, `round ${round}`);
  }
});
