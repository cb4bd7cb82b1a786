// The engine's FHIR routes, black-box (contract: engine, "FHIR resources"; decisions E1, E8, G7, G9, G12).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { newGuid } from '#lib/guid.ts';
import { BASE_URL, ORGANISATION, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { eventually } from '#test/support/http.ts';

const PROVIDER = '01900000-0000-7000-8000-0000000000c1';
const key = (scopes: string[], providerGuid?: string) => principalOfKey({ keyGuid: newGuid(), scopes, providerGuid });
const { app, call, engine, database, clock } = await startTestEngine(
  { after },
  {
    callers: {
      keyAll: key(['system/*.cruds']),
      keyCreator: key(['system/Patient.cu']),
      keyReader: key(['system/Patient.rs', 'system/Questionnaire.r']),
      provider: key([], PROVIDER),
      keyOfProvider: key(['system/*.cruds'], PROVIDER),
      keyOfAnother: key(['system/*.cruds'], '01900000-0000-7000-8000-0000000000c2'),
    },
  },
);

const patient = {
  resourceType: 'Patient',
  id: PATIENT,
  name: [{ family: 'Berg', given: ['Maj'] }],
  gender: 'female',
  birthDate: '1950-02-03',
};
const observation = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
  category: [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
  ],
  subject: { reference: `Patient/${PATIENT}` },
};

const made = await call('planner', 'PUT', `/Patient/${PATIENT}`, patient);
assert.equal(made.status, 201, made.text);

test('the six named types: create, read, update, search by their parameters, delete', async () => {
  const types = [
    {
      resource: { ...patient, id: undefined, name: [{ family: 'Ek' }] },
      search: 'name=ek&gender=female&birthdate=1950-02-03',
    },
    {
      resource: {
        resourceType: 'CarePlan',
        status: 'active',
        intent: 'plan',
        subject: { reference: `Patient/${PATIENT}` },
      },
      search: `subject=Patient/${PATIENT}&status=active&intent=plan`,
    },
    { resource: observation, search: `subject=Patient/${PATIENT}&category=vital-signs&code=29463-7` },
    {
      resource: { resourceType: 'PlanDefinition', status: 'draft', url: 'http://x.org/plan' },
      search: 'url=http://x.org/plan',
    },
    { resource: { resourceType: 'ValueSet', status: 'draft', url: 'http://x.org/vs' }, search: 'url=http://x.org/vs' },
    {
      resource: { resourceType: 'CodeSystem', status: 'draft', url: 'http://x.org/cs', content: 'complete' },
      search: 'url=http://x.org/cs',
    },
  ];
  for (const { resource, search } of types) {
    const type = resource.resourceType;
    const created = await call('planner', 'POST', `/${type}`, resource);
    assert.equal(created.status, 201, created.text);
    const { id } = created.body;
    assert.match(String(created.headers['content-type']), /^application\/fhir\+json/);
    assert.equal((await call('planner', 'GET', `/${type}/${id}`)).body.id, id);
    const found = await call('planner', 'GET', `/${type}?${search}`);
    assert.deepEqual(
      found.body.entry?.map((entry: { fullUrl: string }) => entry.fullUrl),
      [`${BASE_URL}/${type}/${id}`],
      type,
    );
    assert.deepEqual(validateResource(found.body), []);
    const updated = await call('planner', 'PUT', `/${type}/${id}`, { ...created.body, language: 'sv' });
    assert.deepEqual([updated.status, updated.body.meta.versionId], [200, '2'], updated.text);
    assert.equal((await call('planner', 'DELETE', `/${type}/${id}`)).status, 204);
    assert.deepEqual((await call('planner', 'GET', `/${type}/${id}`)).body.issue[0].code, 'deleted');
  }
});

test('invalid R5 is refused with every error', async () => {
  const bad = await call('planner', 'POST', '/Patient', {
    resourceType: 'Patient',
    gender: 'x',
    birthDate: '2020-13-01',
  });
  assert.equal(bad.status, 422);
  const places = bad.body.issue.map((issue: { expression: string[] }) => issue.expression[0]).sort();
  assert.deepEqual(places, ['Patient.birthDate', 'Patient.gender']);
});

