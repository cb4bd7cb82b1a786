// The page that changes a password: the responses and locks of a sign-in, temporary passwords, and the second factor.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { BROWSER, errorsOf, postForm } from '#test/support/dispatch/form.ts';
import { eventually } from '#test/support/http.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { setUpSecondFactor } from '#test/support/identity/totp.ts';

const identity = await startIdentity({ after });
const { app, database } = identity;
const NEXT = 'https://app.example.org/sso/callback';
const NEW = 'another long enough phrase';

function form(email: string, changes: Record<string, string> = {}) {
  return { lang: 'en', email, current_password: PASSWORD, new_password: NEW, new_password_again: NEW, ...changes };
}

const change = (fields: Record<string, string>) => postForm(app, '/change-password', fields);

test('the right password is changed, all sessions end, and the page says so', async () => {
  const { email, headers } = await makePatient(identity);
  const answer = await change(form(email));
  assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/change-password/done?lang=en']);
  assert.equal((await app.inject({ url: '/api/auth/me', headers })).statusCode, 401);
  await assert.rejects(identity.signIn(email, PASSWORD), /401/);
  await identity.signIn(email, NEW);
  assert.ok((await auditedEvents(identity)).includes('user.change-password'));
});

test('a wrong password and an unknown address get the same page, and count towards the lock of the account', async () => {
  const { email } = await makePatient(identity);
  const known = await change(form(email, { current_password: 'wrong' }));
  const unknown = await change(form('nobody@example.org', { current_password: 'wrong' }));
  assert.equal(known.statusCode, 401);
  assert.equal(unknown.body.replaceAll('nobody@example.org', email), known.body);
  assert.deepEqual(errorsOf(known.body), { current_password: 'The e-mail address or the password is wrong.' });
  for (let attempt = 0; attempt < 9; attempt += 1) await change(form(email, { current_password: 'wrong' }));
  const locked = await change(form(email));
  assert.equal(locked.statusCode, 429);
  assert.match(locked.body, /role="alert">Too many attempts\. Wait \d+ seconds/);
  assert.ok(locked.headers['retry-after']);
  assert.deepEqual([locked.headers['ratelimit-limit'], locked.headers['ratelimit-remaining']], ['10', '0']);
});

test('a missing, too short, too common or unrepeated password is reported at its field', async () => {
  const { email } = await makePatient(identity);
  const empty = await change({ lang: 'sv' });
  assert.deepEqual(Object.keys(errorsOf(empty.body)), [
    'email',
    'current_password',
    'new_password',
    'new_password_again',
  ]);
  const weak = await change(form(email, { new_password: 'Password1!', new_password_again: 'x' }));
  assert.deepEqual(Object.keys(errorsOf(weak.body)), ['new_password', 'new_password_again']);
  await identity.signIn(email, PASSWORD);
});

test('at the sign-in page a temporary password gives nothing but the page to change it, and then the way goes on', async () => {
  const { email, answer: patient } = await makePatient(identity);
  await database.query('UPDATE app_user SET must_change_password = true WHERE user_guid = $1', [patient.user_guid]);
  const signIn = { email, password: PASSWORD, next: NEXT, state: 's', lang: 'en' };
  const asked = await postForm(app, '/api/auth/login', signIn);
  assert.deepEqual([asked.statusCode, asked.headers.location], [200, undefined]);
  assert.match(asked.body, /action="\.\.\/\.\.\/change-password"/);
  assert.match(asked.body, new RegExp(`name="email"[^>]* value="${email}"`));
  const journey = { next: NEXT, state: 's', temporary: 'true' };
  const same = await change(form(email, { ...journey, new_password: PASSWORD, new_password_again: PASSWORD }));
  assert.deepEqual(errorsOf(same.body), { new_password: 'Choose another password than the temporary one.' });
  const changed = await change(form(email, journey));
  assert.equal(changed.statusCode, 302);
  assert.match(String(changed.headers.location), /^https:\/\/app\.example\.org\/sso\/callback\?token=[\w.-]+&state=s$/);
  assert.equal(changed.headers['cache-control'], 'no-store');
});

