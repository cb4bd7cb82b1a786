// $meta, $meta-add and $meta-delete: sets of profiles, tags and labels, versions, conditions, rights.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient', 'Observation']);
const RESTRICTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' };
const tag = (code: string) => ({ system: 'urn:t', code });
const body = (meta: object) => ({ resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: meta }] });
const change = (operation: 'add' | 'delete', meta: object, headers = {}, id = 'm') =>
  call('POST', `/Patient/${id}/$meta-${operation}`, { body: body(meta), headers });
const labels = ({ body: { parameter } }: { body: { parameter: { valueMeta: Record<string, unknown> }[] } }) => {
  const { versionId, tag, security, profile } = parameter[0]?.valueMeta ?? {};
  return { versionId, tag, security, profile };
};
const none = { tag: undefined, security: undefined, profile: undefined };

test('labels are sets: what is there is not added again, what is not there is not missed', async () => {
  const text = '{"resourceType":"Patient","id":"m","extension":[{"url":"http://x.org/e","valueDecimal":1.50}]}';
  assert.equal((await call('PUT', '/Patient/m', { body: text })).status, 201);
  assert.deepEqual(labels(await call('GET', '/Patient/m/$meta')), { versionId: '1', ...none });
  const added = await change('add', { tag: [tag('a'), tag('b')], security: [RESTRICTED], versionId: '9' });
  assert.deepEqual([added.status, added.headers['etag']], [200, 'W/"2"']);
  assert.deepEqual(validateResource(added.body), []);
  const two = { ...none, versionId: '2', tag: [tag('a'), tag('b')], security: [RESTRICTED] };
  assert.deepEqual(labels(added), two);
  assert.deepEqual(labels(await change('add', { tag: [{ ...tag('a'), display: 'A' }] })), two);
  assert.deepEqual(labels(await change('delete', { tag: [tag('c'), { code: 'a' }] })), two);
  const fewer = await change('delete', { tag: [tag('a')], security: [RESTRICTED] });
  assert.deepEqual(labels(fewer), { ...none, versionId: '3', tag: [tag('b')] });
  assert.equal((await call('GET', '/Patient?_tag=urn:t|b&_tag:not=urn:t|a')).body.total, 1);
  const { text: stored } = await call('GET', '/Patient/m');
  assert.match(stored, /"valueDecimal":1.50/);
});

test('errors, versions and rights', async () => {
  await call('PUT', '/Patient/n', { body: { resourceType: 'Patient', id: 'n' } });
  for (const wrong of [body({ tag: {} }), { resourceType: 'Parameters' }, { resourceType: 'Patient' }])
    assert.equal((await call('POST', '/Patient/n/$meta-add', { body: wrong })).status, 400);
  const invalid = await change('add', { tag: [{ system: 7 }] }, {}, 'n');
  assert.equal(invalid.status, 422, invalid.text);
  assert.equal((await change('add', { tag: [tag('a')] }, { 'if-match': 'W/"7"' }, 'n')).status, 412);
  assert.equal((await change('add', { tag: [] }, { 'if-match': 'W/"7"' }, 'n')).status, 412);
  assert.equal((await change('add', { tag: [] }, {}, 'never')).status, 404);
  await call('DELETE', '/Patient/n');
  assert.equal((await change('add', { tag: [tag('a')] }, {}, 'n')).status, 410);
  assert.equal((await call('GET', '/Patient/n/$meta')).status, 410);
  assert.equal((await call('GET', '/Patient/m/$meta', { as: 'bo' })).status, 404);
  const denied = await call('POST', '/Patient/m/$meta-add', { as: 'pat', body: body({ tag: [tag('p')] }) });
  assert.equal(denied.status, 403);
});

test('labels added by many at once are all kept', async () => {
  await call('PUT', '/Patient/o', { body: { resourceType: 'Patient', id: 'o' } });
  const codes = Array.from({ length: 20 }, (_, index) => `c${index}`);
  const answers = await Promise.all(codes.map((code) => change('add', { tag: [tag(code)] }, {}, 'o')));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const { body: kept } = await call('GET', '/Patient/o/$meta');
  const found = kept.parameter[0].valueMeta.tag.map(({ code }: { code: string }) => code);
  assert.deepEqual(found.toSorted(), codes.toSorted());
});
