// Large bodies work as small ones: create, update, patch, validate, bundles and search (docs/adr/0042).

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { fhirPathPatch, patchOperation } from '#test/support/fhir/fhirpath-patch.ts';
import { lastFirst } from '#test/support/hooks.ts';

type Json = Record<string, unknown>;

const hooks = lastFirst({ after });
const engine = await startTestEngine(hooks);
const { call } = engine;
await call('planner', 'PUT', `/Patient/${PATIENT}`, {
  resourceType: 'Patient',
  id: PATIENT,
  identifier: [{ system: 'urn:s', value: 'one' }],
});

const KIBIBYTE = 1024;
const note = (size: number) => [{ text: 'a'.repeat(size) }];
/** Longer than what the main thread reads. */
const LONG = 300 * KIBIBYTE;
const observation = (changes: Json = {}): Json => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'urn:codes', code: 'first' }] },
  subject: { reference: `Patient/${PATIENT}` },
  note: note(LONG),
  ...changes,
});
const found = async (query: string): Promise<string[]> => {
  const { body } = await call('planner', 'GET', `/Observation?${query}&_elements=id`);
  return (body.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id);
};
const send = (path: string, type: string, payload: string) =>
  engine.app.inject({
    method: 'PATCH',
    url: `/api/v1${path}`,
    headers: { authorization: 'Bearer planner', 'content-type': type },
    payload,
  });

test('a large resource is created, found, read, updated and patched as a small one', async () => {
  const created = await call('planner', 'POST', '/Observation', observation());
  assert.equal(created.status, 201);
  const { id } = created.body;
  assert.deepEqual(await found('code=urn:codes|first'), [id]);
  const second = observation({ id, code: { coding: [{ system: 'urn:codes', code: 'second' }] } });
  const updated = await call('planner', 'PUT', `/Observation/${id}`, second);
  assert.equal(updated.status, 200);
  assert.deepEqual(await found('code=urn:codes|first'), []);
  assert.deepEqual(await found('code=urn:codes|second'), [id]);
  const { body } = await call('planner', 'GET', `/Observation/${id}`);
  assert.equal(body.meta.versionId, '2');
  assert.deepEqual({ ...body, meta: undefined }, { ...second, meta: undefined });
  const json = await send(
    `/Observation/${id}`,
    'application/json-patch+json',
    '[{"op":"replace","path":"/status","value":"amended"}]',
  );
  assert.equal(json.statusCode, 200, json.body.slice(0, 500));
  const path = fhirPathPatch(
    patchOperation('delete', "Observation.note.where(text.startsWith('a') and text.length() > 10)"),
  );
  const patched = await send(`/Observation/${id}`, 'application/fhir+json', JSON.stringify(path));
  assert.equal(patched.statusCode, 200, patched.body.slice(0, 500));
  const last = await call('planner', 'GET', `/Observation/${id}`);
  assert.equal(last.body.status, 'amended');
  assert.equal(last.body.note, undefined);
  assert.equal(last.body.meta.versionId, '4');
});

test('labels of a large resource are changed, and it is not when there are none to change', async () => {
  const { body } = await call('planner', 'POST', '/Observation', observation());
  const meta = { tag: [{ system: 'urn:t', code: 'x' }] };
  const parameters = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: meta }] };
  for (let time = 0; time < 2; time += 1) {
    const { status } = await call('planner', 'POST', `/Observation/${body.id}/$meta-add`, parameters);
    assert.equal(status, 200);
  }
  const { body: now } = await call('planner', 'GET', `/Observation/${body.id}`);
  assert.equal(now.meta.versionId, '2');
  assert.deepEqual(now.meta.tag, meta.tag);
});

test('the errors of a large resource are those of a small one', async () => {
  const broken = { status: 'nothing', subject: { reference: 'nowhere' }, note: [...note(10), {}] };
  const [small, large] = [
    await call('planner', 'POST', '/Observation', observation(broken)),
    await call('planner', 'POST', '/Observation', observation({ ...broken, note: [...note(LONG), {}] })),
  ];
  assert.equal(large.status, 422);
  assert.deepEqual(large.body.issue, small.body.issue);
  const validated = await call('planner', 'POST', '/$validate', observation({ ...broken, note: [...note(LONG), {}] }));
  const withoutCode = ({ details, ...issue }: { details: { text: string } }) => ({ ...issue, text: details.text });
  assert.deepEqual(validated.body.issue.map(withoutCode), small.body.issue.map(withoutCode));
  assert.equal((await call('planner', 'POST', '/Patient/$validate', observation())).body.issue.length, 1);
  assert.equal((await call('planner', 'POST', '/$validate?mode=nothing', observation())).status, 400);
  assert.equal((await call('planner', 'POST', '/Patient', observation())).status, 400);
});

