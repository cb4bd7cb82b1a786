// A record that names several patients is visible to none of them (decision G7, docs/adr/0049), for every type, element
// and interaction. Staff see it. A record that names one patient is visible to that patient.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { BASE_URL, PATIENT as ONE, startTestEngine } from '#test/support/engine/engine.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const TWO = '01900000-0000-7000-8000-0000000000b2';
const { call, database } = await startTestEngine(
  { after },
  { callers: { two: makePrincipal(['patient'], { patientGuid: TWO }) } },
);

const WORD = 'sharedword';
const at = (id: string) => ({ reference: `Patient/${id}` });
const code = { text: WORD, coding: [{ system: 'urn:words', code: WORD }] };
const anonymous = { display: WORD };
const observation = { resourceType: 'Observation', status: 'final', code, subject: at(ONE) };
const composition = {
  resourceType: 'Composition',
  status: 'final',
  type: code,
  title: WORD,
  date: '2026-03-01',
  author: [anonymous],
};

type Json = Readonly<Record<string, unknown>>;

/** Each names the first patient and, in some place, somebody else. */
const SHARED: Readonly<Record<string, Json>> = {
  group: {
    resourceType: 'Group',
    type: 'person',
    membership: 'enumerated',
    name: WORD,
    member: [{ entity: at(ONE) }, { entity: { ...at(TWO), display: WORD } }],
  },
  'group-by-name': {
    resourceType: 'Group',
    type: 'person',
    membership: 'enumerated',
    name: WORD,
    member: [{ entity: at(ONE) }, { entity: { display: WORD } }],
  },
  appointment: {
    resourceType: 'Appointment',
    status: 'proposed',
    description: WORD,
    participant: [ONE, TWO].map((id) => ({ actor: at(id), status: 'accepted' })),
  },
  list: {
    resourceType: 'List',
    status: 'current',
    mode: 'working',
    title: WORD,
    subject: [at(ONE)],
    entry: [{ item: at(TWO) }],
  },
  encounter: {
    resourceType: 'Encounter',
    status: 'planned',
    type: [code],
    subject: at(ONE),
    participant: [{ actor: at(TWO) }],
  },
  composition: { ...composition, subject: [at(ONE), at(TWO)] },
  section: { ...composition, subject: [at(ONE)], section: [{ title: WORD, focus: at(TWO), entry: [anonymous] }] },
  communication: {
    resourceType: 'Communication',
    status: 'completed',
    topic: code,
    subject: at(ONE),
    recipient: [at(ONE), at(TWO)],
  },
  task: { resourceType: 'Task', status: 'requested', intent: 'order', code, for: at(ONE), requester: at(TWO) },
  provenance: {
    resourceType: 'Provenance',
    activity: code,
    target: [at(ONE), at(TWO)],
    agent: [{ who: { display: 'the clinic' } }],
  },
  'care-team': { resourceType: 'CareTeam', name: WORD, subject: at(ONE), participant: [{ member: at(TWO) }] },
  'by-address': { ...observation, focus: [{ reference: `${BASE_URL}/Patient/${TWO}` }] },
  'by-other-server': { ...observation, focus: [{ reference: 'https://elsewhere.example/fhir/Patient/1' }] },
  'by-number': {
    ...observation,
    focus: [{ identifier: { system: 'urn:oid:1.2.752.129.2.1.3.1', value: '191212121212' } }],
  },
  'by-type': { ...observation, focus: [{ type: 'Patient', display: WORD }] },
  'in-note': { ...observation, note: [{ authorReference: at(TWO), text: WORD }] },
  'in-extension': { ...observation, extension: [{ url: 'urn:twin', valueReference: at(TWO) }] },
  contained: {
    ...observation,
    contained: [{ resourceType: 'Patient', id: 'p', name: [{ family: WORD }] }],
    focus: [{ reference: '#p' }],
  },
};

/** Each names the first patient, several times and in several ways, and no other person who is a patient. */
const SOLE: Readonly<Record<string, Json>> = {
  appointment: {
    resourceType: 'Appointment',
    status: 'proposed',
    participant: [
      { actor: at(ONE), status: 'accepted' },
      { actor: { reference: 'Practitioner/p' }, status: 'accepted' },
      { actor: { display: 'Dr Berg' }, status: 'accepted' },
    ],
  },
  group: { resourceType: 'Group', type: 'person', membership: 'enumerated', member: [{ entity: at(ONE) }] },
  observation: {
    ...observation,
    code: { text: 'own' },
    focus: [{ reference: `${BASE_URL}/Patient/${ONE}` }],
    performer: [at(ONE), { reference: 'RelatedPerson/r' }],
    note: [{ authorReference: { reference: `Patient/${ONE}/_history/1` }, text: 'own' }],
  },
};

before(async () => {
  for (const id of [ONE, TWO])
    assert.equal((await call('planner', 'PUT', `/Patient/${id}`, { resourceType: 'Patient', id })).status, 201);
  for (const [group, resources] of [
    ['shared', SHARED],
    ['sole', SOLE],
  ] as const)
    for (const [name, resource] of Object.entries(resources)) {
      const id = `${group}-${name}`;
      const { status, text } = await call('planner', 'PUT', `/${resource['resourceType']}/${id}`, { ...resource, id });
      assert.equal(status, 201, text);
    }
});

