// Versions of library records, providers and contracts (docs/adr/0155): the ETag of each, PUT and DELETE with If-Match.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { makeLibrary } from '#test/support/engine/engine-library.ts';

const engine = await startTestEngine({ after });
const { app, call } = engine;
const library = await makeLibrary(engine);

interface Sent {
  readonly caller?: string;
  readonly body: object;
  readonly ifMatch?: string;
}

async function put(path: string, { caller = 'planner', body, ifMatch }: Sent) {
  const answer = await app.inject({
    method: 'PUT',
    url: `/api/v1${path}`,
    headers: { ...headersOf(caller, ifMatch), 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  return { status: answer.statusCode, etag: answer.headers['etag'], body: answer.json(), text: answer.payload };
}

function headersOf(caller: string, ifMatch: string | undefined): Record<string, string> {
  return { authorization: `Bearer ${caller}`, ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) };
}

async function remove(path: string, caller: string, ifMatch?: string) {
  const answer = await app.inject({ method: 'DELETE', url: `/api/v1${path}`, headers: headersOf(caller, ifMatch) });
  return { status: answer.statusCode, error: answer.statusCode === 204 ? undefined : answer.json().error };
}

const PROVIDER = { name: 'Hemvården', region: 'Skåne' };
const provider = (await call('admin', 'POST', '/providers', PROVIDER)).body.provider_guid;
const CONTRACT = { provider_guid: provider, codes: [{ system: 'urn:a', code: 'b' }], valid_from: '2026-01-01' };

const weighing = (await call('planner', 'GET', `/activities/${library.weighing}`)).body;

const RECORDS: readonly (readonly [path: string, of: (record: Record<string, unknown>) => object])[] = [
  [`/goals/${library.goal}`, ({ concept, activities }) => ({ concept, activities })],
  [
    `/concepts/${library.weight}`,
    ({ canonical_lib, concept_code, response_type }) => ({ canonical_lib, concept_code, response_type }),
  ],
  [`/activities/${library.weighing}`, ({ concept }) => ({ concept })],
  [`/transactions/${weighing.transactions[0].transaction_guid}`, ({ concept, unit }) => ({ concept, unit })],
  [`/canonical-libs/${library.lib}`, ({ url, version }) => ({ url, version })],
  [`/response-types/${library.quantity}`, ({ fhir_type }) => ({ fhir_type })],
  [`/units/${library.kilogram}`, ({ ucum_code }) => ({ ucum_code })],
];

for (const [path, keptOf] of RECORDS) {
  const kind = path.split('/')[1] ?? '';
  const isStep = kind === 'transactions';
  const read = async () => {
    if (!isStep) return call('planner', 'GET', path);
    const activity = await call('planner', 'GET', `/activities/${library.weighing}`);
    const [body] = activity.body.transactions;
    return { ...activity, body, headers: { ...activity.headers, etag: `W/"${body.version}"` } };
  };
  const nameField = kind === 'concepts' ? 'concept_name' : 'name';
  const named = (record: Record<string, unknown>, name: string) => ({ ...keptOf(record), [nameField]: name });
  const nameIn = (record: Record<string, unknown>) => record[nameField];

  test(`${kind}: a PUT replaces the version that If-Match names, and no other`, async () => {
    const before = await read();
    const etag = String(before.headers['etag']);
    assert.match(etag, /^W\/"[1-9]\d*"$/);
    const first = await put(path, { body: named(before.body, 'First'), ifMatch: etag });
    assert.equal(first.status, 200, first.text);
    assert.notEqual(first.etag, etag);
    assert.equal((await read()).headers['etag'], first.etag, 'the response of a PUT has the ETag of what it stored');

    const late = await put(path, { body: named(before.body, 'Late'), ifMatch: etag });
    const version = /\d+/.exec(String(first.etag))?.[0];
    assert.deepEqual(
      [late.status, late.body.error, late.body.message],
      [412, 'precondition_failed', `If-Match asks for another version: it is ${version}`],
    );
    const now = await read();
    assert.deepEqual([nameIn(now.body), now.headers['etag']], ['First', first.etag], 'nothing has changed');

    const either = `"77", ${now.headers['etag']}`;
    for (const [name, ifMatch] of [
      ['Either', either],
      ['Any', '*'],
      ['Unasked', undefined],
    ] as const) {
      const stored = await put(path, { body: named(now.body, name), ...(ifMatch === undefined ? {} : { ifMatch }) });
      assert.deepEqual([stored.status, nameIn(stored.body)], [200, name], stored.text);
    }
    const rubbish = await put(path, { body: named(now.body, 'Rubbish'), ifMatch: '7' });
    assert.deepEqual([rubbish.status, rubbish.body.error], [400, 'invalid_request'], rubbish.text);
    const unknown = await put(path, { body: named(now.body, 'Unknown'), ifMatch: 'W/"elsewhere"' });
    assert.equal(unknown.status, 412);
  });

  test(`${kind}: of many who replace one version at once, one does`, async () => {
    const { body, headers } = await read();
    const ifMatch = String(headers['etag']);
    const names = Array.from({ length: 6 }, (_, at) => `Writer ${at}`);
    const answers = await Promise.all(names.map((name) => put(path, { body: named(body, name), ifMatch })));
    const stored = answers.filter(({ status }) => status === 200);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412, 412]);
    const now = await read();
    assert.deepEqual([nameIn(now.body), now.headers['etag']], [nameIn(stored[0]?.body), stored[0]?.etag]);
  });

  test(`${kind}: who may not change it is not told its version`, async () => {
    const { body } = await read();
    const answer = await put(path, { caller: 'stranger', body: named(body, 'Theirs'), ifMatch: 'W/"77"' });
    assert.equal(answer.status, 403, answer.text);
  });
}

