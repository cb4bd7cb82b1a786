// The rows of /api/admin (contract: identity, Admin; decisions I7, I9, I10, I11 and I14).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ADMIN } from '#test/support/identity/identity.ts';
import { startContract } from '#test/support/identity/identity-contract.ts';
import {
  accessRequestBody,
  makeOrganisation,
  makePatient,
  makeProfessional,
  nextEmail,
} from '#test/support/identity/identity-people.ts';
import { assertShape, GUID, PLAIN_TIME, type Shape } from '#test/support/shape.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const { identity, su, ask, expect, refuse, makeGroup, makeAsker, makeMember } = await startContract({ after });
const suGuid: string = (await ask('GET /api/auth/me', { as: su })).body.user_guid;
const professional = await makeProfessional(identity);
const patient = await makePatient(identity);

const USERS = 'GET /api/admin/users';
const PROMOTE = 'POST /api/admin/promote-su';
const ASSIGN = 'POST /api/admin/assign-group-admin';
const PROPOSALS = '/api/admin/group-proposals';
const LEADERS = '/api/admin/leader-requests';
const ACCESS = '/api/admin/access-requests';
const ORGANISATIONS = '/api/admin/organisations';
const REGISTRY = '/api/admin/oath-overview';

const USER = {
  user_guid: GUID,
  email: /@/,
  is_su_admin: Boolean,
  created_at: PLAIN_TIME,
  organisations: [{ organisation_guid: GUID, name: /./ }],
} as const;
const userNamed = async (guid: string): Promise<Record<string, unknown>> =>
  (await ask(USERS, { as: su })).body.find((user: { user_guid: string }) => user.user_guid === guid);
const itemOf = async (path: string, field: string, guid: string) =>
  (await ask(`GET ${path}`, { as: su })).body.filter((item: Record<string, string>) => item[field] === guid);

test('users: 200, a professional with memberships and organisations', async () => {
  const member = await makeProfessional(identity, ['planning']);
  const membership = {
    membership_guid: GUID,
    group_guid: /^[0-9a-f-]{36}$/,
    group_name: 'planning',
    group_type: 'phase',
    status: 'approved',
    is_admin: false,
  };
  assertShape(await userNamed(member.userGuid), {
    ...USER,
    user_type: 'professional',
    first_name: 'Anna',
    last_name: 'Berg',
    last_login_at: PLAIN_TIME,
    professional: { professional_guid: GUID, professional_role: 'nurse', memberships: [membership] },
  });
});

test('users: 200, a patient with patient data and organisation', async () => {
  assertShape(await userNamed(patient.answer.user_guid), {
    ...USER,
    user_type: 'patient',
    first_name: null,
    last_name: null,
    last_login_at: PLAIN_TIME,
    patient: {
      patient_guid: patient.answer.patient_guid,
      organisation_guid: patient.organisation_guid,
      in_registry: false,
      registries: [],
    },
  });
});

test('users: no personnummer and no hash is in the list', async () => {
  const { text } = await ask(USERS, { as: su });
  assert.ok(!text.includes(patient.personnummer) && !text.includes('argon2'));
});

test('promote-su: 200 {message, user_guid, is_su_admin}, and the user is one at once', async () => {
  const { userGuid: user_guid, headers } = await makeProfessional(identity);
  const body = { user_guid, password: ADMIN.password };
  await expect(PROMOTE, { as: su, body }, 200, { message: /./, user_guid, is_su_admin: true });
  assert.equal((await ask('GET /api/auth/me', { as: { headers } })).body.is_su_admin, true);
  assert.equal((await ask(USERS, { as: { headers } })).status, 200);
});

test('promote-su: 401 wrong password, 404 no such user, 400 a patient, 409 an SU admin, 400 missing fields', async () => {
  const promote = (user_guid: unknown, password: unknown = ADMIN.password) => ({
    as: su,
    body: { user_guid, password },
  });
  await refuse(PROMOTE, promote(professional.userGuid, 'wrong'), 401, 'authentication_failed');
  for (const guid of [UNKNOWN, 'none']) await refuse(PROMOTE, promote(guid), 404, 'not_found');
  await refuse(PROMOTE, promote(patient.answer.user_guid), 400, 'validation_error');
  await refuse(PROMOTE, promote(suGuid), 409, 'conflict');
  const { body } = await refuse(PROMOTE, { as: su, body: {} }, 400, 'validation_error');
  assert.deepEqual([...body.messages].sort(), ["'password' is required", "'user_guid' is required"]);
});

