// Recovery of forgotten passwords (decision L12): links by mail, codes from an administrator, and what neither opens.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MINUTE_MS } from '#lib/clock.ts';
import { errorsOf, postForm } from '#test/support/dispatch/form.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { BASE_URL, handClock, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { codeAt, makeGuarded } from '#test/support/identity/totp.ts';
import { startMailServer, type TakenMail } from '#test/support/mail.ts';

const NEW = 'another long enough phrase';
const hooks = lastFirst({ after });
const on = await identityDatabase(hooks);
const mails = await startMailServer(hooks);
const clock = handClock();
const identity = await startIdentity(hooks, { on, clock, sendMail: mails.send });
const { app, database, lines } = identity;

const ask = (email: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url: '/api/auth/password-reset', headers, payload: { email, lang: 'en' } });
const confirm = (token: string, new_password = NEW) =>
  app.inject({ method: 'POST', url: '/api/auth/password-reset/confirm', payload: { token, new_password } });
const tokenIn = ({ body }: TakenMail) => /[?&]token=([\w-]+)/.exec(body)?.[1] ?? '';
const linkTo = async (email: string) => {
  assert.equal((await ask(email)).statusCode, 202);
  return tokenIn(await mails.mailTo(email, /Choose a new password/));
};
const issue = async (userGuid: string) =>
  app.inject({
    method: 'POST',
    url: `/api/admin/users/${userGuid}/password-reset`,
    headers: await identity.asAdmin(),
  });
const settled = () =>
  eventually('requests are taken', async () => {
    const { rows } = await database.query('SELECT FROM password_reset_request');
    return rows.length === 0 || undefined;
  });

test('a link changes the password once, ends all sessions, and the owner gets a notice', async () => {
  const { email, headers } = await makePatient(identity);
  const token = await linkTo(email);
  const page = await app.inject({ url: `/reset-password?token=${token}&lang=en`, headers: { accept: 'text/html' } });
  assert.match(page.body, new RegExp(`name="token" value="${token}"`));
  assert.equal((await confirm(token)).statusCode, 200);
  assert.equal((await app.inject({ url: '/api/auth/me', headers })).statusCode, 401);
  await assert.rejects(identity.signIn(email, PASSWORD), /401/);
  await identity.signIn(email, NEW);
  assert.equal((await confirm(token, 'yet another long phrase')).statusCode, 401);
  const notice = await mails.mailTo(email, /lösenord till Kedja är bytt/);
  assert.doesNotMatch(notice.body, /token=/);
  const events = await auditedEvents(identity);
  assert.ok(events.includes('user.request-password-reset') && events.includes('user.reset-password'));
  const { rows } = await database.query<{ row: string }>('SELECT to_jsonb(r)::text AS row FROM password_reset r');
  assert.doesNotMatch(JSON.stringify(rows) + lines.join(''), new RegExp(token));
  assert.doesNotMatch(lines.join(''), new RegExp(email));
});

test('an unknown address gets the same response and no mail', async () => {
  const { email } = await makePatient(identity);
  const [known, unknown] = [await ask(email), await ask('nobody@example.org')];
  assert.deepEqual([unknown.statusCode, unknown.body], [known.statusCode, known.body]);
  await settled();
  await mails.mailTo(email);
  assert.ok(!mails.taken.some(({ to }) => to.includes('nobody@example.org')));
});

test('an account gets three mails within an hour, from all callers together', async () => {
  const { email } = await makePatient(identity);
  for (let asked = 0; asked < 5; asked += 1) {
    assert.equal((await ask(email, { 'x-forwarded-for': `192.0.2.${asked}` })).statusCode, 202);
  }
  await settled();
  const sent = () => mails.taken.filter(({ to }) => to.includes(email)).length;
  await eventually('the mails arrive', async () => sent() === 3 || undefined);
  clock.advance(61 * MINUTE_MS);
  await ask(email);
  await eventually('another mail arrives', async () => sent() === 4 || undefined);
});

const opened = async (token: string) => {
  const url = `/reset-password?token=${encodeURIComponent(token)}&lang=sv`;
  const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html' } });
  return { status: statusCode, asks: body.includes('name="new_password"'), body };
};

