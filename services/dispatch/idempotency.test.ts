// Idempotency-Key in dispatch (decision G10): which addresses accept it, FHIR and others.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { creatingAddresses } from '#test/support/idempotency.ts';
import { ENGINE, makeSite, ORGANISATION } from './testing/site.ts';

const { app, call, database } = await makeSite({ after });

test('every address that creates something accepts and documents the header', async () => {
  const { shown, missing } = await creatingAddresses(app);
  assert.deepEqual(missing, []);
  assert.ok(shown.includes('/api/v1/ServiceRequest') && shown.includes('/api/v1/ServiceRequest/{id}/forms'));
});

test('a repeated create of a patient creates no second one', async () => {
  const body = {
    resourceType: 'Patient',
    name: [{ family: 'Ek' }],
    managingOrganization: { reference: `Organization/${ORGANISATION}` },
  };
  const headers = { 'idempotency-key': 'patient-1' };
  const first = await call('POST', 'Patient', { body, headers });
  const again = await call('POST', 'Patient', { body, headers });
  assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal((await call('GET', 'Patient?family=ek')).body['total'], 1);
});

test('a repeated rotation returns the same secret, which is sealed in the database', async () => {
  const path = 'providers/provider-1/endpoint';
  const made = await call('PUT', path, { as: 'admin', body: { url: `${ENGINE}/inbox`, enabled: true } });
  assert.equal(made.status, 201, made.text);
  const options = { as: 'admin', body: {}, headers: { 'idempotency-key': 'rotation-1' } };
  const first = await call('POST', `${path}/rotate-secret`, options);
  const again = await call('POST', `${path}/rotate-secret`, options);
  assert.deepEqual([first.status, again.text], [200, first.text]);
  const { rows } = await database.query<{ answer: Buffer }>(
    'SELECT answer FROM idempotency_key WHERE answer IS NOT NULL',
  );
  assert.ok(rows.length > 0 && rows.every(({ answer }) => !answer.includes(String(first.body['secret']))));
  const other = await call('POST', `${path}/rotate-secret`, { ...options, body: { grace_hours: 1 } });
  assert.deepEqual([other.status, other.body['error']], [422, 'unprocessable']);
});
