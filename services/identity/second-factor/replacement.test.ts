// Another authenticator app in place of the one before: the one before is in force until a code of the new one. Also
// tested is what goes wrong in between (docs/adr/0081).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, handClock, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { openBrowser } from '#test/support/identity/identity-browser.ts';
import { PASSWORD } from '#test/support/identity/identity-people.ts';
import { codeAt, codesFrom, makeGuarded, setUpSecondFactor } from '#test/support/identity/totp.ts';
import { atOnce } from '#test/support/system/at-once.ts';

const hooks = lastFirst({ after });
const clock = handClock();
const on = await identityDatabase(hooks);
const identity = await startIdentity(hooks, { on, clock });
const { app } = identity;
type Headers = Readonly<Record<string, string>>;

const PATH = '/api/auth/second-factor';
const PAGE = '/account/second-factor';
const post = (path: string, headers: Headers, payload: object) =>
  app.inject({ method: 'POST', url: `${PATH}${path}`, headers, payload });
const begin = async (headers: Headers, code: string) => {
  const begun = await post('', headers, { current_password: PASSWORD, code });
  assert.equal(begun.statusCode, 200, begun.body);
  return String(begun.json().secret);
};
const signIn = async (email: string, code: string) =>
  (await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: PASSWORD, code } }))
    .statusCode;
const secretOf = (body: string) => (/<code>([A-Z2-7 ]+)<\/code>/.exec(body)?.[1] ?? '').replaceAll(' ', '');

/** A professional with an app, signed in with a browser too. */
async function guardedBrowser() {
  const guarded = await makeGuarded(identity, clock);
  clock.advance(60_000);
  const { email, secret, recoveryCodes } = guarded;
  const browser = await openBrowser(identity, email, PASSWORD, codeAt(secret, clock.now()));
  clock.advance(60_000);
  return { ...guarded, browser, recoveryCode: recoveryCodes[0] ?? '' };
}

test('the app in force is valid until a code of the new one, and then only the new one with its recovery codes', async () => {
  const { headers, email, codes, secret: old, recoveryCodes } = await makeGuarded(identity, clock);
  const elsewhere = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email, password: PASSWORD, code: recoveryCodes[0] },
  });
  const secret = await begin(headers, codes[0]);
  assert.equal(await signIn(email, codes[0]), 401, 'the code that began it is used');
  assert.equal(await signIn(email, codes[1]), 200, 'the app before is in force');
  assert.equal(await signIn(email, codeAt(secret, clock.now())), 401, 'the new one is not');
  const code = codeAt(secret, clock.now());
  const confirmed = await post('/confirm', headers, { code });
  assert.equal(confirmed.statusCode, 200, confirmed.body);
  clock.advance(60_000);
  assert.equal(await signIn(email, codeAt(old, clock.now())), 401);
  assert.equal(await signIn(email, recoveryCodes[1] ?? ''), 401);
  assert.equal(await signIn(email, codeAt(secret, clock.now())), 200);
  assert.equal(await signIn(email, codeAt(secret, clock.now())), 401, 'each code once');
  assert.equal(await signIn(email, confirmed.json().recovery_codes[0]), 200);
  const token = { authorization: `Bearer ${elsewhere.json().token}` };
  assert.equal((await app.inject({ url: '/api/auth/me', headers: token })).statusCode, 401, 'other sessions end');
});

test('the code that confirms the new app does not sign in, too', async () => {
  const { headers, email, codes } = await makeGuarded(identity, clock);
  const code = codeAt(await begin(headers, codes[0]), clock.now());
  assert.equal((await post('/confirm', headers, { code })).statusCode, 200);
  assert.equal(await signIn(email, code), 401);
});

test('it is in the audit log under its own name, and so is a wrong code', async () => {
  const { headers, codes, userGuid } = await makeGuarded(identity, clock);
  const secret = await begin(headers, codes[0]);
  const late = codeAt(secret, clock.now() + 16 * 60_000);
  assert.equal((await post('/confirm', headers, { code: late })).statusCode, 401);
  assert.equal((await post('/confirm', headers, { code: codeAt(secret, clock.now()) })).statusCode, 200);
  const { rows } = await identity.database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const ofUser = rows.filter(({ resource }) => resource.includes(userGuid));
  const named = ofUser.filter(({ resource }) => resource.includes('"second-factor.replace"'));
  assert.equal(named.length, 2, 'the wrong code and the right one');
  assert.equal(ofUser.filter(({ resource }) => resource.includes('"second-factor.enable"')).length, 1, 'the first app');
});

