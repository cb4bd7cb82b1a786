// An SU admin blocks a user: no sign-in, no session, nothing at the engine, and nothing as a leader; until unblocked.
// An SU admin changes a user. And leaders see the open access requests that name them, and no others.
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

test('an SU admin changes name, address, role, organisations and phases; it counts at the engine at once', async () => {
  const [nurse, other] = [await makeProfessional(identity, ['planning']), await makeProfessional(identity)];
  const patch = (guid: string, payload: object) =>
    app.inject({ method: 'PATCH', url: `/api/admin/users/${guid}`, headers: admin, payload });
  const write = async () => {
    await follow();
    return engine.call(nurse.headers.authorization.slice(7), 'POST', '/Patient', { resourceType: 'Patient' });
  };
  const { id } = (await write()).body;
  const email = `new-${nurse.email}`;
  const change = {
    email,
    first_name: 'Eva',
    professional_role: 'doctor',
    organisation_guids: [other.organisationGuid],
    phases: ['analysis'],
  };
  assert.equal((await patch(nurse.userGuid, change)).statusCode, 200);
  assert.equal((await write()).status, 403, 'the phase is gone');
  const read = await engine.call(nurse.headers.authorization.slice(7), 'GET', `/Patient/${id}`);
  assert.equal(read.status, 404, 'the organisation is another');
  const me = (await app.inject({ url: '/api/auth/me', headers: nurse.headers })).json();
  assert.deepEqual(
    [me.email, me.professional_role, me.organization_ids, me.effective_phases],
    [email, 'doctor', [other.organisationGuid], ['analysis']],
  );
  assert.deepEqual([(await login(nurse.email)).statusCode, (await login(email)).statusCode], [401, 200]);
  for (const [payload, status] of [
    [{}, 400],
    [{ phases: ['none'] }, 400],
    [{ email: other.email.toUpperCase() }, 409],
    [{ organisation_guids: ['none'] }, 404],
    [{ is_su_admin: true }, 400],
  ] as const)
    assert.equal((await patch(nurse.userGuid, { ...payload })).statusCode, status, JSON.stringify(payload));
  const patient = await makePatient(identity);
  assert.equal(
    (await patch(patient.answer.user_guid, { phases: [], professional_role: 'nurse' })).json().messages.length,
    2,
  );
  assert.equal((await patch(patient.answer.user_guid, { last_name: 'Ek' })).statusCode, 200);
});
