import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import { BASE_URL, startIdentity } from '#test/support/identity/identity.ts';
import { fhirOf, patientResource, placesOf, refusalOf } from '#test/support/identity/identity-fhir.ts';
import {
  makeOrganisation,
  makePatient,
  makeProfessional,
  nextEmail,
  nextPersonnummer,
} from '#test/support/identity/identity-people.ts';

const TEMPORARY = 'a temporary phrase';
const REGISTRY = 'https://kedja.dev/fhir/StructureDefinition/patient-registry';
const PERSONAL = 'urn:oid:1.2.752.129.2.1.3.1';
const COORDINATION = 'urn:oid:1.2.752.129.2.1.3.3';
const identity = await startIdentity({ after }, { config: { importPassword: new Secret(TEMPORARY) } });
const { app, database } = identity;
const ask = fhirOf(identity);
const admin = await identity.asAdmin();
const organisation = await makeOrganisation(identity);

const dateIn = (personnummer: string) => personnummer.replace(/^(\d{4})(\d\d)(\d\d).*/, '$1-$2-$3');
const create = (body: object) => ask('/Patient', { method: 'POST', headers: admin, body });
const sent = (changes: object = {}) => ({
  ...patientResource({ personnummer: nextPersonnummer(), organisation }),
  ...changes,
});

test('Patient create: an account with the temporary password, and the patient reads the created resource', async () => {
  const personnummer = nextPersonnummer();
  const email = nextEmail();
  const created = await create({
    ...patientResource({ personnummer: `${personnummer.slice(2, 8)}-${personnummer.slice(8)}`, organisation, email }),
    extension: [{ url: REGISTRY, valueString: 'Swedeheart' }],
    name: [{ family: 'Ek', given: ['Lars'] }],
    birthDate: dateIn(personnummer),
  });
  assert.equal(created.status, 201, created.text);
  const { id, ...rest } = created.body;
  assert.equal(created.headers['location'], `${BASE_URL}/fhir/Patient/${id}`);
  assert.deepEqual(rest, {
    resourceType: 'Patient',
    extension: [{ url: REGISTRY, valueString: 'Swedeheart' }],
    identifier: [{ use: 'official', system: PERSONAL, value: personnummer }],
    active: true,
    name: [{ text: 'Lars Ek', family: 'Ek', given: ['Lars'] }],
    telecom: [{ system: 'email', value: email }],
    birthDate: dateIn(personnummer),
    managingOrganization: { reference: `Organization/${organisation}` },
  });
  assert.deepEqual((await ask(`/Patient/${id}`, { headers: admin })).body, created.body);
  const login = await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: TEMPORARY } });
  assert.equal(login.json().must_change_password, true);
  const headers = { authorization: `Bearer ${login.json().token}` };
  assert.deepEqual(refusalOf(await ask(`/Patient/${id}`, { headers })), [403, 'password_change_required', 'expired']);
});

test('Patient read: a registered patient reads their own; SU admins read all; others get 404', async () => {
  const patient = await makePatient(identity);
  const id = patient.answer.patient_guid;
  for (const headers of [patient.headers, admin]) {
    const answer = await ask(`/Patient/${id}`, { headers });
    const { status, body } = answer;
    assert.equal(answer.headers['cache-control'], 'private, no-store');
    assert.deepEqual([status, body.id, body.identifier[0].value], [200, id, patient.personnummer]);
    assert.deepEqual(
      [body.birthDate, body.name, body.gender, body.extension],
      [dateIn(patient.personnummer), undefined, undefined, undefined],
    );
    assert.equal(body.managingOrganization.reference, `Organization/${patient.organisation_guid}`);
  }
  const others = [await makePatient(identity), await makeProfessional(identity, ['planning', 'analysis'])];
  for (const { headers } of others) {
    assert.deepEqual(refusalOf(await ask(`/Patient/${id}`, { headers })), [404, 'not_found', 'not-found']);
  }
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const reads = rows
    .map(({ resource }) => JSON.parse(resource))
    .filter(({ code }) => code.coding[0].code === 'patient.read');
  assert.equal(reads.filter((read) => read.patient.reference === `Patient/${id}`).length, 2);
});