test('a link that has ended says so when it is opened, with the way to a new one', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const token = await linkTo(email);
  assert.deepEqual([(await opened(token)).status, (await opened(token)).asks], [200, true], 'opening uses nothing up');
  assert.equal((await confirm(token)).statusCode, 200);
  const { code } = (await issue(userGuid)).json();
  assert.ok(code, 'codes are for the form, and no page tells whether one is right');
  const { body: notice } = await mails.mailTo(email, /kod för nytt lösenord/);
  assert.match(notice, /under ”Glömt lösenordet\?” och ”Jag har en kod från en administratör”/);
  for (const ended of [token, 'A'.repeat(43), 'rubbish', code]) {
    const { status, asks, body } = await opened(ended);
    assert.deepEqual([status, asks], [410, false], ended);
    assert.match(body, /Länken är redan använd eller för gammal\. Be om en ny\./);
    assert.match(body, /<a class="button" href="forgot-password[^"]*">Be om en ny länk</);
  }
  const late = await linkTo((await makePatient(identity)).email);
  clock.advance(31 * 60_000);
  assert.equal((await opened(late)).status, 410);
});

test('a link is valid for half an hour', async () => {
  const { email } = await makePatient(identity);
  const token = await linkTo(email);
  clock.advance(30 * MINUTE_MS);
  assert.equal((await confirm(token)).statusCode, 401);
});

test('of many that use one link at once, one changes the password', async () => {
  const { email } = await makePatient(identity);
  const token = await linkTo(email);
  const tried = await Promise.all([1, 2, 3].map((each) => confirm(token, `${NEW} number ${each}`)));
  const statuses = tried.map(({ statusCode }) => statusCode);
  assert.deepEqual(statuses.toSorted(), [200, 401, 401]);
  await identity.signIn(email, `${NEW} number ${statuses.indexOf(200) + 1}`);
});

test('a password that breaks a rule is refused with the reason, and does not use the link up', async () => {
  const { email } = await makePatient(identity);
  const token = await linkTo(email);
  const refused = await confirm(token, email);
  assert.equal(refused.statusCode, 400);
  assert.match(refused.json().message, /'new_password' must not be made of/);
  assert.equal((await confirm('A'.repeat(43), email)).statusCode, 401, 'names of an account are for its link alone');
  assert.equal((await confirm(token)).statusCode, 200);
});

test('a reset does not pass the second factor by, nor its lock', async () => {
  const { email, secret } = await makeGuarded(identity, clock);
  assert.equal((await confirm(await linkTo(email))).statusCode, 200);
  const signIn = (code?: string) =>
    app.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { email, password: NEW, ...(code ? { code } : {}) },
    });
  assert.equal((await signIn()).json().second_factor_required, true);
  for (let guess = 0; guess < 10; guess += 1) await signIn('000000');
  clock.advance(2 * MINUTE_MS);
  assert.equal((await confirm(await linkAgain(email))).statusCode, 200);
  clock.advance(MINUTE_MS);
  assert.ok((await signIn(codeAt(secret, clock.now()))).json().token);
});

/** The link of another request. */
async function linkAgain(email: string): Promise<string> {
  const before = mails.taken.length;
  await ask(email);
  const mail = await eventually('a mail arrives', async () =>
    mails.taken.slice(before).find(({ to, subject }) => to.includes(email) && /Choose a new/.test(subject)),
  );
  return tokenIn(mail);
}

test('an account that guesses have locked can sign in after a reset', async () => {
  const { email } = await makePatient(identity);
  const payload = { email, password: 'wrong' };
  for (let guess = 0; guess < 10; guess += 1) await app.inject({ method: 'POST', url: '/api/auth/login', payload });
  await assert.rejects(identity.signIn(email, PASSWORD), /429/);
  assert.equal((await confirm(await linkTo(email))).statusCode, 200);
  await identity.signIn(email, NEW);
});

test('an administrator issues a code, shown once; another replaces it; the owner is notified by mail', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const first = await issue(userGuid);
  assert.deepEqual([first.statusCode, first.headers['cache-control']], [201, 'private, no-store']);
  assert.match(first.json().code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  const second = (await issue(userGuid)).json();
  await mails.mailTo(email, /kod för nytt lösenord/);
  assert.equal((await confirm(first.json().code)).statusCode, 401);
  assert.equal((await confirm(second.code.toLowerCase().replaceAll('-', ' '))).statusCode, 200);
  await identity.signIn(email, NEW);
  assert.equal((await issue('019a0000-0000-7000-8000-000000000000')).statusCode, 404);
  const { user_guid } = (await app.inject({ url: '/api/auth/me', headers: await identity.asAdmin() })).json();
  assert.equal((await issue(user_guid)).statusCode, 409);
});

test('a change of password ends links and codes; so does the deletion of the user', async () => {
  const { email, userGuid, headers } = await makeProfessional(identity);
  const code = (await issue(userGuid)).json().code;
  const change = { current_password: PASSWORD, new_password: NEW };
  await app.inject({ method: 'POST', url: '/api/auth/change-password', headers, payload: change });
  assert.equal((await confirm(code)).statusCode, 401);
  const token = await linkTo(email);
  const as = await identity.asAdmin();
  await app.inject({ method: 'DELETE', url: `/api/admin/users/${userGuid}`, headers: as });
  assert.equal((await confirm(token)).statusCode, 401);
});

