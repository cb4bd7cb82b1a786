// Protected identity at identity (decision L1, docs/adr/0090). Where a person receives care is hidden from
// administrators whom the labels of the person's records do not name. That holds in every list, file, resource and
// access log.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createIdentityClient } from '#clients/identity-client.ts';
import { createPatientReporter } from '#fhir/store/patient-reports.ts';
import { injectFetch } from '#lib/http/upstream/service-fetch.ts';
import { startEngineWithIdentity } from '../support/engine/engine-with-identity.ts';
import { eventually } from '../support/http.ts';
import { makeTestLogger } from '../support/http-app.ts';
import { ADMIN, asDispatch, asService, BOTH_SERVICES } from '../support/identity/identity.ts';
import { makePatient, makeProfessional, nextPersonnummer, PASSWORD } from '../support/identity/identity-people.ts';

const { identity, engine, follow, reporter } = await startEngineWithIdentity({ after }, {}, BOTH_SERVICES);
const { app } = identity;
const LABEL = { system: 'http://hl7.se/fhir/ig/base/CodeSystem/SecurityLabel', code: 'sekretessmarkering' };
const READER = 'https://kedja.dev/codes/protected-identity-reader';
const NUMBER = 'http://electronichealth.se/identifier/personnummer';

const nurse = await makeProfessional(identity, ['planning', 'analysis']);
const nurseToken = nurse.headers.authorization.slice(7);
type Headers = Readonly<Record<string, string>>;

/** A further SU admin; of the nurse's organisation when asked. */
async function makeAdmin(organisation?: string): Promise<{ userGuid: string; headers: Headers }> {
  const { userGuid, email } = await makeProfessional(identity);
  const headers = await identity.asAdmin();
  if (organisation !== undefined) {
    const payload = { organisation_guids: [organisation] };
    await app.inject({ method: 'PATCH', url: `/api/admin/users/${userGuid}`, headers, payload });
  }
  const payload = { user_guid: userGuid, password: ADMIN.password };
  const promoted = await app.inject({ method: 'POST', url: '/api/admin/promote-su', headers, payload });
  assert.equal(promoted.statusCode, 200, promoted.body);
  return { userGuid, headers: await identity.signIn(email, PASSWORD) };
}

const su = { headers: (await identity.asAdmin()) as Headers };
const [named, ofOwner] = [await makeAdmin(), await makeAdmin(nurse.organisationGuid)];
const personnummer = nextPersonnummer();
const person = await makePatient(identity, { personnummer });
const guid = String(person.answer.patient_guid);
const userGuid = String(person.answer.user_guid);
const unit = person.organisation_guid;
let unitName = '';
let record = '';

