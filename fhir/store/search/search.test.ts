// Searching by every type of parameter, modifier and prefix; chains, includes, sorting, paging; and whose records are
// seen.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { ServiceError } from '#lib/errors.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { type Access, ALL_ACCESS } from '../access.ts';

const { store, db, put, find, clock } = await createTestStore({ after });

const ORG_A = '019a0000-0000-7000-8000-00000000000a';
const ORG_B = '019a0000-0000-7000-8000-00000000000b';

function observation(id: string, changes: object): Record<string, unknown> {
  return { resourceType: 'Observation', id, status: 'final', subject: { reference: 'Patient/p1' }, ...changes };
}

before(async () => {
  await put(
    {
      resourceType: 'Patient',
      id: 'p1',
      active: true,
      gender: 'female',
      birthDate: '1970-05',
      identifier: [
        { system: 'urn:pnr', value: '197005012383' },
        { type: { coding: [{ system: 'urn:t', code: 'MR' }] }, system: 'urn:mr', value: 'a,b|1' },
      ],
      name: [{ family: 'von Essén', given: ['Anna Karin', 'Åsa'] }],
      telecom: [
        { system: 'phone', value: '070-123 45 67' },
        { system: 'email', value: 'Anna@Example.org' },
      ],
      generalPractitioner: [{ reference: 'Practitioner/g1', display: 'Doctor Öberg' }],
    },
    ORG_A,
  );
  await put(
    {
      resourceType: 'Patient',
      id: 'p2',
      gender: 'male',
      birthDate: '1980-01-15',
      name: [{ family: 'Ek' }],
      managingOrganization: { identifier: { system: 'urn:o', value: '7' } },
    },
    ORG_B,
  );
  await put({ resourceType: 'Practitioner', id: 'g1', name: [{ family: 'Öberg' }] });
  const code = { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }] };
  await put(
    observation('o1', {
      code,
      valueQuantity: { value: 72, unit: 'slag/min', system: 'http://unitsofmeasure.org', code: '/min' },
      effectiveDateTime: '2026-01-10T08:00:00Z',
    }),
    ORG_A,
  );
  await put(
    observation('o2', {
      code,
      valueQuantity: { value: 90.5, system: 'http://unitsofmeasure.org', code: '/min' },
      effectiveDateTime: '2026-02-01',
    }),
    ORG_A,
  );
  await put(
    observation('o3', {
      code: { text: 'Pulse by hand' },
      subject: { reference: 'Patient/p2' },
      effectivePeriod: { start: '2026-01-01', end: '2026-03-01' },
    }),
    ORG_B,
  );
  await put({
    resourceType: 'PlanDefinition',
    id: 'pd',
    status: 'active',
    url: 'http://example.org/PlanDefinition/hf',
    version: '1',
  });
  await put(
    {
      resourceType: 'CarePlan',
      id: 'c1',
      status: 'active',
      intent: 'plan',
      subject: { reference: 'Patient/p1' },
      instantiatesCanonical: ['http://example.org/PlanDefinition/hf|1'],
    },
    ORG_A,
  );
  await put({ resourceType: 'RiskAssessment', id: 'r1', status: 'final', prediction: [{ probabilityDecimal: 0.5 }] });
  await put({ resourceType: 'RiskAssessment', id: 'r2', status: 'final', prediction: [{ probabilityDecimal: 5.35 }] });
});