test('whose data: organisations, patients, admins, and nobody else', async () => {
  const weight = await call('planner', 'POST', '/Observation', observation);
  const path = `/Observation/${weight.body.id}`;
  const statusFor = async (caller: string | undefined, address: string) => (await call(caller, 'GET', address)).status;
  for (const address of [path, `/Patient/${PATIENT}`]) {
    assert.equal(await statusFor('planner', address), 200);
    assert.equal(await statusFor('admin', address), 200);
    assert.equal(await statusFor('patient', address), 200);
    assert.equal(await statusFor('stranger', address), 404);
    assert.equal(await statusFor('service', address), 403);
    assert.equal(await statusFor('provider', address), 403);
    assert.equal(await statusFor(undefined, address), 401);
  }
  assert.equal(await statusFor('idle', path), 403);
  assert.equal((await call('stranger', 'GET', '/Observation')).body.total, 0);
  assert.equal((await call('patient', 'GET', '/Patient')).body.total, 1);
  assert.equal((await call('stranger', 'PUT', path, { ...weight.body, status: 'amended' })).status, 404);
  assert.equal((await call('patient', 'PUT', path, weight.body)).status, 403);
  const condition = { resourceType: 'Condition', subject: { reference: `Patient/${PATIENT}` } };
  assert.equal((await call('patient', 'POST', '/Condition', condition)).status, 403);
  // A chain or an include reaches no further than the caller may see.
  assert.equal((await call('idle', 'GET', `/Patient?_has:Observation:subject:status=final`)).body.total, 0);
  assert.equal((await call('stranger', 'GET', '/Observation?subject:Patient.name=Berg')).body.total, 0);
  const owner = await database.query('SELECT organisation FROM fhir_resource WHERE rid = $1', [weight.body.id]);
  assert.deepEqual(owner.rows, [{ organisation: ORGANISATION }]);
});

test('knowledge is open to all who may read it, written by planners', async () => {
  const form = { resourceType: 'Questionnaire', status: 'active', url: 'http://x.org/form', title: 'Form' };
  const created = await call('planner', 'POST', '/Questionnaire', form);
  for (const caller of ['planner', 'stranger', 'idle', 'service', 'admin', 'keyReader']) {
    assert.equal((await call(caller, 'GET', `/Questionnaire/${created.body.id}`)).status, 200, caller);
  }
  // A patient reads the own compartment, and a provider what was dispatched to it: nothing else (G7, G12).
  for (const caller of ['patient', 'provider']) {
    assert.equal((await call(caller, 'GET', `/Questionnaire/${created.body.id}`)).status, 403, caller);
    assert.equal((await call(caller, 'GET', '/Questionnaire')).status, 403, caller);
  }
  for (const caller of ['idle', 'patient', 'service', 'provider', 'keyReader']) {
    assert.equal((await call(caller, 'POST', '/Questionnaire', form)).status, 403, caller);
  }
});

test('directories are for those who work with them', async () => {
  const unit = await call('planner', 'POST', '/Organization', { resourceType: 'Organization', name: 'Vårdcentralen' });
  assert.equal((await call('service', 'GET', `/Organization/${unit.body.id}`)).status, 403);
  for (const caller of ['stranger']) {
    assert.equal((await call(caller, 'GET', `/Organization/${unit.body.id}`)).status, 200, caller);
  }
  for (const caller of ['patient', 'provider']) {
    assert.equal((await call(caller, 'GET', `/Organization/${unit.body.id}`)).status, 403);
    assert.equal((await call(caller, 'GET', '/Organization')).status, 403);
  }
});

test("an API key does what its scopes say, with its own organisation's data", async () => {
  const own = await call('keyAll', 'POST', '/Patient', { resourceType: 'Patient', gender: 'male' });
  assert.equal(own.status, 201, own.text);
  assert.equal((await call('keyReader', 'GET', `/Patient/${own.body.id}`)).status, 200);
  assert.equal((await call('keyReader', 'GET', `/Patient/${PATIENT}`)).status, 404);
  assert.equal((await call('keyReader', 'GET', '/Patient')).body.total, 1);
  const refused = [
    await call('keyReader', 'POST', '/Patient', { resourceType: 'Patient' }),
    await call('keyReader', 'PUT', `/Patient/${own.body.id}`, own.body),
    await call('keyReader', 'DELETE', `/Patient/${own.body.id}`),
    await call('keyReader', 'GET', '/Questionnaire'),
    await call('keyReader', 'GET', '/Observation'),
    await call('keyReader', 'GET', '/Questionnaire/_history'),
  ];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403, 403, 403, 403, 403],
  );
  assert.match(refused[4]?.body.issue[0].details.text, /no scope system\/Observation\.s/);
  assert.equal((await call('planner', 'GET', `/Patient/${own.body.id}`)).status, 404);
});

