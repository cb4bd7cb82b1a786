// Deletion of users and promotion of professionals (contract: identity, Admin; decision I10).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { promptly } from '#test/support/http.ts';
import { ADMIN, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const hooks = lastFirst({ after });
const on = await identityDatabase(hooks);
const [identity, other] = await Promise.all([startIdentity(hooks, { on }), startIdentity(hooks, { on })]);
const { app, database } = identity;
const admin = await identity.asAdmin();
const adminGuid: string = (await app.inject({ url: '/api/auth/me', headers: admin })).json().user_guid;

const remove = (guid: string, headers: Record<string, string> = admin) =>
  app.inject({ method: 'DELETE', url: `/api/admin/users/${guid}`, headers });
const promote = (user_guid: unknown, password: unknown = ADMIN.password) =>
  app.inject({ method: 'POST', url: '/api/admin/promote-su', headers: admin, payload: { user_guid, password } });
const me = async (node: typeof identity, headers: Record<string, string>) =>
  (await node.app.inject({ url: '/api/auth/me', headers })).statusCode;
const login = (email: string) =>
  app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: PASSWORD } });
const suAdmins = async () => (await database.query('SELECT FROM app_user WHERE is_su_admin')).rowCount;

test('a deleted user’s tokens all stop at once here and within two seconds on another node; signing in fails', async () => {
  const { headers, userGuid, email } = await makeProfessional(identity, ['planning']);
  const second = await other.signIn(email, PASSWORD);
  assert.deepEqual([await me(identity, headers), await me(other, second)], [200, 200]);
  const answer = await remove(userGuid);
  const { message, ...rest } = answer.json();
  assert.ok(message.length > 0);
  assert.deepEqual([answer.statusCode, rest], [200, { user_guid: userGuid }]);
  assert.deepEqual([await me(identity, headers), await me(identity, second)], [401, 401]);
  const isRefused = async () => ((await me(other, second)) === 401 ? true : undefined);
  await promptly('the other node refused it', isRefused, 2_000);
  assert.deepEqual((await login(email)).json().error, 'authentication_failed');
  assert.ok((await auditedEvents(identity)).includes('user.delete'));
});

test('memberships go with the user, and decisions of the user stay without who decided', async () => {
  const leader = await makeProfessional(identity, ['planning']);
  await database.query('UPDATE membership SET is_admin = true WHERE user_guid = $1', [leader.userGuid]);
  const member = await makeProfessional(identity);
  const groups: Array<{ name: string; group_guid: string }> = (await app.inject('/api/public/groups')).json();
  const group_guid = groups.find((group) => group.name === 'planning')?.group_guid;
  const post = (url: string, headers: Record<string, string>, payload: object) =>
    app.inject({ method: 'POST', url, headers, payload });
  const asked = await post('/api/groups/request-membership', member.headers, { group_guid });
  const { membership_guid } = asked.json();
  await post('/api/groups/admin/decide', leader.headers, { membership_guid, decision: 'approved' });
  const decidedBy = async () =>
    (
      await database.query<{ status: string; decided_by_guid: string | null }>(
        'SELECT status, decided_by_guid FROM membership WHERE membership_guid = $1',
        [membership_guid],
      )
    ).rows;
  assert.deepEqual(await decidedBy(), [{ status: 'approved', decided_by_guid: leader.userGuid }]);
  assert.equal((await remove(leader.userGuid)).statusCode, 200);
  assert.deepEqual(await decidedBy(), [{ status: 'approved', decided_by_guid: null }]);
  const left = await database.query('SELECT FROM membership WHERE user_guid = $1', [leader.userGuid]);
  assert.equal(left.rowCount, 0);
});

test('a deleted patient’s address and personnummer are free again', async () => {
  const { answer, email, password, personnummer, organisation_guid, headers } = await makePatient(identity);
  assert.equal((await remove(answer.user_guid)).statusCode, 200);
  assert.equal(await me(identity, headers), 401);
  const payload = { email, password, personnummer, organisation_guid };
  assert.equal((await app.inject({ method: 'POST', url: '/api/patient/register', payload })).statusCode, 201);
});

test('deleting: 404 for nobody, 409 for oneself', async () => {
  for (const unknown of [UNKNOWN, 'none']) {
    const answer = await remove(unknown);
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'not_found']);
  }
  const self = await remove(adminGuid);
  assert.deepEqual([self.statusCode, self.json().error, await me(identity, admin)], [409, 'conflict', 200]);
});

test('of 50 deletions of one user one counts, and who signs in meanwhile is out', async () => {
  const { userGuid, email } = await makeProfessional(identity);
  const signIns = Promise.all(Array.from({ length: 4 }, () => login(email)));
  const answers = await fifty(() => remove(userGuid));
  assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 1);
  assert.equal(answers.filter((answer) => answer.statusCode === 404).length, 49);
  for (const answer of await signIns) {
    if (answer.statusCode !== 200) continue;
    assert.equal(await me(identity, { authorization: `Bearer ${answer.json().token}` }), 401);
  }
});

test('a promoted professional is an SU admin at once', async () => {
  const { headers, userGuid } = await makeProfessional(identity);
  const list = () => app.inject({ url: '/api/admin/organisations', headers });
  assert.equal((await list()).statusCode, 403);
  const answer = await promote(userGuid);
  const { message, ...rest } = answer.json();
  assert.ok(message.length > 0);
  assert.deepEqual([answer.statusCode, rest], [200, { user_guid: userGuid, is_su_admin: true }]);
  assert.equal((await list()).statusCode, 200);
  assert.ok((await auditedEvents(identity)).includes('user.promote-su'));
  assert.equal((await remove(userGuid)).statusCode, 200);
});

test('promoting: 400 form, 401 wrong password, 404 nobody, 400 no professional, 409 SU admin already, in this order', async () => {
  const patient = (await makePatient(identity)).answer.user_guid;
  const invalid = (await promote(undefined, 7)).json();
  assert.deepEqual([invalid.error, invalid.messages.length], ['validation_error', 2]);
  for (const guid of [UNKNOWN, patient, adminGuid]) {
    const wrong = await promote(guid, 'not my password');
    assert.deepEqual([wrong.statusCode, wrong.json().error], [401, 'authentication_failed']);
  }
  for (const unknown of [UNKNOWN, 'none']) assert.equal((await promote(unknown)).statusCode, 404);
  const unfit = await promote(patient);
  assert.deepEqual([unfit.statusCode, unfit.json().error], [400, 'validation_error']);
  const again = await promote(adminGuid);
  assert.deepEqual([again.statusCode, again.json().error], [409, 'conflict']);
});

test('of 50 promotions of one professional one counts', async () => {
  const { userGuid } = await makeProfessional(identity);
  const answers = await fifty(() => promote(userGuid));
  assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 1);
  assert.ok(answers.every((answer) => [200, 409, 503].includes(answer.statusCode)));
  assert.equal((await remove(userGuid)).statusCode, 200);
});

test('SU admins who delete one another 50-fold: one stays', async () => {
  assert.equal(await suAdmins(), 1);
  const rival = await makeProfessional(identity);
  assert.equal((await promote(rival.userGuid)).statusCode, 200);
  const answers = await fifty((index) => (index % 2 === 0 ? remove(rival.userGuid) : remove(adminGuid, rival.headers)));
  assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 1);
  assert.ok(answers.every((answer) => [200, 401, 404, 409].includes(answer.statusCode)));
  assert.equal(await suAdmins(), 1);
});
