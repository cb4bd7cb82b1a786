import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import { BASE_URL, handClock, startIdentity } from '#test/support/identity/identity.ts';
import { fhirOf, placesOf, practitionerResource, refusalOf } from '#test/support/identity/identity-fhir.ts';
import { makeOrganisation, makePatient, makeProfessional, nextEmail } from '#test/support/identity/identity-people.ts';
import { createIdentityRecords } from '#test/support/identity/identity-records.ts';
import { fifty } from '#test/support/system/at-once.ts';

const TEMPORARY = 'a temporary phrase';
const ROLE = 'https://kedja.dev/fhir/StructureDefinition/professional-role';
const WORKS_AT = 'https://kedja.dev/fhir/StructureDefinition/practitioner-organization';
const clock = handClock();
const identity = await startIdentity({ after }, { clock, config: { importPassword: new Secret(TEMPORARY) } });
const { app, database } = identity;
const ask = fhirOf(identity);
const admin = await identity.asAdmin();
const records = createIdentityRecords(database);

const create = (body: object) => ask('/Practitioner', { method: 'POST', headers: admin, body });
const practitionerOf = async (headers: Record<string, string>): Promise<string> =>
  (await app.inject({ url: '/api/auth/me', headers })).json().professional_guid;

/** The audit events with this code, as texts. */
async function audited(code: string): Promise<string[]> {
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  return rows.map(({ resource }) => resource).filter((text) => text.includes(`"code":"${code}"`));
}

test('Practitioner create: an account as an import makes it, with the temporary password that must be changed', async () => {
  const organisations = [await makeOrganisation(identity), await makeOrganisation(identity)];
  const email = nextEmail();
  const created = await create({
    resourceType: 'Practitioner',
    active: true,
    extension: [
      { url: ROLE, valueCode: 'doctor' },
      ...organisations.map((guid) => ({ url: WORKS_AT, valueReference: { reference: `Organization/${guid}` } })),
    ],
    name: [{ use: 'official', text: 'Anna Maria Lind', family: 'Lind', given: ['Anna', 'Maria'] }],
    telecom: [{ system: 'email', value: email }],
  });
  assert.equal(created.status, 201, created.text);
  const { id, name, telecom, extension } = created.body;
  assert.equal(created.headers['location'], `${BASE_URL}/fhir/Practitioner/${id}`);
  assert.deepEqual(name, [{ text: 'Anna Maria Lind', family: 'Lind', given: ['Anna', 'Maria'] }]);
  assert.deepEqual(telecom, [{ system: 'email', value: email }]);
  assert.deepEqual(extension[0], { url: ROLE, valueCode: 'doctor' });
  assert.equal(extension.length, 3);
  const login = await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: TEMPORARY } });
  assert.equal(login.json().must_change_password, true);
  const blob = await app.inject({
    url: '/api/auth/me',
    headers: { authorization: `Bearer ${login.json().token}` },
  });
  const { professional_guid, professional_role, organization_ids } = blob.json();
  assert.deepEqual([professional_guid, professional_role, organization_ids], [id, 'doctor', organisations.sort()]);
  assert.deepEqual((await ask(`/Practitioner/${id}`, { headers: admin })).body, created.body);
  const [event] = await audited('practitioner.create');
  assert.ok(event?.includes(`Practitioner/${id}`) && !event.includes(email));
});

test('Practitioner create: the temporary password stops working after 72 hours', async () => {
  const email = nextEmail();
  assert.equal((await create(practitionerResource(email))).status, 201);
  const login = () => app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: TEMPORARY } });
  assert.equal((await login()).statusCode, 200);
  clock.advance(72 * 3_600_000 + 1000);
  assert.equal((await login()).statusCode, 401);
  clock.advance(-72 * 3_600_000 - 1000);
});

test('Practitioner create: a professional without a role is an other', async () => {
  const { body } = await create(practitionerResource());
  assert.deepEqual(body.extension, [{ url: ROLE, valueCode: 'other' }]);
});

test('Practitioner create: every error and everything that cannot be kept is named in one answer', async () => {
  const answer = await create({
    resourceType: 'Practitioner',
    active: false,
    extension: [
      { url: ROLE, valueCode: 'surgeon' },
      { url: WORKS_AT, valueReference: { reference: 'Organization/019a0000-0000-7000-8000-000000000000' } },
      { url: 'https://example.org/other', valueString: 'x' },
    ],
    name: [{ family: 'Lind', prefix: ['Dr'] }, { family: 'Second' }],
    telecom: [
      { system: 'phone', value: '08-1' },
      { system: 'email', value: 'no address', use: 'work' },
    ],
    gender: 'female',
    qualification: [{ code: { text: 'MD' } }],
  });
  assert.deepEqual(refusalOf(answer).slice(0, 2), [422, 'unprocessable']);
  assert.deepEqual(placesOf(answer), [
    'Practitioner.active',
    'Practitioner.extension',
    'Practitioner.extension[1].valueReference.reference',
    'Practitioner.extension[2]',
    'Practitioner.gender',
    'Practitioner.name.given',
    'Practitioner.name[0].prefix',
    'Practitioner.name[1]',
    'Practitioner.qualification',
    'Practitioner.telecom',
    'Practitioner.telecom[0]',
  ]);
  const bare = placesOf(await create({ resourceType: 'Practitioner' }));
  assert.deepEqual(bare, ['Practitioner.name.family', 'Practitioner.name.given', 'Practitioner.telecom']);
  const workplace = {
    url: WORKS_AT,
    valueReference: { reference: `Organization/${await makeOrganisation(identity)}` },
  };
  const workplaces = { ...practitionerResource(), extension: Array.from({ length: 101 }, () => workplace) };
  assert.ok(placesOf(await create(workplaces)).includes('Practitioner.extension'));
  const wrongName = { ...practitionerResource(), name: [{ text: 'Other', family: 'Dahl', given: ['Cecilia'] }] };
  assert.deepEqual(placesOf(await create(wrongName)), ['Practitioner.name[0].text']);
});

