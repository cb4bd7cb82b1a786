// The rows of /api/patient (contract: identity, Patient; decisions I6 and I7).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startContract } from '#test/support/identity/identity-contract.ts';
import {
  makeOrganisation,
  makePatient,
  makeProfessional,
  registration,
} from '#test/support/identity/identity-people.ts';
import { GUID } from '#test/support/shape.ts';

const { identity, su, ask, expect, refuse } = await startContract({ after });
const organisation_guid = await makeOrganisation(identity);
const REGISTER = 'POST /api/patient/register';
const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const form = () => registration(organisation_guid);

test('register: 201, the registration result', async () => {
  const body = form();
  await expect(REGISTER, { body }, 201, {
    resourceType: 'Patient',
    user_guid: GUID,
    patient_guid: GUID,
    email: body.email,
    personnummer: body.personnummer,
    organisation_guid,
    in_registry: false,
    registries: [],
  });
});

test('register: a patient may sign in at once', async () => {
  const { email, password } = form();
  await ask(REGISTER, { body: { ...form(), email, password } });
  assert.equal((await ask('POST /api/auth/login', { body: { email, password } })).status, 200);
});

test('register: 400 validation_error names each missing field', async () => {
  const { body } = await refuse(REGISTER, { body: {} }, 400, 'validation_error');
  for (const field of ['email', 'password', 'personnummer', 'organisation_guid']) {
    assert.ok(body.messages.includes(`'${field}' is required`), field);
  }
});

for (const [field, value] of [
  ['email', 'no address'],
  ['email', 7],
  ['password', 'sju-777'],
  ['password', 'password'],
  ['personnummer', '19800101-0000'],
  ['personnummer', '19801341-1234'],
  ['personnummer', 198001010000],
  ['organisation_guid', null],
  ['unknown_field', 'x'],
] as const) {
  test(`register: 400 validation_error names ${field} for ${JSON.stringify(value)}`, async () => {
    const { body } = await refuse(REGISTER, { body: { ...form(), [field]: value } }, 400, 'validation_error');
    assert.equal(body.messages.length, 1);
    assert.match(body.messages[0], new RegExp(`'${field}'`));
  });
}

test('register: 400 validation_error names every error at once, those of form and those of sense', async () => {
  const body = { email: 'no address', password: 'password', personnummer: '19800101-0000', organisation_guid, more: 1 };
  const answer = await refuse(REGISTER, { body }, 400, 'validation_error');
  for (const field of ['email', 'password', 'personnummer', 'more']) {
    const naming = answer.body.messages.filter((message: string) => message.includes(`'${field}'`));
    assert.equal(naming.length, 1, field);
  }
});

test('register: 404 not_found for an unknown organisation, and for what is no guid', async () => {
  for (const guid of [UNKNOWN, 'none', organisation_guid.toUpperCase()]) {
    await refuse(REGISTER, { body: { ...form(), organisation_guid: guid } }, 404, 'not_found');
  }
});

test('register: 409 conflict for a registered e-mail, whatever its case, a patient’s or a professional’s', async () => {
  const patient = await makePatient(identity);
  const { email } = await makeProfessional(identity);
  for (const taken of [patient.email, patient.email.toUpperCase(), email]) {
    await refuse(REGISTER, { body: { ...form(), email: taken } }, 409, 'conflict');
  }
});

test('register: 409 conflict for a registered personnummer, however it is written', async () => {
  const { personnummer } = await makePatient(identity);
  const short = personnummer.slice(2);
  const written = [
    personnummer,
    short,
    `${short.slice(0, 6)}-${short.slice(6)}`,
    `${personnummer.slice(0, 8)}-${short.slice(6)}`,
  ];
  for (const number of written) {
    await refuse(REGISTER, { body: { ...form(), personnummer: number } }, 409, 'conflict');
  }
});

test('register: 400 comes before 404, and 404 before 409', async () => {
  const { email } = await makePatient(identity);
  const unfit = { ...form(), email, organisation_guid: UNKNOWN, personnummer: 'x' };
  await refuse(REGISTER, { body: unfit }, 400, 'validation_error');
  await refuse(REGISTER, { body: { ...form(), email, organisation_guid: UNKNOWN } }, 404, 'not_found');
});

test('registry-status: 200, the registration result without email', async () => {
  const patient = await makePatient(identity);
  await expect('GET /api/patient/registry-status', { as: patient }, 200, {
    resourceType: 'Patient',
    user_guid: patient.answer.user_guid,
    patient_guid: patient.answer.patient_guid,
    personnummer: patient.personnummer,
    organisation_guid: patient.organisation_guid,
    in_registry: false,
    registries: [],
  });
});

test('registry-status: registries that an SU admin sets show here and in the access blob, and in_registry follows', async () => {
  const patient = await makePatient(identity);
  const address = `PUT /api/admin/patients/${patient.answer.patient_guid}/registries`;
  for (const registries of [['Swedeheart', 'NDR'], []]) {
    const in_registry = registries.length > 0;
    const set = { in_registry, registries };
    const { body } = await ask(address, { as: su, body: { registries } });
    assert.deepEqual([body.in_registry, body.registries], [in_registry, registries]);
    const status = (await ask('GET /api/patient/registry-status', { as: patient })).body;
    const me = (await ask('GET /api/auth/me', { as: patient })).body;
    for (const seen of [status, me])
      assert.deepEqual({ in_registry: seen.in_registry, registries: seen.registries }, set);
  }
});

test('registry-status: 401 without a token, 403 forbidden for professionals and SU admins', async () => {
  await refuse('GET /api/patient/registry-status', {}, 401, 'unauthorized');
  for (const as of [await makeProfessional(identity), su]) {
    await refuse('GET /api/patient/registry-status', { as }, 403, 'forbidden');
  }
});

test('registry-status: there is no way to name another patient', async () => {
  const [one, other] = [await makePatient(identity), await makePatient(identity)];
  for (const query of ['patient_guid', 'user_guid']) {
    const value = query === 'user_guid' ? other.answer.user_guid : other.answer.patient_guid;
    const { body } = await ask(`GET /api/patient/registry-status?${query}=${value}`, { as: one });
    assert.notEqual(body.patient_guid, other.answer.patient_guid);
  }
});
