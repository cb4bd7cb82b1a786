// The rows of /api/auth (contract: identity, Auth; decisions I2, I3 and I4).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ADMIN, asService, handClock, REDIRECT } from '#test/support/identity/identity.ts';
import { startContract } from '#test/support/identity/identity-contract.ts';
import { makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { GUID, type Shape } from '#test/support/shape.ts';

const clock = handClock();
const contract = await startContract({ after }, { clock });
const { identity, su, ask, expect, refuse } = contract;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const NEXT = `${REDIRECT}callback`;
const LOGIN = 'POST /api/auth/login';
const WRONG = { email: ADMIN.email, password: 'not the password' };

const PROFESSIONAL = {
  user_guid: GUID,
  email: String,
  user_type: 'professional',
  is_su_admin: false,
  fhir_resource_type: 'Practitioner',
  professional_guid: GUID,
  professional_role: /^(doctor|nurse|other)$/,
  organization_ids: [GUID],
  groups: [] as Shape[],
  effective_phases: [] as Shape[],
} as const;

test('login, direct: 200 {token, user_guid}', async () => {
  await expect(LOGIN, { body: ADMIN }, 200, { token: JWT, user_guid: GUID });
});

test('login, handshake: 302 to next with token and state', async () => {
  const answer = await ask(LOGIN, { body: { ...ADMIN, next: NEXT, state: 'xyz' } });
  assert.equal(answer.status, 302);
  const location = String(answer.headers['location']);
  const [, token = ''] = /^https:\/\/app\.example\.org\/sso\/callback\?token=([^&]+)&state=xyz$/.exec(location) ?? [];
  assert.match(token, JWT);
  assert.equal((await ask('GET /api/auth/me', { headers: { authorization: `Bearer ${token}` } })).status, 200);
});

test('login, handshake without state: 302 with the token alone', async () => {
  const { headers } = await ask(LOGIN, { body: { ...ADMIN, next: NEXT } });
  assert.match(String(headers['location']), /^https:\/\/app\.example\.org\/sso\/callback\?token=[^&]+$/);
});

test('login: a form is read like JSON', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const raw = new URLSearchParams(ADMIN).toString();
  await expect(LOGIN, { headers, raw }, 200, { token: JWT, user_guid: GUID });
});

for (const body of [{}, { email: ADMIN.email }, { password: 'x' }, { email: '', password: 'x' }]) {
  test(`login: 400 invalid_request for ${JSON.stringify(body)}`, async () => {
    await refuse(LOGIN, { body }, 400, 'invalid_request');
  });
}

test('login: 400 invalid_redirect, before the password is checked', async () => {
  for (const next of ['https://evil.example/', 'https://app.example.org/other/']) {
    await refuse(LOGIN, { body: { ...ADMIN, next, state: 's' } }, 400, 'invalid_redirect');
    await refuse(LOGIN, { body: { ...WRONG, next, state: 's' } }, 400, 'invalid_redirect');
  }
});

test('login: 401 authentication_failed for a wrong password and an unknown address alike', async () => {
  const wrong = await refuse(LOGIN, { body: WRONG }, 401, 'authentication_failed');
  const unknown = await refuse(LOGIN, { body: { ...WRONG, email: 'no@example.org' } }, 401, 'authentication_failed');
  assert.equal(wrong.text, unknown.text);
  assert.equal(wrong.headers['www-authenticate'], 'Bearer');
});

test('me: 200, a professional’s access blob', async () => {
  const professional = await makeProfessional(identity);
  const { body } = await expect('GET /api/auth/me', { as: professional }, 200, PROFESSIONAL);
  assert.deepEqual([body.user_guid, body.email], [professional.userGuid, professional.email]);
  assert.deepEqual(body.organization_ids, [professional.organisationGuid]);
});

test('me: 200, groups and phases of a professional who takes part', async () => {
  const professional = await makeProfessional(identity, ['planning', 'analysis']);
  const group = { group_guid: GUID, group_name: String, group_type: 'phase', status: 'approved', is_admin: false };
  const { body } = await ask('GET /api/auth/me', { as: professional });
  assert.deepEqual([...body.effective_phases].sort(), ['analysis', 'planning']);
  // The phases that exist from the start have fixed guids of their own.
  await expect('GET /api/auth/me', { as: professional }, 200, {
    ...PROFESSIONAL,
    groups: [{ ...group, group_guid: /^[0-9a-f-]{36}$/ }],
    effective_phases: [/^(planning|analysis)$/],
  });
});

