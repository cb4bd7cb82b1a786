// Searching by value sets and hierarchies, filters, words, lists and places (hl7.org/fhir/R5/search.html).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import type { Access } from '../access.ts';

const { store, db, put, find } = await createTestStore({ after });

const ANIMALS = 'urn:animals';
const ORG = '019a0000-0000-7000-8000-00000000000a';
const narrative = (text: string) => ({
  status: 'generated',
  div: `<div xmlns="http://www.w3.org/1999/xhtml"><b class="bold">${text}</b></div>`,
});
const seen = (id: string, code: string, more: object = {}) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: ANIMALS, code }] },
  subject: { reference: 'Patient/p1' },
  ...more,
});

before(async () => {
  const concept = [{ code: 'animal', concept: [{ code: 'dog', concept: [{ code: 'poodle' }] }, { code: 'cat' }] }];
  await put({
    resourceType: 'CodeSystem',
    id: 'animals',
    url: ANIMALS,
    status: 'active',
    content: 'complete',
    concept,
  });
  const filter = [{ property: 'concept', op: 'is-a', value: 'dog' }];
  await put({
    resourceType: 'ValueSet',
    id: 'dogs',
    url: 'urn:dogs',
    status: 'active',
    compose: { include: [{ system: ANIMALS, filter }] },
  });
  await put({
    resourceType: 'ValueSet',
    id: 'own',
    url: 'urn:own',
    status: 'active',
    compose: { include: [{ valueSet: ['urn:own'] }] },
  });
  await put(seen('o-animal', 'animal'));
  await put(
    seen('o-dog', 'dog', {
      text: narrative('Hundarna sk&auml;llde p&#229; brevb&#xE4;raren'),
      note: [{ text: 'Barking dogs' }],
    }),
  );
  await put(seen('o-poodle', 'poodle', { effectiveDateTime: '2026-02-03' }), ORG);
  await put(
    seen('o-cat', 'cat', {
      subject: { reference: 'Patient/p2' },
      effectivePeriod: { start: '2026-01-01', end: '2026-02-10' },
    }),
  );
  await put({
    resourceType: 'Patient',
    id: 'p1',
    active: true,
    gender: 'female',
    birthDate: '1970-05-01',
    name: [{ family: 'von Berg', given: ['Åsa'] }],
  });
  await put({
    resourceType: 'Patient',
    id: 'p2',
    gender: 'male',
    birthDate: '1980',
    name: [{ family: 'Lind-Berg', given: ['Bo'] }],
    generalPractitioner: [{ reference: 'Practitioner/g1' }],
  });
  await put({ resourceType: 'Patient', id: 'p3', name: [{ family: 'Bergström' }, { family: 'Ek' }] });
  await put({ resourceType: 'Practitioner', id: 'g1', active: true, name: [{ family: 'Öberg' }] });
  const place = (id: string, position: object | undefined, partOf?: string) =>
    put({
      resourceType: 'Location',
      id,
      ...(position && { position }),
      ...(partOf && { partOf: { reference: `Location/${partOf}` } }),
    });
  await place('hospital', { latitude: 59.3293, longitude: 18.0686 });
  await place('ward', { latitude: 59.33, longitude: 18.07 }, 'hospital');
  await place('bed', undefined, 'ward');
  await place('uppsala', { latitude: 59.8586, longitude: 17.6389 });
  await place('fiji', { latitude: -17.5, longitude: 179.99 });
  await place('fiji-east', { latitude: -17.5, longitude: -179.99 });
  await put({
    resourceType: 'Encounter',
    id: 'e1',
    status: 'completed',
    location: [{ location: { reference: 'Location/bed' } }],
  });
  const entry = [
    { item: { reference: 'Patient/p1' } },
    { item: { reference: 'Patient/p2' }, deleted: true },
    { item: { reference: 'Observation/o-cat' } },
  ];
  await put({ resourceType: 'List', id: 'l1', status: 'current', mode: 'working', entry }, ORG);
  const member = [
    { entity: { reference: 'Patient/p2' } },
    { entity: { reference: 'Patient/p1' }, inactive: true },
    { entity: { reference: 'Patient/p3' }, period: { end: '2020' } },
  ];
  await put({ resourceType: 'Group', id: 'gr', type: 'person', membership: 'enumerated', member });
  await put({
    resourceType: 'DocumentReference',
    id: 'd1',
    status: 'current',
    content: [{ attachment: { contentType: 'image/png' } }],
  });
  await put({
    resourceType: 'DocumentReference',
    id: 'd2',
    status: 'current',
    content: [{ attachment: { contentType: 'text/html; charset=utf-8' } }],
  });
});

