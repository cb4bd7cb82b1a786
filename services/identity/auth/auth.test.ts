import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hash as argon2 } from '@node-rs/argon2';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createPasswordHasher } from '#lib/auth/password-hasher.ts';
import { ADMIN, asService, startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';

// As in production: some tests are of the hash.
const identity = await startIdentity({ after }, { passwords: createPasswordHasher() });
const { app, asAdmin, database, lines } = identity;

function login(payload: object, headers: Record<string, string> = {}) {
  return app.inject({ method: 'POST', url: '/api/auth/login', payload, headers });
}

test('login answers the token and the user; the e-mail is compared without regard to case', async () => {
  const answer = await login({ email: 'aDMIN@example.ORG', password: ADMIN.password });
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(Object.keys(answer.json()).sort(), ['token', 'user_guid']);
  assert.equal(answer.headers['cache-control'], 'no-store');
  const claims = decodeJwt(answer.json().token);
  assert.deepEqual(Object.keys(claims).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'sub', 'user_type']);
  assert.equal(claims.sub, answer.json().user_guid);
  assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 3600);
  const { alg, kid } = decodeProtectedHeader(answer.json().token);
  assert.equal(alg, 'RS256');
  const keys = (await app.inject('/.well-known/jwks.json')).json().keys;
  assert.deepEqual(
    keys.map((key: { kid: string }) => key.kid),
    [kid],
  );
  assert.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'], 'nothing private');
});

test('missing email or password is invalid_request', async () => {
  for (const body of [
    {},
    { email: ADMIN.email },
    { password: 'x' },
    { email: '', password: 'x' },
    { email: 'a\u0000@example.org', password: 'x' },
  ]) {
    const answer = await login(body);
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request'], JSON.stringify(body));
  }
});

test('a wrong password and an unknown e-mail get the same answer', async () => {
  const wrong = await login({ email: ADMIN.email, password: 'wrong' });
  const unknown = await login({ email: 'nobody@example.org', password: 'wrong' });
  assert.deepEqual([wrong.statusCode, wrong.json().error], [401, 'authentication_failed']);
  assert.deepEqual([unknown.statusCode, unknown.body], [wrong.statusCode, wrong.body]);
});

test('a form post signs in like JSON', async () => {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ email: ADMIN.email, password: ADMIN.password }).toString(),
  });
  assert.equal(answer.statusCode, 200);
  assert.ok(answer.json().token);
});

test('the handshake redirects with token and state', async () => {
  const next = 'https://app.example.org/sso/callback?tenant=1';
  const answer = await login({ email: ADMIN.email, password: ADMIN.password, next, state: 'a b&c' });
  assert.equal(answer.statusCode, 302);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['referrer-policy'], 'no-referrer');
  const location = new URL(String(answer.headers.location));
  assert.equal(location.searchParams.get('state'), 'a b&c');
  assert.equal(location.searchParams.get('tenant'), '1');
  const me = await app.inject({
    url: '/api/auth/me',
    headers: { authorization: `Bearer ${location.searchParams.get('token')}` },
  });
  assert.equal(me.statusCode, 200);
});

test('a next that is not allowed is refused before the password is verified', async () => {
  for (const next of ['https://evil.example/', '', '//app.example.org/sso/']) {
    const answer = await login({ email: ADMIN.email, password: 'whatever', next, state: 's' });
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_redirect']);
    assert.equal(answer.headers.location, undefined);
  }
});

test('a state that no address can carry is refused before anything is granted', async () => {
  const next = 'https://app.example.org/sso/callback';
  const granted = async () => (await auditedEvents(identity)).filter((event) => event === 'user.sign-in').length;
  const before = await granted();
  for (const state of ['\ud800', 'a\u0000b']) {
    for (const response_mode of ['token', 'code']) {
      const answer = await login({ email: ADMIN.email, password: ADMIN.password, next, state, response_mode });
      assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request']);
    }
  }
  assert.equal(await granted(), before);
});

