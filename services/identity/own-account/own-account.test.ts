// The user's own account (decision L12): the name, and an e-mail address that a code proves. Also the pages, and the
// second factor of one's own accord, for professionals and patients.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SWEDISH_TIME, timeOfDay } from '#lib/html/moment-text.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { handClock, startIdentity } from '#test/support/identity/identity.ts';
import { openBrowser } from '#test/support/identity/identity-browser.ts';
import {
  auditedEvents,
  makePatient,
  makeProfessional,
  nextEmail,
  PASSWORD,
} from '#test/support/identity/identity-people.ts';
import { codeAt, makeGuarded } from '#test/support/identity/totp.ts';
import { startMailServer } from '#test/support/mail.ts';
import { fifty } from '#test/support/system/at-once.ts';

const hooks = lastFirst({ after });
const clock = handClock();
const mails = await startMailServer(hooks);
const identity = await startIdentity(hooks, { clock, sendMail: mails.send });
const { app } = identity;
type Headers = Readonly<Record<string, string>>;

const PATH = '/api/auth/account';
const read = async (headers: Headers) => (await app.inject({ url: PATH, headers })).json();
const ask = (headers: Headers, new_email: string, more: object = {}) =>
  app.inject({
    method: 'POST',
    url: `${PATH}/email`,
    headers,
    payload: { new_email, current_password: PASSWORD, lang: 'en', ...more },
  });
const confirm = (headers: Headers, email_code: string) =>
  app.inject({ method: 'POST', url: `${PATH}/email/confirm`, headers, payload: { email_code, lang: 'en' } });
const codeOf = async (email: string) =>
  /[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}/.exec((await mails.mailTo(email, /Code for/)).body)?.[0] ?? '';

/** As pages say it in English. */
const swedishTime = (moment: number) => timeOfDay(moment, { language: 'en', timeZone: SWEDISH_TIME });

test('everybody corrects the own name, and only the own', async () => {
  for (const { headers, email } of [await makeProfessional(identity), await makePatient(identity)]) {
    const answer = await app.inject({ method: 'PATCH', url: PATH, headers, payload: { last_name: ' Öberg ' } });
    assert.equal(answer.statusCode, 200, answer.body);
    assert.deepEqual([answer.json().last_name, answer.json().email], ['Öberg', email]);
    const wrong = { first_name: '\u0000', last_name: 'x'.repeat(101), email: 'x@example.org' };
    const refused = await app.inject({ method: 'PATCH', url: PATH, headers, payload: wrong });
    assert.equal(refused.statusCode, 400);
    for (const field of Object.keys(wrong)) assert.match(refused.body, new RegExp(field));
    assert.equal((await app.inject({ method: 'PATCH', url: PATH, headers, payload: {} })).statusCode, 400);
    assert.equal((await read(headers)).last_name, 'Öberg');
  }
  assert.ok((await auditedEvents(identity)).includes('user.change-own-name'));
});

test('a new address is proved by a code sent there; the former one is notified, and signs in no longer', async () => {
  const { headers, email } = await makePatient(identity);
  const next = nextEmail();
  const asked = await ask(headers, next);
  assert.equal(asked.statusCode, 202, asked.body);
  assert.deepEqual([(await read(headers)).email, (await read(headers)).pending_email], [email, next]);
  const code = await codeOf(next);
  const changed = await confirm(headers, code.toLowerCase().replaceAll('-', ' '));
  assert.equal(changed.statusCode, 200, changed.body);
  assert.deepEqual([changed.json().email, changed.json().pending_email], [next, null]);
  assert.match(
    (await mails.mailTo(email, /was changed/)).body,
    /contact your care unit at once, or your administrator/,
  );
  assert.doesNotMatch((await mails.mailTo(email, /was changed/)).body, new RegExp(next));
  await identity.signIn(next, PASSWORD);
  await assert.rejects(identity.signIn(email, PASSWORD), /401/);
  assert.equal((await app.inject({ url: '/api/auth/me', headers })).json().email, next, 'at once');
  assert.equal((await confirm(headers, code)).statusCode, 401, 'a code works once');
});

test('an address that has an account gets the same answer; its owner is notified, and no code changes it', async () => {
  const { headers } = await makePatient(identity);
  const owner = await makePatient(identity);
  const [taken, free] = [await ask(headers, owner.email.replace('p', 'P')), await ask(headers, nextEmail())];
  assert.deepEqual([taken.statusCode, taken.json().message], [free.statusCode, free.json().message]);
  assert.match((await mails.mailTo(owner.email.replace('p', 'P'), /Your e-mail/)).body, /belongs to your account/);
  const { headers: other } = await makePatient(identity);
  const wanted = nextEmail();
  await ask(other, wanted);
  const code = await codeOf(wanted);
  const { answer } = await makePatient(identity);
  await identity.database.query('UPDATE app_user SET email = $2, email_key = $2 WHERE user_guid = $1', [
    answer.user_guid,
    wanted,
  ]);
  const late = await confirm(other, code);
  assert.deepEqual([late.statusCode, late.json().error], [409, 'conflict'], 'somebody registered with it meanwhile');
});

