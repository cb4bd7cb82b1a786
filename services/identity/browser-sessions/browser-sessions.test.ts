// The browser session (decision L11): one sign-in for every application, and one end for all of it, on two nodes.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { promptly } from '#test/support/http.ts';
import { handClock, identityDatabase, REDIRECT, startIdentity } from '#test/support/identity/identity.ts';
import { makeClient } from '#test/support/identity/identity-clients.ts';
import { auditedEvents, makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { setUpSecondFactor } from '#test/support/identity/totp.ts';
import { fifty } from '#test/support/system/at-once.ts';

const hooks = lastFirst({ after });
const on = await identityDatabase(hooks);
const clock = handClock();
const [identity, other] = [await startIdentity(hooks, { on, clock }), await startIdentity(hooks, { on, clock })];

const NEXT = `${REDIRECT}callback`;
const ELSEWHERE = `${REDIRECT}other/callback`;
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const CODE = { next: NEXT, response_mode: 'code', code_challenge: CHALLENGE, code_challenge_method: 'S256' };
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };
const COOKIE = '__Host-kedja-session';

type Form = Readonly<Record<string, string>>;
type Headers = Readonly<Record<string, string>>;

/** A browser: it keeps the cookie that the pages set. */
function makeBrowser() {
  let cookie: string | undefined;
  const headers = () => (cookie === undefined ? {} : { cookie: `${COOKIE}=${cookie}` });
  async function send(request: { method?: 'POST'; url: string; form?: Form; headers?: Headers }) {
    const form = request.form && new URLSearchParams(request.form).toString();
    const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await identity.app.inject({
      method: request.method ?? 'GET',
      url: request.url,
      headers: { accept: 'text/html', ...headers(), ...type, ...request.headers },
      ...(form === undefined ? {} : { payload: form }),
    });
    // A sign-in sets one of the language, too.
    const [, value, attributes = ''] =
      /(?:^|\n)__Host-kedja-session=([^;]*)(.*)/.exec([answer.headers['set-cookie']].flat().join('\n')) ?? [];
    if (value !== undefined) {
      assert.match(attributes, /^; Path=\/; HttpOnly; SameSite=Lax; Secure(?:; Max-Age=0)?$/);
      cookie = value === '' ? undefined : value;
    }
    return answer;
  }
  return {
    get cookie() {
      return cookie;
    },
    set cookie(value: string | undefined) {
      cookie = value;
    },
    get: (path: string, query: Form = {}) => send({ url: `${path}?${new URLSearchParams({ lang: 'en', ...query })}` }),
    post: (path: string, form: Form, more: Headers = OWN_PAGE) =>
      send({ method: 'POST', url: path, form: { lang: 'en', ...form }, headers: more }),
    login: (email: string, query: Form = CODE, password: string = PASSWORD) =>
      send({
        method: 'POST',
        url: '/api/auth/login',
        form: { lang: 'en', email, password, ...query },
        headers: OWN_PAGE,
      }),
  };
}
type Browser = ReturnType<typeof makeBrowser>;
type Answer = Awaited<ReturnType<Browser['get']>>;

const codeIn = (answer: Answer) => {
  assert.equal(answer.statusCode, 302, answer.body);
  return new URL(String(answer.headers.location)).searchParams.get('code') ?? '';
};
async function exchange(answer: Answer, next = NEXT) {
  const payload = { code: codeIn(answer), next, code_verifier: VERIFIER };
  return identity.app.inject({ method: 'POST', url: '/api/auth/token', payload });
}
const tokenOf = async (answer: Answer) => {
  const exchanged = await exchange(answer);
  assert.equal(exchanged.statusCode, 200, exchanged.body);
  return { authorization: `Bearer ${exchanged.json().token}` };
};
const me = async (headers: Headers, node = identity) =>
  (await node.app.inject({ url: '/api/auth/me', headers })).statusCode;
const logout = (headers: Headers) => identity.app.inject({ method: 'POST', url: '/api/auth/logout', headers });
const isForm = (answer: Answer) => answer.statusCode === 200 && answer.body.includes('id="password"');
const isContinue = (answer: Answer) => answer.statusCode === 200 && answer.body.includes('login/session"');

