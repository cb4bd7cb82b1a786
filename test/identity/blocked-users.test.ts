// An SU admin blocks a user: no sign-in, no session, nothing at the engine, and nothing as a leader; until unblocked.
// And leaders see the open access requests that name them, and no others.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEngineWithIdentity } from '../support/engine/engine-with-identity.ts';
import { ADMIN } from '../support/identity/identity.ts';
import { accessRequestBody, makePatient, makeProfessional, PASSWORD } from '../support/identity/identity-people.ts';

const { identity, engine, follow } = await startEngineWithIdentity({ after });
const { app } = identity;
const admin = await identity.asAdmin();
const adminGuid = String((await app.inject({ url: '/api/auth/me', headers: admin })).json().user_guid);

const change = (guid: string, what: 'block' | 'unblock') =>
  app.inject({ method: 'POST', url: `/api/admin/users/${guid}/${what}`, headers: admin });
const login = (email: string, password = PASSWORD) =>
  app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password } });
const atEngine = async ({ authorization }: { authorization: string }) => {
  await follow();
  return (await engine.call(authorization.slice(7), 'GET', '/Patient')).status;
};

test('a blocked user has no session and no sign-in anywhere, and gets them back when unblocked', async () => {
  const nurse = await makeProfessional(identity, ['planning']);
  assert.equal(await atEngine(nurse.headers), 200);
  const blocked = await change(nurse.userGuid, 'block');
  assert.deepEqual(blocked.json(), { message: 'The user is blocked', user_guid: nurse.userGuid });
  assert.equal((await app.inject({ url: '/api/auth/me', headers: nurse.headers })).statusCode, 401);
  assert.equal(await atEngine(nurse.headers), 401);
  const [right, wrong] = [await login(nurse.email), await login(nurse.email, 'another long phrase')];
  assert.deepEqual([right.statusCode, right.body], [401, wrong.body], 'blocked is answered as a wrong password');
  assert.equal((await change(nurse.userGuid, 'block')).statusCode, 409);
  const listed = (await app.inject({ url: '/api/admin/users', headers: admin })).json();
  const row = listed.find(({ user_guid: guid }: { user_guid: string }) => guid === nurse.userGuid);
  assert.match(row.blocked_at, /^\d{4}-/);
  assert.equal((await change(nurse.userGuid, 'unblock')).statusCode, 200);
  assert.equal((await change(nurse.userGuid, 'unblock')).statusCode, 409);
  assert.equal((await app.inject({ url: '/api/auth/me', headers: nurse.headers })).statusCode, 401, 'the old session');
  assert.equal(await atEngine(await identity.signIn(nurse.email, PASSWORD)), 200);
  const { rows } = await identity.database.query<{ resource: string }>(
    `SELECT resource FROM audit_event WHERE resource ~ 'user.(un)?block'`,
  );
  assert.equal(rows.filter(({ resource }) => resource.includes(nurse.userGuid)).length, 2);
});

test('a patient is blocked, too; nobody blocks themself or the last SU admin', async () => {
  const patient = await makePatient(identity);
  assert.equal((await change(patient.answer.user_guid, 'block')).statusCode, 200);
  assert.equal((await login(patient.email)).statusCode, 401);
  assert.equal((await change(adminGuid, 'block')).statusCode, 409);
  assert.equal((await change('01900000-0000-7000-8000-000000000000', 'block')).statusCode, 404);
});

test('a sign-in at the moment of the block leaves no session that works', async () => {
  const nurse = await makeProfessional(identity);
  const [, ...signIns] = await Promise.all([
    change(nurse.userGuid, 'block'),
    ...Array.from({ length: 8 }, () => login(nurse.email)),
  ]);
  for (const answer of signIns) {
    assert.ok([200, 401, 503].includes(answer.statusCode), answer.body);
    if (answer.statusCode !== 200) continue;
    const headers = { authorization: `Bearer ${answer.json().token}` };
    assert.equal((await app.inject({ url: '/api/auth/me', headers })).statusCode, 401);
  }
});

test('leaders see the open requests that name them; a blocked one is no leader', async () => {
  const leader = await makeProfessional(identity, ['planning']);
  const other = await makeProfessional(identity, ['planning']);
  const password = ADMIN.password;
  const payload = { user_guid: leader.userGuid, password };
  assert.equal(
    (await app.inject({ method: 'POST', url: '/api/admin/promote-su', headers: admin, payload })).statusCode,
    200,
  );
  const body = { ...(await accessRequestBody(identity)), chosen_leader_guid: leader.userGuid };
  const submit = (request: object) =>
    app.inject({ method: 'POST', url: '/api/public/access-request', payload: request });
  const { access_request_guid } = (await submit(body)).json();
  const list = async (headers: { authorization: string }) =>
    (await app.inject({ url: '/api/groups/admin/access-requests', headers })).json();
  const [item, ...more] = await list(leader.headers);
  assert.deepEqual([item.access_request_guid, item.email, more], [access_request_guid, body.email, []]);
  assert.ok(!('password_hash' in item));
  assert.deepEqual(await list(other.headers), []);
  const decision = { access_request_guid, decision: 'rejected' };
  await app.inject({ method: 'POST', url: '/api/admin/access-requests', headers: admin, payload: decision });
  assert.deepEqual(await list(leader.headers), [], 'decided');
  assert.equal((await change(leader.userGuid, 'block')).statusCode, 200);
  const leaders = (await app.inject('/api/public/group-leaders')).json();
  assert.ok(!leaders.some(({ user_guid: guid }: { user_guid: string }) => guid === leader.userGuid));
  assert.equal((await submit({ ...body, email: `later-${body.email}` })).statusCode, 404);
});
