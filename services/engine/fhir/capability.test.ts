// The capability statement claims what is served and nothing else: every interaction, search parameter, include and operation that it
// names is called, and what it does not name is refused.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { CapabilityStatement } from 'fhir/r5.js';
import { loadSearchParameters } from '#lib/fhir/search/definitions.ts';
import { hasErrors, validateResource } from '#lib/fhir/validate.ts';
import { readExamples } from '#test/examples/official.ts';
import { parametersOf } from '#test/model/parameters.ts';
import { startTestEngine } from '#test/support/engine.ts';

const { app, call } = await startTestEngine({ after });
const statement: CapabilityStatement = (await call(undefined, 'GET', '/metadata')).body;
const [rest] = statement.rest ?? [];
const resources = rest?.resource ?? [];
const AS_ADMIN = { authorization: 'Bearer admin' };

async function send(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  more: { body?: string; type?: string; strict?: boolean } = {},
) {
  const { body, type = 'application/fhir+json', strict = false } = more;
  const headers = {
    ...AS_ADMIN,
    ...(strict ? { prefer: 'handling=strict' } : {}),
    ...(body === undefined ? {} : { 'content-type': type }),
  };
  const answer = await app.inject({
    method,
    url: `/api/v1${url}`,
    headers,
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, text: answer.payload };
}

const patient = { reference: 'Patient/a' };
const location = { reference: 'Location/a' };
/** Of the types that have no valid example. */
const OWN_BODIES = [
  { resourceType: 'AdverseEvent', id: 'a', status: 'completed', actuality: 'actual', subject: patient },
  {
    resourceType: 'ResearchSubject',
    id: 'a',
    status: 'active',
    study: { reference: 'ResearchStudy/a' },
    subject: patient,
  },
  { resourceType: 'Transport', id: 'a', intent: 'order', requestedLocation: location, currentLocation: location },
];

/** A valid resource of each type: the first official example that the engine takes. */
const bodies = new Map(OWN_BODIES.map((body): [string, string] => [body.resourceType, JSON.stringify(body)]));
for (const { type, text } of readExamples(
  (name) => !/^(?:StructureDefinition|ValueSet|CodeSystem|Questionnaire-qgen)-[b-z]/.test(name),
))
  if (!bodies.has(type) && text.length < 100_000 && !hasErrors(validateResource(JSON.parse(text))))
    bodies.set(type, text);

test('the statement is a valid CapabilityStatement', () => {
  assert.deepEqual(
    validateResource(statement).filter((fault) => hasErrors([fault])),
    [],
  );
});

test('every interaction of every type is served as claimed, and no other', async () => {
  const wrong: string[] = [];
  for (const { type, interaction = [] } of resources) {
    const claimed = new Set(interaction.map(({ code }) => String(code)));
    const text = bodies.get(type) ?? assert.fail(`no example of ${type}`);
    const { id } = JSON.parse(text);
    const patch = JSON.stringify([{ op: 'test', path: '/resourceType', value: type }]);
    const isRead = claimed.has('create');
    const calls: readonly (readonly [code: string, expected: number, answer: () => ReturnType<typeof send>])[] = [
      ['create', 201, () => send('POST', `/${type}`, { body: text })],
      ['update', 201, () => send('PUT', `/${type}/${id}`, { body: text })],
      ['read', isRead ? 200 : 404, () => send('GET', `/${type}/${id}`)],
      ['vread', isRead ? 200 : 404, () => send('GET', `/${type}/${id}/_history/1`)],
      ['patch', 200, () => send('PATCH', `/${type}/${id}`, { body: patch, type: 'application/json-patch+json' })],
      ['history-instance', 200, () => send('GET', `/${type}/${id}/_history`)],
      ['history-type', 200, () => send('GET', `/${type}/_history`)],
      ['search-type', 200, () => send('GET', `/${type}`)],
      ['delete', 204, () => send('DELETE', `/${type}/${id}`)],
    ];
    for (const [code, expected, answer] of calls) {
      const { status, text: said } = await answer();
      const isRight = claimed.has(code) ? status === expected : [404, 405].includes(status);
      if (!isRight) wrong.push(`${code} ${type}: ${status} ${said.slice(0, 300)}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(resources.length > 150);
});

const VALUES: Readonly<Record<string, string>> = {
  date: '2020-01',
  number: '1',
  quantity: '1',
  string: 'a',
  // As some are booleans.
  token: 'true',
  reference: 'a',
  uri: 'http://example.org/a',
};
const OWN_VALUES: Readonly<Record<string, string>> = { _filter: 'name', near: '59.3|18.1|5|km' };

const served = loadSearchParameters();

/** A value that the parameter's type takes. */
function valueFor(type: string, name: string, searchType: string): string {
  if (name === '_filter') return '_id eq a';
  if (name === '_list' || name === '_in') return name === '_in' ? 'List/a' : 'a';
  if (searchType !== 'composite') return OWN_VALUES[name] ?? VALUES[searchType] ?? 'a';
  const components = served.forType(type).get(name)?.groups[0]?.components ?? [];
  return components.map((component) => VALUES[component.type]).join('$');
}

function queryOf(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

/** What `_list` and `_in` look into. */
const list = (id: string) => `{"resourceType":"List","id":"${id}","status":"current","mode":"working"}`;

test('every search parameter is understood under strict handling', async () => {
  assert.equal((await send('PUT', '/List/a', { body: list('a') })).status, 201);
  const wrong: string[] = [];
  for (const { type, searchParam = [] } of resources) {
    const pairs = searchParam.map(({ name, type: of }) => [name, valueFor(type, name, String(of))] as const);
    const { status, text } = await send('GET', `/${type}?${queryOf(pairs)}`, { strict: true });
    if (status !== 200) wrong.push(`${type}: ${status} ${text.slice(0, 500)}`);
  }
  assert.deepEqual(wrong, []);
});

test('a published parameter that is not claimed is refused under strict handling', async () => {
  const wrong: string[] = [];
  for (const { type, searchParam = [] } of resources) {
    const claimed = new Set(searchParam.map(({ name }) => name));
    for (const { code, type: of } of parametersOf(type).values()) {
      if (claimed.has(code)) continue;
      const { status } = await send('GET', `/${type}?${queryOf([[code, valueFor(type, code, of)]])}`, { strict: true });
      if (status !== 400) wrong.push(`${type}?${code}: ${status}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('every include is understood, forwards and backwards', async () => {
  const wrong: string[] = [];
  for (const { type, searchInclude = [], searchRevInclude = [] } of resources) {
    const pairs = [
      ...searchInclude.map((value) => ['_include', value] as const),
      ...searchRevInclude.map((value) => ['_revinclude', value] as const),
    ];
    for (let at = 0; at < pairs.length; at += 150) {
      const { status, text } = await send('GET', `/${type}?_count=1&${queryOf(pairs.slice(at, at + 150))}`, {
        strict: true,
      });
      if (status !== 200) wrong.push(`${type}: ${status} ${text.slice(0, 300)}`);
    }
  }
  assert.deepEqual(wrong, []);
});

/** The addresses of operations that are registered, by printing the routes as a tree. */
function servedOperations(): Set<string> {
  const path: string[] = [];
  const found = new Set<string>();
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = ''] = /^([│ ]*)[├└]── (\S+)/.exec(line) ?? [];
    const depth = indent.length / 4;
    path.splice(depth);
    path[depth] = part;
    const whole = path.join('');
    if (whole.includes('$') && /\(/.test(line)) found.add(whole.replace('/api/v1', ''));
  }
  return found;
}

test('every operation that is claimed is served, and every one that is served is claimed', async () => {
  const claimed = new Map<string, ReadonlySet<string>>(
    resources.map(({ type, operation = [] }) => [type, new Set(operation.map(({ name }) => name))]),
  );
  const system = new Set((rest?.operation ?? []).map(({ name }) => name));
  // Bundles have these addresses too; the interactions batch and transaction claim them.
  const bundles = new Set(['/$batch', '/$transaction']);
  const unclaimed = [...servedOperations()].filter((address) => {
    const [, type = '', name = ''] = /^\/(\w*)\/?(?::id\/)?\$([\w-]+)(?:\/.*)?$/.exec(address) ?? [];
    return !bundles.has(address) && !(type === '' ? system : claimed.get(type))?.has(name);
  });
  assert.deepEqual(unclaimed, []);
  const addresses = [...servedOperations()];
  const missing = [...claimed].flatMap(([type, names]) =>
    [...names].filter(
      (name) => !addresses.some((address) => address.startsWith(`/${type}/`) && address.endsWith(`$${name}`)),
    ),
  );
  assert.deepEqual([missing, [...system].filter((name) => !addresses.includes(`/$${name}`))], [[], []]);
});

test('conditions, patch formats and what reaches over types are as claimed', async () => {
  for (const { type, conditionalCreate } of resources) {
    if (conditionalCreate !== true) continue;
    const { status } = await send('DELETE', `/${type}?_id=nobody`);
    assert.equal(status, 204, type);
  }
  const text = bodies.get('Patient') ?? '';
  assert.equal(
    (await send('PUT', '/Patient/patched', { body: text.replace(/"id"\s*:\s*"[^"]*"/, '"id":"patched"') })).status,
    201,
  );
  const fhirPath = {
    resourceType: 'Parameters',
    parameter: [
      {
        name: 'operation',
        part: [
          { name: 'type', valueCode: 'replace' },
          { name: 'path', valueString: 'Patient.active' },
          { name: 'value', valueBoolean: false },
        ],
      },
    ],
  };
  const formats: Readonly<Record<string, string>> = {
    'application/json-patch+json': JSON.stringify([{ op: 'add', path: '/active', value: true }]),
    'application/fhir+json': JSON.stringify(fhirPath),
    'application/xml-patch+xml': '<diff/>',
  };
  for (const [type, body] of Object.entries(formats)) {
    const { status, text: said } = await send('PATCH', '/Patient/patched', { body, type });
    assert.equal(status, statement.patchFormat?.includes(type) ? 200 : 415, said);
  }
  const codes = new Set((rest?.interaction ?? []).map(({ code }) => String(code)));
  const bundle = (type: string) =>
    send('POST', '/', { body: JSON.stringify({ resourceType: 'Bundle', type, entry: [] }) });
  const calls: Readonly<Record<string, () => ReturnType<typeof send>>> = {
    batch: () => bundle('batch'),
    transaction: () => bundle('transaction'),
    'history-system': () => send('GET', '/_history'),
    'search-system': () => send('GET', '/?_type=Patient'),
  };
  for (const [code, answer] of Object.entries(calls)) {
    assert.equal((await answer()).status === 200, codes.has(code), code);
  }
});