/** A signed-in browser, with the token of its first application. */
async function signedIn(email: string) {
  const browser = makeBrowser();
  const headers = await tokenOf(await browser.login(email));
  assert.match(browser.cookie ?? '', /^[\w-]{43}$/);
  return { browser, headers };
}

async function isEnded({ browser, tokens }: { browser: Browser; tokens: readonly Headers[] }) {
  assert.ok(isForm(await browser.get('/login', CODE)), 'the sign-in asks');
  for (const headers of tokens) {
    assert.equal(await me(headers), 401, 'at once on the node that handled it');
    const refused = async () => ((await me(headers, other)) === 401 ? true : undefined);
    await promptly('the other node refused it', refused, 2_000);
  }
}

test('signing in once is enough: a later sign-in passes, and its token belongs to the same session', async () => {
  const { email } = await makeProfessional(identity);
  const { browser, headers } = await signedIn(email);
  const passed = await browser.get('/login', { ...CODE, next: ELSEWHERE, state: 'as given' });
  assert.equal(passed.headers['cache-control'], 'no-store');
  assert.equal(passed.headers['referrer-policy'], 'no-referrer');
  assert.equal(new URL(String(passed.headers.location)).searchParams.get('state'), 'as given');
  assert.equal((await exchange(passed, ELSEWHERE)).statusCode, 200);
  const sessions = (await identity.app.inject({ url: '/api/auth/sessions', headers })).json();
  const mine = sessions.find((session: { current: boolean }) => session.current);
  const destinations = mine.clients.map(({ destination }: { destination: string }) => destination);
  assert.deepEqual(destinations, [NEXT, ELSEWHERE]);
  assert.equal(sessions.length, 2, 'beside it the token of the account’s first sign-in');
  assert.match((await browser.get('/session')).body, new RegExp(`signed in as <strong>${email}`));
  assert.match((await browser.get('/change-password')).body, new RegExp(`name="email"[^>]* value="${email}"`));
});

test('a session is opened from our own page alone, with a secret that nobody else chose', async () => {
  const { email } = await makePatient(identity);
  const browser = makeBrowser();
  const planted = 'a'.repeat(43);
  browser.cookie = planted;
  await browser.login(email);
  assert.notEqual(browser.cookie, planted, 'a planted secret is not adopted');
  for (const headers of [{}, { origin: 'https://evil.example' }] as Headers[]) {
    const foreign = makeBrowser();
    await foreign.post('/api/auth/login', { email, password: PASSWORD, ...CODE }, headers);
    assert.equal(foreign.cookie, undefined, JSON.stringify(headers));
  }
  const forged = await makeBrowser().post(
    '/api/auth/login',
    { email, password: PASSWORD, ...CODE },
    {
      'sec-fetch-site': 'cross-site',
    },
  );
  assert.equal(forged.statusCode, 403);
  const old = makeBrowser();
  await old.post('/api/auth/login', { email, password: PASSWORD, ...CODE }, { origin: 'https://kedja.example.org' });
  assert.ok(old.cookie, 'a browser that sends Origin alone has a session too');
});

test('a place that would get a token or an unbound code is asked for once in a session', async () => {
  const { email } = await makePatient(identity);
  const { browser } = await signedIn(email);
  for (const query of [{ next: ELSEWHERE }, { next: ELSEWHERE, response_mode: 'code' }]) {
    const asked = await browser.get('/login', query);
    assert.ok(isContinue(asked));
    assert.match(asked.body, /app\.example\.org will know who you are/);
    assert.match(String(asked.headers['content-security-policy']), /form-action 'self' https:\/\/app\.example\.org/);
  }
  const user = /name="user" value="([^"]+)"/.exec((await browser.get('/login', { next: ELSEWHERE })).body)?.[1] ?? '';
  const foreign = await browser.post('/login/session', { next: ELSEWHERE, user }, { 'sec-fetch-site': 'cross-site' });
  assert.equal(foreign.statusCode, 403);
  assert.ok(
    isContinue(await browser.post('/login/session', { next: ELSEWHERE, user: 'somebody else' })),
    'another tab',
  );
  const gone = await browser.post('/login/session', { next: ELSEWHERE, user });
  assert.match(String(gone.headers.location), /^https:\/\/app\.example\.org\/sso\/other\/callback\?token=/);
  const again = await browser.get('/login', { next: ELSEWHERE });
  assert.match(String(again.headers.location), /\?token=/, 'known from now on');
  assert.ok(isContinue(await browser.get('/login', { next: `${REDIRECT}third` })));
  assert.match(String((await browser.get('/login', { next: NEXT })).headers.location), /\?token=/, 'signed in there');
  const none = await makeBrowser().post('/login/session', { next: ELSEWHERE, user });
  assert.match(String(none.headers.location), /^\.\.\/login\?/, 'without a session it leads to the sign-in');
});

