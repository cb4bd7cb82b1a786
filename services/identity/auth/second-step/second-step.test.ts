// Sign-in with a second factor: the challenge, its codes, the handshake, guessing and races.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MINUTE_MS } from '#lib/clock.ts';
import { handClock, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { codeAt, codesFrom, makeGuarded, setUpSecondFactor } from '#test/support/identity/totp.ts';

const NEXT = 'https://app.example.org/sso/callback';
const clock = handClock();
const on = await identityDatabase({ after });
const [identity, other] = [
  await startIdentity({ after }, { on, clock }),
  await startIdentity({ after }, { on, clock }),
];
const { app, database } = identity;
const guarded = () => makeGuarded(identity, clock);
const post = (url: string, payload: object, node = identity) => node.app.inject({ method: 'POST', url, payload });
const login = (email: string, more: object = {}) => post('/api/auth/login', { email, password: PASSWORD, ...more });
const answer = (challenge: string, code: string, node = identity) =>
  post('/api/auth/login/second-factor', { challenge, code }, node);
const challengeOf = async (email: string, more: object = {}): Promise<string> =>
  (await login(email, more)).json().challenge;
/** Runs one after the other: the server sheds passwords that arrive at once. */
async function challengesOf(email: string, count: number): Promise<string[]> {
  const challenges: string[] = [];
  while (challenges.length < count) challenges.push(await challengeOf(email));
  return challenges;
}
const me = (token: string) => app.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } });
async function signInEvents(userGuid: string): Promise<string[]> {
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event ORDER BY 1');
  return rows
    .map((row) => JSON.parse(row.resource))
    .filter((event) => JSON.stringify(event).includes(userGuid) && /^user\.sign-in/.test(event.code.coding[0].code))
    .map((event) => `${event.code.coding[0].code} ${event.outcome.code.code}`);
}

test('who has no second factor gets the contract’s answer, a code sent along or not', async () => {
  const { email } = await makeProfessional(identity);
  for (const more of [{}, { code: '123456' }]) {
    const answered = await login(email, more);
    assert.deepEqual([answered.statusCode, Object.keys(answered.json()).sort()], [200, ['token', 'user_guid']]);
  }
});

test('the right password is answered by a challenge, and that with a code by the token, once', async () => {
  const { email, userGuid, codes } = await guarded();
  await database.query('UPDATE app_user SET last_login_at = NULL WHERE user_guid = $1', [userGuid]);
  const lastLogin = async () =>
    (await database.query('SELECT last_login_at FROM app_user WHERE user_guid = $1', [userGuid])).rows[0]?.[
      'last_login_at'
    ];
  const before = await signInEvents(userGuid);
  const first = await login(email);
  const { challenge, expires_at, ...rest } = first.json();
  assert.deepEqual([first.statusCode, rest], [200, { second_factor_required: true }]);
  assert.equal(first.headers['cache-control'], 'no-store');
  assert.equal(Buffer.from(challenge, 'base64url').length, 32);
  assert.match(expires_at, /\+00:00$/);
  assert.equal(await lastLogin(), null, 'not signed in yet');
  const second = await answer(challenge, codes[0]);
  assert.deepEqual([second.statusCode, Object.keys(second.json()).sort()], [200, ['token', 'user_guid']]);
  assert.equal(second.headers['cache-control'], 'no-store');
  assert.equal((await me(second.json().token)).statusCode, 200);
  assert.notEqual(await lastLogin(), null);
  const again = await answer(challenge, codes[1]);
  assert.deepEqual([again.statusCode, again.json().error], [401, 'authentication_failed']);
  assert.deepEqual((await signInEvents(userGuid)).slice(before.length).sort(), [
    'user.sign-in success',
    'user.sign-in-challenge success',
  ]);
});

test('a wrong password says nothing of the second factor', async () => {
  const { email } = await guarded();
  const wrong = await login(email, { password: 'not the password' });
  const unknown = await post('/api/auth/login', { email: 'nobody@example.org', password: 'not the password' });
  assert.deepEqual([wrong.statusCode, wrong.body], [unknown.statusCode, unknown.body]);
});

