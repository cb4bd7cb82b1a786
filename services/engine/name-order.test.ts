// Every list of names outside FHIR has the Swedish sort order across its pages (docs/adr/0063).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { inPagesOfTwo, MIXED_NAMES, SWEDISH_NAMES } from '#test/support/swedish-names.ts';

const SERVERS = ['Zorn', 'aln', 'Bok', 'ek'];
const { call } = await startTestEngine(
  { after },
  {
    serverAccess: {
      allowPrivate: true,
      servers: SERVERS.slice(0, 2).map((name) => ({
        name,
        url: 'http://127.0.0.1:9/fhir',
        kind: 'fhir' as const,
        auth: { type: 'none' as const },
        timeoutMs: 1000,
        revision: 'file',
      })),
    },
  },
);

type Made = Readonly<Record<string, string>>;

async function make(path: string, body: object): Promise<Made> {
  const answer = await call('admin', 'POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** One for each name, in no order. */
const makeAll = async (path: string, bodyOf: (name: string, index: number) => object): Promise<Made[]> =>
  Promise.all(MIXED_NAMES.map((name, index) => make(path, bodyOf(name, index))));

async function namesOf(path: string, field: string): Promise<string[]> {
  const items = await inPagesOfTwo<Made>(async (query) => {
    const answer = await call('admin', 'GET', `${path}${path.includes('?') ? '&' : '?'}${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  });
  return items.map((item) => item[field] ?? '').filter((name) => SWEDISH_NAMES.includes(name));
}

const libs = await makeAll('/canonical-libs', (name, index) => ({ name, url: `urn:${index}` }));
const types = await makeAll('/concept-types', (name) => ({ name }));
const responses = await makeAll('/response-types', (name) => ({ name, fhir_type: 'string' }));
await makeAll('/units', (name) => ({ name, ucum_code: 'kg' }));
const lib = libs[0]?.['canonical_lib_guid'] ?? '';
const type = types[0]?.['concept_type_guid'] ?? '';
const response = responses[0]?.['response_type_guid'] ?? '';
const concepts = await makeAll('/concepts', (name) => ({
  canonical_lib: lib,
  concept_name: name,
  concept_type: type,
  response_type: response,
  concept_explain: 'förklarad',
}));
const concept = concepts[0]?.['concept_guid'] ?? '';
await makeAll('/activities', (name) => ({ name, concept }));
await makeAll('/goals', (name) => ({ name, concept }));
const providers = await makeAll('/providers', (name) => ({ name, region: 'Norr' }));
const codes = [{ system: 'urn:s', code: 'c' }];
for (const { provider_guid } of providers) {
  await make('/contracts', { provider_guid, codes, valid_from: '2020-01-01' });
}
await makeAll('/api-keys', (name) => ({ name, scopes: ['system/Patient.rs'] }));
await makeAll('/auth/register', (name, index) => ({
  name,
  email: `p${index}@example.org`,
  password: 'a long enough phrase',
}));

for (const [path, field] of [
  ['/canonical-libs', 'name'],
  ['/concept-types', 'name'],
  ['/response-types', 'name'],
  ['/units', 'name'],
  ['/concepts', 'concept_name'],
  [`/concepts?canonical_lib=${lib}`, 'concept_name'],
  [`/concepts?concept_type=${type}`, 'concept_name'],
  [`/concepts?response_type=${response}`, 'concept_name'],
  [`/concepts?canonical_lib=${lib}&concept_type=${type}`, 'concept_name'],
  ['/concepts?has_values=false', 'concept_name'],
  ['/concepts?search=f%C3%B6rklarad', 'concept_name'],
  ['/activities', 'name'],
  ['/goals', 'name'],
  ['/providers', 'name'],
  ['/contracts', 'provider_name'],
  ['/api-keys', 'name'],
  ['/users', 'name'],
] as const) {
  test(`${path.replaceAll(/[0-9a-f-]{36}/g, '…')} is in the order of Swedish`, async () => {
    assert.deepEqual(await namesOf(path, field), SWEDISH_NAMES);
  });
}

test('matching contracts are in the order of their providers', async () => {
  const answer = await call('admin', 'POST', '/contracts/match', { codes, date: '2026-01-01' });
  assert.equal(answer.status, 200, answer.text);
  const names = answer.body.contracts.map((contract: Made) => contract['provider_name']);
  assert.deepEqual(names, SWEDISH_NAMES);
});

test('what uses a record is named in the order of Swedish', async () => {
  const answer = await call('admin', 'DELETE', `/canonical-libs/${lib}`);
  assert.equal(answer.status, 409, answer.text);
  assert.match(answer.text, /'alm', 'Berg', 'ek', 'Zorn', 'Åberg' and 4 more/);
});

test('servers of the file and registered ones are in one order, whatever the case of their letters', async () => {
  for (const name of SERVERS.slice(2))
    await make('/servers', { name, url: 'http://127.0.0.1:9/fhir', auth: { type: 'none' } });
  const { body } = await call('admin', 'GET', '/servers');
  assert.deepEqual(
    body.data.map(({ name }: Made) => name),
    ['aln', 'Bok', 'ek', 'Zorn'],
  );
});