test('of many confirmations at once one counts, and its recovery codes are those that work', async () => {
  const { headers, codes, email } = await makeGuarded(identity, clock);
  const code = codeAt(await begin(headers, codes[0]), clock.now());
  const answers = await atOnce(Array.from({ length: 20 }, () => () => post('/confirm', headers, { code })));
  const [done, ...more] = answers.filter(({ statusCode }) => statusCode === 200);
  assert.equal(more.length, 0);
  assert.ok(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 409));
  const shown: string[] = done?.json().recovery_codes ?? [];
  assert.equal(shown.length, 10);
  for (const each of shown.slice(0, 2)) assert.equal(await signIn(email, each), 200);
});

test('after an administrator took the factor away, no confirmation brings one back', async () => {
  const { headers, codes, email, userGuid } = await makeGuarded(identity, clock);
  const code = codeAt(await begin(headers, codes[0]), clock.now());
  const url = `/api/admin/users/${userGuid}/second-factor`;
  const reset = { method: 'DELETE', url, headers: await identity.asAdmin() } as const;
  assert.equal((await app.inject(reset)).statusCode, 200);
  assert.equal((await post('/confirm', headers, { code })).statusCode, 401, 'its session has ended');
  const again = await identity.signIn(email, PASSWORD);
  assert.equal((await post('/confirm', again, { code })).statusCode, 409, 'and nothing waits any more');
  assert.equal((await app.inject({ url: PATH, headers: again })).json().enabled, false);
});

test('a confirmation and an administrator at once: in whatever order, there is no factor afterwards', async () => {
  const admin = await identity.asAdmin();
  for (let round = 0; round < 5; round += 1) {
    const { headers, codes, email, userGuid } = await makeGuarded(identity, clock);
    const code = codeAt(await begin(headers, codes[0]), clock.now());
    const url = `/api/admin/users/${userGuid}/second-factor`;
    const [confirmed, reset] = await Promise.all([
      post('/confirm', headers, { code }),
      app.inject({ method: 'DELETE', url, headers: admin }),
    ]);
    assert.equal(reset.statusCode, 200, reset.body);
    assert.ok([200, 401, 409].includes(confirmed.statusCode), confirmed.body);
    const again = await identity.signIn(email, PASSWORD);
    assert.equal((await app.inject({ url: PATH, headers: again })).json().enabled, false);
  }
});

test('what is abandoned expires, and the app in force stays', async () => {
  const { headers, codes, email, secret: old } = await makeGuarded(identity, clock);
  const secret = await begin(headers, codes[0]);
  clock.advance(16 * 60_000);
  assert.equal((await post('/confirm', headers, { code: codeAt(secret, clock.now()) })).statusCode, 409);
  assert.equal(await signIn(email, codeAt(old, clock.now())), 200);
});

test('guesses of the new app’s code lock the account as failed sign-ins do', async () => {
  const { headers, codes } = await makeGuarded(identity, clock);
  const secret = await begin(headers, codes[0]);
  const valid = new Set(codesFrom(secret, clock.now()));
  const guesses = Array.from({ length: 14 }, (_, index) => String(200_000 + index)).filter((code) => !valid.has(code));
  const statuses: number[] = [];
  for (const code of guesses.slice(0, 11)) statuses.push((await post('/confirm', headers, { code })).statusCode);
  assert.deepEqual(statuses, [...Array(10).fill(401), 429]);
  assert.equal((await post('/confirm', headers, { code: codeAt(secret, clock.now()) })).statusCode, 429);
});