test('a new record has the first version', async () => {
  const made = await call('planner', 'POST', '/goals', { name: 'New', concept: library.weight });
  assert.deepEqual([made.status, made.headers['etag'], made.body.version], [201, 'W/"1"', 1]);
});

test('another version of an activity is made by its steps, too', async () => {
  const path = `/activities/${library.weighing}`;
  const { headers, body } = await call('planner', 'GET', path);
  const added = await call('planner', 'POST', `${path}/transactions`, { name: 'Again', concept: library.weight });
  assert.deepEqual([added.status, added.headers['etag']], [201, 'W/"1"']);
  const late = await put(path, { body: { name: 'Late', concept: body.concept }, ifMatch: String(headers['etag']) });
  assert.equal(late.status, 412);
});

const REMOVABLE: readonly (readonly [path: string, body: object, caller?: string])[] = [
  ['/goals', { name: 'Gone', concept: library.weight }],
  ['/concepts', { concept_name: 'Gone', canonical_lib: library.lib }],
  ['/activities', { name: 'Gone', concept: library.weight }],
  [`/activities/${library.weighing}/transactions`, { name: 'Gone', concept: library.weight }],
  ['/canonical-libs', { name: 'Gone', url: 'https://example.org/lib/gone' }],
  ['/contracts', CONTRACT, 'admin'],
];

for (const [collection, body, caller = 'planner'] of REMOVABLE) {
  test(`${collection}: a DELETE is of the version that If-Match names, and no other`, async () => {
    const make = async () => {
      const made = await call(caller, 'POST', collection, body);
      assert.equal(made.status, 201, made.text);
      const path = String(made.headers['location']).replace('/api/v1', '');
      return { path, etag: String(made.headers['etag']) };
    };
    const { path, etag } = await make();
    assert.equal(etag, 'W/"1"');
    assert.equal((await put(path, { caller, body })).status, 200);
    assert.deepEqual(await remove(path, caller, etag), { status: 412, error: 'precondition_failed' });
    assert.deepEqual(await remove(path, caller, '7'), { status: 400, error: 'invalid_request' });
    assert.deepEqual((await remove(path, 'stranger', 'W/"77"')).status, 403, 'who may not delete it');
    assert.deepEqual((await remove(path, caller, 'W/"2"')).status, 204);
    assert.deepEqual((await remove(path, caller, 'W/"2"')).status, 404);
    const other = await make();
    assert.deepEqual((await remove(other.path, caller)).status, 204, 'without the header');
  });
}

test('a provider is replaced in the version that If-Match names, and no other', async () => {
  const path = `/providers/${provider}`;
  const read = await call('admin', 'GET', path);
  assert.deepEqual([read.headers['etag'], read.body.version], ['W/"1"', 1]);
  const write = (name: string) =>
    put(path, { caller: 'admin', body: { ...PROVIDER, name }, ifMatch: String(read.headers['etag']) });
  const answers = await Promise.all(['One', 'Two', 'Three'].map(write));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412]);
  const now = await call('admin', 'GET', path);
  assert.deepEqual(
    [now.headers['etag'], now.body.name],
    ['W/"2"', answers.find(({ status }) => status === 200)?.body.name],
  );
  assert.equal((await put(path, { caller: 'admin', body: now.body })).status, 200, 'as it was read');
});
