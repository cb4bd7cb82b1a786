// KEDJA_SECOND_FACTOR=su-admins: an SU admin without a second factor may only set one up, in every service.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, asService, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { codeAt, setUpSecondFactor } from '#test/support/identity/totp.ts';
import { readConfig } from '../../../config.ts';

const hooks = lastFirst({ after });
const on = await identityDatabase(hooks);
const before = await startIdentity(hooks, { on });
const tokenFromBefore = await before.asAdmin();
const promoted = await makeProfessional(before);
const identity = await startIdentity(hooks, { on, config: { secondFactor: 'su-admins' } });
const { app } = identity;
type Headers = Record<string, string>;
const get = (url: string, headers: Headers) => app.inject({ url, headers });
const post = (url: string, headers: Headers, payload: object = {}) =>
  app.inject({ method: 'POST', url, headers, payload });
const login = (account: { email: string; password: string }) =>
  app.inject({ method: 'POST', url: '/api/auth/login', payload: account });

test('a token from before the rule permits only the account and the set-up', async () => {
  for (const url of ['/api/admin/organisations', '/api/groups', '/api/admin/users']) {
    const refused = await get(url, tokenFromBefore);
    assert.deepEqual([refused.statusCode, refused.json().error], [403, 'second_factor_required'], url);
  }
  assert.equal((await get('/api/auth/me', tokenFromBefore)).json().must_set_up_second_factor, true);
  const service = await get('/api/auth/me/service', { ...tokenFromBefore, ...asService });
  assert.equal(service.json().must_set_up_second_factor, true);
  assert.deepEqual((await get('/api/auth/second-factor', tokenFromBefore)).json(), { enabled: false, required: true });
  const weak = await post('/api/auth/change-password', tokenFromBefore, { current_password: 'x', new_password: 'y' });
  assert.equal(weak.statusCode, 400, 'past authorisation');
});

test('sign-in reports what must be done; other professionals are not affected', async () => {
  const { token, user_guid, ...rest } = (await login(ADMIN)).json();
  assert.ok(token && user_guid);
  assert.deepEqual(rest, { must_set_up_second_factor: true });
  const other = await login({ email: promoted.email, password: PASSWORD });
  assert.deepEqual(Object.keys(other.json()).sort(), ['token', 'user_guid']);
  assert.equal((await get('/api/groups', promoted.headers)).statusCode, 200);
});

test('after the set-up everything is open at once, and it cannot be disabled', async () => {
  const admin = { authorization: `Bearer ${(await login(ADMIN)).json().token}` };
  const { codes } = await setUpSecondFactor(identity, { headers: admin, password: ADMIN.password });
  assert.equal((await get('/api/admin/organisations', admin)).statusCode, 200);
  assert.equal((await get('/api/auth/me', admin)).json().must_set_up_second_factor, undefined);
  const proof = { current_password: ADMIN.password, code: codes[0] };
  const refused = await post('/api/auth/second-factor/disable', admin, proof);
  assert.deepEqual([refused.statusCode, refused.json().error], [409, 'conflict']);
  assert.equal((await get('/api/auth/second-factor', admin)).json().enabled, true);

  const promotion = { user_guid: promoted.userGuid, password: ADMIN.password };
  assert.equal((await post('/api/admin/promote-su', admin, promotion)).statusCode, 200);
  const restricted = await get('/api/groups', promoted.headers);
  assert.deepEqual([restricted.statusCode, restricted.json().error], [403, 'second_factor_required'], 'at once');

  const theirs = await setUpSecondFactor(identity, { headers: promoted.headers, password: PASSWORD });
  assert.equal((await get('/api/admin/organisations', promoted.headers)).statusCode, 200);
  const url = `/api/admin/users/${promoted.userGuid}/second-factor`;
  assert.equal((await app.inject({ method: 'DELETE', url, headers: admin })).statusCode, 200);
  const code = codeAt(theirs.secret, Date.now());
  const again = await login({ email: promoted.email, password: PASSWORD, code } as { email: string; password: string });
  assert.equal(again.json().must_set_up_second_factor, true, 'the next sign-in must set up another');
});

test('any other value is an error of configuration', () => {
  const environment = { KEDJA_SECOND_FACTOR: 'everybody' };
  const read = readConfig({ mode: 'demo', environment });
  assert.ok(!read.ok && read.issues.some((issue) => /KEDJA_SECOND_FACTOR .*optional, su-admins/.test(issue)));
});

test('the demo, whose administrator has nothing but a password, says before it starts that it cannot have the rule', () => {
  const read = readConfig({ mode: 'demo', environment: { KEDJA_SECOND_FACTOR: 'su-admins' } });
  assert.ok(!read.ok);
  assert.match(read.issues.join('\n'), /KEDJA_SECOND_FACTOR su-admins keeps the demo from loading its data/);
  assert.ok(readConfig({ mode: 'demo', environment: { KEDJA_SECOND_FACTOR: 'optional' } }).ok);
});