test('the page: proof, the new key, its code; a recovery code stands for an app that is gone', async () => {
  const { browser, email, recoveryCode, recoveryCodes } = await guardedBrowser();
  const form = await browser.get(`${PAGE}/replace`);
  assert.match(form.body, /Change the app or the phone/);
  assert.match(form.body, /Contact your care unit, or your administrator/);
  const empty = await browser.post(`${PAGE}/replace`, { current_password: '', code: '' });
  assert.equal(empty.statusCode, 400);
  for (const field of ['current_password', 'code']) assert.match(empty.body, new RegExp(`id="${field}-error"`));
  const wrong = await browser.post(`${PAGE}/replace`, { current_password: PASSWORD, code: 'AAAA-BBBB-CCCC-DDDD' });
  assert.equal(wrong.statusCode, 401);
  assert.match(wrong.body, /id="code-error">The code is wrong/);
  const shown = await browser.post(`${PAGE}/replace`, { current_password: PASSWORD, code: recoveryCode });
  assert.equal(shown.statusCode, 200, shown.body);
  assert.match(shown.body, /Until then the app that you have is valid/);
  const secret = secretOf(shown.body);
  const missed = await browser.post(`${PAGE}/confirm`, { code: '000000', secret });
  assert.equal(missed.statusCode, 401);
  assert.equal(secretOf(missed.body), secret, 'the same key is shown again');
  const done = await browser.post(`${PAGE}/confirm`, { code: codeAt(secret, clock.now()), secret });
  assert.equal(done.statusCode, 200, done.body);
  assert.match(done.body, /The app is replaced/);
  const fresh = [...done.body.matchAll(/<li><code>([^<]+)/g)].map(([, code = '']) => code);
  assert.equal(fresh.length, 10);
  assert.match((await browser.get('/account')).body, new RegExp(email), 'this browser goes on');
  assert.equal(await signIn(email, recoveryCodes[2] ?? ''), 401);
  assert.equal(await signIn(email, fresh[0] ?? ''), 200);
});

test('the page shows a waiting key to nobody who has not seen it, and says what a key of before is worth', async () => {
  const { browser, recoveryCode } = await guardedBrowser();
  const shown = await browser.post(`${PAGE}/replace`, { current_password: PASSWORD, code: recoveryCode });
  const secret = secretOf(shown.body);
  const other = `${secret.slice(0, -1)}${secret.endsWith('2') ? '3' : '2'}`;
  for (const fields of [{}, { secret: '' }, { secret: other }, { secret: 'é' }]) {
    const answer = await browser.post(`${PAGE}/confirm`, { code: '000000', ...fields });
    assert.ok(!answer.body.replaceAll(' ', '').includes(secret), 'a session alone does not learn the key');
    assert.equal(answer.statusCode, 409);
    assert.match(answer.body, /The key that you scanned is no longer valid/);
  }
  assert.ok(!(await browser.get(PAGE)).body.includes(secret));
  assert.ok(!(await browser.get(`${PAGE}/replace`)).body.includes(secret));
  clock.advance(16 * 60_000);
  const late = await browser.post(`${PAGE}/confirm`, { code: codeAt(secret, clock.now()), secret });
  assert.equal(late.statusCode, 409);
  assert.match(late.body, /The key that you scanned is no longer valid/);
  assert.match(late.body, /The second factor is on/);
});

test('a form to turn it on that was opened before it was on elsewhere says so', async () => {
  const { browser } = await guardedBrowser();
  const late = await browser.post(PAGE, { current_password: PASSWORD });
  assert.equal(late.statusCode, 409);
  assert.match(late.body, /the setting has changed elsewhere/);
});

test('who must have a second factor replaces it, too, and is never without one', async () => {
  const strict = await startIdentity(hooks, { on, clock, config: { secondFactor: 'su-admins' } });
  const admin = await strict.asAdmin();
  const { recoveryCodes } = await setUpSecondFactor(strict, { headers: admin, password: ADMIN.password }, clock);
  const browser = await openBrowser(strict, ADMIN.email, ADMIN.password, recoveryCodes[0]);
  const page = (await browser.get(PAGE)).body;
  assert.doesNotMatch(page, /Turn off/);
  assert.match(page, /Your account must have it/);
  assert.match(page, /second-factor\/replace/);
  const proof = { current_password: ADMIN.password, code: recoveryCodes[1] ?? '' };
  const secret = secretOf((await browser.post(`${PAGE}/replace`, proof)).body);
  const done = await browser.post(`${PAGE}/confirm`, { code: codeAt(secret, clock.now()), secret });
  assert.match(done.body, /The app is replaced/);
  assert.equal((await browser.get('/account')).statusCode, 200);
});
