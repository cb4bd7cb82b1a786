// The content of access records (decisions G9, L4). The tests check the care unit of the caller, refused accesses to
// patients' data, and the patient that a search names, whatever it finds. The log line of a request names its target
// and no personnummer.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { resourceKey } from '#fhir/search/extract/keys.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { LOCAL_ORGANISATION } from '#lib/auth/data-scope.ts';
import { BASE_URL, ORGANISATION, OTHER_ORGANISATION, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { eventRecorder } from '#test/support/engine/recorded-events.ts';
import { observationOf } from '#test/support/fhir/observation.ts';
import { makeKey, makePrincipal } from '#test/support/http-app.ts';

const TWO = '01900000-0000-7000-8000-0000000000b2';
const phases = new Set(['planning', 'analysis']);
const both = { organisationGuids: [OTHER_ORGANISATION, ORGANISATION], phases };
const site = await startTestEngine(
  { after },
  {
    callers: {
      two: makePrincipal(['patient'], { patientGuid: TWO }),
      both: makePrincipal(['professional', 'clinician'], both),
      writer: principalOfKey({ keyGuid: '01900000-0000-7000-8000-0000000000c2', scopes: ['system/Observation.cu'] }),
      wide: makeKey('system/*.cruds'),
    },
  },
);
const { call, database, logLines } = site;
const eventsThatComeOf = eventRecorder(database);

interface Event {
  readonly code: { readonly coding: readonly [{ readonly code: string }] };
  readonly outcome: {
    readonly code: { readonly code: string };
    readonly detail?: readonly { readonly text: string }[];
  };
  readonly patient?: { readonly reference: string };
  readonly entity?: readonly { readonly what: { readonly reference?: string; readonly display?: string } }[];
  readonly agent: readonly { readonly type?: object; readonly who: { readonly reference?: string } }[];
}

/** The events that come of what is done, as they are stored. */
async function eventsOf(work: () => Promise<unknown>): Promise<Event[]> {
  const events = (await eventsThatComeOf(work)) as Event[];
  for (const event of events) assert.deepEqual(validateResource(event), [], JSON.stringify(event));
  return events;
}

const unitsOf = ({ agent }: Event) => agent.slice(1).map(({ who }) => who.reference ?? JSON.stringify(who));
const short = ({ code, outcome, patient, entity }: Event) =>
  [
    code.coding[0].code,
    outcome.code.code,
    patient?.reference ?? '-',
    (entity ?? []).flatMap(({ what }) => what.reference ?? what.display ?? []).join(' '),
  ]
    .join(' ')
    .trim();

const asking = (type: string, method: string, url: string) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ request: { method, url } }],
});
const observation = (id: string, patient: string) => observationOf(id, `Patient/${patient}`);

before(async () => {
  for (const [caller, patient, id] of [
    ['planner', PATIENT, 'one'],
    ['stranger', TWO, 'two'],
  ] as const) {
    assert.equal(
      (await call(caller, 'PUT', `/Patient/${patient}`, { resourceType: 'Patient', id: patient })).status,
      201,
    );
    assert.equal((await call(caller, 'PUT', `/Observation/${id}`, observation(id, patient))).status, 201);
  }
});

test('each event names the care unit: the caller’s, of several that to which the record belongs', async () => {
  for (const [caller, path, units] of [
    ['planner', `/Patient/${PATIENT}`, [`Organization/${ORGANISATION}`]],
    ['both', `/Patient/${PATIENT}`, [`Organization/${ORGANISATION}`]],
    ['both', `/Patient/${TWO}`, [`Organization/${OTHER_ORGANISATION}`]],
    ['both', '/Patient?identifier=urn:none|1', [`Organization/${OTHER_ORGANISATION}`]],
    ['patient', `/Patient/${PATIENT}`, []],
    ['admin', `/Patient/${PATIENT}`, []],
  ] as const) {
    const [event] = await eventsOf(() => call(caller, 'GET', path));
    assert.ok(event !== undefined);
    assert.deepEqual(unitsOf(event), units, `${caller} ${path}`);
  }
  const [event] = await eventsOf(() => call('wide', 'GET', '/Patient'));
  assert.match(unitsOf(event as Event)[0] ?? '', new RegExp(LOCAL_ORGANISATION));
  const found = await eventsOf(() => call('both', 'GET', '/Observation'));
  assert.deepEqual(
    found.map((each) => [each.patient?.reference, ...unitsOf(each)]).sort(),
    [
      [`Patient/${PATIENT}`, `Organization/${ORGANISATION}`],
      [`Patient/${TWO}`, `Organization/${OTHER_ORGANISATION}`],
    ].sort(),
  );
  const changed = await eventsOf(() => call('both', 'PUT', '/Observation/one', observation('one', PATIENT)));
  assert.deepEqual(changed.map(unitsOf), [[`Organization/${ORGANISATION}`]]);
});