test('prompt asks for the password, or which account; a client of its own rules is always asked', async () => {
  const { email } = await makeProfessional(identity);
  const { browser, headers } = await signedIn(email);
  assert.ok(isForm(await browser.get('/login', { ...CODE, prompt: 'login' })));
  assert.ok(isContinue(await browser.get('/login', { ...CODE, prompt: 'select_account' })));
  assert.equal((await browser.get('/login', { ...CODE, prompt: 'none' })).statusCode, 400);
  const next = 'https://strict.example.org/in';
  const { id } = await makeClient(identity, { client_id: 'strict', redirects: [next], reauthenticate: true });
  const strict = { ...CODE, next, client_id: id };
  const asked = await browser.get('/login', strict);
  assert.ok(isForm(asked));
  assert.match(asked.body, /Enter your password again/);
  assert.match(asked.body, new RegExp(`value="${email}"`));
  const user = /name="user" value="([^"]+)"/.exec(
    (await browser.get('/login', { ...CODE, prompt: 'select_account' })).body,
  )?.[1];
  const forced = await browser.post('/login/session', { ...strict, user: user ?? '' });
  assert.match(String(forced.headers.location), /^\.\.\/login\?/, 'no form passes it either');
  const before = browser.cookie;
  codeIn(await browser.login(email, strict));
  assert.notEqual(browser.cookie, before, 'the session has another secret');
  assert.equal(await me(headers), 200, 'and the tokens that it had');
  const stale = makeBrowser();
  stale.cookie = before;
  assert.ok(isForm(await stale.get('/login', CODE)));
});

test('signing out anywhere ends everything: at a service, at the page, by the cookie', async () => {
  const { email } = await makeProfessional(identity);
  const ends: readonly ((session: { browser: Browser; headers: Headers }) => Promise<Answer>)[] = [
    ({ headers }) => logout(headers),
    ({ browser }) => browser.post('/sign-out', {}),
    ({ browser }) =>
      identity.app.inject({
        method: 'POST',
        url: '/api/auth/browser-session/end',
        payload: { session: browser.cookie },
      }),
    async ({ headers }) => {
      const list = (await identity.app.inject({ url: '/api/auth/sessions', headers })).json();
      const mine = list.find((session: { current: boolean }) => session.current).session_guid;
      return identity.app.inject({ method: 'DELETE', url: `/api/auth/sessions/${mine}`, headers });
    },
  ];
  for (const end of ends) {
    const { browser, headers } = await signedIn(email);
    const second = await tokenOf(await browser.get('/login', CODE));
    const pending = codeIn(await browser.get('/login', CODE));
    const secret = browser.cookie;
    assert.ok((await end({ browser, headers })).statusCode < 400);
    browser.cookie = secret;
    await isEnded({ browser, tokens: [headers, second] });
    const late = await identity.app.inject({
      method: 'POST',
      url: '/api/auth/token',
      payload: { code: pending, next: NEXT, code_verifier: VERIFIER },
    });
    assert.equal(late.statusCode, 401, 'a code that was under way is of no use');
  }
  const { browser } = await signedIn(email);
  const foreign = await browser.post('/sign-out', {}, { 'sec-fetch-site': 'cross-site' });
  assert.equal(foreign.statusCode, 403);
  const out = await browser.post('/sign-out', {});
  assert.deepEqual([out.statusCode, out.headers.location], [303, 'sign-out/done?lang=en']);
  assert.equal(browser.cookie, undefined);
  assert.match((await browser.get('/sign-out/done')).body, /You are signed out/);
  assert.match((await browser.get('/session')).body, /You are not signed in/);
});