const CASES: readonly (readonly [type: string, query: string, ids: readonly string[]])[] = [
  ['Patient', 'gender=female', ['p1']],
  ['Patient', 'gender=male,female&_sort=_id', ['p1', 'p2']],
  ['Patient', 'gender=http://hl7.org/fhir/administrative-gender|male', ['p2']],
  ['Patient', 'gender=urn:other|male', []],
  ['Patient', 'gender:not=male', ['p1']],
  ['Patient', 'active=true', ['p1']],
  ['Patient', 'active:missing=true', ['p2']],
  ['Patient', 'active:missing=false', ['p1']],
  ['Patient', 'identifier=urn:pnr|197005012383', ['p1']],
  ['Patient', 'identifier=197005012383', ['p1']],
  ['Patient', 'identifier=urn:mr|', ['p1']],
  ['Patient', 'identifier=|197005012383', []],
  ['Patient', 'identifier=urn:mr|a\\,b\\|1', ['p1']],
  ['Patient', 'identifier:of-type=urn:t|MR|a\\,b\\|1', ['p1']],
  ['Patient', 'phone=0701234567', ['p1']],
  ['Patient', 'phone=|0701234567', ['p1']],
  ['Patient', 'telecom=phone|070-123 45 67', ['p1']],
  ['Patient', 'telecom=email|', ['p1']],
  ['Patient', 'telecom=fax|0701234567', []],
  ['Patient', 'telecom:not=phone|0701234567', ['p2']],
  ['Patient', 'email=anna@example.ORG', ['p1']],
  ['Patient', 'deceased=false&_sort=_id', ['p1', 'p2']],
  ['Patient', 'family=ess', ['p1']],
  ['Patient', 'family=VON esse', ['p1']],
  ['Patient', 'family=ssen', []],
  ['Patient', 'family:contains=ssen', ['p1']],
  ['Patient', 'family:exact=von Essén', ['p1']],
  ['Patient', 'family:exact=von Essen', []],
  ['Patient', 'name=karin', ['p1']],
  ['Patient', 'name=asa&name=anna', ['p1']],
  ['Patient', 'given=Åsa,Nobody', ['p1']],
  ['Patient', 'birthdate=1970', ['p1']],
  ['Patient', 'birthdate=1970-05-01', []],
  ['Patient', 'birthdate=ne1970', ['p2']],
  ['Patient', 'birthdate=gt1975', ['p2']],
  ['Patient', 'birthdate=ge1980-01-15', ['p2']],
  ['Patient', 'birthdate=lt1980-01-15', ['p1']],
  ['Patient', 'birthdate=le1980-01-15&_sort=-birthdate', ['p2', 'p1']],
  ['Patient', 'birthdate=sa1970-05', ['p2']],
  ['Patient', 'birthdate=eb1980', ['p1']],
  ['Patient', 'general-practitioner=g1', ['p1']],
  ['Patient', 'general-practitioner=Practitioner/g1', ['p1']],
  ['Patient', 'general-practitioner:Organization=g1', []],
  ['Patient', 'general-practitioner:text=doctor ob', ['p1']],
  ['Patient', 'organization:identifier=urn:o|7', ['p2']],
  ['Patient', 'general-practitioner.name=öb', ['p1']],
  ['Patient', 'general-practitioner:Practitioner.name=öb', ['p1']],
  ['Patient', '_has:Observation:patient:code=8867-4', ['p1']],
  ['Patient', '_has:Observation:patient:code:text=pulse', ['p2']],
  ['Patient', '_id=p2,p1,nobody&_sort=-_id', ['p2', 'p1']],
  ['Patient', '_id:not=p2,nobody', ['p1']],
  ['Observation', 'patient:Patient._id:not=p1&_sort=_id', ['o3']],
  ['Patient', '_lastUpdated=2026-01-01&gender=male', ['p2']],
  ['Patient', '_lastUpdated=lt2026-01-01', []],
  ['Observation', 'code=http://loinc.org|8867-4&_sort=date', ['o1', 'o2']],
  ['Observation', 'code=http://loinc.org|8867-4&_sort=-date', ['o2', 'o1']],
  ['Observation', 'code:text=heart&_sort=_id', ['o1', 'o2']],
  ['Observation', 'subject=Patient/p1&date=ge2026-02', ['o2']],
  ['Observation', 'patient=p1&date=2026-01-10', ['o1']],
  ['Observation', 'date=2026&_sort=_id', ['o1', 'o2', 'o3']],
  ['Observation', 'date=2026-01-10', ['o1']],
  ['Observation', 'value-quantity=72', ['o1']],
  ['Observation', 'value-quantity=90', []],
  ['Observation', 'value-quantity=91', ['o2']],
  ['Observation', 'value-quantity=91.0', []],
  ['Observation', 'value-quantity=90.5|http://unitsofmeasure.org|/min', ['o2']],
  ['Observation', 'value-quantity=gt72', ['o2']],
  ['Observation', 'value-quantity=ge72||/min&_sort=-value-quantity', ['o2', 'o1']],
  ['Observation', 'value-quantity=72||slag/min', ['o1']],
  ['Observation', 'value-quantity=ap70', ['o1']],
  ['Observation', 'value-quantity=lt90.5||mg', []],
  ['Observation', 'patient.general-practitioner.name=oberg&_sort=_id', ['o1', 'o2']],
  ['RiskAssessment', 'probability=0.5', ['r1']],
  // From 5.35 on, though in binary fractions 5.4 - 0.05 is a little more.
  ['RiskAssessment', 'probability=5.4', ['r2']],
  ['RiskAssessment', 'probability=gt0.5', ['r2']],
  ['PlanDefinition', 'url=http://example.org/PlanDefinition/hf', ['pd']],
  ['PlanDefinition', 'url:below=http://example.org/PlanDefinition', ['pd']],
  ['PlanDefinition', 'url:above=http://example.org/PlanDefinition/hf/x', ['pd']],
  ['CarePlan', 'instantiates-canonical=http://example.org/PlanDefinition/hf', ['c1']],
  ['CarePlan', 'instantiates-canonical=http://example.org/PlanDefinition/hf|1', ['c1']],
  ['CarePlan', 'instantiates-canonical=http://example.org/PlanDefinition/hf|2', []],
  ['CarePlan', 'subject=Patient/p1&status=active&intent=plan', ['c1']],
  ['Patient', 'page=2&per_page=1&_sort=_id', ['p2']],
  ['Patient', '_offset=1&_count=5&_sort=_id', ['p2']],
];

