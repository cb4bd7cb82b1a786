// The FHIR routes over HTTP: interactions, headers, formats, errors, whose records are seen, and the audit record.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { fhirStoreMigrations } from '#fhir/store/migrations.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import { createAccessLog } from '#lib/audit/access-log.ts';
import { createAccessUnpacker } from '#lib/audit/access-unpacker.ts';
import { auditMigrations } from '#lib/audit/migrations.ts';
import { dataScopeOf, ownerOrganisation } from '#lib/auth/data-scope.ts';
import { systemClock } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { makePrincipal, makeTestApp, makeTestLogger } from '#test/support/http-app.ts';
import { entriesOfAccess } from './interactions/access-records.ts';
import { INTERACTIONS } from './options.ts';
import { fhirRestPlugin } from './plugin.ts';

const ORG_A = '019a0000-0000-7000-8000-00000000000a';
const ORG_B = '019a0000-0000-7000-8000-00000000000b';
const BASE = 'https://example.org/api/v1';

const schemas = [{ schema: 'fhir', migrations: [auditMigrations, fhirStoreMigrations] }];
const database = (await createTestDatabase({ after }, { schemas })).database('fhir');
const store = createFhirStore({
  parameters: loadSearchParameters(),
  clock: systemClock,
  validate: (resource) =>
    resource['gender'] === 'x' ? [{ message: 'gender is wrong', field: 'Patient.gender', code: 'code-invalid' }] : [],
});
const staff = { phases: new Set(['planning']) };
const app = await makeTestApp(
  {
    admin: makePrincipal(['admin']),
    anna: makePrincipal(['professional', 'clinician'], { ...staff, organisationGuids: [ORG_A] }),
    bo: makePrincipal(['professional', 'clinician'], { ...staff, organisationGuids: [ORG_B] }),
    pat: makePrincipal(['patient'], { patientGuid: 'pat' }),
  },
  { wireFormOf: () => 'fhir' },
);
after(() => app.close());
const type = (name: string, search = {}) => ({
  type: name,
  interactions: INTERACTIONS.filter((each) => each !== 'patch'),
  read: 'patient-record:read' as const,
  write: 'patient-record:write' as const,
  search,
});
await app.register(fhirRestPlugin, {
  prefix: '/api/v1',
  database,
  store,
  accessLog: createAccessLog({ database, clock: systemClock }),
  baseUrl: BASE,
  types: [
    type('Patient', { hasPages: true }),
    type('CarePlan', {
      aliases: new Map([['patient_guid', 'patient']]),
      ownNames: new Set(['young']),
      condition: (given: URLSearchParams) =>
        given.get('young') === 'true' ? (alias: string) => `${alias}.version = 1` : undefined,
    }),
    type('Observation'),
  ],
  hasRight: () => true,
  access: (principal) => () => dataScopeOf(principal, 'engine'),
  ownerOrganisation: (_resource, principal) => ownerOrganisation(principal, undefined),
  planWrite: async ({ resource }) => ({
    before: async () => {
      if (resource?.['language'] === 'refuse') throw new ServiceError('conflict', 'refused by the service');
    },
    after: async (tx, version) => {
      if (version.content.includes('"fail"')) {
        await tx.query("INSERT INTO audit_outbox (event_guid) VALUES ('019a0000-0000-7000-8000-0000000000ff')");
        throw new ServiceError('conflict', 'failed after the write');
      }
    },
  }),
});