const CASES: readonly (readonly [type: string, query: string, ids: readonly string[]])[] = [
  ['Observation', 'code:in=urn:dogs', ['o-dog', 'o-poodle']],
  ['Observation', 'code:in=ValueSet/dogs', ['o-dog', 'o-poodle']],
  ['Observation', 'code:not-in=urn:dogs', ['o-animal', 'o-cat']],
  [
    'Observation',
    'status:in=http://hl7.org/fhir/ValueSet/observation-status',
    ['o-animal', 'o-cat', 'o-dog', 'o-poodle'],
  ],
  ['Observation', 'status:not-in=http://hl7.org/fhir/ValueSet/observation-status', []],
  ['Observation', `code:below=${ANIMALS}|dog`, ['o-dog', 'o-poodle']],
  ['Observation', `code:above=${ANIMALS}|poodle`, ['o-animal', 'o-dog', 'o-poodle']],
  ['Patient', '_has:Observation:patient:code:in=urn:dogs', ['p1']],
  ['Observation', 'subject:Patient.gender:in=http://hl7.org/fhir/ValueSet/administrative-gender&code=cat', ['o-cat']],
  ['DocumentReference', 'contenttype:below=image', ['d1']],
  ['DocumentReference', 'contenttype:below=text/html', ['d2']],
  ['DocumentReference', 'contenttype:above=image/png', ['d1']],
  ['Encounter', 'location:below=Location/hospital', ['e1']],
  ['Encounter', 'location:below=uppsala', []],
  ['Location', 'partof:below=hospital', ['bed', 'ward']],
  ['Location', 'partof:above=Location/bed', ['bed', 'ward']],
  ['Location', 'near=59.3293|18.0686|1|km', ['hospital', 'ward']],
  ['Location', 'near=59.3293|18.0686|10|m', ['hospital']],
  ['Location', 'near=59.3293|18.0686|100', ['hospital', 'uppsala', 'ward']],
  ['Location', 'near=59.3293|18.0686', ['hospital', 'ward']],
  ['Location', 'near=59.3293|18.0686|50|[mi_i]', ['hospital', 'uppsala', 'ward']],
  ['Location', 'near=-17.5|180|5|km', ['fiji', 'fiji-east']],
  ['Patient', '_list=l1', ['p1']],
  ['Patient', '_list=List/l1', ['p1']],
  ['Observation', '_list=l1', ['o-cat']],
  ['Observation', 'patient._list=l1', ['o-animal', 'o-dog', 'o-poodle']],
  ['Patient', '_in=Group/gr', ['p2']],
  ['Patient', '_in=gr,l1', ['p1', 'p2']],
  ['Patient', '_has:Observation:patient:_list=l1', ['p2']],
  ['Patient', 'name=berg', ['p1', 'p2', 'p3']],
  ['Patient', 'family=LIND berg', ['p2']],
  ['Observation', '_text=hundar', ['o-dog']],
  ['Observation', '_text=SKALLDE', ['o-dog']],
  ['Observation', '_text=brevbäraren', ['o-dog']],
  ['Observation', '_text=barking', []],
  ['Observation', '_content=bark', ['o-dog']],
  ['Observation', '_content=dog hund', ['o-dog']],
  ['Observation', '_content=bold', []],
  ['Observation', '_content=hundar,poodle', ['o-dog', 'o-poodle']],
  ['Observation', '_content="barking dogs"', ['o-dog']],
  ['Observation', '_content="dogs barking"', []],
  ['Patient', '_content=åsa', ['p1']],
  ['Patient', '_has:Observation:patient:_content=barking', ['p1']],
  ['Patient', '_filter=name co "BERG"', ['p1', 'p2', 'p3']],
  ['Patient', '_filter=family eq "von berg"', ['p1']],
  ['Patient', '_filter=family eq berg', []],
  ['Patient', '_filter=family sw lind', ['p2']],
  ['Patient', '_filter=family sw berg', ['p3']],
  ['Patient', '_filter=family ew berg', ['p1', 'p2']],
  ['Patient', '_filter=family ne bergström', ['p1', 'p2', 'p3']],
  ['Patient', '_filter=gender eq female or birthdate ge 1980', ['p1', 'p2']],
  ['Patient', '_filter=gender eq female and birthdate ge 1980', []],
  ['Patient', '_filter=not (gender eq female) and name co berg', ['p2', 'p3']],
  ['Patient', '_filter=gender pr false', ['p3']],
  ['Patient', '_filter=gender pr true and (birthdate lt 1975 or family eq ek)', ['p1']],
  ['Patient', '_filter=gender ne female', ['p2']],
  ['Patient', '_filter=general-practitioner.name co ober', ['p2']],
  ['Patient', '_filter=general-practitioner[active eq true].name co ober', ['p2']],
  ['Patient', '_filter=general-practitioner[active eq false].name co ober', []],
  ['Patient', '_filter=general-practitioner re Practitioner/g1', ['p2']],
  ['Patient', '_filter=id eq p1 or _id eq p3', ['p1', 'p3']],
  ['Patient', '_filter=_has:Observation:patient:code eq cat', ['p2']],
  ['Patient', '_filter=_lastUpdated ge 2026', ['p1', 'p2', 'p3']],
  ['Patient', '_filter=not (_lastUpdated ge 2026)', []],
  ['Observation', `_filter=code ss ${ANIMALS}|dog`, ['o-dog', 'o-poodle']],
  ['Observation', `_filter=code sb ${ANIMALS}|dog`, ['o-animal', 'o-dog']],
  ['Observation', '_filter=code in urn:dogs and subject.gender eq female', ['o-dog', 'o-poodle']],
  ['Observation', '_filter=code ni urn:dogs', ['o-animal', 'o-cat']],
  ['Observation', '_filter=date po 2026-02-05', ['o-cat']],
  ['Observation', '_filter=date po 2026-02', ['o-cat', 'o-poodle']],
  ['Observation', '_filter=_content co barking', ['o-dog']],
  ['Observation', 'code=dog,cat&_filter=subject.gender eq male', ['o-cat']],
];

