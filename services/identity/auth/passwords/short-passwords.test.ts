// Professionals whose password is shorter than the present minimum (KEDJA_STAFF_PASSWORD_RENEWAL). They choose a new
// one at their next sign-in: by the API, at the page and through a handshake (decisions I2 and I13).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { postForm } from '#test/support/dispatch/form.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, identityDatabase, REDIRECT, startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { setUpSecondFactor } from '#test/support/identity/totp.ts';

const hooks = lastFirst({ after });
const on = await identityDatabase(hooks);
/** The earlier configuration, which accepts passwords of eight characters. */
const before = await startIdentity(hooks, { on });
const LENGTH = PASSWORD.length + 4;
const rule = { staffPasswordLength: LENGTH, renewsShortPasswords: true };
const administrator = { ...ADMIN, password: `${ADMIN.password} and some more` };
const identity = await startIdentity(hooks, { on, administrator, config: rule });
const { app } = identity;
const LONGER = `${PASSWORD} of today`;

const login = (email: string, password = PASSWORD) =>
  app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password } });
const me = (headers: { authorization: string }) => app.inject({ url: '/api/auth/me', headers });
const groups = (headers: { authorization: string }) => app.inject({ url: '/api/groups', headers });

test('the answer says that a new password must be chosen and why; until then nothing else can be done', async () => {
  const { email, headers: earlier } = await makeProfessional(before);
  const answer = await login(email);
  assert.equal(answer.statusCode, 200, answer.body);
  const { token, must_change_password, password_change_reason } = answer.json();
  assert.deepEqual([must_change_password, password_change_reason], [true, 'too_short']);
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await me(headers)).statusCode, 200);
  for (const each of [headers, earlier]) {
    const refused = await groups(each);
    assert.deepEqual([refused.statusCode, refused.json().error], [403, 'password_change_required']);
  }
  assert.equal((await login(email)).json().password_change_reason, 'too_short', 'and again, as often as it is asked');
  const change = (new_password: string) =>
    app.inject({
      method: 'POST',
      url: '/api/auth/change-password',
      headers,
      payload: { current_password: PASSWORD, new_password },
    });
  const same = await change(PASSWORD);
  assert.deepEqual([same.statusCode, same.json().error], [400, 'invalid_request']);
  assert.match(same.json().message, new RegExp(`must have at least ${LENGTH} characters`));
  assert.equal((await change(LONGER)).statusCode, 200);
  const again = (await login(email, LONGER)).json();
  assert.deepEqual([again.must_change_password, again.password_change_reason], [undefined, undefined]);
  assert.equal((await groups({ authorization: `Bearer ${again.token}` })).statusCode, 200);
  assert.equal((await auditedEvents(identity)).filter((event) => event === 'user.demand-new-password').length, 1);
});

test('at the page the form for a new password comes, says why, and leads on to the application', async () => {
  const { email } = await makeProfessional(before);
  const journey = { next: `${REDIRECT}after`, state: 's' };
  const asked = await postForm(app, '/api/auth/login', { ...journey, lang: 'en', email, password: PASSWORD });
  assert.match(asked.body, /<h1>Choose a longer password<\/h1>/);
  assert.match(asked.body, new RegExp(`must have at least ${LENGTH} characters now`));
  assert.match(asked.body, /name="too_short"/);
  const form = { ...journey, lang: 'sv', too_short: 'true', email, current_password: PASSWORD };
  const short = await postForm(app, '/change-password', {
    ...form,
    new_password: PASSWORD,
    new_password_again: PASSWORD,
  });
  assert.match(short.body, /<h1>Välj ett längre lösenord<\/h1>/, 'the reason is kept');
  assert.match(short.body, new RegExp(`minst ${LENGTH} tecken`));
  const done = await postForm(app, '/change-password', { ...form, new_password: LONGER, new_password_again: LONGER });
  assert.equal(done.statusCode, 302, done.body);
  assert.ok(String(done.headers.location).startsWith(journey.next));
});

test('patients, a second factor, long passwords and a system that does not ask are left alone', async () => {
  const patient = await makePatient(before);
  assert.equal((await login(patient.email)).json().must_change_password, undefined);
  const { email, headers } = await makeProfessional(before);
  await setUpSecondFactor(before, { headers, password: PASSWORD });
  assert.equal((await login(email)).json().second_factor_required, true);
  const other = await makeProfessional(before);
  const unasked = await before.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email: other.email, password: PASSWORD },
  });
  assert.equal(unasked.json().must_change_password, undefined);
});

test('a wrong password learns nothing, and each of many concurrent sign-ins must choose a new one', async () => {
  const { email } = await makeProfessional(before);
  assert.equal((await login(email, 'not the password')).json().error, 'authentication_failed');
  const answers = await Promise.all(Array.from({ length: 4 }, () => login(email)));
  for (const answer of answers) {
    if (answer.statusCode === 503) continue;
    assert.equal(answer.json().password_change_reason, 'too_short', answer.body);
  }
});