test('ending the other sessions keeps this browser’s whole session, and only that', async () => {
  const { email, headers: first } = await makePatient(identity);
  const here = await signedIn(email);
  const there = await signedIn(email);
  const second = await tokenOf(await here.browser.get('/login', CODE));
  const answer = await identity.app.inject({ method: 'DELETE', url: '/api/auth/sessions', headers: here.headers });
  assert.equal(answer.json().revoked, 2, 'the first token, and the other browser');
  assert.deepEqual(await Promise.all([here.headers, second].map((headers) => me(headers))), [200, 200]);
  codeIn(await here.browser.get('/login', CODE));
  await isEnded({ browser: there.browser, tokens: [there.headers, first] });
});

test('a change or reset of the password, a block and a deletion end it', async () => {
  const admin = await identity.asAdmin();
  const administer = (method: 'POST' | 'DELETE', path: string) =>
    identity.app.inject({ method, url: `/api/admin/users/${path}`, headers: admin });
  const ends: readonly ((user: { guid: string; headers: Headers }) => Promise<Answer>)[] = [
    ({ headers }) =>
      identity.app.inject({
        method: 'POST',
        url: '/api/auth/change-password',
        headers,
        payload: { current_password: PASSWORD, new_password: 'quite another phrase' },
      }),
    async ({ guid }) => {
      const { code } = (await administer('POST', `${guid}/password-reset`)).json();
      const payload = { token: code, new_password: 'quite another phrase' };
      return identity.app.inject({ method: 'POST', url: '/api/auth/password-reset/confirm', payload });
    },
    ({ guid }) => administer('POST', `${guid}/block`),
    ({ guid }) => administer('DELETE', `${guid}/sessions`),
    ({ guid }) => administer('DELETE', guid),
  ];
  for (const [index, end] of ends.entries()) {
    const { email, userGuid } = await makeProfessional(identity);
    const { browser, headers } = await signedIn(email);
    const second = await tokenOf(await browser.get('/login', CODE));
    const answer = await end({ guid: userGuid, headers });
    assert.ok(answer.statusCode < 400, `${index}: ${answer.body}`);
    // The contract keeps the token that changed the password.
    await isEnded({ browser, tokens: index === 0 ? [second] : [headers, second] });
    if (index === 0) assert.equal(await me(headers), 200);
  }
});

