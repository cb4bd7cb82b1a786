import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import {
  accessRequestBody,
  auditedEvents,
  makePatient,
  makeProfessional,
  PASSWORD,
} from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const identity = await startIdentity({ after });
const { app, database } = identity;
const admin = await identity.asAdmin();

const submit = (payload: object) => app.inject({ method: 'POST', url: '/api/public/access-request', payload });
const decide = (guid: string, decision: string, headers: Record<string, string> = admin) =>
  app.inject({
    method: 'POST',
    url: '/api/admin/access-requests',
    headers,
    payload: { access_request_guid: guid, decision },
  });
const submitted = async (phases: string[] = []) => {
  const body = await accessRequestBody(identity, phases);
  return { body, guid: String((await submit(body)).json().access_request_guid) };
};

test('a request is received, listed, endorsed and approved; then the professional signs in with the phases', async () => {
  const body = await accessRequestBody(identity, ['planning', 'analysis']);
  const answer = await submit(body);
  assert.equal(answer.statusCode, 201);
  const guid = answer.json().access_request_guid;
  assert.deepEqual(Object.keys(answer.json()).sort(), ['access_request_guid', 'message', 'status']);
  assert.equal(answer.json().status, 'pending');

  const endorsed = await decide(guid, 'endorsed');
  assert.deepEqual([endorsed.statusCode, endorsed.json()], [200, { access_request_guid: guid, status: 'endorsed' }]);
  const open = (await app.inject({ url: '/api/admin/access-requests', headers: admin })).json();
  const item = open.find((entry: { access_request_guid: string }) => entry.access_request_guid === guid);
  assert.match(item.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
  assert.deepEqual(
    [item.status, item.email, item.requested_phases],
    ['endorsed', body.email, ['planning', 'analysis']],
  );
  assert.equal(item.chosen_leader_name, 'System Administrator');
  assert.ok(!JSON.stringify(open).includes('argon2'), 'no hash leaves the service');

  const approved = await decide(guid, 'approved');
  assert.equal(approved.statusCode, 200);
  const me = (await app.inject({ url: '/api/auth/me', headers: await identity.signIn(body.email, PASSWORD) })).json();
  assert.equal(me.user_guid, approved.json().user_guid);
  assert.equal(me.professional_role, 'nurse');
  assert.deepEqual(me.organization_ids, [body.organisation_guid]);
  assert.deepEqual([...me.effective_phases].sort(), ['analysis', 'planning']);
  assert.ok(me.groups.every((group: { group_type: string; status: string }) => group.status === 'approved'));
  const left = (await app.inject({ url: '/api/admin/access-requests', headers: admin })).json();
  assert.ok(!left.some((entry: { access_request_guid: string }) => entry.access_request_guid === guid));
  const events = await auditedEvents(identity);
  for (const event of ['access-request.submit', 'access-request.endorsed', 'access-request.approved']) {
    assert.ok(events.includes(event), event);
  }
});

test('every error of a body is named', async () => {
  const answer = await submit({ email: 'no address', password: 'short', professional_role: 'king', extra: 1 });
  assert.deepEqual([answer.statusCode, answer.json().error], [400, 'validation_error']);
  const text = answer.json().messages.join('\n');
  for (const field of [
    'email',
    'password',
    'professional_role',
    'first_name',
    'last_name',
    'organisation_guid',
    'requested_phases',
    'chosen_leader_guid',
    'extra',
  ]) {
    assert.match(text, new RegExp(`'${field}'`));
  }
  const common = await submit({
    ...(await accessRequestBody(identity)),
    password: 'password1',
    requested_phases: ['dreaming', 'planning'],
  });
  assert.equal(common.statusCode, 400);
  assert.equal(common.json().messages.length, 2);
  assert.match(common.json().messages[1], /dreaming/);
});

test('an unknown organisation or leader is 404; a professional who leads nothing is no leader', async () => {
  const body = await accessRequestBody(identity);
  const { userGuid } = await makeProfessional(identity);
  const strange = '01900000-0000-7000-8000-000000000000';
  for (const change of [
    { organisation_guid: strange },
    { organisation_guid: 'no-guid' },
    { chosen_leader_guid: strange },
    { chosen_leader_guid: 'no-guid' },
    { chosen_leader_guid: userGuid },
  ]) {
    const answer = await submit({ ...body, ...change });
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'not_found'], JSON.stringify(change));
  }
});