test('the histories that a key sees are of the types that its scopes let it search', async () => {
  for (const resource of [{ resourceType: 'Patient' }, { resourceType: 'Questionnaire', status: 'draft' }, observation])
    assert.equal((await call('keyAll', 'POST', `/${resource.resourceType}`, resource)).status, 201);
  const typesSeen = async (caller: string, query = '') => {
    const { status, body } = await call(caller, 'GET', `/_history?_count=1000${query}`);
    assert.equal(status, 200);
    return new Set((body.entry ?? []).map((entry: { fullUrl: string }) => entry.fullUrl.split('/').at(-2)));
  };
  assert.deepEqual(await typesSeen('keyReader'), new Set(['Patient']));
  assert.deepEqual(await typesSeen('keyReader', '&_type=Questionnaire'), new Set());
  assert.deepEqual(await typesSeen('keyCreator'), new Set());
  const all = await typesSeen('keyAll');
  for (const type of ['Patient', 'Questionnaire', 'Observation']) assert.ok(all.has(type), type);
});

test("the entries of a bundle are checked against the caller's own rights and scopes", async () => {
  const entry = (method: string, url: string, resource?: object) => ({ resource, request: { method, url } });
  const send = (caller: string, type: string, entries: object[]) =>
    call(caller, 'POST', `/$${type}`, { resourceType: 'Bundle', type, entry: entries });
  const batch = await send('keyReader', 'batch', [
    entry('GET', 'Patient'),
    entry('POST', 'Patient', { resourceType: 'Patient' }),
    entry('GET', 'Observation'),
  ]);
  const lines = batch.body.entry.map((each: { response: { status: string } }) => each.response.status);
  assert.deepEqual(lines, ['200 OK', '403 Forbidden', '403 Forbidden']);
  assert.match(batch.text, /no scope system\/Patient\.c/);
  assert.equal((await send('keyReader', 'transaction', [entry('GET', 'Observation')])).status, 403);
  assert.equal((await send('patient', 'transaction', [entry('GET', `Patient/${PATIENT}`)])).status, 200);
  assert.equal((await send('patient', 'transaction', [entry('DELETE', `Patient/${PATIENT}`)])).status, 403);
  assert.equal((await call(undefined, 'POST', '/$batch', {})).status, 401);
});

test('the capability statement is valid and lists what is registered', async () => {
  const { status, body } = await call(undefined, 'GET', '/metadata');
  assert.equal(status, 200);
  assert.deepEqual(validateResource(body, { resourceType: 'CapabilityStatement' }), []);
  assert.deepEqual([body.fhirVersion, body.rest[0].mode, body.url], ['5.0.0', 'server', `${BASE_URL}/metadata`]);
  const served = new Map<string, { interaction: { code: string }[] }>(
    body.rest[0].resource.map((resource: { type: string }) => [resource.type, resource]),
  );
  for (const type of [
    'Patient',
    'CarePlan',
    'Observation',
    'PlanDefinition',
    'ValueSet',
    'CodeSystem',
    'Appointment',
  ]) {
    assert.equal((await call('admin', 'GET', `/${type}?_count=0`)).status, 200, type);
    assert.ok(served.has(type), type);
  }
  assert.deepEqual(served.get('AuditEvent')?.interaction, [
    { code: 'create' },
    { code: 'read' },
    { code: 'search-type' },
  ]);
  assert.ok(!served.has('Parameters'));
  assert.equal((await call('admin', 'PUT', '/AuditEvent/a', {})).status, 405);
});

test('what the keys of one provider write is not seen or changed by those of another', async () => {
  const { body: own } = await call('keyOfProvider', 'POST', '/Device', { resourceType: 'Device' });
  const address = `/Device/${own.id}`;
  assert.equal((await call('keyOfProvider', 'GET', address)).status, 200);
  for (const caller of ['keyOfAnother', 'keyAll']) {
    assert.equal((await call(caller, 'GET', address)).status, 404, caller);
    assert.equal((await call(caller, 'PUT', address, own)).status, 404, caller);
    assert.equal((await call(caller, 'GET', `/Device?_id=${own.id}`)).body.total, 0, caller);
    const { body: history } = await call(caller, 'GET', '/Device/_history?_count=1000');
    assert.ok(!JSON.stringify(history).includes(own.id), caller);
  }
});