test('the code may come with the password; a recovery code counts once, in whatever form it is typed', async () => {
  const { email, userGuid, codes, recoveryCodes } = await guarded();
  const [recovery = '', another = ''] = recoveryCodes;
  assert.equal((await login(email, { code: codes[0] })).statusCode, 200);
  const replayed = await login(email, { code: codes[0] });
  assert.deepEqual([replayed.statusCode, replayed.json().error], [401, 'authentication_failed']);
  assert.equal((await login(email, { code: recovery.toLowerCase().replaceAll('-', ' ') })).statusCode, 200);
  assert.equal((await login(email, { code: recovery })).statusCode, 401);
  assert.equal((await answer(await challengeOf(email), another)).statusCode, 200);
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const used = rows.filter(({ resource }) => resource.includes('"second-factor.use-recovery-code"'));
  assert.equal(used.filter(({ resource }) => resource.includes(userGuid)).length, 2);
});

test('a code of an earlier step is refused once a later one was taken', async () => {
  const { email, secret } = await guarded();
  const [, present, next] = codesFrom(secret, clock.now());
  assert.equal((await login(email, { code: next })).statusCode, 200);
  assert.equal((await login(email, { code: present })).statusCode, 401);
});

test('a clock may be a step off and no more', async () => {
  const { email, secret } = await guarded();
  // Ten seconds into a step, some minutes on: no step ends while this runs.
  clock.advance(10 * MINUTE_MS + 10_000 - (clock.now() % 30_000));
  for (const [steps, status] of [
    [-2, 401],
    [2, 401],
    [-1, 200],
    [1, 200],
  ] as const) {
    const code = codeAt(secret, clock.now() + steps * 30_000);
    assert.equal((await login(email, { code })).statusCode, status, `${steps} steps`);
  }
});

for (const [kind, pick] of [
  ['code', (made: Awaited<ReturnType<typeof guarded>>) => made.codes[0]],
  ['recovery code', (made: Awaited<ReturnType<typeof guarded>>) => made.recoveryCodes[0] ?? ''],
] as const) {
  test(`one ${kind} presented 50-fold on two nodes, with as many challenges: one sign-in`, async () => {
    const made = await guarded();
    const challenges = await challengesOf(made.email, 50);
    const code = pick(made);
    const answers = await Promise.all(
      challenges.map((challenge, index) => answer(challenge, code, index % 2 === 0 ? identity : other)),
    );
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1);
    for (const { statusCode, body } of answers) assert.ok([200, 401, 429, 503].includes(statusCode), body);
  });
}

test('one challenge answered 50-fold with right codes: one sign-in, and no failure is counted', async () => {
  const { email, recoveryCodes } = await guarded();
  const challenge = await challengeOf(email);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => answer(challenge, recoveryCodes[index % 10] ?? '')),
  );
  assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1);
  for (const { statusCode, body } of answers) assert.ok([200, 401, 503].includes(statusCode), body);
  assert.equal((await login(email)).json().second_factor_required, true);
});

test('after five wrong codes the challenge is gone, for the right code too', async () => {
  const { email, codes } = await guarded();
  const challenge = await challengeOf(email);
  for (let wrong = 0; wrong < 5; wrong += 1) assert.equal((await answer(challenge, 'ABCDEF')).statusCode, 401);
  const gone = await answer(challenge, codes[0]);
  assert.deepEqual([gone.statusCode, gone.json().error], [401, 'authentication_failed']);
  assert.equal((await login(email, { code: codes[0] })).statusCode, 200, 'the code was not used up');
});

test('a challenge is valid for five minutes', async () => {
  const { email, secret } = await guarded();
  const challenge = await challengeOf(email);
  clock.advance(5 * MINUTE_MS + 1);
  assert.equal((await answer(challenge, codeAt(secret, clock.now()))).statusCode, 401);
});

test('wrong codes lock the account as wrong passwords do; the right password between them clears no failure', async () => {
  const { email, secret, userGuid } = await guarded();
  for (let wrong = 0; wrong < 10; wrong += 1) {
    const refused =
      wrong % 2 === 0 ? await answer(await challengeOf(email), 'WRONG') : await login(email, { code: 'WRONG' });
    assert.equal(refused.statusCode, 401, `guess ${wrong}`);
  }
  const locked = await login(email);
  assert.deepEqual([locked.statusCode, locked.json().error], [429, 'rate_limited']);
  assert.ok(Number(locked.headers['retry-after']) > 25);
  assert.equal((await signInEvents(userGuid)).filter((event) => event === 'user.sign-in error').length, 10);
  clock.advance(31_000);
  assert.equal((await login(email, { code: codeAt(secret, clock.now()) })).statusCode, 200);
});