test('a refused access is recorded for the patient of the resource, and nothing for an unknown resource', async () => {
  for (const [caller, method, path, body, expected] of [
    ['stranger', 'GET', `/Patient/${PATIENT}`, undefined, `patient.read error Patient/${PATIENT} Patient/${PATIENT}`],
    ['two', 'GET', '/Observation/one', undefined, `observation.read error Patient/${PATIENT} Observation/one`],
    [
      'stranger',
      'GET',
      '/Observation/one/_history',
      undefined,
      `observation.read error Patient/${PATIENT} Observation/one`,
    ],
    [
      'stranger',
      'GET',
      `/Patient/${PATIENT}/$everything`,
      undefined,
      `patient.read error Patient/${PATIENT} Patient/${PATIENT}`,
    ],
    ['idle', 'GET', '/Observation/one', undefined, `observation.read error Patient/${PATIENT} Observation/one`],
    [
      'stranger',
      'PUT',
      '/Observation/one',
      observation('one', TWO),
      `observation.update error Patient/${PATIENT} Observation/one`,
    ],
    [
      'stranger',
      'DELETE',
      '/Observation/one',
      undefined,
      `observation.delete error Patient/${PATIENT} Observation/one`,
    ],
    ...(['batch', 'transaction'] as const).map(
      (type) =>
        [
          'stranger',
          'POST',
          '/',
          asking(type, 'DELETE', `Patient/${PATIENT}`),
          `patient.delete error Patient/${PATIENT} Patient/${PATIENT}`,
        ] as const,
    ),
    ...(['batch', 'transaction'] as const).map(
      (type) =>
        [
          'stranger',
          'POST',
          '/',
          asking(type, 'GET', `Patient/${PATIENT}`),
          `patient.read error Patient/${PATIENT} Patient/${PATIENT}`,
        ] as const,
    ),
  ] as const) {
    const events = await eventsOf(() => call(caller, method, path, body));
    assert.deepEqual(events.map(short), [expected], `${caller} ${method} ${path} ${JSON.stringify(body)}`);
  }
  for (const [caller, path] of [
    ['stranger', '/Patient/nobody'],
    ['planner', `/Patient/${PATIENT}/_history/77`],
    [undefined, `/Patient/${PATIENT}`],
  ] as const)
    assert.deepEqual(await eventsOf(() => call(caller, 'GET', path)), [], path);
});

test('a search that names a patient is recorded as about them, whatever it finds and shows', async () => {
  const about = `observation.search success Patient/${PATIENT} Observation`;
  for (const query of [
    `subject=Patient/${PATIENT}&_summary=count`,
    `subject=${PATIENT}&_count=0&_total=accurate`,
    `patient=${PATIENT}&code=urn:none|1`,
    `patient=${BASE_URL}/Patient/${PATIENT}&code=urn:none|1`,
    `subject:Patient=${PATIENT}&code=urn:none|1`,
    `subject:Patient._id=${PATIENT}&code=urn:none|1`,
  ])
    for (const caller of ['planner', 'stranger'])
      assert.deepEqual((await eventsOf(() => call(caller, 'GET', `/Observation?${query}`))).map(short), [about], query);
  const within = await eventsOf(() => call('planner', 'GET', `/Patient/${PATIENT}/Observation?_summary=count`));
  assert.deepEqual(within.map(short), [about]);
  const byId = await eventsOf(() => call('planner', 'GET', `/Patient?_id=${PATIENT}&_summary=count`));
  assert.deepEqual(byId.map(short), [`patient.search success Patient/${PATIENT} Patient`]);
  const several = await eventsOf(() =>
    call('planner', 'GET', `/Observation?subject=Patient/${PATIENT},Patient/${TWO}`),
  );
  assert.deepEqual(several.map(short).sort(), [
    `observation.search success Patient/${PATIENT} Observation/one`,
    `observation.search success Patient/${TWO} Observation`,
  ]);
  const shown = await eventsOf(() => call('planner', 'GET', `/Observation?subject=Patient/${PATIENT}`));
  assert.deepEqual(shown.map(short), [`observation.search success Patient/${PATIENT} Observation/one`]);
});

