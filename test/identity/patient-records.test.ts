// One person, one record (decision L1, docs/adr/0068). What staff wrote at the engine with a personnummer is the
// registered patient's, whichever came first, and nobody else's.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { startEngineWithIdentity } from '../support/engine/engine-with-identity.ts';
import { eventually } from '../support/http.ts';
import { SERVICE } from '../support/identity/identity.ts';
import {
  makeOrganisation,
  makePatient,
  makeProfessional,
  nextEmail,
  nextPersonnummer,
  PASSWORD,
} from '../support/identity/identity-people.ts';

const DISPATCH = { clientId: 'dispatch', clientSecret: 'a-third-secret-of-some-length' } as const;
const { identity, engine, follow, reporter } = await startEngineWithIdentity({ after }, {}, [SERVICE, DISPATCH]);
const { app } = identity;
reporter.start();

const SYSTEM = 'http://electronichealth.se/identifier/personnummer';
const nurse = await makeProfessional(identity, ['planning', 'analysis']);
const elsewhere = await makeProfessional(identity, ['planning', 'analysis']);
const admin = await identity.asAdmin();
const tokenOf = ({ authorization }: { authorization: string }) => authorization.slice(7);
const [nurseToken, strangerToken] = [tokenOf(nurse.headers), tokenOf(elsewhere.headers)];

const patientWith = (...numbers: string[]) => ({
  resourceType: 'Patient',
  name: [{ family: 'Lind' }],
  identifier: numbers.map((value) => ({ system: SYSTEM, value })),
});
const write = async (path: string, resource: object, token = nurseToken) => {
  const answer = await engine.call(token, path.includes('/', 1) ? 'PUT' : 'POST', path, resource);
  assert.ok(answer.status < 300, answer.text);
  return String(answer.body.id);
};
const observe = (id: string, token = nurseToken) =>
  write(
    '/Observation',
    {
      resourceType: 'Observation',
      status: 'final',
      code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
      subject: { reference: `Patient/${id}` },
    },
    token,
  );
const register = async (personnummer: string) => {
  const { answer, headers } = await makePatient(identity, { personnummer });
  return { guid: String(answer.patient_guid), headers, token: tokenOf(headers) };
};
type Person = Awaited<ReturnType<typeof register>>;

/** Waits until the engine answers the person's read of the Patient with the status. */
const untilSees = (person: Person, id: string, status: number) =>
  eventually(`Patient/${id} was ${status}`, async () => {
    await follow();
    return (await engine.call(person.token, 'GET', `/Patient/${id}`)).status === status ? true : undefined;
  });
const reported = () =>
  eventually('every Patient was reported', async () => {
    const { rowCount } = await engine.database.query('SELECT FROM fhir_patient_change');
    return rowCount === 0 ? true : undefined;
  });
const linkedOf = async ({ headers }: Person) =>
  (await app.inject({ url: '/api/auth/me', headers })).json().linked_records;
const idsOf = (answer: { body: { entry?: { resource: { id: string } }[] } }) =>
  (answer.body.entry ?? []).map(({ resource }) => resource.id).toSorted();

test('what staff wrote before the registration is the patient’s: read, searches, chains, $everything', async () => {
  const number = nextPersonnummer();
  const short = `${number.slice(2, 8)}-${number.slice(8)}`;
  const [here, there] = [
    await write('/Patient', patientWith(short)),
    await write('/Patient', patientWith(number), strangerToken),
  ];
  const [first, second] = [await observe(here), await observe(there, strangerToken)];
  const both = await write('/List', {
    resourceType: 'List',
    status: 'current',
    mode: 'working',
    subject: [{ reference: `Patient/${here}` }],
    note: [{ authorReference: { reference: `Patient/${there}` }, text: 'x' }],
  });
  await reported();
  const person = await register(number);
  await untilSees(person, here, 200);
  const ask = (path: string) => engine.call(person.token, 'GET', path);
  assert.deepEqual(idsOf(await ask('/Patient')), [here, there].toSorted(), 'the records of two organisations');
  assert.deepEqual(idsOf(await ask('/Observation')), [first, second].toSorted());
  assert.deepEqual(idsOf(await ask('/Observation?subject:Patient.family=Lind')), [first, second].toSorted());
  assert.deepEqual(idsOf(await ask('/Patient?_has:Observation:subject:code=29463-7')), [here, there].toSorted());
  assert.deepEqual(idsOf(await ask('/List')), [both], 'it names two records of one person');
  assert.deepEqual(idsOf(await ask(`/Patient/${here}/$everything`)), [here, there, first, second, both].toSorted());
  assert.equal((await ask(`/Patient/${there}/_history`)).status, 200);
  assert.equal((await ask(`/Observation/${second}/_history/1`)).status, 200);
  const stranger = await register(nextPersonnummer());
  await follow();
  assert.equal((await engine.call(stranger.token, 'GET', `/Patient/${here}`)).status, 404);
  assert.deepEqual(idsOf(await engine.call(stranger.token, 'GET', '/Observation')), []);
});