test('guesses that arrive together do not slip past the lock', async () => {
  const { email } = await guarded();
  const challenges = await challengesOf(email, 30);
  const answers = await Promise.all(
    challenges.map((challenge, index) => answer(challenge, 'WRONG', index % 2 === 0 ? identity : other)),
  );
  assert.ok(answers.filter(({ statusCode }) => statusCode === 401).length <= 10);
  for (const { statusCode, body } of answers) assert.ok([401, 429, 503].includes(statusCode), body);
  assert.equal((await login(email)).statusCode, 429);
});

test('the second step is rate limited per address with the first', async () => {
  const limited = await startIdentity({ after }, { config: { rateLimitLogin: 3 } });
  const statuses: number[] = [];
  for (let count = 0; count < 2; count += 1) {
    statuses.push((await post('/api/auth/login', { email: 'a@example.org', password: 'x' }, limited)).statusCode);
    statuses.push((await answer('unknown', '123456', limited)).statusCode);
  }
  assert.deepEqual(statuses, [401, 401, 401, 429]);
});

test('the handshake is that of the first step: token and code mode, state and all', async () => {
  const { email, codes } = await guarded();
  const byToken = await answer(await challengeOf(email, { next: `${NEXT}?a=1`, state: 'a b' }), codes[0]);
  assert.equal(byToken.statusCode, 302);
  assert.equal(byToken.headers['referrer-policy'], 'no-referrer');
  const location = new URL(String(byToken.headers.location));
  assert.deepEqual([location.searchParams.get('a'), location.searchParams.get('state')], ['1', 'a b']);
  assert.equal((await me(location.searchParams.get('token') ?? '')).statusCode, 200);
  const byCode = await answer(await challengeOf(email, { next: NEXT, response_mode: 'code' }), codes[1]);
  const query = new URL(String(byCode.headers.location)).searchParams;
  assert.deepEqual([...query.keys()], ['code']);
  const exchanged = await post('/api/auth/token', { code: query.get('code'), next: NEXT });
  assert.equal((await me(exchanged.json().token)).statusCode, 200);
  assert.equal((await login(email, { next: 'https://evil.example/' })).json().error, 'invalid_redirect');
});

test('a handshake that is no longer allowed is refused at the second step, and the code is not used up', async () => {
  const { email, codes } = await guarded();
  const challenge = await challengeOf(email, { next: NEXT });
  const stricter = await startIdentity({ after }, { on, clock, redirects: ['https://elsewhere.example.org/'] });
  const refused = await answer(challenge, codes[0], stricter);
  assert.deepEqual([refused.statusCode, refused.json().error], [400, 'invalid_redirect']);
  assert.equal((await answer(challenge, codes[0])).statusCode, 302);
});

test('errors of form are named', async () => {
  const step = (payload: object) => post('/api/auth/login/second-factor', payload);
  for (const payload of [{}, { challenge: 'x' }, { code: '1' }]) {
    const refused = await step(payload);
    assert.deepEqual([refused.statusCode, refused.json().error], [400, 'invalid_request'], JSON.stringify(payload));
  }
  assert.equal((await step({ challenge: 'x', code: '1', next: NEXT })).json().error, 'validation_error');
});

test('a change of password ends sign-ins that wait for a code', async () => {
  const { email, headers, codes } = await guarded();
  const challenge = await challengeOf(email);
  const payload = { current_password: PASSWORD, new_password: 'another long phrase' };
  await app.inject({ method: 'POST', url: '/api/auth/change-password', headers, payload });
  assert.equal((await answer(challenge, codes[0])).statusCode, 401);
});

test('a set-up during a sign-in with the password alone leaves no earlier token valid', async () => {
  const { email, headers } = await makeProfessional(identity);
  const signIns = Array.from({ length: 12 }, () => login(email));
  const [answers] = await Promise.all([
    Promise.all(signIns),
    setUpSecondFactor(identity, { headers, password: PASSWORD }, clock),
  ]);
  for (const answered of answers) {
    assert.ok([200, 401, 503].includes(answered.statusCode), answered.body);
    const { token } = answered.json();
    if (token !== undefined) assert.equal((await me(token)).statusCode, 401);
  }
});