test('a conditional reference of a large resource is looked up', async () => {
  const subject = { reference: 'Patient?identifier=urn:s|one' };
  assert.equal(
    (await call('planner', 'POST', '/$validate', observation({ subject }))).body.issue[0].severity,
    'success',
  );
  const { status, body } = await call('planner', 'POST', '/Observation', observation({ subject }));
  assert.equal(status, 201);
  assert.equal(body.subject.reference, `Patient/${PATIENT}`);
  const nobody = observation({ subject: { reference: 'Patient?identifier=urn:s|nobody' } });
  assert.equal((await call('planner', 'POST', '/Observation', nobody)).status, 422);
});

const entry = (method: string, url: string, resource?: Json, more: Json = {}): Json => ({
  ...more,
  ...(resource === undefined ? {} : { resource }),
  request: { method, url },
});
const filler = (count: number): Json[] =>
  Array.from({ length: count }, (_, at) =>
    entry(
      'POST',
      'Observation',
      observation({ note: note(6 * KIBIBYTE), issued: `2026-01-0${(at % 9) + 1}T00:00:00Z` }),
    ),
  );

test('the entries of a large batch are carried out each by itself', async () => {
  const { status, body } = await call('planner', 'POST', '/', {
    resourceType: 'Bundle',
    type: 'batch',
    entry: [
      ...filler(200),
      entry('POST', 'Observation', observation()),
      entry('POST', 'Observation', observation({ status: 'nothing' })),
      entry('POST', 'Observation'),
      entry('GET', `Patient/${PATIENT}`),
      { resource: observation() },
    ],
  });
  assert.equal(status, 200);
  const statuses = body.entry.map(({ response }: { response: { status: string } }) => response.status.slice(0, 3));
  assert.deepEqual(statuses, [...Array(201).fill('201'), '422', '400', '200', '400']);
});

test('a large transaction is all or nothing, and its references are put right', async () => {
  const fullUrl = 'urn:uuid:7a1d4c0e-0000-4000-8000-000000000001';
  const device = entry('POST', 'Device', { resourceType: 'Device', note: note(LONG) }, { fullUrl });
  const measured = observation({ device: { reference: fullUrl }, code: { text: 'measured' } });
  const bundle = (more: readonly Json[]) => ({
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [...filler(200), device, entry('POST', 'Observation', measured), ...more],
  });
  const refused = await call(
    'planner',
    'POST',
    '/$transaction',
    bundle([entry('POST', 'Observation', observation({ status: 'x' }))]),
  );
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Bundle\.entry\[202\]\.resource\.status/);
  const dangling = observation({ device: { reference: 'urn:uuid:7a1d4c0e-0000-4000-8000-000000000002' } });
  const left = await call('planner', 'POST', '/', bundle([entry('POST', 'Observation', dangling)]));
  assert.equal(left.status, 422);
  assert.match(left.text, /is the fullUrl of no entry/);
  const { status, body } = await call('planner', 'POST', '/', bundle([]));
  assert.equal(status, 200);
  assert.equal(body.entry.length, 202);
  const [, type, id] = /(Device)\/([^/]+)/.exec(body.entry[200].response.location) ?? [];
  assert.equal((await found(`device=${type}/${id}`)).length, 1);
  assert.equal((await call('planner', 'POST', '/$batch', bundle([]))).status, 400);
});

test('what takes more than a request may is given up, and said to be', async () => {
  const hurried = await startTestEngine(hooks, { requestMs: 1 });
  const { status, text } = await hurried.call(
    'planner',
    'POST',
    '/Observation',
    observation({ note: note(8 * 1024 * KIBIBYTE) }),
  );
  assert.equal(status, 422);
  assert.match(text, /too-costly.*more than 0\.001 s of processor time/);
  assert.equal(
    (await hurried.call('planner', 'POST', '/Observation', observation({ note: note(10), subject: undefined }))).status,
    201,
  );
});