test('response_mode=code: the redirect carries a code that is exchanged once, for the same next', async () => {
  const next = 'https://app.example.org/sso/callback';
  const body = { email: ADMIN.email, password: ADMIN.password, next, state: 's', response_mode: 'code' };
  const codeOf = async () => {
    const location = new URL(String((await login(body)).headers.location));
    assert.equal(location.searchParams.get('token'), null);
    return location.searchParams.get('code');
  };
  const exchange = (payload: object) => app.inject({ method: 'POST', url: '/api/auth/token', payload });
  const code = await codeOf();
  const answers = await Promise.all(Array.from({ length: 20 }, () => exchange({ code, next })));
  assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 1);
  assert.ok(answers.find((answer) => answer.statusCode === 200)?.json().token);
  const refused = answers.find((answer) => answer.statusCode !== 200);
  assert.deepEqual([refused?.statusCode, refused?.json().error], [401, 'authentication_failed']);
  const other = await exchange({ code: await codeOf(), next: 'https://app.example.org/sso/other' });
  assert.equal(other.statusCode, 401);
  assert.deepEqual((await exchange({})).json().error, 'invalid_request');
  assert.equal((await auditedEvents(identity)).filter((event) => event === 'user.exchange-code').length, 1);
});

test('a code with a challenge is exchanged once and only with its verifier; one without a challenge accepts no verifier (RFC 7636)', async () => {
  const next = 'https://app.example.org/sso/callback';
  // The example of RFC 7636, appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const bound = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
  const ask = (more: object) =>
    login({ email: ADMIN.email, password: ADMIN.password, next, response_mode: 'code', ...more });
  const codeOf = async (more: object) => new URL(String((await ask(more)).headers.location)).searchParams.get('code');
  const exchange = async (code: string | null, more: object = {}) =>
    (await app.inject({ method: 'POST', url: '/api/auth/token', payload: { code, next, ...more } })).statusCode;
  const right = { code_verifier: verifier };
  const first = await codeOf(bound);
  assert.deepEqual([await exchange(first, right), await exchange(first, right)], [200, 401]);
  for (const wrong of [{}, { code_verifier: `${verifier}a` }, { code_verifier: bound.code_challenge }]) {
    const code = await codeOf(bound);
    assert.deepEqual([await exchange(code, wrong), await exchange(code, right)], [401, 401], 'it is used up');
  }
  assert.equal(await exchange(await codeOf({}), right), 401, 'nobody can make up a challenge afterwards');
  assert.equal(await exchange(await codeOf({}), { code_verifier: 'short' }), 400);
  for (const [half, field] of [
    [{ code_challenge: bound.code_challenge }, 'code_challenge_method'],
    [{ code_challenge_method: 'S256' }, 'code_challenge'],
    [{ ...bound, code_challenge_method: 'plain' }, 'code_challenge_method'],
    [{ ...bound, code_challenge: verifier.slice(1) }, 'code_challenge'],
    [{ ...bound, response_mode: 'token' }, 'response_mode'],
  ] as const) {
    const refused = await ask(half);
    assert.deepEqual([refused.statusCode, refused.json().error], [400, 'invalid_request']);
    assert.ok(refused.body.includes(`'${field}'`), refused.body);
  }
});

test('me answers the access blob of a professional, to the letter', async () => {
  const answer = await app.inject({ url: '/api/auth/me', headers: await asAdmin() });
  assert.equal(answer.statusCode, 200);
  const { user_guid, professional_guid, ...rest } = answer.json();
  assert.match(user_guid, /^[0-9a-f-]{36}$/);
  assert.match(professional_guid, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    email: ADMIN.email,
    user_type: 'professional',
    is_su_admin: true,
    fhir_resource_type: 'Practitioner',
    professional_role: 'other',
    organization_ids: [],
    groups: [],
    effective_phases: [],
  });
});