interface Call {
  readonly as?: string;
  readonly body?: string | object;
  readonly headers?: Record<string, string>;
}

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { as = 'admin', body, headers = {} }: Call = {},
) {
  const response = await app.inject({
    method,
    url: `/api/v1${path}`,
    headers: {
      authorization: `Bearer ${as}`,
      ...(body === undefined ? {} : { 'content-type': 'application/fhir+json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    json: () => JSON.parse(response.body),
  };
}

function ids(bundle: { entry?: { resource: { id: string } }[] }): string[] {
  return (bundle.entry ?? []).map(({ resource }) => resource.id);
}

test('create answers 201 with location, version and the resource; read gives the same text', async () => {
  const created = await call('POST', '/Patient', {
    body: '{"resourceType":"Patient", "multipleBirthInteger": 2, "x": 1.00}',
  });
  assert.equal(created.status, 201);
  const { id } = created.json();
  assert.equal(created.headers.location, `${BASE}/Patient/${id}/_history/1`);
  assert.equal(created.headers.etag, 'W/"1"');
  assert.match(String(created.headers['content-type']), /^application\/fhir\+json/);
  assert.match(created.text, /"multipleBirthInteger": 2, "x": 1.00}$/);
  const read = await call('GET', `/Patient/${id}`);
  assert.deepEqual([read.status, read.text, read.headers.etag], [200, created.text, 'W/"1"']);
  assert.ok(read.headers['last-modified']);
  const known = await call('GET', `/Patient/${id}`, { headers: { 'if-none-match': 'W/"1"' } });
  assert.deepEqual([known.status, known.text], [304, '']);
});

test('update guards its version; delete and what comes after', async () => {
  const body = { resourceType: 'Patient', id: 'u1', active: true };
  assert.equal((await call('PUT', '/Patient/u1', { body })).status, 201);
  const second = await call('PUT', '/Patient/u1', { body, headers: { 'if-match': 'W/"1"' } });
  assert.deepEqual([second.status, second.headers.etag], [200, 'W/"2"']);
  const stale = await call('PUT', '/Patient/u1', { body, headers: { 'if-match': 'W/"1"' } });
  assert.equal(stale.status, 412);
  assert.equal(stale.json().issue[0].details.coding[0].code, 'precondition_failed');
  assert.equal((await call('PUT', '/Patient/u1', { body, headers: { 'if-match': 'two' } })).status, 400);
  assert.equal((await call('PUT', '/Patient/u2', { body })).status, 400);
  assert.equal((await call('GET', '/Patient/u1/_history/1')).status, 200);
  assert.equal((await call('GET', '/Patient/u1/_history/x')).status, 404);
  assert.equal((await call('DELETE', '/Patient/u1')).status, 204);
  assert.equal((await call('DELETE', '/Patient/u1')).status, 204);
  const gone = await call('GET', '/Patient/u1');
  assert.deepEqual([gone.status, gone.json().resourceType], [410, 'OperationOutcome']);
  const history = (await call('GET', '/Patient/u1/_history')).json();
  assert.equal(history.type, 'history');
  const methods = history.entry.map((entry: { request: { method: string } }) => entry.request.method);
  assert.deepEqual(methods, ['DELETE', 'PUT', 'PUT']);
});

test('a path id that is no id is not found', async () => {
  assert.equal((await call('GET', '/Patient/a_b%20c')).status, 404);
});

test('errors of a resource are all reported', async () => {
  const refused = await call('POST', '/Patient', { body: { resourceType: 'Patient', gender: 'x' } });
  assert.equal(refused.status, 422);
  const [issue] = refused.json().issue;
  assert.deepEqual([issue.code, issue.expression], ['code-invalid', ['Patient.gender']]);
  assert.equal((await call('POST', '/Patient', { body: { resourceType: 'Group' } })).status, 400);
  assert.equal((await call('POST', '/Patient', { body: '{"resourceType":' })).status, 400);
  assert.equal((await call('POST', '/Patient', { body: '' })).status, 400);
});

test('FHIR XML is refused in words', async () => {
  const sent = await call('POST', '/Patient', {
    body: '<Patient/>',
    headers: { 'content-type': 'application/fhir+xml' },
  });
  assert.equal(sent.status, 415);
  assert.match(sent.json().issue[0].details.text, /XML/);
  assert.equal((await call('GET', '/Patient', { headers: { accept: 'application/fhir+xml' } })).status, 406);
  assert.equal((await call('GET', '/Patient?_format=xml')).status, 406);
  assert.match(
    String((await call('GET', '/Patient?_format=application/json')).headers['content-type']),
    /^application\/json/,
  );
  const both = await call('GET', '/Patient', {
    headers: { accept: 'application/fhir+xml;q=0.5, application/fhir+json' },
  });
  assert.equal(both.status, 200);
});

test('Prefer says what comes back', async () => {
  const body = { resourceType: 'Patient' };
  const minimal = await call('POST', '/Patient', { body, headers: { prefer: 'return=minimal' } });
  assert.deepEqual([minimal.status, minimal.text], [201, '']);
  const outcome = await call('POST', '/Patient', { body, headers: { prefer: 'return=OperationOutcome' } });
  assert.equal(outcome.json().resourceType, 'OperationOutcome');
});

test('If-None-Exist creates once and then answers what is there', async () => {
  const body = { resourceType: 'Patient', identifier: [{ system: 'urn:once', value: '1' }] };
  const headers = { 'if-none-exist': 'identifier=urn:once|1' };
  const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/Patient', { body, headers })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
  assert.equal(new Set(answers.map(({ json }) => json().id)).size, 1);
  for (const nothing of ['nothing=1', '_count=1', '_sort=birthdate', '']) {
    const answer = await call('POST', '/Patient', { body, headers: { 'if-none-exist': nothing } });
    assert.equal(answer.status, 400, nothing);
  }
});

test('a search answers a bundle with links; unknown parameters are left out or refused', async () => {
  for (const family of ['Sök1', 'Sök2', 'Sök3']) {
    await call('POST', '/Patient', { body: { resourceType: 'Patient', name: [{ family }] } });
  }
  const first = (await call('GET', '/Patient?name=sok&_count=2&nothing=1')).json();
  assert.deepEqual([first.resourceType, first.type, first.total, first.entry.length], ['Bundle', 'searchset', 3, 2]);
  const links = Object.fromEntries(
    first.link.map((link: { relation: string; url: string }) => [link.relation, link.url]),
  );
  assert.equal(links.self, `${BASE}/Patient?name=sok&_count=2`);
  assert.equal(first.entry[0].fullUrl, `${BASE}/Patient/${first.entry[0].resource.id}`);
  assert.deepEqual(first.entry[0].search, { mode: 'match' });
  const rest = (await call('GET', links.next.slice(BASE.length))).json();
  assert.equal(new Set([...ids(first), ...ids(rest)]).size, 3);
  const strict = await call('GET', '/Patient?nothing=1', { headers: { prefer: 'handling=strict' } });
  assert.equal(strict.status, 400);
  const posted = await call('POST', '/Patient/_search?_count=1', {
    body: 'name=sok',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  assert.deepEqual([posted.status, posted.json().total, posted.json().entry.length], [200, 3, 1]);
  const paged = (await call('GET', '/Patient?name=sok&page=2&per_page=2')).json();
  assert.equal(paged.entry.length, 1);
  const offset = (await call('GET', '/Patient?name=sok&_offset=1&_count=1')).json();
  assert.match(offset.link[1].url, /_offset=2/);
});

test('a service gives its types other names and conditions of its own', async () => {
  await call('PUT', '/CarePlan/cp1', {
    body: { resourceType: 'CarePlan', id: 'cp1', subject: { reference: 'Patient/kim' } },
  });
  assert.deepEqual(ids((await call('GET', '/CarePlan?patient_guid=kim&young=true')).json()), ['cp1']);
  assert.deepEqual(ids((await call('GET', '/CarePlan?patient_guid=Patient/kim')).json()), ['cp1']);
  await call('PUT', '/CarePlan/cp1', {
    body: { resourceType: 'CarePlan', id: 'cp1', subject: { reference: 'Patient/kim' } },
  });
  assert.deepEqual(ids((await call('GET', '/CarePlan?patient_guid=kim&young=true')).json()), []);
});

test('subsets keep numbers as written and are marked', async () => {
  const body =
    '{"resourceType":"Observation","id":"sub","status":"final","code":{"text":"t"},"note":[{"text":"n"}],"text":{"status":"generated","div":"<div/>"},"valueQuantity":{"value":1.50}}';
  await call('PUT', '/Observation/sub', { body });
  const summary = await call('GET', '/Observation/sub?_summary=true');
  assert.match(summary.text, /"value":1.50/);
  assert.match(summary.text, /SUBSETTED/);
  assert.equal(summary.json().note, undefined);
  const elements = (await call('GET', '/Observation?_id=sub&_elements=note')).json().entry[0].resource;
  assert.deepEqual(Object.keys(elements), ['resourceType', 'id', 'meta', 'status', 'code', 'note']);
  assert.equal((await call('GET', '/Observation/sub?_summary=data')).json().text, undefined);
  assert.ok((await call('GET', '/Observation/sub?_summary=text')).json().text);
  const pretty = await call('GET', '/Observation/sub?_pretty=true');
  assert.match(pretty.text, /\n {2}"status": "final",\n/);
  assert.match(pretty.text, /"value": 1.50\n/);
});

test('everyone sees their own: organisation, patient, nobody', async () => {
  const patient = (
    await call('POST', '/Patient', { as: 'anna', body: { resourceType: 'Patient', name: [{ family: 'Egen' }] } })
  ).json();
  assert.equal((await call('GET', `/Patient/${patient.id}`, { as: 'anna' })).status, 200);
  assert.equal((await call('GET', `/Patient/${patient.id}`, { as: 'bo' })).status, 404);
  assert.equal((await call('DELETE', `/Patient/${patient.id}`, { as: 'bo' })).status, 204);
  assert.equal((await call('GET', `/Patient/${patient.id}`, { as: 'anna' })).status, 200, 'it is still there');
  assert.equal((await call('PUT', `/Patient/${patient.id}`, { as: 'bo', body: patient })).status, 404);
  assert.equal((await call('GET', '/Patient?name=egen', { as: 'bo' })).json().total, 0);
  await call('PUT', '/Observation/mine', {
    body: { resourceType: 'Observation', id: 'mine', subject: { reference: 'Patient/pat' } },
  });
  assert.deepEqual(ids((await call('GET', '/Observation', { as: 'pat' })).json()), ['mine']);
  assert.equal((await call('POST', '/Observation', { as: 'pat', body: { resourceType: 'Observation' } })).status, 403);
  assert.equal((await call('GET', '/Observation', { headers: { authorization: '' } })).status, 401);
});

test('what the service adds commits with the write or neither does', async () => {
  const refused = await call('PUT', '/Patient/svc', {
    body: { resourceType: 'Patient', id: 'svc', language: 'refuse' },
  });
  assert.deepEqual([refused.status, refused.json().issue[0].details.text], [409, 'refused by the service']);
  assert.equal(
    (await call('PUT', '/Patient/svc', { body: { resourceType: 'Patient', id: 'svc', language: 'fail' } })).status,
    409,
  );
  assert.equal((await call('GET', '/Patient/svc')).status, 404);
});

test('each access and change is recorded with whose data it was', async () => {
  await call('PUT', '/Observation/aud', {
    body: { resourceType: 'Observation', id: 'aud', subject: { reference: 'Patient/aud-patient' } },
  });
  await call('GET', '/Observation/aud');
  await call('GET', '/Observation?_id=aud');
  const entriesOf = entriesOfAccess(store.parameters);
  await createAccessUnpacker({ database, service: 'test', entriesOf, log: makeTestLogger() }).unpackAll();
  const { rows } = await database.query<{ resource: string }>(
    "SELECT resource FROM audit_event WHERE resource LIKE '%Patient/aud-patient%' ORDER BY event_guid",
  );
  const codes = rows.map(({ resource }) => JSON.parse(resource).code.coding[0].code);
  assert.deepEqual(codes, ['observation.create', 'observation.read', 'observation.search']);
});

test('an address that begins with no resource type says so', async () => {
  for (const path of ['/Nope', '/Nope/1', '/Nope/1/_history']) {
    const { status, text } = await call('GET', path);
    assert.equal(status, 404, path);
    assert.match(text, /Nope is no resource type that is served here/, path);
  }
});
