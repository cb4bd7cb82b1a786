import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeJwt } from 'jose';
import { REDIRECT, startIdentity } from '#test/support/identity/identity.ts';
import {
  auditedEvents,
  makeOrganisation,
  makePatient,
  makeProfessional,
  nextEmail,
  nextPersonnummer,
  registration,
} from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const identity = await startIdentity({ after });
const { app, database, lines } = identity;
const organisation_guid = await makeOrganisation(identity);

const register = (payload: object) => app.inject({ method: 'POST', url: '/api/patient/register', payload });
const form = () => registration(organisation_guid);

test('registration answers the patient; the number comes back as 12 digits', async () => {
  const body = form();
  const short = `${body.personnummer.slice(2, 8)}-${body.personnummer.slice(8)}`;
  const answer = await register({ ...body, personnummer: short });
  assert.equal(answer.statusCode, 201);
  const { user_guid, patient_guid, ...rest } = answer.json();
  assert.match(`${user_guid} ${patient_guid}`, /^[0-9a-f-]{36} [0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    resourceType: 'Patient',
    email: body.email,
    personnummer: body.personnummer,
    organisation_guid,
    in_registry: false,
    registries: [],
  });
});

test('the patient reads the registry status and their own blob, and the read is audited', async () => {
  const patient = await makePatient(identity);
  const status = await app.inject({ url: '/api/patient/registry-status', headers: patient.headers });
  const { email, ...expected } = patient.answer;
  assert.deepEqual([status.statusCode, status.json()], [200, expected]);
  const me = (await app.inject({ url: '/api/auth/me', headers: patient.headers })).json();
  assert.deepEqual(me, {
    user_guid: expected.user_guid,
    email,
    user_type: 'patient',
    is_su_admin: false,
    fhir_resource_type: 'Patient',
    patient_guid: expected.patient_guid,
    organisation_guid: patient.organisation_guid,
    in_registry: false,
    registries: [],
  });
  await database.query(`UPDATE patient SET registries = '{Swedeheart}' WHERE user_guid = $1`, [expected.user_guid]);
  const later = (await app.inject({ url: '/api/patient/registry-status', headers: patient.headers })).json();
  assert.deepEqual([later.in_registry, later.registries], [true, ['Swedeheart']]);
  assert.ok((await auditedEvents(identity)).includes('registry-status.read'));
});

test('only patients have a registry status', async () => {
  const professional = (await makeProfessional(identity)).headers;
  for (const [headers, status] of [
    [{}, 401],
    [professional, 403],
    [await identity.asAdmin(), 403],
  ] as const) {
    assert.equal((await app.inject({ url: '/api/patient/registry-status', headers })).statusCode, status);
  }
});

test('every error is named, and no message repeats the number', async () => {
  const missing = await register({});
  assert.deepEqual(
    [missing.statusCode, missing.json().error, missing.json().messages.length],
    [400, 'validation_error', 4],
  );
  const wrong = await register({ ...form(), personnummer: '198112289875', password: 'password' });
  assert.deepEqual([wrong.statusCode, wrong.json().messages.length], [400, 2]);
  assert.ok(!wrong.body.includes('198112289875'));
});

test('an unknown organisation is 404', async () => {
  for (const guid of ['01900000-0000-7000-8000-000000000000', 'none']) {
    const answer = await register({ ...form(), organisation_guid: guid });
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'not_found']);
  }
});

test('409 for a known address or number, however they are written', async () => {
  const body = form();
  assert.equal((await register(body)).statusCode, 201);
  const { personnummer } = body;
  const address = await register({ ...form(), email: body.email.toUpperCase() });
  assert.deepEqual([address.statusCode, address.json().error], [409, 'conflict']);
  const number = await register({ ...form(), personnummer: `${personnummer.slice(0, 8)}-${personnummer.slice(8)}` });
  assert.deepEqual([number.statusCode, number.json().error], [409, 'conflict']);
});

test('one address, and one number, 50 times at once make one patient each', async () => {
  const email = nextEmail();
  const personnummer = nextPersonnummer();
  const byAddress = await fifty(() => register({ ...form(), email }));
  const byNumber = await fifty(() => register({ ...form(), personnummer }));
  for (const answers of [byAddress, byNumber]) {
    assert.equal(answers.filter((answer) => answer.statusCode === 201).length, 1);
    assert.ok(answers.every((answer) => [201, 409].includes(answer.statusCode)));
  }
  const orphans = await database.query(
    `SELECT FROM app_user u WHERE user_type = 'patient' AND NOT EXISTS (SELECT FROM patient p WHERE p.user_guid = u.user_guid)`,
  );
  assert.equal(orphans.rowCount, 0);
});

test('the number is encrypted at rest and in no token, audit event or log line', async () => {
  const { personnummer, headers } = await makePatient(identity);
  const dump = await database.query<{ row: string }>(
    'SELECT p::text AS row FROM patient p UNION ALL SELECT u::text FROM app_user u UNION ALL SELECT resource FROM audit_event',
  );
  const written = [
    ...dump.rows.map(({ row }) => row),
    ...lines,
    JSON.stringify(decodeJwt(headers.authorization.slice(7))),
  ];
  const inHex = Buffer.from(personnummer).toString('hex');
  assert.ok(written.every((text) => !text.includes(personnummer) && !text.includes(inHex)));
});

test('where registration is closed nobody registers, by the API or the page, and administrators do', async () => {
  const closed = await startIdentity({ after }, { config: { patientRegistration: 'closed' } });
  const organisation_guid = await makeOrganisation(closed);
  const payload = registration(organisation_guid);
  const refused = await closed.app.inject({ method: 'POST', url: '/api/patient/register', payload });
  assert.deepEqual([refused.statusCode, refused.json().error], [403, 'forbidden']);
  assert.equal((await closed.app.inject(`/register?organisation_guid=${organisation_guid}`)).statusCode, 403);
  for (const query of ['next=https://elsewhere.example', 'search=%00', 'unknown=1'])
    assert.equal((await closed.app.inject(`/register?${query}`)).statusCode, 403, query);
  for (const [identity, isLinked] of [
    [closed, false],
    [await startIdentity({ after }), true],
  ] as const) {
    const signIn = await identity.app.inject(`/login?lang=en&next=${encodeURIComponent(`${REDIRECT}callback`)}`);
    assert.equal(/href="register\b/.test(signIn.body), isLinked, signIn.body);
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const form = new URLSearchParams({ ...payload, lang: 'en' }).toString();
  const page = await closed.app.inject({ method: 'POST', url: '/register', headers, payload: form });
  assert.equal(page.statusCode, 403);
  const { rows } = await closed.database.query<{ n: number }>('SELECT count(*)::int AS n FROM patient');
  assert.equal(rows[0]?.n, 0);
});