test('it ends after half an hour without use, and after twelve hours in any case; using a token is use', async () => {
  const { email } = await makePatient(identity);
  const { browser, headers } = await signedIn(email);
  const [session] = (await identity.app.inject({ url: '/api/auth/sessions', headers })).json();
  const minutes = (end: string) => Math.round((Date.parse(end) - Date.parse(`${session.created_at}Z`)) / 60_000);
  assert.deepEqual([minutes(session.idle_ends_at), minutes(session.expires_at)], [30, 12 * 60]);
  const ends = (await identity.app.inject({ url: '/api/auth/sessions/current', headers })).json();
  assert.deepEqual([minutes(ends.idle_ends_at), minutes(ends.expires_at)], [30, 12 * 60]);
  clock.advance(20 * 60_000);
  assert.equal(await me(headers), 200);
  await promptly(
    'the use was recorded',
    async () => {
      const { rowCount } = await identity.database.query(
        'SELECT FROM browser_session s JOIN app_user USING (user_guid) WHERE email_key = $1 AND s.last_used_at > s.created_at',
        [email],
      );
      return rowCount === 1 ? true : undefined;
    },
    15_000,
  );
  clock.advance(20 * 60_000);
  assert.equal(await me(headers), 200, 'twenty minutes after its use');
  const idle = await signedIn(email);
  clock.advance(31 * 60_000);
  assert.equal(await me(idle.headers), 401, 'no sweep is needed');
  assert.ok(isForm(await idle.browser.get('/login', CODE)));
  assert.ok(isForm(await browser.get('/login', CODE)));
  const long = await signedIn(email);
  for (let minutes = 0; minutes < 12 * 60 - 25; minutes += 25) {
    clock.advance(25 * 60_000);
    codeIn(await long.browser.get('/login', CODE));
  }
  const last = await exchange(await long.browser.get('/login', CODE));
  const [, claims = ''] = String(last.json().token).split('.');
  const { exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  assert.ok(exp - iat < 3600, 'no token outlives its session');
  clock.advance(25 * 60_000);
  assert.ok(isForm(await long.browser.get('/login', CODE)));
});

test('another user who signs in with the same browser ends the first one’s session', async () => {
  const [anna, bo] = [await makePatient(identity), await makePatient(identity)];
  const { browser, headers } = await signedIn(anna.email);
  const asked = await browser.get('/login', { ...CODE, prompt: 'select_account' });
  assert.match(asked.body, /prompt=login/);
  const his = await tokenOf(await browser.login(bo.email, { ...CODE, prompt: 'login' }));
  assert.equal(await me(headers), 401);
  assert.equal(await me(his), 200);
  assert.match((await browser.get('/session')).body, new RegExp(bo.email));
});

test('a second factor: its code opens a session that is enough, and setting one up ends those without', async () => {
  const { email, headers } = await makeProfessional(identity);
  const { browser } = await signedIn(email);
  const { codes } = await setUpSecondFactor(identity, { headers, password: PASSWORD }, clock);
  assert.ok(isForm(await browser.get('/login', CODE)), 'the password alone is no longer enough');
  const asked = await browser.login(email);
  const challenge = /name="challenge" value="([^"]+)"/.exec(asked.body)?.[1] ?? '';
  codeIn(await browser.post('/login/code', { ...CODE, challenge, code: codes[0] }));
  codeIn(await browser.get('/login', CODE));
});

test('an SU admin who must set up a second factor is asked, whatever session there is', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const { browser } = await signedIn(email);
  const strict = await startIdentity(hooks, { on, clock, config: { secondFactor: 'su-admins' } });
  await identity.database.query('UPDATE app_user SET is_su_admin = true WHERE user_guid = $1', [userGuid]);
  const headers = { cookie: `${COOKIE}=${browser.cookie}` };
  const answer = await strict.app.inject({ url: `/login?${new URLSearchParams(CODE)}`, headers });
  assert.ok(isForm(answer));
  await identity.database.query('UPDATE app_user SET must_change_password = true WHERE user_guid = $1', [userGuid]);
  assert.ok(isForm(await browser.get('/login', CODE)), 'and one whose password must be changed');
});

test('sign-outs that race with fifty sign-ins leave no token behind', async () => {
  const { email } = await makePatient(identity);
  const { browser } = await signedIn(email);
  const tokens: Headers[] = [];
  await fifty(async (index) => {
    if (index === 25) return browser.post('/sign-out', {});
    const passed = await browser.get('/login', CODE);
    if (passed.statusCode !== 302) return passed;
    const exchanged = await exchange(passed);
    if (exchanged.statusCode === 200) tokens.push({ authorization: `Bearer ${exchanged.json().token}` });
    return exchanged;
  });
  for (const headers of tokens) assert.equal(await me(headers), 401);
  const { rows } = await identity.database.query(
    'SELECT FROM browser_session JOIN app_user USING (user_guid) WHERE email_key = $1',
    [email],
  );
  assert.equal(rows.length, 0);
});

test('no secret is stored or logged, and each sign-in and sign-out is recorded', async () => {
  const { email } = await makePatient(identity);
  const { browser } = await signedIn(email);
  const secret = browser.cookie ?? '';
  const before = (await auditedEvents(identity)).filter((event) => event === 'user.sign-in').length;
  codeIn(await browser.get('/login', CODE));
  await browser.post('/sign-out', {});
  const events = await auditedEvents(identity);
  assert.equal(events.filter((event) => event === 'user.sign-in').length, before + 1);
  assert.equal(events.at(-1), 'user.sign-out');
  assert.ok(identity.lines.every((line) => !line.includes(secret)));
  const { rows } = await identity.database.query(`SELECT encode(secret_hash, 'base64') AS hash FROM browser_session`);
  assert.ok(rows.every(({ hash }) => hash !== secret));
});
