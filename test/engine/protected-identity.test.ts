// Protected identity (decision L1, docs/adr/0076). A caller who is not named gets for a protected Patient the response
// for one that does not exist, by every way of asking. The owner's staff, whom its labels name, and the person see it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ORGANISATION, OTHER_ORGANISATION, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { RECORDED_EVENTS } from '#test/support/engine/recorded-events.ts';
import { eventually } from '#test/support/http.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { comparableResponse, type PairedRequest } from '#test/support/paired-responses.ts';

const ABSENT = '01900000-0000-7000-8000-0000000000f1';
const OPEN = '01900000-0000-7000-8000-0000000000f2';
const ORIGIN = '01900000-0000-7000-8000-0000000000e';
const staff = ['professional', 'clinician'] as const;
const callers = {
  named: makePrincipal([...staff, 'admin'], { id: `${ORIGIN}1` }),
  ofNamed: makePrincipal([...staff, 'admin'], { id: `${ORIGIN}2`, organisationGuids: [OTHER_ORGANISATION] }),
  ofOwner: makePrincipal([...staff, 'admin'], { id: `${ORIGIN}3`, organisationGuids: [ORGANISATION] }),
  officer: makePrincipal([...staff, 'privacy_officer'], { id: `${ORIGIN}4` }),
};
const { app, call, engine, database } = await startTestEngine({ after }, { callers });

const READER = 'https://kedja.dev/codes/protected-identity-reader';
const SWEDISH = { system: 'http://hl7.se/fhir/ig/base/CodeSystem/SecurityLabel', code: 'sekretessmarkering' };
const patient = (id: string, street: string, security: readonly object[] = []) => ({
  resourceType: 'Patient',
  id,
  ...(security.length === 0 ? {} : { meta: { security } }),
  name: [{ family: `Family${street}` }],
  telecom: [{ system: 'phone', value: `070${street}` }],
  address: [{ line: [street], city: `City${street}` }],
  managingOrganization: { reference: `Organization/${ORGANISATION}` },
  generalPractitioner: [{ display: `Doctor ${street}` }],
});
const put = async (resource: ReturnType<typeof patient>) => {
  const answer = await call('planner', 'PUT', `/Patient/${resource.id}`, resource);
  assert.ok(answer.status < 300, answer.text);
};

before(async () => {
  await put(patient(PATIENT, 'Hemlig', []));
  await put(patient(PATIENT, 'Hemlig', [SWEDISH, { system: READER, code: `${ORIGIN}1` }]));
  await put(patient(OPEN, 'Storgatan'));
  const subject = { reference: `Patient/${PATIENT}` };
  const observation = { resourceType: 'Observation', status: 'final', code: { text: 'x' }, subject };
  assert.equal((await call('planner', 'POST', '/Observation', observation)).status, 201);
});

interface Pair {
  readonly ask: (name: string) => PairedRequest;
  /** What is there and protected, and what is not there; the ids when left out. */
  readonly names?: readonly [string, string];
}
const get = (path: (name: string) => string, names?: readonly [string, string]): Pair => ({
  ask: (name) => ({ method: 'GET', path: path(name) }),
  ...(names === undefined ? {} : { names }),
});
const street = ['Hemlig', 'Ingenst'] as const;
const PAIRS: readonly Pair[] = [
  get((id) => `/Patient/${id}`),
  get((id) => `/Patient/${id}/_history`),
  get((id) => `/Patient/${id}/_history/1`),
  get((id) => `/Patient/${id}/$everything`),
  get((id) => `/Patient?_id=${id}`),
  get((id) => `/Patient?_id=${id}&_total=accurate&_summary=count`),
  get((id) => `/?_type=Patient,Observation&_id=${id}`),
  get((name) => `/Patient?address=${name}`, street),
  get((name) => `/Patient?address=${name}&_summary=count`, street),
  get((name) => `/Patient?address-city=City${name}&_total=accurate`, street),
  get((name) => `/Patient?address:contains=${name}&_sort=address-city`, street),
  get((name) => `/Patient?telecom=070${name}`, street),
  get((name) => `/Patient?family=Family${name}`, street),
  get((name) => `/Patient?_filter=address co "${name}"`, street),
  get((name) => `/Patient?_content=${name}`, street),
  get((name) => `/Patient?address=${name}&_elements=id`, street),
  get((name) => `/Observation?subject:Patient.address=${name}`, street),
  get((name) => `/Observation?subject:Patient.address=${name}&_summary=count`, street),
  get((name) => `/Patient?_has:Observation:subject:code:text=${name}`, street),
  get((code) => `/Patient?_security=${code}`, ['sekretessmarkering', 'another-label-code']),
  { ask: (name) => ({ method: 'POST', path: '/Patient/_search', body: `address=${name}` }), names: street },
  {
    ask: (id) => ({ method: 'PATCH', path: `/Patient/${id}`, body: [{ op: 'test', path: '/gender', value: 'male' }] }),
  },
  { ask: (id) => ({ method: 'DELETE', path: `/Patient/${id}` }) },
  { ask: (id) => ({ method: 'GET', path: `/Patient/${id}`, headers: { 'if-none-match': 'W/"2"' } }) },
  { ask: (id) => ({ method: 'DELETE', path: `/Patient/${id}`, headers: { 'if-match': 'W/"2"' } }) },
  {
    ask: (id) => ({
      method: 'POST',
      path: '/$batch',
      body: { resourceType: 'Bundle', type: 'batch', entry: [{ request: { method: 'GET', url: `Patient/${id}` } }] },
    }),
  },
];