test('a refused search is recorded for the patients that it names, by GET, by POST and in a bundle', async () => {
  const about = `observation.search error Patient/${PATIENT} Observation`;
  const form = async (path: string, body: string) =>
    site.app.inject({
      method: 'POST',
      url: `/api/v1${path}`,
      headers: { authorization: 'Bearer idle', 'content-type': 'application/x-www-form-urlencoded' },
      payload: body,
    });
  const bundle = (type: string) => asking(type, 'GET', `Observation?subject=Patient/${PATIENT}`);
  for (const [name, ask] of Object.entries({
    get: () => call('idle', 'GET', `/Observation?subject=Patient/${PATIENT}`),
    inTheAddress: () => form(`/Observation/_search?patient=${PATIENT}`, '_count=1'),
    inTheForm: () => form('/Observation/_search', `_count=1&subject=Patient/${PATIENT}`),
    besideALongName: () => form('/Observation/_search', `patient=${PATIENT}&${'a.'.repeat(400_000)}=x`),
    besideAnUnreadableForm: () => form(`/Observation/_search?patient=${PATIENT}`, 'code=%ff'),
    compartmentByForm: () => form(`/Patient/${PATIENT}/Observation/_search`, '_count=1'),
    ofAChain: () => call('idle', 'GET', `/Observation?encounter.patient=${PATIENT}`),
    ofAChainById: () => call('idle', 'GET', `/Observation?subject._id=${PATIENT}`),
    ofReferrers: () => call('idle', 'GET', `/Observation?_has:Provenance:target:patient=${PATIENT}`),
    compartment: () => call('idle', 'GET', `/Patient/${PATIENT}/Observation`),
    batch: () => call('idle', 'POST', '/', bundle('batch')),
    transaction: () => call('idle', 'POST', '/', bundle('transaction')),
  }))
    assert.deepEqual((await eventsOf(ask)).map(short), [about], name);
  const answers = [
    await form('/Observation/_search', `patient=${PATIENT}`),
    await form('/Observation/_search', 'code=%ff'),
  ];
  for (const { statusCode, body } of answers)
    assert.deepEqual([statusCode, JSON.parse(body).issue[0].code], [403, 'forbidden']);
  const several = await eventsOf(() => call('idle', 'GET', `/Observation?patient=${PATIENT},${TWO}`));
  assert.deepEqual(several.map(short).sort(), [about, about.replace(PATIENT, TWO)].sort());
  const nobody = await eventsOf(() => call('idle', 'GET', '/Observation?code=urn:none|1'));
  assert.deepEqual(nobody.map(short), ['observation.search error - Observation']);
  assert.deepEqual(await eventsOf(() => call('patient', 'GET', '/ValueSet?url=urn:none')), [], 'nobody’s data');
  const [read] = await eventsOf(() => call('idle', 'POST', '/', asking('transaction', 'GET', 'Observation/one')));
  assert.equal(short(read as Event), `observation.read error Patient/${PATIENT} Observation/one`);
});

