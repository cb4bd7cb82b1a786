// The capability statement lists exactly what is served. The test calls every interaction, search parameter, include
// and operation that it lists. Those that it does not list are refused.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CapabilityStatement } from 'fhir/r5.js';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { hasErrors, validateResource } from '#fhir/validation/validate.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { claimedTypes, senderOf, testClaims } from '#test/support/fhir/capability.ts';
import { fhirPathPatch, patchOperation } from '#test/support/fhir/fhirpath-patch.ts';
import { validResources } from '#test/support/fhir/valid-resources.ts';

const { app, call } = await startTestEngine({ after });
const statement: CapabilityStatement = (await call(undefined, 'GET', '/metadata')).body;
const [rest] = statement.rest ?? [];
const send = senderOf(app, 'admin');
const claims = { statement, send, parameters: loadSearchParameters() };
const resources = claimedTypes(claims);

const bodies = validResources();

test('the statement is a valid CapabilityStatement', () => {
  assert.deepEqual(
    validateResource(statement).filter((issue) => hasErrors([issue])),
    [],
  );
});

/** What `_list` and `_in` look into. */
const list = (id: string) => `{"resourceType":"List","id":"${id}","status":"current","mode":"working"}`;

before(async () => {
  assert.equal((await send('PUT', '/List/a', { body: list('a') })).status, 201);
});

testClaims(claims, async (type) => {
  const text = bodies.get(type) ?? assert.fail(`no example of ${type}`);
  const isWritten = resources.some(
    (each) => each.type === type && each.interaction?.some(({ code }) => code === 'update'),
  );
  return { id: JSON.parse(text).id, text, isThere: isWritten };
});

test('every type of R5 is claimed', () => {
  assert.ok(resources.length > 150);
});

/** A part of an address that stands for several types. */
const FAMILY = /:familyMember\(\^\(\?:([\w|]+)\)\$\)/;

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
    const [segment = '', names = ''] = FAMILY.exec(whole) ?? [];
    for (const name of names.split('|')) {
      const address = whole.replace(segment, name).replace('/api/v1', '');
      if (address.includes('$') && /\(/.test(line)) found.add(address);
    }
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
  for (const { type, conditionalDelete } of resources) {
    if (conditionalDelete !== 'single') continue;
    const { status } = await send('DELETE', `/${type}?_id=nobody`);
    assert.equal(status, 204, type);
  }
  const text = bodies.get('Patient') ?? '';
  assert.equal(
    (await send('PUT', '/Patient/patched', { body: text.replace(/"id"\s*:\s*"[^"]*"/, '"id":"patched"') })).status,
    201,
  );
  const fhirPath = fhirPathPatch(patchOperation('replace', 'Patient.active', { name: 'value', valueBoolean: false }));
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

test('a mode that FHIR does not have is refused', async () => {
  const { status, body } = await call(undefined, 'GET', '/metadata?mode=terminolgy');
  assert.equal(status, 400);
  assert.equal(body.issue[0].details.text, 'mode must be one of full, normative, terminology');
  for (const [mode, type] of [
    ['', 'CapabilityStatement'],
    ['full', 'CapabilityStatement'],
    ['normative', 'CapabilityStatement'],
    ['terminology', 'TerminologyCapabilities'],
  ]) {
    assert.equal((await call(undefined, 'GET', `/metadata?mode=${mode}`)).body.resourceType, type);
  }
});
