import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Group } from 'fhir/r5.js';
import { BASE_URL, startIdentity } from '#test/support/identity/identity.ts';
import { fhirOf, foundIn, groupResource, placesOf, refusalOf } from '#test/support/identity/identity-fhir.ts';
import { auditedEvents, makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const identity = await startIdentity({ after });
const { app, database } = identity;
const ask = fhirOf(identity);
const admin = await identity.asAdmin();
const GROUP_TYPE = 'https://kedja.dev/codes/group-type';

const create = (body: object) => ask('/Group', { method: 'POST', headers: admin, body });
const search = (query: string, headers: Record<string, string> = admin) => ask(`/Group?${query}`, { headers });
const names = async (query: string, headers?: Record<string, string>) =>
  foundIn(await search(query, headers)).map((found) => (found as Group).name);

/** A group with an approved admin, an approved member, a pending member, and a user outside. */
async function makeTeam(name: string) {
  const { id } = (await create(groupResource(name, 'team'))).body;
  const [leader, member, waiting, outsider] = [
    await makeProfessional(identity),
    await makeProfessional(identity),
    await makeProfessional(identity),
    await makeProfessional(identity),
  ];
  for (const { headers } of [leader, member, waiting]) {
    await app.inject({ method: 'POST', url: '/api/groups/request-membership', headers, payload: { group_guid: id } });
  }
  const approve = `UPDATE membership SET status = 'approved', is_admin = user_guid = $2
    WHERE group_guid = $1 AND user_guid IN ($2, $3)`;
  await database.query(approve, [id, leader.userGuid, member.userGuid]);
  return { id: String(id), leader, member, waiting, outsider };
}

async function practitionerOf(headers: Record<string, string>): Promise<string> {
  return (await app.inject({ url: '/api/auth/me', headers })).json().professional_guid;
}

const team = await makeTeam('Sårvårdsteamet');
const leaderGuid = await practitionerOf(team.leader.headers);
const memberGuid = await practitionerOf(team.member.headers);
const patient = await makePatient(identity);

test('Group create: 201, and it is in the catalogue of its JSON twin', async () => {
  const created = await create({
    ...groupResource(' Wound care ', 'quality_registry'),
    description: 'Nurses',
    active: true,
  });
  assert.equal(created.status, 201, created.text);
  const { id, name, description, quantity, code } = created.body;
  assert.deepEqual([name, description, quantity, code.coding[0].code], ['Wound care', 'Nurses', 0, 'quality_registry']);
  assert.equal(created.headers['location'], `${BASE_URL}/fhir/Group/${id}`);
  const twin: { group_guid: string }[] = (await app.inject('/api/public/groups')).json();
  assert.deepEqual(
    twin.find(({ group_guid }) => group_guid === id),
    { group_guid: id, name: 'Wound care', group_type: 'quality_registry' },
  );
  const read = await ask(`/Group/${id}`, { headers: admin });
  assert.deepEqual([read.body, read.headers['etag']], [created.body, created.headers['etag']]);
  assert.ok((await auditedEvents(identity)).includes('group.create'));
});

test('Group create: every error and everything that cannot be kept is named; names are unique per type', async () => {
  const answer = await create({
    ...groupResource('x', 'club'),
    type: 'person',
    membership: 'definitional',
    identifier: [{ value: '1' }],
    characteristic: [{ code: { text: 'c' }, valueBoolean: true, exclude: false }],
  });
  assert.deepEqual(refusalOf(answer).slice(0, 2), [422, 'unprocessable']);
  assert.deepEqual(placesOf(answer), [
    'Group.characteristic',
    'Group.code',
    'Group.identifier',
    'Group.membership',
    'Group.type',
  ]);
  const bare = await create({ resourceType: 'Group' });
  assert.deepEqual(placesOf(bare), ['Group.membership', 'Group.name', 'Group.type']);
  const foreign = {
    ...groupResource('x', 'team'),
    code: { coding: [{ system: 'urn:other', code: 'team' }], text: 'Team' },
  };
  assert.deepEqual(placesOf(await create(foreign)), ['Group.code.coding[0].system', 'Group.code.text']);
  assert.deepEqual(refusalOf(await create(groupResource('PLANNING', 'phase'))), [409, 'conflict', 'conflict']);
});

test('Group create: a group without a type is a team; display texts may be lost', async () => {
  const plain = { resourceType: 'Group', type: 'practitioner', membership: 'enumerated', name: 'Evening shift' };
  const created = await create(plain);
  assert.deepEqual([created.status, created.body.code.coding[0].code], [201, 'team'], created.text);
  const { code, ...rest } = groupResource('Night shift', 'team');
  const shown = { coding: code.coding.map((coding: object) => ({ ...coding, display: 'A team' })) };
  assert.equal((await create({ ...rest, language: 'sv', code: shown })).status, 201);
});

test('Group create: its members are approved, and the marked ones administer it', async () => {
  const [boss, nurse] = [await makeProfessional(identity), await makeProfessional(identity)];
  const entity = async ({ headers }: { headers: Record<string, string> }) => ({
    entity: { reference: `Practitioner/${await practitionerOf(headers)}`, type: 'Practitioner' },
  });
  const url = 'https://kedja.dev/fhir/StructureDefinition/group-admin';
  const first = { extension: [{ url, valueBoolean: true }], ...(await entity(boss)) };
  const sent = { ...groupResource('With members', 'phase'), quantity: 2, member: [first, await entity(nurse)] };
  const created = await create(sent);
  assert.deepEqual([created.status, created.body.quantity, created.body.member.length], [201, 2, 2], created.text);
  assert.deepEqual(created.body.member[0].extension, first.extension);
  // Their permissions have changed at once.
  const blob = (await app.inject({ url: '/api/auth/me', headers: nurse.headers })).json();
  assert.deepEqual(blob.effective_phases, ['With members']);
  const pending = await app.inject({ url: '/api/groups/admin/pending', headers: boss.headers });
  assert.equal(pending.statusCode, 200);
});

test('Group create: unknown or repeated members, and members with further elements, are refused with their path', async () => {
  const nobody = { entity: { reference: 'Practitioner/019a0000-0000-7000-8000-000000000000' } };
  const known = { entity: { reference: `Practitioner/${memberGuid}` } };
  const patientMember = { entity: { reference: `Patient/${patient.answer.patient_guid}` } };
  const period = { ...known, period: { start: '2026-01-01' } };
  const answer = await create({
    ...groupResource('Refused', 'team'),
    quantity: 1,
    member: [nobody, known, period, patientMember],
  });
  assert.deepEqual(placesOf(answer), [
    'Group.member[0].entity.reference',
    'Group.member[2].entity.reference',
    'Group.member[2].period',
    'Group.member[3].entity.reference',
    'Group.quantity',
  ]);
  assert.deepEqual(await names('name:exact=Refused'), []);
  const many = Array.from({ length: 1001 }, () => known);
  assert.deepEqual(placesOf(await create({ ...groupResource('Many', 'team'), member: many })), ['Group.member']);
});

test('Group create: the same Idempotency-Key makes one, and answers the first answer again', async () => {
  const body = groupResource('Made once', 'team');
  const headers = { ...admin, 'idempotency-key': 'one-key-for-one-group' };
  const [first, again] = [
    await ask('/Group', { method: 'POST', headers, body }),
    await ask('/Group', { method: 'POST', headers, body }),
  ];
  assert.deepEqual([first.status, again.status, again.body.id], [201, 201, first.body.id]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  const other = await ask('/Group', { method: 'POST', headers, body: groupResource('Another', 'team') });
  assert.deepEqual(refusalOf(other), [422, 'unprocessable', 'processing']);
});

test('Group create: the same name 50 times at once makes one', async () => {
  const answers = await fifty(() => create(groupResource('Race', 'team')));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, 49);
});

test('Group read: members are shown to members and SU admins alone', async () => {
  const members = (body: Group) => body.member?.map(({ entity }) => entity.reference);
  for (const headers of [admin, team.leader.headers, team.member.headers]) {
    const { body } = await ask(`/Group/${team.id}`, { headers });
    assert.deepEqual(members(body), [`Practitioner/${leaderGuid}`, `Practitioner/${memberGuid}`]);
    assert.deepEqual([body.quantity, body.member[0].entity.display], [2, 'Anna Berg']);
    assert.deepEqual(
      body.member.map(({ extension = [] }) => extension.length),
      [1, 0],
    );
  }
  for (const { headers } of [team.waiting, team.outsider, patient]) {
    const { status, body } = await ask(`/Group/${team.id}`, { headers });
    assert.deepEqual([status, body.name, body.member, body.quantity], [200, 'Sårvårdsteamet', undefined, undefined]);
  }
});

test('Group read and search that show members are audited', async () => {
  const count = async (event: string) => (await auditedEvents(identity)).filter((found) => found === event).length;
  const before = [await count('group.read'), await count('group.search')];
  await ask(`/Group/${team.id}`, { headers: team.member.headers });
  await search(`_id=${team.id}`, team.member.headers);
  assert.deepEqual(
    [await count('group.read'), await count('group.search')],
    [Number(before[0]) + 1, Number(before[1]) + 1],
  );
  await ask(`/Group/${team.id}`, { headers: patient.headers });
  await search(`_id=${team.id}`, patient.headers);
  assert.deepEqual(
    [await count('group.read'), await count('group.search')],
    [Number(before[0]) + 1, Number(before[1]) + 1],
  );
});

test('Group search by name, _id, code and type', async () => {
  assert.deepEqual(await names('name=sarv'), ['Sårvårdsteamet']);
  assert.deepEqual(await names('name:exact=Sårvårdsteamet'), ['Sårvårdsteamet']);
  assert.deepEqual(await names('name:contains=teamet'), ['Sårvårdsteamet']);
  assert.deepEqual(await names(`_id=${team.id}`), ['Sårvårdsteamet']);
  assert.deepEqual(await names('code=phase'), ['planning', 'analysis', 'execution', 'followup', 'With members']);
  assert.deepEqual(await names(`code=${GROUP_TYPE}|phase&name=plan`), ['planning']);
  assert.deepEqual(await names('code=urn:other|phase'), []);
  assert.deepEqual(await names('code=phase,team&name=sarv,plan'), ['planning', 'Sårvårdsteamet']);
  assert.deepEqual(await names('code:not=phase&name=sarv,plan'), ['Sårvårdsteamet']);
  assert.deepEqual(await names('code:missing=true'), []);
  assert.deepEqual(await names('type=practitioner&name=sarv'), ['Sårvårdsteamet']);
  assert.deepEqual(await names('type=person'), []);
});

test('Group search by member finds what the caller may know', async () => {
  const byMember = `member=Practitioner/${memberGuid}`;
  for (const headers of [admin, team.leader.headers, team.member.headers]) {
    assert.deepEqual(await names(byMember, headers), ['Sårvårdsteamet']);
  }
  for (const { headers } of [team.outsider, team.waiting, patient])
    assert.deepEqual(await names(byMember, headers), []);
  assert.deepEqual(await names(`member=${memberGuid}`), ['Sårvårdsteamet']);
  assert.deepEqual(await names(`member:Practitioner=${memberGuid}`), ['Sårvårdsteamet']);
  assert.deepEqual(await names(`member=${BASE_URL}/fhir/Practitioner/${memberGuid}`), ['Sårvårdsteamet']);
  assert.deepEqual(await names(`member=https://other.example.org/Practitioner/${memberGuid}`), []);
  assert.deepEqual(await names(`member=Patient/${memberGuid}`), []);
  assert.deepEqual(await names('member=Practitioner/nobody'), []);
  assert.deepEqual(await names('member:missing=false', team.member.headers), ['Sårvårdsteamet']);
  assert.ok(!(await names('member:missing=true', team.member.headers)).includes('Sårvårdsteamet'));
  const waitingGuid = await practitionerOf(team.waiting.headers);
  assert.deepEqual(await names(`member=Practitioner/${waitingGuid}`), []);
});

test('Group search leaves the members of a large group out and says so; reading shows them', async () => {
  const { id } = (await create(groupResource('Everybody', 'team'))).body;
  await database.query(
    `WITH people AS (
       INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, first_name, last_name, created_at)
       SELECT gen_random_uuid(), 'professional', n || '@many.example.org', n || '@many.example.org', '', 'P', n::text, now()
       FROM generate_series(1, 101) n RETURNING user_guid),
     professionals AS (
       INSERT INTO professional (user_guid, professional_guid, professional_role)
       SELECT user_guid, gen_random_uuid(), 'other' FROM people RETURNING user_guid)
     INSERT INTO membership (membership_guid, user_guid, group_guid, status, created_at)
     SELECT gen_random_uuid(), user_guid, $1, 'approved', now() FROM professionals`,
    [id],
  );
  const [found] = foundIn(await search(`_id=${id}`)) as Group[];
  assert.deepEqual([found?.member, found?.quantity, found?.meta?.tag?.[0]?.code], [undefined, 101, 'SUBSETTED']);
  const { body } = await ask(`/Group/${id}`, { headers: admin });
  assert.deepEqual([body.member.length, body.meta], [101, undefined]);
  const [part] = foundIn(await search(`_id=${team.id}&_elements=name`)) as Group[];
  assert.deepEqual([part?.member, part?.name], [undefined, 'Sårvårdsteamet']);
});