test('delete user: 200 {message, user_guid}; memberships go, decided_by becomes null, the token is 401', async () => {
  const { groupGuid, leader } = await makeGroup();
  const asker = await makeAsker(groupGuid);
  const body = { membership_guid: asker.membershipGuid, decision: 'approved' };
  await ask('POST /api/groups/admin/decide', { as: leader, body });
  const shape = { message: /./, user_guid: leader.userGuid };
  await expect(`DELETE /api/admin/users/${leader.userGuid}`, { as: su }, 200, shape);
  await refuse('GET /api/auth/me', { as: leader }, 401, 'unauthorized');
  assert.equal(await userNamed(leader.userGuid), undefined);
  const { rows } = await identity.database.query(
    'SELECT user_guid, status, decided_by_guid FROM membership WHERE group_guid = $1',
    [groupGuid],
  );
  assert.deepEqual(rows, [{ user_guid: asker.userGuid, status: 'approved', decided_by_guid: null }]);
});

test('delete user: a patient too; then the number and the address may be registered again', async () => {
  const { answer, headers, ...body } = await makePatient(identity);
  assert.equal((await ask(`DELETE /api/admin/users/${answer.user_guid}`, { as: su })).status, 200);
  await refuse('GET /api/auth/me', { as: { headers } }, 401, 'unauthorized');
  assert.equal((await ask('POST /api/patient/register', { body })).status, 201);
});

test('delete user: what the user decided loses decided_by in every table that has it', async () => {
  const { userGuid, headers } = await makeProfessional(identity);
  await ask(PROMOTE, { as: su, body: { user_guid: userGuid, password: ADMIN.password } });
  const as = { headers };
  const form = await accessRequestBody(identity);
  const { access_request_guid } = (await ask('POST /api/public/access-request', { body: form })).body;
  for (const decision of ['endorsed', 'approved'])
    await ask(`POST ${ACCESS}`, { as, body: { access_request_guid, decision } });
  const { groupGuid: group_guid } = await makeGroup();
  const { leader_request_guid } = (
    await ask('POST /api/groups/request-admin', { as: professional, body: { group_guid } })
  ).body;
  await ask(`POST ${LEADERS}`, { as, body: { leader_request_guid, decision: 'approved' } });
  const named = { name: nextEmail(), group_type: 'team' };
  const { proposal_guid } = (await ask('POST /api/groups/proposals', { as: professional, body: named })).body;
  await ask(`POST ${PROPOSALS}`, { as, body: { proposal_guid, decision: 'rejected' } });
  assert.equal((await ask(`DELETE /api/admin/users/${userGuid}`, { as: su })).status, 200);
  const { rows } = await identity.database.query(
    `SELECT (SELECT count(*) FROM membership WHERE decided_by_guid = $1) + (SELECT count(*) FROM leader_request WHERE decided_by_guid = $1)
       + (SELECT count(*) FROM group_proposal WHERE decided_by_guid = $1)
       + (SELECT count(*) FROM access_request WHERE $1 IN (decided_by_guid, endorsed_by_guid)) AS left,
       (SELECT status FROM access_request WHERE access_request_guid = $2) AS request,
       (SELECT status FROM leader_request WHERE leader_request_guid = $3) AS leader,
       (SELECT status FROM group_proposal WHERE proposal_guid = $4) AS proposal`,
    [userGuid, access_request_guid, leader_request_guid, proposal_guid],
  );
  assert.deepEqual(rows, [{ left: 0, request: 'approved', leader: 'approved', proposal: 'rejected' }]);
});

test('delete user: 404 nobody, 409 oneself', async () => {
  for (const guid of [UNKNOWN, 'none', professional.userGuid.toUpperCase()]) {
    await refuse(`DELETE /api/admin/users/${guid}`, { as: su }, 404, 'not_found');
  }
  await refuse(`DELETE /api/admin/users/${suGuid}`, { as: su }, 409, 'conflict');
});