test('Patient read shows the registries that an SU admin sets', async () => {
  const patient = await makePatient(identity);
  const id = patient.answer.patient_guid;
  const url = `/api/admin/patients/${id}/registries`;
  await app.inject({ method: 'PUT', url, headers: admin, payload: { registries: ['Swedeheart', 'NDR'] } });
  const { body } = await ask(`/Patient/${id}`, { headers: patient.headers });
  assert.deepEqual(body.extension, [
    { url: REGISTRY, valueString: 'Swedeheart' },
    { url: REGISTRY, valueString: 'NDR' },
  ]);
});

test('Patient create: a coordination number has its own system, and its day less 60', async () => {
  const identifier = (system: string) => ({ identifier: [{ use: 'official', system, value: '197010632391' }] });
  assert.deepEqual(placesOf(await create(sent(identifier(PERSONAL)))), ['Patient.identifier[0].system']);
  const created = await create(sent(identifier(COORDINATION)));
  assert.deepEqual([created.status, created.body.birthDate], [201, '1970-10-03']);
  assert.equal(created.body.identifier[0].system, COORDINATION);
});

test('Patient create: every error and everything that cannot be kept is named in one answer', async () => {
  const answer = await create({
    resourceType: 'Patient',
    extension: [{ url: REGISTRY, valueString: ' ' }],
    identifier: [{ system: PERSONAL, value: '191212121213' }, { value: 'second' }],
    name: [{ family: '\u200b', given: ['Lars'] }],
    telecom: [{ system: 'email', value: 'nobody' }],
    gender: 'male',
    birthDate: '1912-12-12',
    deceasedBoolean: false,
    managingOrganization: { reference: 'Organization/019a0000-0000-7000-8000-000000000000' },
    contact: [{ name: { text: 'Mother' } }],
  });
  assert.deepEqual(refusalOf(answer).slice(0, 2), [422, 'unprocessable']);
  const places = new Set(placesOf(answer));
  for (const place of [
    'extension',
    'identifier[0].value',
    'identifier[1]',
    'name.family',
    'telecom',
    'gender',
    'deceasedBoolean',
    'managingOrganization.reference',
    'contact',
  ]) {
    assert.ok(places.has(`Patient.${place}`), `${place} in ${[...places]}`);
  }
  assert.ok(!answer.text.includes('191212121213'));
  const bare = placesOf(await create({ resourceType: 'Patient' }));
  assert.deepEqual(bare, ['Patient.identifier', 'Patient.managingOrganization.reference', 'Patient.telecom']);
  assert.deepEqual(placesOf(await create(sent({ birthDate: '1981-01-01' }))), ['Patient.birthDate']);
  assert.deepEqual(placesOf(await create(sent({ birthDate: 'x' }))), ['Patient.birthDate', 'Patient.birthDate']);
});

test('Patient create: an address or a personnummer that is registered is a conflict, and nothing is made', async () => {
  const first = sent();
  assert.equal((await create(first)).status, 201);
  const before = await database.query('SELECT FROM app_user');
  const sameNumber = await create({ ...sent(), identifier: first.identifier });
  const sameAddress = await create({ ...sent(), telecom: first.telecom });
  for (const answer of [sameNumber, sameAddress]) assert.deepEqual(refusalOf(answer), [409, 'conflict', 'conflict']);
  assert.equal((await database.query('SELECT FROM app_user')).rowCount, before.rowCount);
});

test('Patient create: the same personnummer at once makes one patient', async () => {
  const personnummer = nextPersonnummer();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => create(patientResource({ personnummer, organisation }))),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    assert.ok(['conflict', 'unavailable'].includes(String(refusalOf(answer)[1])), answer.text);
  }
});

test('no personnummer or address of a patient gets into the log', () => {
  // The last part of a GUID may be twelve digits, too.
  assert.ok(identity.lines.every((line) => !/(?<!-)\b(19|20)\d{10}\b|person-\d+@/.test(line)));
});
