// Idempotency-Key in the engine (decision G10): which routes accept it, and its effect on FHIR resources and on
// secrets.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { creatingAddresses } from '#test/support/idempotency.ts';

const { app, call, database, clock } = await startTestEngine({ after });
const PATIENT = '{"resourceType":"Patient","name":[{"family":"Ek"}]}';

function post(path: string, key: string, payload: string | object, headers: Record<string, string> = {}) {
  return app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { authorization: 'Bearer admin', 'content-type': 'application/json', 'idempotency-key': key, ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
}

test('every address that makes something takes the header, and says so', async () => {
  const { shown, missing } = await creatingAddresses(app);
  assert.deepEqual(missing, []);
  assert.ok(shown.includes('/api/v1/Patient') && shown.includes('/api/v1/concepts'));
});

test('a resource that is sent again is not made again', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/Patient', 'patient-1', PATIENT)));
  assert.ok(answers.every(({ statusCode }) => statusCode === 201 || statusCode === 409));
  const first = answers.find(({ headers }) => headers['idempotency-replayed'] === undefined && headers.location);
  const again = await post('/Patient', 'patient-1', PATIENT);
  assert.deepEqual([again.statusCode, again.body], [201, first?.body]);
  for (const header of ['location', 'etag', 'last-modified', 'content-type']) {
    assert.equal(again.headers[header], first?.headers[header], header);
  }
  assert.equal((await call('admin', 'GET', '/Patient?family=ek')).body.total, 1);
});

test('errors are OperationOutcomes: 422 for other bytes, 400 for an invalid key', async () => {
  await post('/Patient', 'patient-2', PATIENT);
  const other = await post('/Patient', 'patient-2', `${PATIENT} `);
  assert.deepEqual([other.statusCode, other.json().resourceType], [422, 'OperationOutcome']);
  const invalid = await post('/Patient', 'no key', PATIENT);
  assert.deepEqual([invalid.statusCode, invalid.json().resourceType], [400, 'OperationOutcome']);
});

test('a conditional create that found is repeated as found', async () => {
  const condition = { 'if-none-exist': 'family=Ek&_id=nobody' };
  const first = await post('/Patient', 'patient-3', PATIENT, condition);
  const again = await post('/Patient', 'patient-3', PATIENT, condition);
  assert.deepEqual([first.statusCode, again.body], [201, first.body]);
  const { id } = first.json();
  const found = await post('/Patient', 'patient-4', PATIENT, { 'if-none-exist': `_id=${id}` });
  const foundAgain = await post('/Patient', 'patient-4', PATIENT, { 'if-none-exist': `_id=${id}` });
  assert.deepEqual([found.statusCode, foundAgain.statusCode, foundAgain.body], [200, 200, found.body]);
});

test('a repeat after a lost response returns the same API key, which is sealed in the database', async () => {
  const key = { name: 'Laboratory', scopes: ['system/Patient.rs'] };
  const first = await post('/api-keys', 'key-1', key);
  assert.equal(first.statusCode, 201);
  assert.equal((await post('/api-keys', 'key-1', key)).body, first.body);
  const rotate = `/api-keys/${first.json().key_guid}/rotate`;
  const rotated = await post(rotate, 'key-2', {});
  assert.equal((await post(rotate, 'key-2', {})).body, rotated.body);
  const { rows } = await database.query<{ answer: Buffer }>(
    'SELECT answer FROM idempotency_key WHERE answer IS NOT NULL',
  );
  for (const secret of [first.json().key, rotated.json().key]) {
    assert.ok(rows.every(({ answer }) => !answer.includes(secret)));
  }
});

test('a creation by one statement is repeatable as well, for a day', async () => {
  const provider = { name: 'Lindens home care', region: 'SE-AC' };
  const first = await post('/providers', 'provider-1', provider);
  assert.equal(first.statusCode, 201, first.body);
  assert.equal((await post('/providers', 'provider-1', provider)).body, first.body);
  clock.time += 24 * 3_600_000;
  assert.notEqual((await post('/providers', 'provider-1', provider)).body, first.body);
});

test('a transaction bundle is carried out once, as a batch is', async () => {
  for (const type of ['transaction', 'batch']) {
    const entry = { resource: { resourceType: 'Patient', name: [{ family: `Of a ${type}` }] } };
    const request = { method: 'POST', url: 'Patient' };
    const bundle = {
      resourceType: 'Bundle',
      type,
      entry: [
        { ...entry, request },
        { ...entry, request },
      ],
    };
    const first = await post('/', `bundle-${type}`, bundle);
    const again = await post('/', `bundle-${type}`, bundle);
    assert.deepEqual([first.statusCode, again.statusCode, again.body], [200, 200, first.body]);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    assert.equal((await call('admin', 'GET', `/Patient?family=of a ${type}`)).body.total, 2);
  }
});

test('the base is one address, with a slash at its end or without', async () => {
  const request = { method: 'POST', url: 'Patient' };
  const entry = [{ resource: { resourceType: 'Patient', name: [{ family: 'Slash' }] }, request }];
  const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
  const first = await post('', 'bundle-slash', bundle);
  assert.equal(first.statusCode, 200, first.body);
  assert.equal((await post('/', 'bundle-slash', bundle)).body, first.body);
  assert.equal((await call('admin', 'GET', '/Patient?family=slash')).body.total, 1);
});