test('a code is valid for half an hour and five guesses, and replaced by another request; three requests an hour', async () => {
  const { headers, email } = await makePatient(identity);
  const [first, second] = [nextEmail(), nextEmail()];
  await ask(headers, first);
  const replaced = await codeOf(first);
  await ask(headers, second);
  assert.equal((await confirm(headers, replaced)).statusCode, 401, 'of the address before');
  const code = await codeOf(second);
  for (let tries = 0; tries < 4; tries += 1) await confirm(headers, 'AAAA-AAAA-AAAA-AAAA');
  assert.equal((await confirm(headers, code)).statusCode, 401, 'five wrong codes end it');
  const third = nextEmail();
  assert.equal((await ask(headers, third)).statusCode, 202);
  const late = await codeOf(third);
  const flood = await ask(headers, nextEmail());
  assert.equal(flood.statusCode, 429);
  assert.ok(Number(flood.headers['retry-after']) > 3000);
  clock.advance(31 * 60_000);
  assert.equal((await confirm(headers, late)).statusCode, 401);
  assert.equal((await read(headers)).pending_email, null);
  clock.advance(30 * 60_000);
  const again = await identity.signIn(email, PASSWORD);
  assert.equal((await ask(again, nextEmail())).statusCode, 202);
});

test('a code whose mail waits for the server is not mailed when another one replaces it', async () => {
  const held = await startIdentity(hooks, { clock, sendMail: async () => ({ kind: 'failed', error: 'unreachable' }) });
  const { headers } = await makePatient(held);
  const waiting = async () =>
    (await held.database.query("SELECT mail_guid FROM mail_outbox WHERE kind = 'email-change-code'")).rows;
  const asked = async (as = headers) => {
    const payload = { new_email: nextEmail(), current_password: PASSWORD, lang: 'en' };
    const answer = await held.app.inject({ method: 'POST', url: `${PATH}/email`, headers: as, payload });
    assert.equal(answer.statusCode, 202, answer.body);
  };
  await asked();
  const first = await waiting();
  await asked();
  const second = await waiting();
  assert.deepEqual([first.length, second.length], [1, 1]);
  const { headers: others } = await makePatient(held);
  await Promise.all([asked(others), asked(others), asked(others)]);
  assert.equal((await waiting()).length, 2, 'of several at once, one of each person');
  assert.notDeepEqual(second, first);
});

test('it takes the password, and the code of those who have a second factor; guesses are held', async () => {
  const guarded = await makeGuarded(identity, clock);
  assert.equal((await ask(guarded.headers, nextEmail(), { current_password: 'wrong' })).statusCode, 401);
  const without = await ask(guarded.headers, nextEmail());
  assert.deepEqual([without.statusCode, /second factor/.test(without.body)], [401, true]);
  assert.equal((await ask(guarded.headers, nextEmail(), { code: '000000' })).statusCode, 401);
  assert.equal((await ask(guarded.headers, nextEmail(), { code: guarded.codes[0] })).statusCode, 202);
});

test('a mail server that is down changes no response; the mail comes when it is back', async () => {
  const { headers } = await makePatient(identity);
  mails.reply = { message: 451 };
  const next = nextEmail();
  assert.equal((await ask(headers, next)).statusCode, 202);
  mails.reply = {};
  clock.advance(60_000);
  assert.equal((await confirm(headers, await codeOf(next))).statusCode, 200);
});

test('of fifty uses of one code at once one changes the address', async () => {
  const { headers } = await makePatient(identity);
  const next = nextEmail();
  await ask(headers, next);
  const code = await codeOf(next);
  const answers = await fifty(() => confirm(headers, code));
  assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1);
});

test('without a mail server the API says so, and the page too', async () => {
  const plain = await startIdentity(hooks, { clock });
  const { headers } = await makePatient(plain);
  const answer = await plain.app.inject({
    method: 'POST',
    url: `${PATH}/email`,
    headers,
    payload: { new_email: nextEmail(), current_password: PASSWORD },
  });
  assert.equal(answer.statusCode, 409);
});

