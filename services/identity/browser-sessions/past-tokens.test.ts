// Signing out with a token that has expired (docs/adr/0151): at another host than identity's a service has nothing else
// of the session of its browser.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { createRevocations } from '#services/identity/revocations/service.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { handClock, identityDatabase, REDIRECT, startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';

const MINUTE_MS = 60_000;

const hooks = lastFirst({ after });
const clock = handClock();
const identity = await startIdentity(hooks, { on: await identityDatabase(hooks), clock });
const revocations = createRevocations({ database: identity.database, clock });

const VERIFIER = 'v'.repeat(43);
const NEXT = `${REDIRECT}callback`;
const HANDSHAKE = {
  next: NEXT,
  response_mode: 'code',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
};

type Headers = Readonly<Record<string, string>>;
type Answer = Awaited<ReturnType<typeof visit>>;

/** Opens the sign-in page with the cookie of a session. */
function visit(cookie: string) {
  const url = `/login?${new URLSearchParams(HANDSHAKE)}`;
  return identity.app.inject({ url, headers: { cookie, accept: 'text/html' } });
}

async function tokenOf(answer: Answer): Promise<Headers> {
  assert.equal(answer.statusCode, 302, answer.body);
  const code = new URL(String(answer.headers.location)).searchParams.get('code');
  const payload = { code, next: NEXT, code_verifier: VERIFIER };
  const exchanged = await identity.app.inject({ method: 'POST', url: '/api/auth/token', payload });
  return { authorization: `Bearer ${exchanged.json().token}` };
}

/** Signs in, and goes on for so long that the first token has expired, while the session lives. */
async function longSession() {
  const { email } = await makeProfessional(identity);
  const signed = await identity.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
    },
    payload: new URLSearchParams({ ...HANDSHAKE, email, password: PASSWORD }).toString(),
  });
  const cookie = String(signed.headers['set-cookie']).split(';')[0] ?? '';
  const first = await tokenOf(signed);
  let latest = first;
  for (let quarter = 0; quarter < 5; quarter += 1) {
    clock.advance(15 * MINUTE_MS);
    latest = await tokenOf(await visit(cookie));
    await revocations.sweep();
  }
  return { email, cookie, first, latest };
}

const me = async (headers: Headers) => (await identity.app.inject({ url: '/api/auth/me', headers })).statusCode;
const logout = async (headers: Headers) =>
  (await identity.app.inject({ method: 'POST', url: '/api/auth/logout', headers })).statusCode;

test('a token that has expired ends its browser session all the same, and opens nothing', async () => {
  const { email, cookie, first, latest } = await longSession();
  assert.deepEqual([await me(first), await me(latest)], [401, 200]);
  assert.equal(await logout(first), 200);
  assert.equal(await me(latest), 401);
  assert.equal((await visit(cookie)).statusCode, 200, 'the sign-in page asks');
  assert.equal((await auditedEvents(identity)).at(-1), 'user.sign-out');
  assert.equal(await logout(first), 401, 'once');
  clock.advance(120 * MINUTE_MS);
  await revocations.sweep();
  const { rows } = await identity.database.query(
    'SELECT FROM issued_token JOIN app_user USING (user_guid) WHERE email_key = $1',
    [email],
  );
  assert.equal(rows.length, 0, 'the tokens of an ended session are deleted');
});

test('nothing but a token of ours ends a session', async () => {
  const { cookie, first, latest } = await longSession();
  const [head = '', payload = '', signature = ''] = (first['authorization'] ?? '').split('.');
  const other = signature.startsWith('A') ? 'B' : 'A';
  for (const authorization of [
    `${head}.${payload}.${other}${signature.slice(1)}`,
    `${head}.${payload}.`,
    `${head}.${payload}`,
    'Bearer x',
    'Basic eDp5',
  ])
    assert.equal(await logout({ authorization }), 401, authorization);
  assert.equal(await logout({}), 401);
  assert.equal(await me(latest), 200);
  assert.equal((await visit(cookie)).statusCode, 302);
});