test('delete group: 200 {message, group_guid}; memberships and invites go with it', async () => {
  const { groupGuid: group_guid, leader } = await makeGroup();
  const member = await makeMember(group_guid);
  const { token } = (await ask('POST /api/groups/admin/invite', { as: leader, body: { group_guid } })).body;
  await expect(`DELETE /api/admin/groups/${group_guid}`, { as: su }, 200, { message: /./, group_guid });
  for (const as of [leader, member]) assert.deepEqual((await ask('GET /api/groups', { as })).body, []);
  await refuse('POST /api/groups/join-by-invite', { as: member, body: { token } }, 404, 'not_found');
  const catalogue = (await ask('GET /api/public/groups')).text;
  assert.ok(!catalogue.includes(group_guid));
});

test('delete group: 404 for no group', async () => {
  for (const guid of [UNKNOWN, 'none']) await refuse(`DELETE /api/admin/groups/${guid}`, { as: su }, 404, 'not_found');
});

test('assign-group-admin: 200 {message, user_guid, group_guid, is_admin}', async () => {
  const { groupGuid: group_guid } = await makeGroup();
  const member = await makeMember(group_guid);
  const body = { user_guid: member.userGuid, group_guid };
  await expect(ASSIGN, { as: su, body }, 200, { message: /./, ...body, is_admin: true });
});

test('assign-group-admin: 404 no such user or group, 409 no member', async () => {
  const { groupGuid: group_guid } = await makeGroup();
  const pending = await makeAsker(group_guid);
  const { userGuid: user_guid } = professional;
  for (const guid of [UNKNOWN, 'none']) {
    await refuse(ASSIGN, { as: su, body: { user_guid: guid, group_guid } }, 404, 'not_found');
    await refuse(ASSIGN, { as: su, body: { user_guid, group_guid: guid } }, 404, 'not_found');
  }
  for (const guid of [user_guid, pending.userGuid, patient.answer.user_guid]) {
    await refuse(ASSIGN, { as: su, body: { user_guid: guid, group_guid } }, 409, 'conflict');
  }
});

const asksFor = {
  user_guid: professional.userGuid,
  user_email: professional.email,
  first_name: 'Anna',
  last_name: 'Berg',
};
const waiting = { ...asksFor, status: 'pending', created_at: PLAIN_TIME } as const;

async function propose(description?: string) {
  const body = { name: nextEmail(), group_type: 'team', ...(description === undefined ? {} : { description }) };
  const made = await ask('POST /api/groups/proposals', { as: professional, body });
  return { ...body, proposal_guid: String(made.body.proposal_guid) };
}

test('group-proposals: 200, the pending ones with who proposes what and when', async () => {
  for (const description of ['Why', undefined]) {
    const { name, proposal_guid } = await propose(description);
    const shape = { proposal_guid, name, group_type: 'team', description: description ?? null, ...waiting };
    assertShape(await itemOf(PROPOSALS, 'proposal_guid', proposal_guid), [shape]);
  }
});

for (const [decision, more] of [
  ['approved', { group_guid: GUID }],
  ['rejected', {}],
] as const) {
  test(`group-proposals decision: 200 {proposal_guid, status${decision === 'approved' ? ', group_guid' : ''}} for ${decision}`, async () => {
    const { proposal_guid } = await propose();
    await expect(`POST ${PROPOSALS}`, { as: su, body: { proposal_guid, decision } }, 200, {
      proposal_guid,
      status: decision,
      ...more,
    });
    assert.deepEqual(await itemOf(PROPOSALS, 'proposal_guid', proposal_guid), []);
    for (const again of ['approved', 'rejected']) {
      await refuse(`POST ${PROPOSALS}`, { as: su, body: { proposal_guid, decision: again } }, 409, 'conflict');
    }
  });
}

async function requestLead() {
  const { groupGuid, name } = await makeGroup();
  const asked = await ask('POST /api/groups/request-admin', { as: professional, body: { group_guid: groupGuid } });
  return { groupGuid, name, leader_request_guid: String(asked.body.leader_request_guid) };
}

test('leader-requests: 200, the pending ones with who asks for which group and when', async () => {
  const { groupGuid, name, leader_request_guid } = await requestLead();
  const shape = { leader_request_guid, group_guid: groupGuid, group_name: name, ...waiting };
  assertShape(await itemOf(LEADERS, 'leader_request_guid', leader_request_guid), [shape]);
});