const addresses = Object.entries(SHARED).map(([name, { resourceType }]) => `${resourceType}/shared-${name}`);
const types = [...new Set(Object.values(SHARED).map(({ resourceType }) => String(resourceType)))];

const PATHS: readonly string[] = [
  ...addresses.flatMap((address) => [address, `${address}/_history`, `${address}/_history/1`]),
  ...types.flatMap((type) => [
    type,
    `${type}/_history`,
    `${type}?_include=*&_include:iterate=*&_revinclude=*`,
    `${type}?_sort=-_lastUpdated&_count=1`,
  ]),
  ...[ONE, TWO].flatMap((id) => [
    `Patient/${id}/$everything`,
    ...types.map((type) => `Patient/${id}/${type}`),
    `Patient?_id=${id}&_revinclude=*&_revinclude:iterate=*`,
  ]),
  '_history?_count=200',
  `Patient/${ONE}/*`,
];

/** What the answers say of what is shared. */
async function leaks(caller: string): Promise<string[]> {
  const found: string[] = [];
  for (const path of PATHS) {
    const { status, text } = await call(caller, 'GET', `/${path}`);
    assert.notEqual(status, 500, `${path} ${text}`);
    const isAddress = addresses.some((address) => path.startsWith(address));
    if (text.includes(WORD) || (!isAddress && text.includes('/shared-'))) found.push(path);
    if (isAddress && status !== 404) found.push(`${path} ${status}`);
  }
  return found;
}

for (const caller of ['patient', 'two'])
  test(`${caller} is shown nothing that names another patient`, async () => {
    assert.deepEqual(await leaks(caller), []);
  });

test('no total, chain or condition shows it', async () => {
  for (const type of types) {
    for (const query of ['_summary=count', `_content=${WORD}`, '_total=accurate&_count=0']) {
      const { body } = await call('two', 'GET', `/${type}?${query}`);
      assert.equal(body.total, 0, `${type}?${query}`);
    }
  }
  for (const path of [
    `Patient?_has:Observation:patient:code=${WORD}`,
    `Patient?_has:CareTeam:patient:name=${WORD}`,
    `Patient?_has:Appointment:patient:status=proposed&_id=${TWO}`,
    'Patient?_in=Group/shared-group',
    'Patient?_list=shared-list',
  ]) {
    const { body } = await call('two', 'GET', `/${path}`);
    assert.equal(body.total ?? 0, 0, path);
  }
});

test('what names one patient alone is shown to that patient, and all is shown to staff', async () => {
  for (const [name, { resourceType }] of Object.entries(SOLE)) {
    const address = `${resourceType}/sole-${name}`;
    assert.equal((await call('patient', 'GET', `/${address}`)).status, 200, address);
    assert.equal((await call('patient', 'GET', `/${address}/_history/1`)).status, 200, address);
    const { body } = await call('patient', 'GET', `/${resourceType}`);
    assert.deepEqual(
      body.entry.map(({ resource }: { resource: { id: string } }) => resource.id),
      [`sole-${name}`],
    );
    assert.equal((await call('two', 'GET', `/${address}`)).status, 404, address);
  }
  for (const address of addresses) assert.equal((await call('planner', 'GET', `/${address}`)).status, 200, address);
});

test('an older version that named somebody else stays hidden, and one that did not is shown', async () => {
  const shared = { ...SHARED['in-note'], id: 'changing' };
  const sole = { ...observation, id: 'changing', code: { text: 'own' } };
  for (const body of [shared, sole]) await call('planner', 'PUT', '/Observation/changing', body);
  assert.equal((await call('patient', 'GET', '/Observation/changing')).status, 200);
  assert.equal((await call('patient', 'GET', '/Observation/changing/_history/1')).status, 404);
  const history = await call('patient', 'GET', '/Observation/changing/_history');
  assert.deepEqual([history.body.entry.length, history.text.includes(WORD)], [1, false]);
  assert.equal((await call('planner', 'PUT', '/Observation/changing', shared)).status, 200);
  assert.equal((await call('patient', 'GET', '/Observation/changing')).status, 404);
});

/** These are found by a reindex alone. */
const BY_REINDEX = ['group-by-name', 'by-number', 'by-type'];

test('the migration finds those that were stored before', async () => {
  const migration = await readFile('fhir/store/migrations/0150_named_patients.sql', 'utf8');
  const named = types.map((type) => nameKey(`${type}.$named`));
  await database.query('DELETE FROM fhir_reference WHERE param = ANY($1::int[])', [named]);
  await database.transaction((tx) => tx.query(migration));
  for (const [name, { resourceType }] of Object.entries(SHARED)) {
    const { status } = await call('patient', 'GET', `/${resourceType}/shared-${name}`);
    assert.equal(status, BY_REINDEX.includes(name) ? 200 : 404, name);
  }
  for (const [name, { resourceType }] of Object.entries(SOLE))
    assert.equal((await call('patient', 'GET', `/${resourceType}/sole-${name}`)).status, 200, name);
});
