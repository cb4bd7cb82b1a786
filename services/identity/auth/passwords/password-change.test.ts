import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';

const identity = await startIdentity({ after });
const { app, database, signIn } = identity;
const NEW = 'another long phrase';

const change = (headers: Record<string, string>, payload: object) =>
  app.inject({ method: 'POST', url: '/api/auth/change-password', headers, payload });
const me = async (headers: Record<string, string>) => (await app.inject({ url: '/api/auth/me', headers })).statusCode;

test('the new password works, the old does not, this token stays valid and the others are revoked', async () => {
  const { email, headers } = await makeProfessional(identity);
  const other = await signIn(email, PASSWORD);
  const answer = await change(headers, { current_password: PASSWORD, new_password: NEW });
  assert.deepEqual([answer.statusCode, Object.keys(answer.json())], [200, ['message']]);
  assert.deepEqual([await me(headers), await me(other)], [200, 401]);
  assert.equal(await me(await signIn(email, NEW)), 200);
  await assert.rejects(signIn(email, PASSWORD), /401/);
  assert.ok((await auditedEvents(identity)).includes('user.change-password'));
});

test('missing fields, short, common and overlong passwords are invalid_request; a wrong current one authentication_failed', async () => {
  const { headers } = await makeProfessional(identity);
  for (const body of [
    {},
    { current_password: PASSWORD },
    { new_password: NEW },
    { current_password: PASSWORD, new_password: 'seven77' },
    { current_password: PASSWORD, new_password: 'Password1!' },
    { current_password: PASSWORD, new_password: 'x'.repeat(257) },
  ]) {
    const answer = await change(headers, body);
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request'], JSON.stringify(body));
  }
  const wrong = await change(headers, { current_password: 'wrong', new_password: NEW });
  assert.deepEqual([wrong.statusCode, wrong.json().error], [401, 'authentication_failed']);
  assert.equal(wrong.json().message, 'The password is wrong', 'no address was asked for');
  assert.equal((await change({}, { current_password: PASSWORD, new_password: NEW })).statusCode, 401);
});

test('50 changes at once: one holds', async () => {
  const { headers } = await makeProfessional(identity);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      change(headers, { current_password: PASSWORD, new_password: `${NEW} ${index}` }),
    ),
  );
  assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 1);
});

test('a sign-in that races a change of password leaves no token behind', async () => {
  const { email, headers } = await makeProfessional(identity);
  const [changed, ...signIns] = await Promise.all([
    change(headers, { current_password: PASSWORD, new_password: NEW }),
    ...Array.from({ length: 8 }, () =>
      app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: PASSWORD } }),
    ),
  ]);
  assert.equal(changed?.statusCode, 200);
  for (const answer of signIns) {
    const token = answer.statusCode === 200 ? answer.json().token : undefined;
    if (token !== undefined) assert.equal(await me({ authorization: `Bearer ${token}` }), 401);
  }
});

test('an open one-time code does not outlive the password', async () => {
  const { email, headers } = await makeProfessional(identity);
  const next = 'https://app.example.org/sso/';
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email, password: PASSWORD, next, response_mode: 'code' },
  });
  const code = new URL(String(answer.headers.location)).searchParams.get('code');
  await change(headers, { current_password: PASSWORD, new_password: NEW });
  assert.equal((await app.inject({ method: 'POST', url: '/api/auth/token', payload: { code, next } })).statusCode, 401);
});

test('with a temporary password only me, logout and the change itself work; it must differ and stops working in time', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  await database.query(
    'UPDATE app_user SET must_change_password = true, password_expires_at = $2 WHERE user_guid = $1',
    [userGuid, new Date(Date.now() + 60_000)],
  );
  const login = await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: PASSWORD } });
  assert.equal(login.json().must_change_password, true);
  const headers = { authorization: `Bearer ${login.json().token}` };
  const groups = await app.inject({ url: '/api/groups', headers });
  assert.deepEqual([groups.statusCode, groups.json().error], [403, 'password_change_required']);
  assert.equal((await app.inject({ url: '/api/auth/me', headers })).json().must_change_password, true);
  for (const same of [PASSWORD, PASSWORD.replaceAll(' ', '\u3000')]) {
    assert.equal((await change(headers, { current_password: PASSWORD, new_password: same })).statusCode, 400);
  }
  const expire = (at: number) =>
    database.query('UPDATE app_user SET password_expires_at = $2 WHERE user_guid = $1', [userGuid, new Date(at)]);
  await expire(Date.now() - 1);
  assert.equal((await change(headers, { current_password: PASSWORD, new_password: NEW })).statusCode, 401);
  await expire(Date.now() + 60_000);
  assert.equal((await change(headers, { current_password: PASSWORD, new_password: NEW })).statusCode, 200);
  assert.equal((await app.inject({ url: '/api/groups', headers })).statusCode, 200);
  await expire(0);
  await assert.rejects(signIn(email, NEW), /401/);
});