for (const decision of ['approved', 'rejected']) {
  test(`leader-requests decision: 200 {leader_request_guid, group_guid, user_guid, status} for ${decision}`, async () => {
    const { groupGuid: group_guid, leader_request_guid } = await requestLead();
    const shape = { leader_request_guid, group_guid, user_guid: professional.userGuid, status: decision };
    await expect(`POST ${LEADERS}`, { as: su, body: { leader_request_guid, decision } }, 200, shape);
    assert.deepEqual(await itemOf(LEADERS, 'leader_request_guid', leader_request_guid), []);
    for (const again of ['approved', 'rejected']) {
      await refuse(`POST ${LEADERS}`, { as: su, body: { leader_request_guid, decision: again } }, 409, 'conflict');
    }
  });
}

async function requestAccess() {
  const body = await accessRequestBody(identity, ['planning']);
  const { access_request_guid } = (await ask('POST /api/public/access-request', { body })).body;
  return { body, access_request_guid: String(access_request_guid) };
}

test('access-requests: 200, pending and endorsed ones with every field of the record but the password', async () => {
  const { body, access_request_guid } = await requestAccess();
  const { password, ...form } = body;
  const shape = {
    access_request_guid,
    ...form,
    organisation_name: /./,
    chosen_leader_name: /./,
    status: 'pending',
    created_at: PLAIN_TIME,
    endorsed_by_guid: null,
    endorsed_at: null,
  };
  assertShape(await itemOf(ACCESS, 'access_request_guid', access_request_guid), [shape]);
  await ask(`POST ${ACCESS}`, { as: su, body: { access_request_guid, decision: 'endorsed' } });
  const endorsed: Shape = { ...shape, status: 'endorsed', endorsed_by_guid: suGuid, endorsed_at: PLAIN_TIME };
  assertShape(await itemOf(ACCESS, 'access_request_guid', access_request_guid), [endorsed]);
  await ask(`POST ${ACCESS}`, { as: su, body: { access_request_guid, decision: 'approved' } });
  assert.deepEqual(await itemOf(ACCESS, 'access_request_guid', access_request_guid), []);
  assert.ok(password.length > 0);
});

for (const [decision, more] of [
  ['endorsed', {}],
  ['approved', { user_guid: GUID }],
  ['rejected', {}],
] as const) {
  test(`access-requests decision: 200 {access_request_guid, status${decision === 'approved' ? ', user_guid' : ''}} for ${decision}`, async () => {
    const { access_request_guid } = await requestAccess();
    const shape = { access_request_guid, status: decision, ...more };
    await expect(`POST ${ACCESS}`, { as: su, body: { access_request_guid, decision } }, 200, shape);
  });
}

for (const [path, field] of [
  [PROPOSALS, 'proposal_guid'],
  [LEADERS, 'leader_request_guid'],
  [ACCESS, 'access_request_guid'],
] as const) {
  test(`POST ${path}: 404 no such record, 400 another literal or a missing field`, async () => {
    for (const guid of [UNKNOWN, 'none']) {
      await refuse(`POST ${path}`, { as: su, body: { [field]: guid, decision: 'approved' } }, 404, 'not_found');
    }
    for (const decision of ['approve', 'pending', '']) {
      await refuse(`POST ${path}`, { as: su, body: { [field]: UNKNOWN, decision } }, 400, 'validation_error');
    }
    const { body } = await refuse(`POST ${path}`, { as: su, body: {} }, 400, 'validation_error');
    assert.deepEqual([...body.messages].sort(), [`'${field}' is required`, "'decision' is required"].sort());
  });
}

test('organisations: 201 Organization, then in both lists', async () => {
  const name = nextEmail();
  const shape = { resourceType: 'Organization', organisation_guid: GUID, name };
  const { body } = await expect(`POST ${ORGANISATIONS}`, { as: su, body: { name } }, 201, shape);
  assert.deepEqual(await itemOf(ORGANISATIONS, 'name', name), [body]);
  await expect(`GET ${ORGANISATIONS}`, { as: su }, 200, [{ ...shape, name: /./ }]);
});

