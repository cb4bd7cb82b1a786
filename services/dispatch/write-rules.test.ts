// Rules for writes to the FHIR records: consents that the gate can find, patients with open requests, CarePlans with
// results (D1, D3, D7).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { carePlanOf, makeActive, makeDraft } from './testing/samples.ts';
import { BASE, makeSite, type Site } from './testing/site.ts';

const site = await makeSite({ after });
const { call, database, world } = site;

for (const id of ['p1', 'p2']) {
  const { status, text } = await call('PUT', `Patient/${id}`, { body: { resourceType: 'Patient', id } });
  assert.equal(status, 201, text);
}

const ELSEWHERE = [
  { reference: `${BASE}/Patient/p1` },
  { reference: 'https://other.example/fhir/Patient/p1' },
  { reference: 'urn:uuid:01a1fc05-6859-7001-b762-d86647a21285' },
  { type: 'Patient', identifier: { value: 'p1' } },
];

test('a consent or CarePlan that names its patient in a way that the gate would not find is refused', async () => {
  const consent = { resourceType: 'Consent', status: 'active', decision: 'deny' };
  for (const subject of ELSEWHERE) {
    for (const [type, body] of [
      ['Consent', { ...consent, subject }],
      ['CarePlan', { ...carePlanOf('p1'), subject }],
    ] as const) {
      const refused = await call('POST', type, { body });
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.text, /Patient\/<id>/);
    }
  }
  const group = { ...consent, subject: { reference: 'Group/g1' } };
  assert.equal((await call('POST', 'Consent', { body: group })).status, 422);
  const kept = await call('POST', 'Consent', { body: { ...consent, subject: { reference: 'Patient/p2' } } });
  assert.equal(kept.status, 201, kept.text);
  const [subject] = ELSEWHERE;
  assert.equal((await call('PUT', `Consent/${kept.body['id']}`, { body: { ...kept.body, subject } })).status, 422);
});

test('nobody writes consents or plans about a patient whom they do not see, or consents about one who is not on record', async () => {
  const subject = { reference: 'Patient/p1' };
  const consent = { resourceType: 'Consent', status: 'active', decision: 'permit', subject };
  const refused = await call('POST', 'Consent', { as: 'bo', body: consent });
  assert.equal(refused.status, 422, refused.text);
  assert.equal((await call('POST', 'CarePlan', { as: 'bo', body: carePlanOf('p1') })).status, 422);
  const unknown = await call('POST', 'Consent', {
    as: 'bo',
    body: { ...consent, subject: { reference: 'Patient/nobody' } },
  });
  assert.deepEqual([unknown.status, unknown.body['issue']], [422, refused.body['issue']], 'a stranger learns nothing');
  const own = await call('POST', 'Consent', { body: consent });
  assert.equal(own.status, 201, own.text);
  const moved = { ...own.body, subject: { reference: 'Patient/nobody' } };
  assert.equal((await call('PUT', `Consent/${own.body['id']}`, { body: moved })).status, 422);
});

test('a patient with open requests is not deleted; once they are revoked it is', async () => {
  const id = await makeDraft(site);
  const refused = await call('DELETE', 'Patient/p1');
  assert.deepEqual([refused.status, /open ServiceRequests/.test(refused.text)], [409, true], refused.text);
  assert.equal((await call('DELETE', 'Patient/p1', { as: 'bo' })).status === 409, false, 'strangers learn nothing');
  assert.equal((await call('GET', 'Patient/p1')).status, 200);
  assert.equal((await call('POST', `ServiceRequest/${id}/revoke`)).status, 200);
  assert.equal((await call('DELETE', 'Patient/p1')).status, 204);
});

/** A completed request with a result; returns its CarePlan before and after. */
async function completed({ call }: Site) {
  const id = await makeActive(site);
  const { rows } = await database.query<{ careplan_guid: string }>(
    'SELECT careplan_guid FROM service_request WHERE id = $1',
    [id],
  );
  const path = `CarePlan/${rows[0]?.careplan_guid}`;
  const planned = await call('GET', path);
  const subject = { reference: 'Patient/p1' };
  await call('POST', 'Consent', { body: { resourceType: 'Consent', status: 'active', decision: 'permit', subject } });
  world.contracts = [{ contract_guid: 'c1', provider_guid: 'provider-1', provider_name: 'Home care' }];
  await call('POST', `ServiceRequest/${id}/match`);
  const pushed = await call('POST', `ServiceRequest/${id}/push`);
  const [first] = pushed.body['pushed'] as { request_guid: string }[];
  const report = { status: 'completed', note: 'Done', results: ['https://engine.example/fhir/Observation/1'] };
  const reported = await call('PUT', `requests/${first?.request_guid}/status`, { as: 'provider', body: report });
  assert.equal(reported.status, 200, reported.text);
  return { path, planned, done: await call('GET', path) };
}

test('a CarePlan written from an older reading does not lose the result; one that keeps it is written', async () => {
  const { path, planned, done } = await completed(site);
  const stale = await call('PUT', path, { body: { ...planned.body, title: 'Renamed' } });
  assert.deepEqual([stale.status, /would lose/.test(stale.text)], [409, true], stale.text);
  const late = { body: planned.body, headers: { 'if-match': String(planned.headers['etag']) } };
  assert.equal((await call('PUT', path, late)).status, 412, 'a version that is named is checked first');
  assert.equal((await call('PUT', path, { body: { ...planned.body, activity: undefined } })).status, 409);
  assert.deepEqual((await call('GET', path)).body['activity'], done.body['activity']);
  const renamed = await call('PUT', path, { body: { ...done.body, title: 'Renamed' } });
  assert.equal(renamed.status, 200, renamed.text);
  assert.deepEqual(renamed.body['activity'], done.body['activity']);
});