for (const [type, query, ids] of CASES) {
  test(`${type}?${query}`, async () => {
    assert.deepEqual((await find(type, query.replaceAll('&#', '%26#'))).sort(), ids);
  });
}

const ISSUEY: readonly (readonly [type: string, query: string, message: RegExp])[] = [
  [
    'Observation',
    'code:in=urn:none',
    /code:in cannot be asked: A definition for the value Set 'urn:none' could not be found/,
  ],
  ['Observation', 'code:in=urn:own', /made of itself: urn:own → urn:own/],
  ['Observation', 'code:below=dog', /code:below must be system\|code/],
  ['Observation', `code:below=${ANIMALS}|cow`, /has no code cow/],
  ['Patient', '_has:Observation:patient:code:in=urn:none', /value Set .urn:none. could not be found/],
  ['Patient', '_list=none', /_list names no List that is there: none/],
  ['Patient', '_list=$current-problems', /current lists are not kept here/],
  ['Patient', '_list=Group/gr', /must be an id or the address of a List/],
  ['Patient', 'general-practitioner:below=Practitioner/g1', /part of nothing/],
  ['Patient', 'phonetic=berg', /phonetic cannot be searched by on this server/],
  ['Location', 'contains=59|18', /contains cannot be searched by/],
  ['Patient', '_query=x', /_query cannot be searched by/],
  ['Location', 'near=59', /must be latitude\|longitude/],
  ['Location', 'near=95|18', /latitude from -90 to 90/],
  ['Location', 'near=59|18|5|kg', /kg is none/],
  ['Patient', '_text=!!', /must contain a letter or a digit/],
  ['Patient', `_content=${'a or '.repeat(20_000)}a`, /_content must have at most 4000 characters/],
  ['Patient', '_filter=name', /cannot be read at character 5: expected one of eq/],
  ['Patient', '_filter=name eq', /character 8: expected a value/],
  ['Patient', '_filter=(name eq a', /expected "\)"/],
  ['Patient', '_filter=name eq a b', /expected "and", "or" or the end/],
  ['Patient', '_filter=nothing eq a', /names no search parameter of Patient: nothing/],
  ['Patient', '_filter=name gt a', /cannot compare name by gt/],
  ['Patient', '_filter=birthdate co 19', /cannot compare birthdate by co/],
  ['Patient', '_filter=birthdate eq gt1970', /by the operator/],
  ['Patient', '_filter=name.family eq a', /cannot go through name/],
  ['Patient', `_filter=${'('.repeat(30)}name eq a${')'.repeat(30)}`, /nested more than 20 deep/],
];

for (const [type, query, message] of ISSUEY) {
  test(`${type}?${query.slice(0, 60)} is refused`, async () => {
    await assert.rejects(find(type, query), (error: unknown) => {
      assert.ok(error instanceof ServiceError && error.code === 'validation_error');
      assert.match(error.message, message);
      return true;
    });
  });
}

test('words are found as the resource is now, and no longer when it is deleted', async () => {
  await put(seen('o-words', 'cat', { note: [{ text: 'zebra' }] }));
  assert.deepEqual(await find('Observation', '_content=zebra'), ['o-words']);
  await put(seen('o-words', 'cat', { note: [{ text: 'giraffe' }] }));
  assert.deepEqual(await find('Observation', '_content=zebra'), []);
  assert.deepEqual(await find('Observation', '_content=giraffe'), ['o-words']);
  await db.transaction((tx) =>
    store.delete(tx, { resourceType: 'Observation', id: 'o-words', access: () => ({ kind: 'all' }) }),
  );
  assert.deepEqual(await find('Observation', '_content=giraffe'), []);
});

test('lists, value sets and hierarchies that one may not see show nothing', async () => {
  const access: Access = (type) =>
    ['List', 'ValueSet', 'CodeSystem'].includes(type) ? { kind: 'none' } : { kind: 'all' };
  await assert.rejects(find('Patient', '_list=l1', access), /names no List/);
  await assert.rejects(find('Observation', 'code:in=urn:dogs', access), /could not be found/);
  await assert.rejects(find('Observation', `code:below=${ANIMALS}|dog`, access), /not known here/);
  const noWards: Access = (type) => (type === 'Location' ? { kind: 'none' } : { kind: 'all' });
  assert.deepEqual(await find('Encounter', 'location:below=Location/hospital', noWards), []);
  const own: Access = () => ({ kind: 'organisations', guids: [ORG] });
  assert.deepEqual(await find('Observation', '_content=poodle', own), ['o-poodle']);
  assert.deepEqual(await find('Observation', '_content=barking', own), []);
});