test('organisations: 400 without a name or with an empty one, 409 for a name that is taken', async () => {
  for (const body of [{}, { name: '' }, { name: '  ' }, { name: 7 }]) {
    await refuse(`POST ${ORGANISATIONS}`, { as: su, body }, 400, 'validation_error');
  }
  await makeOrganisation(identity);
  const [{ name }] = (await ask(`GET ${ORGANISATIONS}`, { as: su })).body;
  await refuse(`POST ${ORGANISATIONS}`, { as: su, body: { name: name.toUpperCase() } }, 409, 'conflict');
});

const ROW = {
  service_name: 'engine',
  service_url: 'https://engine.example.org',
  api_health_url: 'https://engine.example.org/health',
  capability_statement_url: 'https://engine.example.org/metadata',
  endpoints_url: 'https://engine.example.org/openapi.json',
  privilege_level: 'internal',
  notes: 'the "data", engine',
} as const;

test('oath-overview: PUT replaces the whole registry, GET reads it: the array of rows', async () => {
  const rows = [ROW, { ...ROW, service_name: 'dispatch', notes: '' }];
  await expect(`PUT ${REGISTRY}`, { as: su, body: rows }, 200, [{ ...ROW, service_name: /./, notes: String }]);
  assert.deepEqual((await ask(`GET ${REGISTRY}`, { as: su })).body, rows);
  await expect(`PUT ${REGISTRY}`, { as: su, body: [] }, 200, []);
  await expect(`GET ${REGISTRY}`, { as: su }, 200, []);
});

test('oath-overview: with Accept: text/csv the document oath_overview.csv', async () => {
  await ask(`PUT ${REGISTRY}`, { as: su, body: [ROW] });
  const answer = await ask(`GET ${REGISTRY}`, { as: su, headers: { accept: 'text/csv' } });
  assert.match(String(answer.headers['content-type']), /^text\/csv/);
  assert.match(String(answer.headers['content-disposition']), /filename="oath_overview\.csv"/);
  assert.equal(answer.text.split('\r\n')[0], Object.keys(ROW).join(','));
  assert.match(answer.text, /"the ""data"", engine"/);
});

test('oath-overview: 400 for one bad row, and nothing is replaced', async () => {
  await ask(`PUT ${REGISTRY}`, { as: su, body: [ROW] });
  const { notes, ...short } = ROW;
  for (const bad of [short, { ...ROW, extra: '' }, { ...ROW, notes: 7 }, 'row']) {
    await refuse(`PUT ${REGISTRY}`, { as: su, body: [{ ...ROW, notes }, bad] }, 400, 'validation_error');
  }
  await refuse(`PUT ${REGISTRY}`, { as: su, body: ROW }, 400, 'validation_error');
  assert.deepEqual((await ask(`GET ${REGISTRY}`, { as: su })).body, [ROW]);
});

test('registries: 200, replaced as a whole; 404 no such patient, 400 bad names', async () => {
  const { patient_guid, user_guid } = patient.answer;
  const address = `PUT /api/admin/patients/${patient_guid}/registries`;
  const body = { registries: ['Swedeheart'] };
  await expect(address, { as: su, body }, 200, { user_guid, patient_guid, in_registry: true, ...body });
  for (const guid of [UNKNOWN, 'none', user_guid]) {
    await refuse(`PUT /api/admin/patients/${guid}/registries`, { as: su, body }, 404, 'not_found');
  }
  for (const bad of [{}, { registries: 'x' }, { registries: [''] }, { registries: ['a', 'a'] }]) {
    await refuse(address, { as: su, body: bad }, 400, 'validation_error');
  }
});

for (const path of [USERS.slice(4), PROPOSALS, LEADERS, ACCESS, ORGANISATIONS]) {
  test(`GET ${path}: a page with Link and X-Total-Count`, async () => {
    await requestAccess();
    const page = await ask(`GET ${path}?per_page=1`, { as: su });
    assert.equal(page.status, 200);
    assert.ok(page.body.length <= 1);
    assert.match(String(page.headers['x-total-count']), /^\d+$/);
    assert.match(String(page.headers['link']), /rel="first"/);
    await refuse(`GET ${path}?per_page=201`, { as: su }, 400, 'validation_error');
  });
}