test('me: 200, a patient’s access blob', async () => {
  const patient = await makePatient(identity);
  const { body } = await expect('GET /api/auth/me', { as: patient }, 200, {
    user_guid: GUID,
    email: patient.email,
    user_type: 'patient',
    is_su_admin: false,
    fhir_resource_type: 'Patient',
    patient_guid: GUID,
    organisation_guid: patient.organisation_guid,
    in_registry: false,
    registries: [],
  });
  assert.equal(body.patient_guid, patient.answer.patient_guid);
});

for (const [what, headers] of [
  ['missing', {}],
  ['missing, with service credentials alone', asService],
  ['missing, with wrong service credentials', { ...asService, 'x-sso-client-secret': 'wrong' }],
  ['of another scheme', { authorization: 'Basic YTpi' }],
  ['malformed', { authorization: 'Bearer nonsense' }],
  ['empty', { authorization: 'Bearer ' }],
] as const) {
  test(`me and me/service: 401 for a token that is ${what}`, async () => {
    for (const address of ['GET /api/auth/me', 'GET /api/auth/me/service']) {
      const answer = await refuse(address, { headers }, 401, 'unauthorized');
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
  });
}

test('me and me/service: 401 for an expired token', async () => {
  const professional = await makeProfessional(identity);
  assert.equal((await ask('GET /api/auth/me', { as: professional })).status, 200);
  clock.advance(3_700_000);
  try {
    for (const address of ['GET /api/auth/me', 'GET /api/auth/me/service']) {
      await refuse(address, { as: professional, headers: asService }, 401, 'unauthorized');
    }
  } finally {
    clock.advance(-3_700_000);
  }
});

test('me/service: 200, the same body as me', async () => {
  for (const as of [su, await makePatient(identity)]) {
    const own = await ask('GET /api/auth/me', { as });
    const service = await ask('GET /api/auth/me/service', { as, headers: asService });
    assert.deepEqual([service.status, service.text], [200, own.text]);
  }
});

for (const [what, headers] of [
  ['missing', {}],
  ['without the secret', { 'x-sso-client-id': asService['x-sso-client-id'] }],
  ['without the id', { 'x-sso-client-secret': asService['x-sso-client-secret'] }],
  ['with a wrong secret', { ...asService, 'x-sso-client-secret': 'wrong' }],
  ['with an unknown id', { ...asService, 'x-sso-client-id': 'nobody' }],
] as const) {
  test(`me/service: 403 invalid_service_credentials, credentials ${what}`, async () => {
    await refuse('GET /api/auth/me/service', { as: su, headers }, 403, 'invalid_service_credentials');
  });
}

test('logout: 200 {message}, then 401 with that token everywhere', async () => {
  const session = { headers: await identity.asAdmin() };
  await expect('POST /api/auth/logout', { as: session }, 200, { message: /./ });
  await refuse('GET /api/auth/me', { as: session }, 401, 'unauthorized');
  await refuse('GET /api/auth/me/service', { as: session, headers: asService }, 401, 'unauthorized');
  await refuse('POST /api/auth/logout', { as: session }, 401, 'unauthorized');
  assert.equal((await ask('GET /api/auth/me', { as: su })).status, 200, 'another session goes on');
});

test('logout: 401 without a token', async () => {
  await refuse('POST /api/auth/logout', {}, 401, 'unauthorized');
});

test('change-password: 200 {message}; the new one signs in, the old one does not', async () => {
  const professional = await makeProfessional(identity);
  const next = 'wholly another phrase';
  const body = { current_password: PASSWORD, new_password: next };
  await expect('POST /api/auth/change-password', { as: professional, body }, 200, { message: /./ });
  const { email } = professional;
  await expect(LOGIN, { body: { email, password: next } }, 200, { token: JWT, user_guid: professional.userGuid });
  await refuse(LOGIN, { body: { email, password: PASSWORD } }, 401, 'authentication_failed');
});

test('change-password: 400 invalid_request for missing fields and seven characters; eight are enough', async () => {
  const professional = await makeProfessional(identity);
  for (const body of [
    {},
    { current_password: PASSWORD },
    { new_password: 'long enough' },
    { current_password: PASSWORD, new_password: 'kort-97' },
  ]) {
    await refuse('POST /api/auth/change-password', { as: professional, body }, 400, 'invalid_request');
  }
  const body = { current_password: PASSWORD, new_password: 'åtta-tec' };
  assert.equal((await ask('POST /api/auth/change-password', { as: professional, body })).status, 200);
});

test('change-password: 401 authentication_failed for a wrong current password, 401 unauthorized without a token', async () => {
  const professional = await makeProfessional(identity);
  const body = { current_password: 'wrong', new_password: 'long enough' };
  await refuse('POST /api/auth/change-password', { as: professional, body }, 401, 'authentication_failed');
  await refuse('POST /api/auth/change-password', { body }, 401, 'unauthorized');
});