test('Practitioner create: the same address at once makes one account', async () => {
  const email = nextEmail();
  const sent = [email, email.toUpperCase()];
  const answers = await fifty((n) => create(practitionerResource(sent[n % 2])));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  // The server hashes a limited number of passwords at a time and refuses others.
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    assert.ok(['conflict', 'unavailable'].includes(String(refusalOf(answer)[1])), answer.text);
  }
  assert.deepEqual(refusalOf(await create(practitionerResource(email))), [409, 'conflict', 'conflict']);
  const { rows } = await database.query('SELECT FROM app_user WHERE email_key = $1', [email]);
  assert.equal(rows.length, 1);
});

test('Practitioner create: without a temporary password the error names the missing setting', async () => {
  const bare = await startIdentity({ after });
  const headers = await bare.asAdmin();
  const answer = await fhirOf(bare)('/Practitioner', { method: 'POST', headers, body: practitionerResource() });
  assert.deepEqual(refusalOf(answer), [409, 'conflict', 'conflict']);
  assert.match(answer.text, /KEDJA_IMPORT_PASSWORD/);
});

test('Practitioner read: the person and SU admins see all of it', async () => {
  const person = await makeProfessional(identity);
  const id = await practitionerOf(person.headers);
  for (const headers of [person.headers, admin]) {
    const { status, body } = await ask(`/Practitioner/${id}`, { headers });
    assert.deepEqual([status, body.telecom[0].value, body.name[0].text], [200, person.email, 'Anna Berg']);
    assert.deepEqual(body.extension, [
      { url: ROLE, valueCode: 'nurse' },
      { url: WORKS_AT, valueReference: { reference: `Organization/${person.organisationGuid}` } },
    ]);
  }
  const events = (await audited('practitioner.read')).filter((event) => event.includes(`Practitioner/${id}`));
  assert.equal(events.length, 2);
});

test('Practitioner read: leaders and members of the caller’s groups are shown by name; others get 404', async () => {
  const [leader, colleague, waiting, stranger] = [
    await makeProfessional(identity),
    await makeProfessional(identity),
    await makeProfessional(identity),
    await makeProfessional(identity),
  ];
  const group = await records.group();
  await records.membership({ group, user: leader.userGuid, status: 'approved', isAdmin: true });
  await records.membership({ group, user: colleague.userGuid, status: 'approved' });
  await records.membership({ group, user: waiting.userGuid });
  const patient = await makePatient(identity);
  const see = async (whom: { headers: Record<string, string> }, who: { headers: Record<string, string> }) => {
    const { status, body } = await ask(`/Practitioner/${await practitionerOf(whom.headers)}`, { headers: who.headers });
    if (status === 200) assert.deepEqual(Object.keys(body), ['resourceType', 'id', 'active', 'name']);
    return status;
  };
  for (const who of [colleague, waiting, stranger, patient]) assert.equal(await see(leader, who), 200);
  assert.equal(await see({ headers: admin }, patient), 200);
  assert.equal(await see(colleague, leader), 200);
  for (const who of [waiting, stranger, patient]) assert.equal(await see(colleague, who), 404);
  for (const who of [leader, colleague, stranger, patient]) assert.equal(await see(waiting, who), 404);
});

test('a temporary password made of the user’s own name creates no account', async () => {
  const site = await startIdentity({ after }, { clock, config: { importPassword: new Secret('Lindhagen.2026') } });
  const headers = { ...(await site.asAdmin()), 'content-type': 'application/fhir+json' };
  const create = (family: string, email: string) =>
    site.app.inject({
      method: 'POST',
      url: '/fhir/Practitioner',
      headers,
      payload: {
        resourceType: 'Practitioner',
        name: [{ family, given: ['Siv'] }],
        telecom: [{ system: 'email', value: email }],
      },
    });
  const refused = await create('Lindhagen', 'siv.l@example.org');
  assert.equal(refused.statusCode, 409, refused.body);
  assert.match(refused.body, /The temporary password \(KEDJA_IMPORT_PASSWORD\) must not be made of a name/);
  assert.equal((await create('Berg', 'siv.b@example.org')).statusCode, 201);
});