test('an administrator who is not named gets the response for a Patient that does not exist', async () => {
  for (const { ask, names = [PATIENT, ABSENT] } of PAIRS) {
    const responseTo = (name: string) => comparableResponse(app, 'admin', ask(name), { NAME: name });
    const [there, absent] = [await responseTo(names[0]), await responseTo(names[1])];
    const { method, path } = ask(names[0]);
    assert.deepEqual(there, absent, `${method} ${path}`);
    assert.ok(there.status < 500, there.body);
  }
});

test('a list of all Patients, their history and what includes them leave it out', async () => {
  const ids = (body: { entry?: { resource?: { id: string } }[] }) =>
    (body.entry ?? []).map(({ resource }) => resource?.id);
  const all = (await call('admin', 'GET', '/Patient?_total=accurate')).body;
  assert.deepEqual([all.total, ids(all)], [1, [OPEN]]);
  for (const path of ['/Patient/_history', '/_history?_count=200']) {
    const { text } = await call('admin', 'GET', path);
    assert.doesNotMatch(text, /Hemlig/, path);
  }
  const included = await call('admin', 'GET', `/Observation?subject=Patient/${PATIENT}&_include=Observation:subject`);
  assert.equal(included.body.total, 1, 'what is about the person is seen');
  assert.doesNotMatch(included.text, /Hemlig/);
});

test('the owner’s staff, the named and the person see it, and find it by its address', async () => {
  for (const caller of ['planner', 'named', 'ofOwner', 'patient']) {
    const { status, text } = await call(caller, 'GET', `/Patient/${PATIENT}`);
    assert.deepEqual([status, text.includes('Hemlig')], [200, true], caller);
  }
  for (const caller of ['planner', 'named', 'ofOwner'])
    assert.equal((await call(caller, 'GET', '/Patient?address=Hemlig')).body.total, 1, caller);
  assert.equal((await call('ofOwner', 'GET', `/Patient/${PATIENT}/_history`)).body.entry.length, 2);
  assert.equal((await call('ofNamed', 'GET', `/Patient/${PATIENT}`)).status, 404);
  await put(patient(PATIENT, 'Hemlig', [SWEDISH, { system: READER, code: OTHER_ORGANISATION }]));
  assert.equal((await call('ofNamed', 'GET', `/Patient/${PATIENT}`)).status, 200);
  assert.equal((await call('named', 'GET', `/Patient/${PATIENT}`)).status, 404, 'no longer named');
});

test('each of the labels protects, and none other; without it everybody sees the Patient again', async () => {
  const confidentiality = 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality';
  for (const [label, status] of [
    [{ system: confidentiality, code: 'R' }, 404],
    [{ system: confidentiality, code: 'V' }, 404],
    [{ ...SWEDISH, code: 'skyddadFolkbokforing' }, 404],
    [{ system: confidentiality, code: 'N' }, 200],
    [{ system: 'urn:other', code: 'R' }, 200],
    [SWEDISH, 404],
  ] as const) {
    await put(patient(PATIENT, 'Hemlig', [label]));
    assert.equal((await call('admin', 'GET', `/Patient/${PATIENT}`)).status, status, JSON.stringify(label));
  }
});

test('a privacy officer who is not named sees no units; the person is', async () => {
  await engine.start();
  const rows = async (caller: string, query = '') =>
    (await call(caller, 'GET', `/access-log?patient=${PATIENT}&per_page=200${query}`)).body.data;
  await eventually('the log was there', async () => {
    engine.wake();
    return (await rows('patient')).length > 3 || undefined;
  });
  assert.ok((await rows('patient')).some(({ who }: { who: { unit: string | null } }) => who.unit !== null));
  for (const caller of ['officer', 'admin']) {
    assert.ok(
      (await rows(caller)).every(({ who }: { who: { unit: string | null } }) => who.unit === null),
      caller,
    );
    const asked = await call(caller, 'GET', `/access-log?patient=${PATIENT}&unit=x`);
    assert.deepEqual([asked.status, /'unit'/.test(asked.text)], [400, true]);
  }
  assert.ok((await rows('ofOwner')).some(({ who }: { who: { unit: string | null } }) => who.unit !== null));
});

test('the attempts are in the access record of the person', async () => {
  await eventually('the refusals were recorded', async () => {
    engine.wake();
    const { rows } = await database.query(
      `SELECT FROM ${RECORDED_EVENTS} WHERE resource LIKE $1 AND resource::jsonb @> $2 LIMIT 1`,
      [`%Patient/${PATIENT}%`, JSON.stringify({ outcome: { code: { code: 'error' } } })],
    );
    return rows.length > 0 || undefined;
  });
});