test('a refused search of all types is recorded about whom it names, by itself and in a bundle; so are operations and histories', async () => {
  const inBundle = (type: string, url: string, caller = 'idle') => call(caller, 'POST', '/', asking(type, 'GET', url));
  const query = `_type=Observation&patient=${PATIENT}`;
  const within = `Patient/${PATIENT}/*?_type=Observation`;
  const about = `system.search error Patient/${PATIENT}`;
  const headers = { authorization: 'Bearer idle', 'content-type': 'application/x-www-form-urlencoded' };
  for (const [name, ask] of Object.entries({
    get: () => call('idle', 'GET', `/?${query}`),
    form: () => site.app.inject({ method: 'POST', url: '/api/v1/_search', headers, payload: query }),
    batch: () => inBundle('batch', `?${query}`),
    transaction: () => inBundle('transaction', `?${query}`),
    compartment: () => call('idle', 'GET', `/${within}`),
    compartmentInBatch: () => inBundle('batch', within),
    compartmentInTransaction: () => inBundle('transaction', within),
  }))
    assert.deepEqual((await eventsOf(ask)).map(short), [about], name);
  for (const type of ['batch', 'transaction']) {
    const nobody = await eventsOf(() => inBundle(type, '?_type=Observation'));
    assert.deepEqual(nobody.map(short), ['system.search error -'], type);
    const everything = await eventsOf(() => inBundle(type, `Patient/${PATIENT}/$everything`, 'stranger'));
    assert.deepEqual(everything.map(short), [`patient.read error Patient/${PATIENT} Patient/${PATIENT}`], type);
    const history = await eventsOf(() => inBundle(type, 'Observation/_history'));
    assert.deepEqual(history.map(short), ['observation.history-type error - Observation'], type);
  }
  const history = await eventsOf(() => call('idle', 'GET', '/Observation/_history'));
  assert.deepEqual(history.map(short), ['observation.history-type error - Observation']);
  const ofAll = await eventsOf(() => call('service', 'GET', '/_history'));
  assert.deepEqual(ofAll.map(short), ['system.history-system error -']);
});

const CONDITION = {
  clinicalStatus: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }] },
};

test('a refused conditional write is recorded about whom its condition names, without what it says of them', async () => {
  const number = '199001012384';
  // A patient may report Observations, and writes no Condition.
  const source = { resourceType: 'Condition', ...CONDITION, subject: { reference: `Patient/${PATIENT}` } };
  const condition = `patient=${PATIENT}&identifier=${number}`;
  const inBundle = (type: string, request: object, resource: object | undefined = source) =>
    call('patient', 'POST', '/', { resourceType: 'Bundle', type, entry: [{ request, resource }] });
  const asked = (method: 'PUT' | 'DELETE' | 'POST', url: string, headers = {}) =>
    site.app.inject({
      method,
      url: `/api/v1${url}`,
      headers: { authorization: 'Bearer patient', 'content-type': 'application/fhir+json', ...headers },
      ...(method === 'DELETE' ? {} : { payload: JSON.stringify(source) }),
    });
  const url = `Condition?${condition}`;
  for (const [event, ask] of [
    ['update', () => asked('PUT', `/${url}`)],
    ['delete', () => asked('DELETE', `/${url}`)],
    ['create', () => asked('POST', '/Condition', { 'if-none-exist': condition })],
    ...['batch', 'transaction'].flatMap(
      (type) =>
        [
          ['update', () => inBundle(type, { method: 'PUT', url })],
          ['delete', () => call('patient', 'POST', '/', asking(type, 'DELETE', url))],
          ['create', () => inBundle(type, { method: 'POST', url: 'Condition', ifNoneExist: condition })],
        ] as const,
    ),
  ] as const) {
    const events = await eventsOf(ask);
    assert.deepEqual(events.map(short), [`condition.${event} error Patient/${PATIENT} Condition`], event);
    assert.ok(!JSON.stringify(events).includes(number));
  }
  assert.deepEqual(await eventsOf(() => asked('POST', '/Condition')), [], 'asks about nobody');
});