for (const [type, query, ids] of CASES) {
  test(`${type}?${query}`, async () => {
    assert.deepEqual(await find(type, query), ids);
  });
}

const ISSUEY: readonly (readonly [type: string, query: string, names: readonly string[]])[] = [
  ['Patient', 'birthdate=yesterday&gender:exact=x&nothing=1', ['birthdate', 'gender:exact', 'nothing']],
  ['Observation', 'value-quantity=much&subject=a%20b', ['value-quantity', 'subject']],
  ['Observation', 'subject.name.family=x', ['subject.name.family']],
  ['Patient', '_has:Observation:code:x=1', ['_has:Observation:code:x']],
  ['Patient', '_sort=nothing&_count=x&_include=Nothing:x&_total=maybe', ['_sort', '_count', '_include', '_total']],
  ['Patient', '_sort=name,,birthdate&_include=Patient&_revinclude=Patient:', ['_sort', '_include', '_revinclude']],
  ['Patient', 'name=&page=0&per_page=201', ['name', 'page', 'per_page']],
  ['Patient', 'page=2&_offset=1', ['_offset']],
  ['Patient', 'identifier=|', ['identifier']],
  ['Patient', 'active=yes&deceased:not=maybe', ['active', 'deceased:not']],
  ['ValueSet', 'url:exact=a&derived-from:contains=http://a|1', ['url:exact', 'derived-from:contains']],
  ['Patient', 'gender:code-text=ma&name:text-advanced=ma', ['gender:code-text', 'name:text-advanced']],
  ['Patient', 'telecom=mail|a@b&phone=070|1|2', ['telecom', 'phone']],
];

for (const [type, query, names] of ISSUEY) {
  test(`${type}?${query} names ${names.join(', ')}`, async () => {
    await assert.rejects(find(type, query), (error: unknown) => {
      assert.ok(error instanceof ServiceError && error.code === 'validation_error');
      assert.deepEqual(
        error.issues.map(({ field }) => field),
        names,
      );
      return true;
    });
  });
}

test('an unknown parameter is left out of what was understood', () => {
  const query = store.parse('Patient', new URLSearchParams('gender=male&nothing=1&_count=5'));
  assert.deepEqual(query.understood, [
    ['gender', 'male'],
    ['_count', '5'],
  ]);
});

async function search(type: string, query: string, access: Access = ALL_ACCESS) {
  return store.search(db, store.parse(type, new URLSearchParams(query)), { access });
}

test('includes lead forwards, backwards, onwards and along canonicals', async () => {
  const ids = async (type: string, query: string) => {
    const { included } = await search(type, query);
    return included.map(({ resourceType, id }) => `${resourceType}/${id}`).sort();
  };
  assert.deepEqual(await ids('Observation', 'code=8867-4&_include=Observation:subject'), ['Patient/p1']);
  const onwards = '_include=Observation:subject&_include:iterate=Patient:general-practitioner';
  assert.deepEqual(await ids('Observation', `code=8867-4&${onwards}`), ['Patient/p1', 'Practitioner/g1']);
  assert.deepEqual(await ids('Observation', 'code=8867-4&_include=Observation:subject:Group'), []);
  assert.deepEqual(await ids('Patient', '_id=p1&_revinclude=Observation:patient&_revinclude=CarePlan:subject'), [
    'CarePlan/c1',
    'Observation/o1',
    'Observation/o2',
  ]);
  assert.deepEqual(await ids('CarePlan', '_include=CarePlan:instantiates-canonical'), ['PlanDefinition/pd']);
  assert.deepEqual(await ids('Observation', '_id=o1&_include=Observation:*'), ['Patient/p1']);
});

test('a total is exact, and only counted when asked for', async () => {
  assert.equal((await search('Observation', '_count=1')).total, 3);
  assert.equal((await search('Observation', '_count=1&_total=none')).total, undefined);
  const counted = await search('Observation', '_summary=count');
  assert.deepEqual([counted.total, counted.matches.length], [3, 0]);
  assert.equal((await search('Observation', '_count=0')).total, 3);
});

test('a cursor that is none is named', async () => {
  for (const cursor of ['x', Buffer.from('["1",2]').toString('base64url'), '']) {
    await assert.rejects(
      search('Patient', `_cursor=${cursor}`),
      (error: unknown) => error instanceof ServiceError && error.status === 400,
    );
  }
});