test('audit events: shipped once, searched by admins and by the patient they concern', async () => {
  const event = {
    resourceType: 'AuditEvent',
    id: newGuid(),
    category: [{ text: 'test' }],
    code: { text: 'looked' },
    recorded: '2026-03-01T08:00:00Z',
    patient: { reference: `Patient/${PATIENT}` },
    agent: [{ who: { display: 'somebody' }, requestor: true }],
    source: { observer: { display: 'kedja-dispatch' } },
  };
  const ship = (events: unknown[], caller = 'service') => call(caller, 'POST', '/audit-events', { events });
  assert.equal((await ship([event])).status, 204);
  assert.equal((await ship([event, { ...event, id: newGuid() }])).status, 204);
  assert.equal((await ship([event], 'admin')).status, 403);
  assert.equal(
    (await ship([{ ...event, id: 'x' }])).body.messages[0],
    "'events[0]' must be an AuditEvent whose id is a guid",
  );
  assert.equal((await ship([{ ...event, id: newGuid(), recorded: 'yesterday' }])).status, 422);
  for (const source of [undefined, {}, { observer: { display: 'kedja-identity' } }, { observer: null }]) {
    const forged = await ship([{ ...event, id: newGuid(), source }]);
    assert.deepEqual(
      [forged.status, forged.body.messages],
      [400, ["'events[0]' must name kedja-dispatch as its source"]],
    );
  }
  const seen = async (caller: string) =>
    (await call(caller, 'GET', `/AuditEvent?patient=Patient/${PATIENT}&date=2026-03-01`)).body.total;
  assert.deepEqual([await seen('admin'), await seen('patient')], [2, 2]);
  assert.equal((await call('planner', 'GET', '/AuditEvent')).status, 403);
});

test('the engine ships its own audit events into its store', async () => {
  clock.time += 86_400_000;
  assert.equal((await call('planner', 'GET', `/Patient/${PATIENT}`)).status, 200);
  await engine.start();
  const day = new Date(clock.time).toISOString().slice(0, 10);
  const query = `/AuditEvent?patient=Patient/${PATIENT}&date=${day}&code=patient.read`;
  const found = await eventually('the event arrived', async () => {
    const { body } = await call('admin', 'GET', query);
    return body.total > 0 ? body : undefined;
  });
  assert.deepEqual(validateResource(found), []);
});

test('a condition is for those who may search: for others it would never be fulfilled', async () => {
  const person = { resourceType: 'Patient', identifier: [{ system: 'urn:c', value: '1' }] };
  const request = { method: 'POST', url: 'Patient', ifNoneExist: 'identifier=urn:c|1' };
  const bundle = { resourceType: 'Bundle', type: 'transaction', entry: [{ resource: person, request }] };
  for (const [method, path, body] of [
    ['POST', '/', bundle],
    ['PUT', '/Patient?identifier=urn:c|1', person],
  ] as const) {
    const refused = await call('keyCreator', method, path, body);
    assert.equal(refused.status, 403, refused.text);
    assert.match(refused.body.issue[0].details.text, /no scope system\/Patient\.s/);
  }
  assert.equal((await call('admin', 'GET', '/Patient?identifier=urn:c|1')).body.total, 0);
});

test('a bundle that cannot be read is refused in FHIR at the base too', async () => {
  for (const path of ['', '/']) {
    const answer = await call('admin', 'POST', path, { resourceType: 'Bundle', type: 'document' });
    assert.deepEqual([answer.status, answer.body.resourceType], [400, 'OperationOutcome']);
  }
});

test('the capability statement is not sent again to who has it', async () => {
  const ask = async (url: string, tags?: string) => {
    const headers = tags === undefined ? {} : { 'if-none-match': tags };
    const answer = await app.inject({ url: `/api/v1${url}`, headers });
    return { status: answer.statusCode, tag: String(answer.headers['etag']), text: answer.payload };
  };
  const first = await ask('/metadata');
  assert.match(first.tag, /^W\/"[\w-]{22}"$/);
  assert.deepEqual(await ask('/metadata', first.tag), { status: 304, tag: first.tag, text: '' });
  for (const tags of ['*', `"x", ${first.tag}`, first.tag.slice(2)])
    assert.equal((await ask('/metadata', tags)).status, 304, tags);
  for (const tags of ['W/"1"', '""']) assert.deepEqual(await ask('/metadata', tags), first, tags);
  assert.equal((await ask('/metadata', 'none')).status, 400);
  const brief = await ask('/metadata?_summary=true', first.tag);
  assert.deepEqual([brief.status, brief.tag === first.tag], [200, false]);
  assert.equal((await ask('/metadata?_summary=true', brief.tag)).status, 304);
  assert.equal((await ask('/metadata?_summary=most', first.tag)).status, 400);
  assert.equal((await ask('/metadata?_format=xml', first.tag)).status, 406);
});