test('a mail server that is down changes no response; the mail comes when it is back', async () => {
  const { email } = await makePatient(identity);
  mails.reply = { message: 451 };
  assert.equal((await ask(email)).statusCode, 202);
  await eventually('an attempt fails', async () => lines.find((line) => /"mail.failed"/.test(line)));
  mails.reply = {};
  clock.advance(10_000);
  assert.equal((await confirm(tokenIn(await mails.mailTo(email)))).statusCode, 200);
});

test('the pages: ask, choose, and what they say when it fails', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const forgot = await app.inject({ url: '/forgot-password?lang=en', headers: { accept: 'text/html' } });
  assert.match(forgot.body, /Send the link/);
  const asked = await postForm(app, '/forgot-password', { lang: 'en', email });
  assert.deepEqual([asked.statusCode, asked.headers.location], [303, 'forgot-password/done?lang=en']);
  const link = (await mails.mailTo(email, /Choose a new password/)).body.match(/https:\S+/)?.[0] ?? '';
  assert.ok(link.startsWith(`${BASE_URL}/reset-password?token=`));
  const empty = await postForm(app, '/reset-password', { lang: 'en' });
  assert.deepEqual(Object.keys(errorsOf(empty.body)), ['token', 'new_password', 'new_password_again']);
  const { code } = (await issue(userGuid)).json();
  const typed = { lang: 'en', token: code, new_password: NEW, new_password_again: NEW };
  const foreign = await postForm(app, '/reset-password', typed, { 'sec-fetch-site': 'cross-site' });
  assert.equal(foreign.statusCode, 403);
  const done = await postForm(app, '/reset-password', typed);
  assert.deepEqual([done.statusCode, done.headers.location], [303, 'reset-password/done?lang=en']);
  const { body: told } = await app.inject({ url: '/reset-password/done?lang=en', headers: { accept: 'text/html' } });
  const signIn = `${new URL(BASE_URL).origin}/auth/login?lang=en`;
  assert.ok(told.includes(`href="${signIn}"`), 'who came from the mail is led to the sign-in');
  assert.deepEqual(errorsOf((await postForm(app, '/reset-password', typed)).body), {
    token: 'The code is wrong, was used before or is too old.',
  });
  const ended = await postForm(app, '/reset-password', { ...typed, token: 'A'.repeat(43), by_link: 'true' });
  assert.match(ended.body, /Ask for another link/);
});

test('without a mail server nothing is stored, the API says so, and the page offers codes alone', async () => {
  const plain = await startIdentity(hooks, { on, clock });
  const asked = await plain.app.inject({
    method: 'POST',
    url: '/api/auth/password-reset',
    payload: { email: 'a@example.org' },
  });
  assert.equal(asked.statusCode, 409);
  const page = await plain.app.inject({ url: '/forgot-password?lang=en', headers: { accept: 'text/html' } });
  assert.match(page.body, /Ask your care unit, or your administrator .* for a code/);
  assert.doesNotMatch(page.body, /<form/);
});

test('a link whose mail waits for the server is not mailed when the password was changed meanwhile', async () => {
  const held = await startIdentity(hooks, { clock, sendMail: async () => ({ kind: 'failed', error: 'unreachable' }) });
  const { email, headers, userGuid } = await makeProfessional(held);
  const post = (path: string, payload: object, more = {}) =>
    held.app.inject({ method: 'POST', url: `/api/${path}`, headers: more, payload });
  const waiting = async () =>
    (await held.database.query("SELECT FROM mail_outbox WHERE kind = 'password-reset'")).rowCount;
  const asked = async () => {
    assert.equal((await post('auth/password-reset', { email, lang: 'en' })).statusCode, 202);
    await eventually('the mail waits', async () => (await waiting()) === 1 || undefined);
  };
  await asked();
  const change = await post('auth/change-password', { current_password: PASSWORD, new_password: NEW }, headers);
  assert.equal(change.statusCode, 200, change.body);
  assert.equal(await waiting(), 0);
  await asked();
  const issued = await post(`admin/users/${userGuid}/password-reset`, {}, await held.asAdmin());
  const token = issued.json().code;
  const reset = await post('auth/password-reset/confirm', { token, new_password: 'yet another long phrase' });
  assert.equal(reset.statusCode, 200, reset.body);
  assert.equal(await waiting(), 0);
});