test('a record after the registration is linked within two seconds, and by a coordination number', async () => {
  const number = coordinationNumber(nextPersonnummer());
  const person = await register(number);
  assert.equal(await linkedOf(person), undefined);
  const id = await write('/Patient', patientWith(number));
  await untilSees(person, id, 200);
  assert.deepEqual(await linkedOf(person), { engine: [id], dispatch: [id] });
});

test('a number that staff correct ends the link; an administrator undoes one, and no write makes it again', async () => {
  const number = nextPersonnummer();
  const person = await register(number);
  const id = await write('/Patient', patientWith(number));
  await untilSees(person, id, 200);
  await write(`/Patient/${id}`, { ...patientWith(nextPersonnummer()), id });
  await untilSees(person, id, 404);
  await write(`/Patient/${id}`, { ...patientWith(number), id });
  await untilSees(person, id, 200);
  const link = { url: `/api/admin/patients/${person.guid}/records/engine/${id}`, headers: admin };
  assert.equal((await app.inject({ method: 'DELETE', ...link })).statusCode, 200);
  assert.equal((await app.inject({ method: 'DELETE', ...link })).statusCode, 409);
  await untilSees(person, id, 404);
  await write(`/Patient/${id}`, { ...patientWith(number), id, active: true });
  await reported();
  await untilSees(person, id, 404);
  const listed = (await app.inject({ url: `/api/admin/patients/${person.guid}/records`, headers: admin })).json();
  assert.deepEqual([listed.length, listed[0].record_id, typeof listed[0].undone_at], [1, id, 'string']);
  assert.equal((await app.inject({ method: 'PUT', ...link })).statusCode, 200);
  await untilSees(person, id, 200);
  assert.equal((await app.inject({ method: 'PUT', ...link })).statusCode, 409);
  assert.equal((await engine.call(nurseToken, 'DELETE', `/Patient/${id}`)).status, 204);
  await reported();
  assert.equal(await linkedOf(person), undefined, 'a deleted record is nobody’s');
});

test('nobody reaches another person’s record by writing numbers', async () => {
  const [number, other] = [nextPersonnummer(), nextPersonnummer()];
  const [victim, attacker] = [await register(number), await register(other)];
  // Staff of the victim's own organisation may make the record of the registered patient, but not as another's.
  await write(`/Patient/${victim.guid}`, { ...patientWith(other), id: victim.guid }, 'admin');
  // A record with the numbers of two people is nobody's.
  const shared = await write('/Patient', patientWith(number, other));
  // A Patient of another organisation at dispatch keeps its id, even when one with that id is made at the engine.
  const id = newGuid();
  const theirs = { record_id: id, organisation_guid: elsewhere.organisationGuid, change: 1, numbers: [number] };
  await report(DISPATCH, theirs);
  await write(`/Patient/${id}`, { ...patientWith(other), id });
  await untilSees(attacker, id, 200);
  assert.deepEqual(await linkedOf(attacker), { engine: [id], dispatch: [] });
  assert.deepEqual(await linkedOf(victim), { engine: [], dispatch: [id] });
  for (const hidden of [victim.guid, shared])
    assert.equal((await engine.call(attacker.token, 'GET', `/Patient/${hidden}`)).status, 404);
  // A patient writes no numbers at all.
  const own = await engine.call(attacker.token, 'PUT', `/Patient/${id}`, { ...patientWith(number), id });
  assert.equal(own.status, 403);
  // An older report that arrives late changes nothing.
  await report(DISPATCH, { ...theirs, change: 5, numbers: [] });
  await report(DISPATCH, { ...theirs, change: 4 });
  assert.equal(await linkedOf(victim), undefined);
});

test('registrations and reports at once: each record is linked once', async () => {
  const numbers = Array.from({ length: 12 }, nextPersonnummer);
  const organisation_guid = await makeOrganisation(identity);
  const ids = numbers.map(() => newGuid());
  const registrations = numbers.map((personnummer) =>
    app.inject({
      method: 'POST',
      url: '/api/patient/register',
      payload: { email: nextEmail(), password: PASSWORD, personnummer, organisation_guid },
    }),
  );
  const reports = ids.map((record_id, index) =>
    report(DISPATCH, { record_id, organisation_guid: null, change: 1, numbers: [numbers[index] ?? ''] }),
  );
  await Promise.all([...registrations, ...reports]);
  const { rows } = await identity.database.query<{ record_id: string }>(
    'SELECT record_id FROM patient_link WHERE record_id = ANY($1)',
    [ids],
  );
  const made = (await Promise.all(registrations)).filter(({ statusCode }) => statusCode === 201).length;
  assert.deepEqual([rows.length, made], [12, 12]);
});