test('the page: name and address, with errors at their fields, and nothing without a session or from elsewhere', async () => {
  const { email } = await makePatient(identity);
  const browser = await openBrowser(identity, email);
  assert.match((await browser.get('/account')).body, new RegExp(`signed in as <strong>${email}`));
  const wrong = await browser.post('/account/name', { first_name: '', last_name: 'Ek' });
  assert.equal(wrong.statusCode, 400);
  assert.match(wrong.body, /id="first_name-error">Enter your first name/);
  assert.match(wrong.body, /name="last_name"[^>]*value="Ek"/);
  const named = await browser.post('/account/name', { first_name: 'Eva', last_name: 'Ek' });
  assert.deepEqual([named.statusCode, named.headers.location], [303, '../account?lang=en&done=nameSaved']);
  assert.match((await browser.get('/account?done=nameSaved')).body, /The name is saved/);
  const next = nextEmail();
  const refused = await browser.post('/account/email', { new_email: next, current_password: 'wrong' });
  assert.equal(refused.statusCode, 401);
  assert.match(refused.body, /id="current_password-error">The password is wrong/);
  assert.equal((await browser.post('/account/email', { new_email: next, current_password: PASSWORD })).statusCode, 303);
  const until = swedishTime(clock.now() + 30 * 60_000);
  clock.advance(10 * 60_000);
  const sent = `on its way to ${next}. The code is valid until ${until}`;
  assert.ok((await browser.get('/account')).body.includes(sent));
  const bad = await browser.post('/account/email/confirm', { email_code: 'AAAA-BBBB-CCCC-DDDD' });
  assert.match(bad.body, /id="email_code-error">The code is wrong/);
  const done = await browser.post('/account/email/confirm', { email_code: await codeOf(next) });
  assert.equal(done.headers.location, '../../account?lang=en&done=emailChanged');
  assert.match((await browser.get('/account')).body, new RegExp(next));
  const foreign = await browser.post('/account/name', { first_name: 'Eve' }, { 'sec-fetch-site': 'cross-site' });
  assert.equal(foreign.statusCode, 403);
  browser.jar.clear();
  const out = await browser.get('/account');
  assert.equal(out.statusCode, 401);
  const href = /href="(https:[^"]+auth\/login[^"]+)"/.exec(out.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const { origin, searchParams } = new URL(href);
  assert.equal(origin, 'https://kedja.example.org');
  assert.deepEqual(Object.fromEntries(searchParams), {
    lang: 'en',
    return_to: '/identity/account?lang=en',
  });
  const factor = await browser.get('/account/second-factor');
  assert.match(factor.body, /return_to=%2Fidentity%2Faccount%2Fsecond-factor%3Flang%3Den/, 'back to where it was');
  assert.equal((await browser.post('/account/name', { first_name: 'Eve', last_name: 'Ek' })).statusCode, 401);
});

test('a patient turns a second factor on and off at the page; other sessions end, and this one goes on', async () => {
  const { email, headers } = await makePatient(identity);
  const browser = await openBrowser(identity, email);
  assert.match((await browser.get('/account/second-factor')).body, /It is off/);
  assert.match(
    (await browser.post('/account/second-factor', { current_password: 'wrong' })).body,
    /The password is wrong/,
  );
  const begun = await browser.post('/account/second-factor', { current_password: PASSWORD });
  assert.equal(begun.statusCode, 200, begun.body);
  const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(begun.body)?.[1] ?? '').replaceAll(' ', '');
  const until = `shows, before ${swedishTime(clock.now() + 15 * 60_000)}`;
  assert.ok(begun.body.includes(until), begun.body);
  clock.advance(10 * 60_000);
  const own = /href="(otpauth:[^"]+)"/.exec(begun.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.equal(new URL(own).searchParams.get('secret'), secret, 'the app may be on this device');
  const wrong = await browser.post('/account/second-factor/confirm', { code: '000000', secret });
  assert.ok(wrong.body.includes(until), 'the same end, however late it is');
  assert.equal(wrong.statusCode, 401);
  assert.match(wrong.body, /The code is wrong/);
  assert.ok(wrong.body.replaceAll(' ', '').includes(secret), 'the same secret is shown again');
  const on = await browser.post('/account/second-factor/confirm', { code: codeAt(secret, clock.now()) });
  assert.equal(on.statusCode, 200, on.body);
  const codes = [...on.body.matchAll(/<li><code>([^<]+)/g)].map(([, code = '']) => code);
  assert.ok(codes.length >= 8);
  assert.equal((await app.inject({ url: '/api/auth/me', headers })).statusCode, 401, 'other sessions ended');
  const manage = (await browser.get('/account/second-factor')).body;
  assert.match(manage, /The second factor is on/);
  assert.match(manage, /href="[^"]*account\/second-factor\/replace\?lang=en">Change the app or the phone/);
  const half = await browser.post('/account/second-factor/disable', { current_password: PASSWORD, code: '' });
  assert.equal(half.statusCode, 400);
  const off = await browser.post('/account/second-factor/disable', {
    current_password: PASSWORD,
    code: codes[0] ?? '',
  });
  assert.equal(off.statusCode, 200, off.body);
  assert.match(off.body, /The second factor is off/);
  assert.match((await browser.get('/account')).body, new RegExp(email), 'this browser goes on');
  const none = await browser.post('/account/second-factor/disable', {
    current_password: PASSWORD,
    code: codes[1] ?? '',
  });
  assert.equal(none.statusCode, 409);
});