test('me without, with a malformed or a tampered token is 401 with a challenge', async () => {
  const { authorization } = await asAdmin();
  const parts = authorization.split('.');
  const tampered = `${parts[0]}.${Buffer.from('{"sub":"x"}').toString('base64url')}.${parts[2]}`;
  for (const headers of [
    {},
    { authorization: 'Basic x' },
    { authorization: 'Bearer x' },
    { authorization: tampered },
  ]) {
    const answer = await app.inject({ url: '/api/auth/me', headers });
    assert.deepEqual([answer.statusCode, answer.json().error], [401, 'unauthorized']);
    assert.equal(answer.headers['www-authenticate'], 'Bearer');
  }
});

test('me/service: the Bearer is checked first, then the service', async () => {
  const bearer = await asAdmin();
  const ask = (headers: Record<string, string>) => app.inject({ url: '/api/auth/me/service', headers });
  assert.equal((await ask(asService)).statusCode, 401);
  assert.equal((await ask({ authorization: 'Bearer x' })).statusCode, 401);
  for (const headers of [{}, { ...asService, 'x-sso-client-secret': 'no' }, { 'x-sso-client-id': 'engine' }]) {
    const answer = await ask({ ...bearer, ...headers });
    assert.deepEqual([answer.statusCode, answer.json().error], [403, 'invalid_service_credentials']);
  }
  const good = await ask({ ...bearer, ...asService });
  const me = await app.inject({ url: '/api/auth/me', headers: bearer });
  assert.deepEqual([good.statusCode, good.body], [200, me.body]);
});

test('logout revokes this token at once and no other', async () => {
  const [one, other] = [await asAdmin(), await asAdmin()];
  const answer = await app.inject({ method: 'POST', url: '/api/auth/logout', headers: one });
  assert.deepEqual([answer.statusCode, Object.keys(answer.json())], [200, ['message']]);
  const me = (headers: Record<string, string>) => app.inject({ url: '/api/auth/me', headers });
  assert.equal((await me(one)).statusCode, 401);
  assert.equal((await me(other)).statusCode, 200);
  assert.equal((await app.inject({ method: 'POST', url: '/api/auth/logout', headers: one })).statusCode, 401);
});

test('a hash with weaker parameters is renewed at sign-in', async () => {
  const { email } = await makeProfessional(identity);
  const weak = await argon2(PASSWORD, { algorithm: 2, memoryCost: 8192, timeCost: 1, parallelism: 1 });
  await database.query('UPDATE app_user SET password_hash = $2 WHERE email_key = $1', [email, weak]);
  assert.equal((await login({ email, password: PASSWORD })).statusCode, 200);
  const { rows } = await database.query('SELECT password_hash FROM app_user WHERE email_key = $1', [email]);
  assert.match(String(rows[0]?.['password_hash']), /^\$argon2id\$v=19\$m=19456,t=4,p=1\$/);
  assert.equal((await login({ email, password: PASSWORD })).statusCode, 200);
});

test('concurrent sign-ins while a hash is renewed all succeed', async () => {
  const { email } = await makeProfessional(identity);
  const weak = await argon2(PASSWORD, { algorithm: 2, memoryCost: 8192, timeCost: 1, parallelism: 1 });
  await database.query('UPDATE app_user SET password_hash = $2 WHERE email_key = $1', [email, weak]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => login({ email, password: PASSWORD })));
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    answers.map(() => 200),
  );
});

test('sign-ins and failures are audited, and no log line contains a secret', async () => {
  const { authorization } = await asAdmin();
  await login({ email: ADMIN.email, password: 'a-wrong-password' });
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const events = rows.map((row) => JSON.parse(row.resource));
  const signIns = events.filter((event) => event.code.coding[0].code === 'user.sign-in');
  assert.ok(signIns.some((event) => event.outcome.code.code === 'success'));
  assert.ok(signIns.some((event) => event.outcome.code.code === 'error'));
  const written = lines.join('') + rows.map((row) => row.resource).join('');
  for (const secret of [authorization.slice(7), ADMIN.password, 'a-wrong-password', ADMIN.email]) {
    assert.ok(!written.toLowerCase().includes(secret.toLowerCase()));
  }
});