const write = async (security: readonly object[], id?: string) => {
  const resource = {
    resourceType: 'Patient',
    ...(id === undefined ? {} : { id }),
    ...(security.length === 0 ? {} : { meta: { security } }),
    identifier: [{ system: NUMBER, value: personnummer }],
  };
  const answer = await engine.call(nurseToken, id ? 'PUT' : 'POST', id ? `/Patient/${id}` : '/Patient', resource);
  assert.ok(answer.status < 300, answer.text);
  await eventually('the Patient was reported', async () => {
    reporter.wake();
    return (await engine.database.query('SELECT FROM fhir_patient_change')).rowCount === 0 ? true : undefined;
  });
  await follow();
  return String(answer.body.id);
};
const get = async (url: string, headers: Headers) => {
  const answer = await app.inject({ url, headers });
  assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`);
  return answer;
};

/** Every text by which a reader could learn of the unit, of this person alone. */
async function listed({ headers }: { headers: Headers }): Promise<string[]> {
  const ofUser = (users: { user_guid: string }[]) => users.find((user) => user.user_guid === userGuid);
  const whole = ofUser((await get('/api/admin/users', headers)).json());
  const total = Number((await get('/api/admin/users?per_page=1', headers)).headers['x-total-count']);
  const page = ofUser((await get(`/api/admin/users?page=1&per_page=${Math.min(total, 200)}`, headers)).json());
  assert.ok(whole !== undefined && page !== undefined);
  const csv = (await get('/api/admin/export-users', headers)).body
    .split('\n')
    .find((row) => row.includes(person.email));
  const patient = await get(`/fhir/Patient/${guid}`, headers);
  const records = (await get(`/api/admin/patients/${guid}/records`, headers)).json();
  return [JSON.stringify(whole), JSON.stringify(page), String(csv), patient.body, JSON.stringify(records)];
}
const names = (text: string) => [unit, unitName, nurse.organisationGuid].some((each) => text.includes(each));
const isListed = async (reader: { headers: Headers }) => (await listed(reader)).map(names);
const [SHOWN, HIDDEN] = [Array(5).fill(true), Array(5).fill(false)];

before(async () => {
  reporter.start();
  const organisations = (await get('/api/public/organisations', {})).json();
  unitName = organisations.find((each: { organisation_guid: string }) => each.organisation_guid === unit).name;
  record = await write([]);
});

test('without a label every administrator sees the organisation', async () => {
  assert.deepEqual(await isListed(su), SHOWN);
});

test('with one it is for the person, whom the label names, and the owner’s staff alone', async () => {
  await write([LABEL, { system: READER, code: named.userGuid }, { system: READER, code: 'no guid' }], record);
  assert.deepEqual(await isListed(su), HIDDEN);
  assert.deepEqual(await isListed(named), SHOWN);
  assert.deepEqual(await isListed(ofOwner), SHOWN);
  const [listed] = (await get(`/api/admin/patients/${guid}/records`, su.headers)).json();
  assert.deepEqual([listed.record_id, listed.organisation_guid], [record, null]);
  const own = await get(`/fhir/Patient/${guid}`, person.headers);
  assert.equal(own.json().managingOrganization.reference, `Organization/${unit}`);
  assert.equal((await get('/api/auth/me', person.headers)).json().organisation_guid, unit);
  const hidden = await get(`/fhir/Patient/${guid}`, su.headers);
  assert.notEqual(hidden.headers['etag'] ?? 'none', own.headers['etag'] ?? 'another', 'a tag compares nothing');
});

test('who undoes the link, merges the accounts or looks at the other one learns nothing', async () => {
  const link = `/api/admin/patients/${guid}/records/engine/${record}`;
  assert.equal((await app.inject({ method: 'DELETE', url: link, headers: su.headers })).statusCode, 200);
  assert.deepEqual(await isListed(su), HIDDEN);
  assert.equal((await app.inject({ method: 'PUT', url: link, headers: su.headers })).statusCode, 200);
  const other = await makePatient(identity);
  const merge = `/api/admin/users/${other.answer.user_guid}/merge`;
  const payload = { into_user_guid: userGuid };
  assert.equal((await app.inject({ method: 'POST', url: merge, headers: su.headers, payload })).statusCode, 200);
  assert.deepEqual(await isListed(su), HIDDEN);
  const merged = await get(`/fhir/Patient/${other.answer.patient_guid}`, su.headers);
  assert.equal(merged.json().managingOrganization, undefined, 'one person');
  assert.equal((await app.inject({ method: 'DELETE', url: merge, headers: su.headers })).statusCode, 200);
  const alone = await get(`/fhir/Patient/${other.answer.patient_guid}`, su.headers);
  assert.equal(alone.json().managingOrganization.reference, `Organization/${other.organisation_guid}`);
});

test('a label at dispatch alone hides the units of the access log at the engine, too', async () => {
  await engine.engine.start();
  const log = async () => {
    const answer = await app.inject({ url: `/api/auth/records/${guid}`, headers: asDispatch });
    assert.equal(answer.statusCode, 403, 'for the engine alone');
    const token = String(su.headers['authorization']).slice(7);
    const asked = await engine.call(token, 'GET', `/access-log?patient=${guid}&lang=en&per_page=200`);
    assert.equal(asked.status, 200, asked.text);
    return asked.body.data as { who: { unit: string | null } }[];
  };
  const reportAtDispatch = async (change: number, more: object) => {
    const records = [
      { record_id: guid, organisation_guid: nurse.organisationGuid, change, numbers: [personnummer], ...more },
    ];
    const url = '/api/auth/patient-records';
    const answer = await app.inject({ method: 'POST', url, headers: asDispatch, payload: { records } });
    assert.equal(answer.statusCode, 204, answer.body);
  };
  await write([], record);
  await eventually('units are shown', async () => {
    engine.engine.wake();
    return (await log()).some(({ who }) => who.unit !== null) ? true : undefined;
  });
  await reportAtDispatch(1, { protected_for: [] });
  assert.ok((await log()).every(({ who }) => who.unit === null));
  assert.deepEqual(await isListed(su), HIDDEN);
  await reportAtDispatch(2, {});
  assert.ok((await log()).some(({ who }) => who.unit !== null));
  assert.deepEqual(await isListed(su), SHOWN);
});

test('an administrator who registers a service of their own learns nothing by it; Kedja’s services know', async () => {
  await write([LABEL], record);
  const payload = {
    client_id: 'curious',
    name: 'Curious',
    kind: 'service',
    calls: ['registered-id:resolve', 'access:read-any'],
  };
  const made = await app.inject({ method: 'POST', url: '/api/admin/clients', headers: su.headers, payload });
  assert.equal(made.statusCode, 201, made.body);
  const asCurious = { 'x-sso-client-id': 'curious', 'x-sso-client-secret': made.json().client_secret };
  const learns = async (headers: Headers) => {
    const url = '/api/auth/registered-ids';
    const ids = await app.inject({ method: 'POST', url, headers, payload: { guids: [guid] } });
    const access = await app.inject({ url: `/api/auth/users/${userGuid}/access`, headers });
    assert.deepEqual([ids.statusCode, access.statusCode], [200, 200], ids.body + access.body);
    return [ids.json().ids[0].organisation_guids, access.json().organisation_guid];
  };
  assert.deepEqual(await learns(asCurious), [[], '']);
  assert.deepEqual(await learns(asService), [[unit], unit]);
  await write([], record);
  assert.deepEqual(await learns(asCurious), [[unit], unit]);
});

test('a node that starts reports what a node of the release before has reported without labels', async () => {
  await write([LABEL], record);
  await identity.database.query('UPDATE patient_record SET protected_for = NULL');
  assert.deepEqual(await isListed(su), SHOWN);
  const client = createIdentityClient({ fetch: injectFetch(() => app), credentials: BOTH_SERVICES[0] });
  const { database } = engine;
  const started = createPatientReporter({ database, log: makeTestLogger([]), sink: client.reportPatients });
  started.start();
  await eventually('the label is known again', async () => {
    const hidden = await isListed(su);
    return hidden.includes(true) ? undefined : true;
  });
  await started.stop();
});