test('409 for an address that a user or another open request has, in whatever case; a rejected one may ask again', async () => {
  const { body, guid } = await submitted();
  assert.equal((await submit({ ...body, email: body.email.toUpperCase() })).statusCode, 409);
  assert.equal((await decide(guid, 'rejected')).json().status, 'rejected');
  assert.equal((await submit(body)).statusCode, 201);
  const { email } = await makeProfessional(identity);
  const taken = await submit({ ...body, email });
  assert.deepEqual([taken.statusCode, taken.json().error], [409, 'conflict']);
});

test('the password is dropped with the decision', async () => {
  const [one, two] = [await submitted(), await submitted()];
  await decide(one.guid, 'rejected');
  await decide(two.guid, 'approved');
  const { rows } = await database.query(
    'SELECT password_hash FROM access_request WHERE access_request_guid = ANY($1::uuid[])',
    [[one.guid, two.guid]],
  );
  assert.deepEqual(rows, [{ password_hash: null }, { password_hash: null }]);
});

test('what each state allows', async () => {
  for (const [path, next, status] of [
    [[], 'endorsed', 200],
    [[], 'approved', 200],
    [[], 'rejected', 200],
    [['endorsed'], 'endorsed', 409],
    [['endorsed'], 'approved', 200],
    [['endorsed'], 'rejected', 200],
    [['approved'], 'endorsed', 409],
    [['approved'], 'approved', 409],
    [['approved'], 'rejected', 409],
    [['rejected'], 'endorsed', 409],
    [['rejected'], 'approved', 409],
    [['rejected'], 'rejected', 409],
  ] as const) {
    const { guid } = await submitted();
    for (const decision of path) assert.equal((await decide(guid, decision)).statusCode, 200);
    const answer = await decide(guid, next);
    assert.equal(answer.statusCode, status, `${path.join()} → ${next}`);
    if (status === 409) assert.match(answer.json().message, new RegExp(path[0]));
  }
});

test('an unknown request is 404, another literal 400', async () => {
  assert.equal((await decide('01900000-0000-7000-8000-000000000000', 'approved')).statusCode, 404);
  assert.equal((await decide('x', 'approved')).statusCode, 404);
  const { guid } = await submitted();
  const answer = await decide(guid, 'endorse');
  assert.deepEqual([answer.statusCode, answer.json().error], [400, 'validation_error']);
});

test('50 approvals at once make one user; 50 requests with one address make one request', async () => {
  const body = await accessRequestBody(identity, ['planning']);
  const requests = await fifty(() => submit(body));
  const made = requests.filter((answer) => answer.statusCode === 201);
  assert.equal(made.length, 1);
  assert.ok(requests.every((answer) => answer.statusCode === 201 || answer.statusCode === 409));
  const guid = made[0]?.json().access_request_guid;
  const decisions = await fifty(() => decide(guid, 'approved'));
  assert.equal(decisions.filter((answer) => answer.statusCode === 200).length, 1);
  assert.ok(decisions.every((answer) => answer.statusCode === 200 || answer.statusCode === 409));
  const { rowCount } = await database.query('SELECT FROM app_user WHERE email_key = $1', [body.email]);
  assert.equal(rowCount, 1);
});

test('an address taken meanwhile makes the approval fail as a whole', async () => {
  const { body, guid } = await submitted(['planning']);
  await database.query(
    `INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, created_at)
     VALUES (gen_random_uuid(), 'patient', $1, $1, 'x', now())`,
    [body.email],
  );
  assert.equal((await decide(guid, 'approved')).statusCode, 409);
  const { rows } = await database.query('SELECT status FROM access_request WHERE access_request_guid = $1', [guid]);
  assert.deepEqual(rows, [{ status: 'pending' }]);
});

test('only SU admins see and decide', async () => {
  const { guid } = await submitted();
  const professional = (await makeProfessional(identity)).headers;
  const patient = (await makePatient(identity)).headers;
  for (const [headers, status] of [
    [{}, 401],
    [professional, 403],
    [patient, 403],
  ] as const) {
    assert.equal((await decide(guid, 'approved', headers)).statusCode, status);
    assert.equal((await app.inject({ url: '/api/admin/access-requests', headers })).statusCode, status);
  }
});