test('staff find a patient by number in one call; what they may not see is as what is not there', async () => {
  const number = nextPersonnummer();
  const lookUp = (personnummer: string, headers: { authorization: string } = nurse.headers) =>
    app.inject({ method: 'POST', url: '/api/patients/lookup', headers, payload: { personnummer } });
  assert.equal((await lookUp(number)).statusCode, 404);
  const id = await write('/Patient', patientWith(number));
  await reported();
  const unregistered = await lookUp(`${number.slice(0, 8)}-${number.slice(8)}`);
  const records = [{ service: 'engine', id }];
  assert.deepEqual(unregistered.json(), { patient_guid: id, is_registered: false, records });
  const [hidden, absent] = [
    await lookUp(number, elsewhere.headers),
    await lookUp(nextPersonnummer(), elsewhere.headers),
  ];
  assert.deepEqual([hidden.statusCode, hidden.body], [404, absent.body]);
  const person = await register(number);
  assert.deepEqual((await lookUp(number)).json(), { patient_guid: person.guid, is_registered: true, records });
  assert.deepEqual((await lookUp(number, elsewhere.headers)).json(), {
    patient_guid: person.guid,
    is_registered: true,
    records: [],
  });
  const wrong = await lookUp('198112289875');
  assert.deepEqual([wrong.statusCode, wrong.json().error], [400, 'validation_error']);
  assert.ok(!wrong.body.includes('198112289875'));
  const { rows } = await identity.database.query<{ resource: string }>(
    `SELECT resource FROM audit_event WHERE resource LIKE '%patient.lookup%'`,
  );
  const [nobody, found] = [rows.filter((row) => row.resource.includes('nothing found')), rows];
  assert.deepEqual([nobody.length, found.length], [3, 6]);
  assert.ok([...rows.map((row) => row.resource), ...identity.lines].every((text) => !text.includes(number)));
});

test('who looks up a number without the right to it is on record, with whom the number names, and never the number', async () => {
  const number = nextPersonnummer();
  const person = await register(number);
  const other = await register(nextPersonnummer());
  const analyst = await makeProfessional(identity, ['analysis']);
  const lookUp = (payload: object, { authorization }: { authorization: string }) =>
    app.inject({ method: 'POST', url: '/api/patients/lookup', headers: { authorization }, payload });
  const bodies = [{ personnummer: number }, { personnummer: nextPersonnummer() }, { personnummer: 'x' }, []];
  for (const headers of [analyst.headers, other.headers]) {
    for (const body of bodies) {
      const answer = await lookUp(body, headers);
      assert.deepEqual([answer.statusCode, answer.json().error], [403, 'forbidden']);
    }
  }
  const { rows } = await identity.database.query<{ resource: string }>(
    `SELECT resource FROM audit_event WHERE resource LIKE '%patient.lookup%' AND outcome = 'failure'`,
  );
  const about = rows.filter(({ resource }) => resource.includes(`"Patient/${person.guid}"`));
  assert.deepEqual([rows.length, about.length], [8, 2]);
  assert.ok([...rows.map((row) => row.resource), ...identity.lines].every((text) => !text.includes(number)));
});

test('a privacy officer finds whose log it is, whatever the organisation, and no records of others', async () => {
  const number = nextPersonnummer();
  const officer = await makeProfessional(identity, ['followup']);
  const lookUp = () =>
    app.inject({
      method: 'POST',
      url: '/api/patients/lookup',
      headers: { authorization: officer.headers.authorization },
      payload: { personnummer: number },
    });
  assert.equal((await lookUp()).statusCode, 403);
  const given = await app.inject({
    method: 'PATCH',
    url: `/api/admin/users/${officer.userGuid}`,
    headers: admin,
    payload: { is_privacy_officer: true },
  });
  assert.equal(given.statusCode, 200);
  assert.equal((await lookUp()).statusCode, 404, 'nobody has the number');
  const id = await write('/Patient', patientWith(number));
  await reported();
  assert.deepEqual((await lookUp()).json(), { patient_guid: id, is_registered: false, records: [] });
  const person = await register(number);
  assert.deepEqual((await lookUp()).json(), { patient_guid: person.guid, is_registered: true, records: [] });
});

async function report(client: typeof SERVICE | typeof DISPATCH, record: object): Promise<void> {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/patient-records',
    headers: { 'x-sso-client-id': client.clientId, 'x-sso-client-secret': client.clientSecret },
    payload: { records: [record] },
  });
  assert.equal(answer.statusCode, 204, answer.body);
}

/** The coordination number with the date and serial of a personal number: 60 more in the day, another check digit. */
function coordinationNumber(number: string): string {
  const digits = `${number.slice(0, 6)}${Number(number.slice(6, 8)) + 60}${number.slice(8, 11)}`;
  const sum = [...digits.slice(2)].reduce((total, digit, place) => {
    const product = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