test('who may write and not search is recorded about whom a condition or a conditional reference names', async () => {
  const { id: _, ...source } = observation('x', PATIENT);
  const referring = { ...source, subject: { reference: `Patient?_id=${PATIENT}` } };
  const type = { authorization: 'Bearer writer', 'content-type': 'application/fhir+json' };
  const asked = (method: 'PUT' | 'POST', { url, ifNoneExist }: Record<string, string>, resource: object) => {
    const headers = ifNoneExist === undefined ? type : { ...type, 'if-none-exist': ifNoneExist };
    return site.app.inject({ method, url: `/api/v1/${url}`, headers, payload: JSON.stringify(resource) });
  };
  const first = { request: { method: 'POST', url: 'Observation' }, resource: source };
  const update = `observation.update error Patient/${PATIENT} Observation`;
  const create = `observation.create error Patient/${PATIENT} Observation`;
  const reference = `patient.search error Patient/${PATIENT} Patient`;
  for (const [event, method, request, resource] of [
    [update, 'PUT', { url: `Observation?patient=${PATIENT}` }, source],
    [create, 'POST', { url: 'Observation', ifNoneExist: `patient=${PATIENT}` }, source],
    [create, 'POST', { url: 'Observation', ifNoneExist: `Observation?patient=${PATIENT}` }, source],
    [reference, 'POST', { url: 'Observation' }, referring],
    [reference, 'PUT', { url: 'Observation/new' }, { ...referring, id: 'new' }],
  ] as const) {
    const own = { request: { method, ...request }, resource };
    const inBundle = (type: string, entry: readonly object[]) =>
      call('writer', 'POST', '/', { resourceType: 'Bundle', type, entry });
    const single = () => asked(method, request, resource);
    for (const ask of [single, () => inBundle('batch', [own]), () => inBundle('transaction', [first, own])])
      assert.deepEqual((await eventsOf(ask)).map(short), [event], `${JSON.stringify(request)} ${ask}`);
  }
});

test('a search by identifier is recorded for the patients that it finds, else for none, without the number', async () => {
  const system = 'http://electronichealth.se/identifier/personnummer';
  const number = '191212121212';
  const unknown = '201212121212';
  const identifier = [{ system, value: number }];
  const patient = { resourceType: 'Patient', id: PATIENT, identifier };
  assert.equal((await call('planner', 'PUT', `/Patient/${PATIENT}`, patient)).status, 200);
  const search = async (path: string) => {
    const events = await eventsOf(() => call('planner', 'GET', path));
    assert.ok(!JSON.stringify(events).includes(unknown), path);
    assert.ok(!logLines.join('').includes(unknown), path);
    return events.map((event) => [short(event), event.outcome.detail?.[0]?.text]);
  };
  const found = [`patient.search success Patient/${PATIENT} Patient/${PATIENT}`, undefined];
  for (const more of ['', '&_summary=count', '&_count=0&_total=accurate'])
    assert.deepEqual(await search(`/Patient?identifier=${system}|${number}${more}`), [found], more);
  assert.deepEqual(await search(`/Observation?subject:Patient.identifier=${number}&_summary=count`), [
    [`observation.search success Patient/${PATIENT} Observation/one`, undefined],
  ]);
  for (const more of ['', '&_summary=count', '&_sort=family&_count=5'])
    assert.deepEqual(
      await search(`/Patient?identifier=${system}|${unknown}&birthdate=2012-12-12${more}`),
      [['patient.search success - Patient', 'nothing found; asked by identifier, birthdate']],
      more,
    );
  assert.deepEqual(await search(`/?_type=Patient&identifier=${unknown}`), [
    ['system.search success -', 'nothing found; asked by identifier'],
  ]);
  assert.deepEqual(await search(`/?_type=Patient&identifier=${number}&_summary=count`), [
    [`system.search success Patient/${PATIENT} Patient/${PATIENT}`, undefined],
  ]);
});

test('the line of a request names its target, and never an id that may be a number of a person', async () => {
  const number = '191212121212';
  const targetOf = async (path: string, method: 'GET' | 'PUT' = 'GET', body?: object): Promise<unknown> => {
    logLines.length = 0;
    await call('planner', method, path, body);
    const lines = logLines.map((line): Record<string, unknown> => JSON.parse(line));
    const line = lines.find(({ event }) => event === 'request.completed');
    assert.ok(!logLines.join('').includes(number), path);
    return line?.['target'];
  };
  assert.equal(await targetOf(`/Patient/${PATIENT}`), `Patient/${PATIENT}`);
  assert.equal(await targetOf(`/Patient/${PATIENT}/_history/1`), `Patient/${PATIENT}`);
  const person = { resourceType: 'Patient', id: number };
  assert.equal(await targetOf(`/Patient/${number}`, 'PUT', person), `Patient/${resourceKey(number)}`);
  assert.equal(await targetOf(`/concepts/${TWO}`), `concepts/${TWO}`);
  assert.equal(await targetOf('/concepts/no-guid'), undefined);
  assert.equal(await targetOf('/provider-tasks/not-a-guid-but-a-secret'), undefined);
  assert.equal(await targetOf('/Patient'), undefined);
});