test('programs sign in with a temporary password as before', async () => {
  const { email, answer: patient } = await makePatient(identity);
  await database.query('UPDATE app_user SET must_change_password = true WHERE user_guid = $1', [patient.user_guid]);
  const payload = { email, password: PASSWORD, next: NEXT };
  const answer = await app.inject({ method: 'POST', url: '/api/auth/login', payload });
  assert.equal(answer.statusCode, 302);
});

test('who has a second factor is asked for a code, and a wrong one changes nothing', async () => {
  const { email, headers } = await makeProfessional(identity);
  const { recoveryCodes } = await setUpSecondFactor(identity, { headers, password: PASSWORD });
  const [recovery = ''] = recoveryCodes;
  const first = await change(form(email));
  assert.equal(first.statusCode, 401);
  assert.match(errorsOf(first.body)['code'] ?? '', /two-step verification/);
  const wrong = await change(form(email, { code: '000000' }));
  assert.match(errorsOf(wrong.body)['code'] ?? '', /wrong or was used/);
  assert.equal((await change(form(email, { code: recovery, next: NEXT }))).statusCode, 303);
  const signedIn = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email, password: NEW },
  });
  assert.equal(signedIn.json().second_factor_required, true);
});

test('a second factor that is turned on while the passwords are verified requires its code', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const account = createHash('sha256').update(email).digest();
  const waiting = () =>
    database.query(`SELECT FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'INSERT INTO login_failure%')`);
  const changing = await database.transaction(async (tx) => {
    await tx.query(`INSERT INTO login_failure (account, failed_at, last_failed_at) VALUES ($1, '{}', now())`, [
      account,
    ]);
    const answer = change(form(email)).then((response) => response);
    await eventually('the change waits', async () => ((await waiting()).rowCount > 0 ? true : undefined));
    await database.query(
      `UPDATE app_user SET second_factor_sealed = '\\x00', second_factor_step = 1, second_factor_since = now()
       WHERE user_guid = $1`,
      [userGuid],
    );
    return { answer };
  });
  const answer = await changing.answer;
  assert.deepEqual([answer.statusCode, Object.keys(errorsOf(answer.body))], [401, ['code']]);
  const answered = await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: PASSWORD } });
  assert.equal(answered.json().second_factor_required, true, 'the password is what it was');
});

test('a form from another website changes nothing', async () => {
  const { email } = await makePatient(identity);
  const answer = await postForm(app, '/change-password', form(email), { 'sec-fetch-site': 'cross-site' });
  assert.equal(answer.statusCode, 403);
  await identity.signIn(email, PASSWORD);
  const signIn = { email, password: PASSWORD, next: NEXT };
  const refused = await postForm(app, '/api/auth/login', signIn, { 'sec-fetch-site': 'cross-site' });
  assert.deepEqual([refused.statusCode, refused.headers.location], [403, undefined]);
});

test('how another website spells the type of its form does not matter', async () => {
  const { email } = await makePatient(identity);
  const signIn = { email, password: PASSWORD, next: NEXT };
  for (const type of ['Application/X-WWW-Form-Urlencoded', ' application/x-www-form-urlencoded ;charset=utf-8']) {
    const foreign = { 'sec-fetch-site': 'cross-site', 'content-type': type };
    const refused = await postForm(app, '/api/auth/login', signIn, foreign);
    assert.deepEqual([refused.statusCode, refused.headers.location], [403, undefined], type);
    assert.equal((await postForm(app, '/change-password', form(email), foreign)).statusCode, 403, type);
  }
});

test('an unknown address is a page for browsers and JSON for programs', async () => {
  const unknown = await app.inject({ url: '/nowhere?lang=en', headers: BROWSER });
  assert.equal(unknown.statusCode, 404);
  assert.match(unknown.body, /<h1>Page not found<\/h1>/);
  assert.match(String(unknown.headers['content-security-policy']), /default-src 'none'/);
  assert.equal((await app.inject({ url: '/api/nowhere', headers: BROWSER })).json().error, 'not_found');
  assert.equal((await app.inject('/nowhere')).json().error, 'not_found');
});