for (const sort of [
  '',
  '&_sort=name',
  '&_sort=-name',
  '&_sort=-birthdate,name',
  '&_sort=_lastUpdated',
  '&_sort=-_lastUpdated',
]) {
  test(`pages show each resource once while others write${sort}`, async () => {
    const system = `urn:page:${sort.replaceAll(',', ';')}`;
    const names = ['b', 'a', 'c', undefined, 'a', 'd', 'b'];
    const expected = new Set<string>();
    for (const [index, name] of names.entries()) {
      const birthDate = index % 2 === 0 ? { birthDate: `19${70 + index}` } : {};
      const resource = { resourceType: 'Patient', identifier: [{ system, value: String(index) }], ...birthDate };
      clock.time += 7;
      expected.add((await put(name === undefined ? resource : { ...resource, name: [{ family: name }] })).id);
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const { matches, nextCursor, total } = await search(
        'Patient',
        `identifier=${encodeURIComponent(system)}|${sort}&_count=2${cursor}`,
      );
      assert.equal(total, names.length);
      seen.push(...matches.map(({ id }) => id));
      clock.time += 7;
      await put({ resourceType: 'Patient', identifier: [{ system, value: 'new' }], name: [{ family: 'aa' }] });
      cursor = nextCursor === undefined ? '' : `&_cursor=${nextCursor}`;
    } while (cursor !== '' && seen.length < 50);
    assert.equal(new Set(seen).size, seen.length);
    for (const id of expected) assert.ok(seen.includes(id), `${id} was skipped`);
  });
}

test('a patient sees the own compartment alone, in chains and includes too', async () => {
  const access: Access = (type) =>
    type === 'Practitioner' ? { kind: 'none' } : { kind: 'patient', patientGuid: 'p1' };
  assert.deepEqual(await find('Observation', '_sort=_id', access), ['o1', 'o2']);
  assert.deepEqual(await find('Patient', '', access), ['p1']);
  assert.deepEqual(await find('CarePlan', '', access), ['c1']);
  assert.deepEqual(await find('Patient', 'general-practitioner.name=oberg', access), []);
  assert.deepEqual((await search('Patient', '_include=Patient:general-practitioner', access)).included, []);
  await assert.rejects(store.read(db, { resourceType: 'Observation', id: 'o3' }, access), /not found/);
  assert.equal((await store.read(db, { resourceType: 'Observation', id: 'o1' }, access)).id, 'o1');
});

test('an organisation sees what belongs to it, in chains, _has and includes too', async () => {
  const access: Access = () => ({ kind: 'organisations', guids: [ORG_B] });
  assert.deepEqual(await find('Observation', '', access), ['o3']);
  assert.deepEqual(await find('Patient', '_has:Observation:patient:code=8867-4', access), []);
  assert.deepEqual(await find('Patient', '_has:Observation:patient:code:text=pulse', access), ['p2']);
  const mixed: Access = (type) => ({ kind: 'organisations', guids: [type === 'Patient' ? ORG_B : ORG_A] });
  assert.deepEqual(await find('Observation', 'patient.gender=female', mixed), []);
  assert.deepEqual((await search('Observation', '_include=Observation:patient', mixed)).included, []);
  assert.deepEqual((await search('Patient', '_revinclude=Observation:patient', mixed)).included, []);
});

test('what may not be seen can be neither changed nor deleted', async () => {
  const access: Access = () => ({ kind: 'organisations', guids: [ORG_B] });
  const address = { resourceType: 'Patient', id: 'p1', access };
  const source = readResourceText(JSON.stringify({ resourceType: 'Patient', id: 'p1', active: false }));
  await assert.rejects(
    db.transaction((tx) => store.update(tx, { ...address, source, organisation: ORG_B })),
    /not found/,
  );
  // As where there is nothing to delete (docs/adr/0059).
  assert.equal(await db.transaction((tx) => store.delete(tx, address)), undefined);
  const own: Access = () => ({ kind: 'organisations', guids: [ORG_A] });
  assert.equal((await store.read(db, { resourceType: 'Patient', id: 'p1' }, own)).version, 1);
});

test('a patient does not see a version from before the record was theirs', async () => {
  await put(observation('moved', { subject: { reference: 'Patient/p2' } }));
  await put(observation('moved', { subject: { reference: 'Patient/p1' } }));
  const access: Access = () => ({ kind: 'patient', patientGuid: 'p1' });
  const address = { resourceType: 'Observation', id: 'moved' };
  const { versions } = await store.history(db, { ...address, count: 10 }, access);
  assert.deepEqual(
    versions.map(({ version }) => version),
    [2],
  );
  await assert.rejects(store.vread(db, { ...address, version: 1 }, access), /not found/);
});
