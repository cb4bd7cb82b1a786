// Search in a compartment (hl7.org/fhir/R5/http.html#vsearch, compartmentdefinition.html).

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { BASE, startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { observationOf as observation } from '#test/support/fhir/observation.ts';

const { call } = await startFhirRest({ after }, [
  'Patient',
  'Observation',
  'Encounter',
  'Practitioner',
  'Organization',
]);
const put = (resource: { resourceType: string; id: string }, as: 'admin' | 'anna' | 'bo' = 'admin') =>
  call('PUT', `/${resource.resourceType}/${resource.id}`, { as, body: resource });
const found = async (path: string, as: 'admin' | 'anna' | 'bo' | 'pat' = 'admin') => {
  const { status, body, text } = await call('GET', path, { as });
  assert.equal(status, 200, text);
  return (body.entry ?? []).map((entry: { resource: { id: string } }) => entry.resource.id).sort();
};

for (const id of ['pat', 'two']) await put({ resourceType: 'Patient', id });
await put({ resourceType: 'Practitioner', id: 'doc' });
const visit = { resourceType: 'Encounter', id: 'visit', status: 'completed', subject: { reference: 'Patient/pat' } };
await put(visit);
await put(observation('weight', 'Patient/pat', { encounter: { reference: 'Encounter/visit' } }));
await put(observation('height', 'Patient/pat', { performer: [{ reference: 'Practitioner/doc' }] }));
await put(observation('by-pat', 'Patient/two', { performer: [{ reference: 'Patient/pat' }] }));
await put(observation('of-two', 'Patient/two'));

test('what refers to the patient by any parameter of the compartment', async () => {
  assert.deepEqual(await found('/Patient/pat/Observation'), ['by-pat', 'height', 'weight']);
  assert.deepEqual(await found('/Patient/two/Observation'), ['by-pat', 'of-two']);
  assert.deepEqual(await found('/Patient/pat/Encounter'), ['visit']);
  assert.deepEqual(await found('/Patient/nobody/Observation'), []);
});

test('other compartments, further parameters and POST', async () => {
  assert.deepEqual(await found('/Encounter/visit/Observation'), ['weight']);
  assert.deepEqual(await found('/Practitioner/doc/Observation'), ['height']);
  assert.deepEqual(await found('/Patient/pat/Observation?subject=Patient/pat&_sort=-_id'), ['height', 'weight']);
  const posted = await call('POST', '/Patient/pat/Observation/_search', {
    body: 'encounter=Encounter/visit',
    contentType: 'application/x-www-form-urlencoded',
  });
  assert.equal(posted.body.total, 1);
});

test('pages go on in the compartment', async () => {
  const first = await call('GET', '/Patient/pat/Observation?_count=2');
  assert.equal(first.body.total, 3);
  const [self, next] = first.body.link;
  assert.equal(self.url, `${BASE}/Patient/pat/Observation?_count=2`);
  assert.ok(next.url.startsWith(`${BASE}/Patient/pat/Observation?`), next.url);
  assert.equal((await found(next.url.slice(BASE.length))).length, 1);
});

test('all types of a compartment at once, by parameters that all of them have', async () => {
  assert.deepEqual(await found('/Patient/pat/*'), ['by-pat', 'height', 'pat', 'visit', 'weight']);
  assert.deepEqual(await found('/Encounter/visit/*'), ['visit', 'weight']);
  assert.deepEqual(await found('/Patient/pat/*?_type=Encounter,Patient'), ['pat', 'visit']);
  assert.deepEqual(await found('/Patient/pat/*?_id=weight,of-two'), ['weight']);
  assert.deepEqual(await found('/Patient/nobody/*'), []);
  const outside = await call('GET', '/Patient/pat/*?_type=Organization,Encounter');
  assert.equal(outside.status, 400);
  assert.match(outside.text, /lies in no compartment of a Patient: Organization/);
});

test('all types of a compartment in pages, by POST and in an entry of a bundle', async () => {
  const first = await call('GET', '/Patient/pat/*?_count=2');
  assert.equal(first.body.link[0].url, `${BASE}/Patient/pat/*?_count=2`);
  const seen = first.body.entry.map((entry: { fullUrl: string }) => entry.fullUrl);
  let next = first.body.link[1];
  while (next !== undefined) {
    const page = await call('GET', next.url.slice(BASE.length));
    seen.push(...page.body.entry.map((entry: { fullUrl: string }) => entry.fullUrl));
    next = page.body.link[1];
  }
  assert.equal(seen.length, 5);
  assert.equal(new Set(seen).size, 5);
  const posted = await call('POST', '/Patient/pat/*/_search', {
    body: '_type=Encounter',
    contentType: 'application/x-www-form-urlencoded',
  });
  assert.equal(posted.body.entry.length, 1, posted.text);
  const entry = [{ request: { method: 'GET', url: 'Patient/pat/*?_type=Encounter' } }];
  const batch = await call('POST', '', { body: { resourceType: 'Bundle', type: 'batch', entry } });
  assert.equal(batch.body.entry[0].resource.entry[0].resource.id, 'visit', batch.text);
});

test('a type that is in no such compartment, or is none, is not found; an error is reported', async () => {
  for (const path of [
    '/Patient/pat/Organization',
    '/Patient/pat/Nothing',
    '/Encounter/visit/Practitioner',
    '/Patient/pat/constructor',
  ]) {
    assert.equal((await call('GET', path)).status, 404, path);
  }
  assert.equal((await call('GET', '/Patient/pat/Observation?date=x')).status, 400);
});

test('nobody sees more through a compartment than without', async () => {
  await put(observation('annas', 'Patient/pat'), 'anna');
  assert.deepEqual(await found('/Patient/pat/Observation', 'anna'), ['annas']);
  assert.deepEqual(await found('/Patient/pat/Observation', 'bo'), []);
  // What one patient did for another names both, and is shown to neither (docs/adr/0049).
  assert.deepEqual(await found('/Patient/two/Observation', 'pat'), []);
  assert.deepEqual(await found('/Patient/pat/*', 'anna'), ['annas']);
  assert.deepEqual(await found('/Patient/two/*', 'pat'), []);
});
