// A response of GET, with one member changed, is a valid body of PUT (docs/reference/engine/library.md, "Putting back
// what was read").
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call } = await startTestEngine({ after }, { serverAccess: { allowPrivate: ['127.0.0.1'], servers: [] } });

type Body = Record<string, unknown>;

async function make(path: string, body: Body): Promise<Body> {
  const made = await call('admin', 'POST', path, body);
  assert.equal(made.status, 201, made.text);
  return made.body;
}

const library = await make('/canonical-libs', { name: 'Kedja', url: 'https://example.org/put-back', version: '1' });
const conceptType = await make('/concept-types', { name: 'Measurement' });
const responseType = await make('/response-types', { name: 'Number', fhir_type: 'Quantity' });
const unit = await make('/units', { name: 'kilogram', ucum_code: 'kg' });
const concept = await make('/concepts', {
  canonical_lib: library['canonical_lib_guid'],
  concept_name: 'Weight',
  concept_type: conceptType['concept_type_guid'],
  response_type: responseType['response_type_guid'],
  values: [{ code: 'a', display: 'A' }],
});
const activity = await make('/activities', { name: 'Weigh', concept: concept['concept_guid'] });
const transaction = await make(`/activities/${activity['activity_guid']}/transactions`, {
  name: 'Weight',
  concept: concept['concept_guid'],
  response_type: responseType['response_type_guid'],
  unit: unit['unit_guid'],
  timing: { frequency: 1, period: 1, periodUnit: 'd' },
});
const goal = await make('/goals', {
  name: 'Below eighty',
  concept: concept['concept_guid'],
  target: { comparator: '<', value: 80, unit: unit['unit_guid'] },
  due: { value: 3, unit: 'mo' },
  activities: [activity['activity_guid']],
});
const provider = await make('/providers', { name: 'Home care', region: 'North' });
const contract = await make('/contracts', {
  provider_guid: provider['provider_guid'],
  codes: [{ system: 'https://example.org/put-back', code: 'x' }],
  valid_from: '2026-01-01',
});
const server = await make('/servers', {
  name: 'second',
  url: 'http://127.0.0.1:9/fhir',
  auth: { type: 'basic', username: 'kedja', password: 'secret' },
});

const RECORDS: readonly (readonly [address: string, record: Body, change: Body])[] = [
  [`/canonical-libs/${library['canonical_lib_guid']}`, library, { name: 'Other' }],
  [`/concept-types/${conceptType['concept_type_guid']}`, conceptType, { name: 'Other' }],
  [`/response-types/${responseType['response_type_guid']}`, responseType, { name: 'Other' }],
  [`/units/${unit['unit_guid']}`, unit, { name: 'Other' }],
  [`/concepts/${concept['concept_guid']}`, concept, { concept_name: 'Other' }],
  [`/transactions/${transaction['transaction_guid']}`, transaction, { name: 'Other' }],
  [`/goals/${goal['goal_guid']}`, goal, { name: 'Other' }],
  [`/providers/${provider['provider_guid']}`, provider, { name: 'Other' }],
  [`/contracts/${contract['contract_guid']}`, contract, { status: 'inactive' }],
  [`/servers/${server['name']}`, server, { timeout_ms: 500 }],
];

for (const [address, record, change] of RECORDS) {
  const path = address.split('/')[1] ?? '';
  test(`${path}: a response of GET with one change is a valid PUT`, async () => {
    const put = await call('admin', 'PUT', address, { ...record, ...change, updated_at: 'whatever it was' });
    assert.equal(put.status, 200, put.text);
    const { created_at, ...rest } = put.body;
    assert.equal(created_at, record['created_at']);
    for (const [name, value] of Object.entries(change)) assert.deepEqual(rest[name], value);
    const own = Object.keys(record).filter((name) => name.endsWith('_guid'));
    for (const name of own) assert.equal(rest[name], record[name]);
  });

  test(`${path}: what no answer holds is refused`, async () => {
    const refused = await call('admin', 'PUT', address, { ...record, strange: 1 });
    assert.deepEqual([refused.status, refused.body.messages], [400, ["'strange' is not a known field"]]);
  });

  test(`${path}: none of it is taken by a POST`, async () => {
    if (path === 'transactions') return;
    const refused = await call('admin', 'POST', `/${path}`, record);
    assert.equal(refused.status, 400, refused.text);
    assert.ok(refused.body.messages.includes("'created_at' is not a known field"));
  });
}

test('an activity takes back everything but its transactions, which have addresses of their own', async () => {
  const address = `/activities/${activity['activity_guid']}`;
  const { transactions, ...rest } = (await call('admin', 'GET', address)).body;
  const refused = await call('admin', 'PUT', address, { ...rest, transactions });
  assert.deepEqual(refused.body.messages, ["'transactions' is not a known field"]);
  const put = await call('admin', 'PUT', address, { ...rest, name: 'Weigh daily' });
  assert.deepEqual([put.status, put.body.name, put.body.transactions.length], [200, 'Weigh daily', 1]);
});

test('a user is put back with one change', async () => {
  const registration = { email: 'put.back@example.org', name: 'Put Back', password: 'a long enough password' };
  const { user_guid } = await make('/auth/register', registration);
  const user = (await call('admin', 'GET', `/users/${user_guid}`)).body;
  const put = await call('admin', 'PUT', `/users/${user_guid}`, { ...user, name: 'Another name' });
  assert.deepEqual([put.status, put.body.name], [200, 'Another name'], put.text);
});

test('what of an API key cannot be changed is refused, not passed over', async () => {
  const key = await make('/api-keys', { name: 'feed', scopes: ['system/*.rs'] });
  const refused = await call('admin', 'PUT', `/api-keys/${key['key_guid']}`, { name: 'feed', provider_guid: null });
  assert.deepEqual([refused.status, refused.body.messages], [400, ["'provider_guid' is not a known field"]]);
});
