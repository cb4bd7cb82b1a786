// A node reads written definitions before it responds to a request that may have written one, and for no other request.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeTestApp } from '#test/support/http-app.ts';
import { registerFreshness } from './freshness.ts';

const app = await makeTestApp();
after(() => app.close());
let refreshed = 0;
const refresh = async () => {
  refreshed += 1;
};
let refreshedConcepts = 0;
const concepts = {
  refresh: async () => {
    refreshedConcepts += 1;
  },
};
registerFreshness(app, { definitions: [{ refresh }], concepts: [concepts] });
app.addContentTypeParser('application/fhir+json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.route({ method: ['GET', 'POST', 'PUT'], url: '*', config: { permission: 'public' }, handler: async () => ({}) });
await app.ready();

async function refreshes(method: 'GET' | 'POST' | 'PUT', url: string, body?: object): Promise<number> {
  const before = refreshed;
  const sent =
    body === undefined ? {} : { headers: { 'content-type': 'application/fhir+json' }, payload: JSON.stringify(body) };
  assert.equal((await app.inject({ method, url, ...sent })).statusCode, 200);
  return refreshed - before;
}

const married = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus', code: 'M' }] };
const patient = { resourceType: 'Patient', maritalStatus: married };
const bundleOf = (resource: object) => ({ resourceType: 'Bundle', type: 'transaction', entry: [{ resource }] });

test('writing a definition, by itself or in a bundle', async () => {
  assert.equal(await refreshes('POST', '/CodeSystem', { resourceType: 'CodeSystem' }), 1);
  assert.equal(await refreshes('PUT', '/StructureDefinition/a', { resourceType: 'StructureDefinition' }), 1);
  assert.equal(await refreshes('POST', '/$transaction', bundleOf({ resourceType: 'ValueSet' })), 1);
  assert.equal(await refreshes('POST', '/', bundleOf({ resourceType: 'ConceptMap' })), 1);
});

test('reading one, or writing what only names the address of a code system', async () => {
  assert.equal(await refreshes('GET', '/CodeSystem/a'), 0);
  assert.equal(await refreshes('POST', '/Patient', patient), 0);
  assert.equal(await refreshes('POST', '/$transaction', bundleOf(patient)), 0);
});

test('writing a concept or a library', async () => {
  const writes = async (method: 'GET' | 'POST' | 'PUT', url: string) => {
    const before = refreshedConcepts;
    assert.equal(await refreshes(method, url, method === 'GET' ? undefined : {}), 0);
    return refreshedConcepts - before;
  };
  assert.equal(await writes('POST', '/concepts'), 1);
  assert.equal(await writes('PUT', '/concepts/1'), 1);
  assert.equal(await writes('PUT', '/canonical-libs/1'), 1);
  assert.equal(await writes('GET', '/concepts'), 0);
  assert.equal(await writes('POST', '/Patient'), 0);
});
