// The FHIR records over HTTP: interactions, searches by the contract's parameters, permissions, and a true
// CapabilityStatement.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { objectOf, objectsOf } from '#fhir/json/objects.ts';
import { makeActive, makeDraft } from './testing/samples.ts';
import { assertValid, BASE, CALLERS, makeSite } from './testing/site.ts';

const site = await makeSite({ after });
const { call } = site;

async function found(path: string, as = 'anna'): Promise<string[]> {
  const answer = await call('GET', path, { as });
  assert.equal(answer.status, 200, answer.text);
  return objectsOf(answer.body['entry']).map((entry) => String(objectOf(entry['resource'])?.['id']));
}

test('Patient: create, read, update, search, delete', async () => {
  const patient = { resourceType: 'Patient', name: [{ family: 'Berg' }], gender: 'female', birthDate: '1950-04-01' };
  const made = await call('POST', 'Patient', { body: patient });
  assert.equal(made.status, 201, made.text);
  const id = String(made.body['id']);
  assert.equal((await call('GET', `Patient/${id}`)).status, 200);
  const changed = await call('PUT', `Patient/${id}`, { body: { ...made.body, gender: 'other' } });
  assert.deepEqual([changed.status, changed.headers['etag']], [200, 'W/"2"']);
  assert.deepEqual(await found('Patient?name=berg&gender=other&birthdate=1950-04-01'), [id]);
  assert.deepEqual(await found('Patient?gender=male'), []);
  assert.equal((await call('DELETE', `Patient/${id}`)).status, 204);
  assert.equal((await call('GET', `Patient/${id}`)).status, 410);
  const refused = await call('POST', 'Patient', { body: { resourceType: 'Patient', gender: 'x' } });
  assert.deepEqual([refused.status, refused.body['resourceType']], [422, 'OperationOutcome']);
});

test('_count and _offset, page and per_page', async () => {
  for (const family of ['Aa', 'Ab', 'Ac']) {
    await call('POST', 'Patient', { body: { resourceType: 'Patient', name: [{ family }], active: true } });
  }
  const all = await found('Patient?active=true&_sort=family');
  assert.equal(all.length, 3);
  assert.deepEqual(await found('Patient?active=true&_sort=family&_count=2&_offset=1'), all.slice(1, 3));
  assert.deepEqual(await found('Patient?active=true&_sort=family&per_page=2&page=2'), all.slice(2));
  assert.equal((await call('GET', 'Patient?per_page=201')).status, 400);
});

test('behind the first page a bundle leads to the first and the previous one, the way the client pages', async () => {
  for (const family of ['Ba', 'Bb', 'Bc', 'Bd', 'Be']) {
    await call('POST', 'Patient', { body: { resourceType: 'Patient', name: [{ family }], gender: 'unknown' } });
  }
  const linksOf = async (query: string) => {
    const { body, text, status } = await call('GET', `Patient?gender=unknown&_sort=family&${query}`);
    assert.equal(status, 200, text);
    assertValid(body);
    return new Map(objectsOf(body['link']).map(({ relation, url }) => [String(relation), String(url)]));
  };
  const pathOf = (links: Map<string, string>, relation: string) => links.get(relation)?.slice(`${BASE}/`.length) ?? '';
  for (const [begin, relations] of [
    ['per_page=2', ['self', 'next']],
    ['per_page=2&page=2', ['self', 'next', 'first', 'previous']],
    ['per_page=2&page=3', ['self', 'first', 'previous']],
    ['_count=2&_offset=3', ['self', 'first', 'previous']],
    ['_count=2&_offset=1', ['self', 'next', 'first', 'previous']],
    ['_count=2', ['self', 'next']],
    ['_count=0', ['self']],
  ] as const) {
    assert.deepEqual([...(await linksOf(begin)).keys()], relations, begin);
  }
  const third = await linksOf('per_page=2&page=3');
  const second = await found(pathOf(third, 'previous'));
  assert.deepEqual(second, await found('Patient?gender=unknown&_sort=family&per_page=2&page=2'));
  const first = await found('Patient?gender=unknown&_sort=family&_count=2');
  assert.deepEqual(await found(pathOf(third, 'first')), first);
  const offset = await linksOf('_count=2&_offset=1');
  assert.deepEqual(await found(pathOf(offset, 'previous')), first);
  const onward = await call('GET', pathOf(await linksOf('_count=2'), 'next'));
  const relations = objectsOf(onward.body['link']).map(({ relation }) => relation);
  assert.deepEqual(relations, ['self', 'next'], 'a cursor leads onward alone');
});

test('what can have but one value is refused by name when it is given again, in FHIR and beside it', async () => {
  for (const [path, name] of [
    ['Patient?page=1&page=2', 'page'],
    ['Patient?per_page=1&per_page=1', 'per_page'],
    ['Patient?_count=1&_count=2', '_count'],
    ['Patient?_offset=1&_offset=2', '_offset'],
    ['Patient?_total=none&_total=accurate', '_total'],
    ['Patient?_summary=true&_summary=count', '_summary'],
    ['Patient?_count=5&per_page=10', 'per_page'],
    ['ServiceRequest?archived=true&archived=false', 'archived'],
    ['Form?page=1&page=2', 'page'],
    ['ServiceRequest/0190/matches?per_page=1&per_page=2', 'per_page'],
    ['deliveries?status=dead&status=held', 'status'],
  ] as const) {
    const answer = await call('GET', path, { as: 'admin' });
    assert.equal(answer.status, 400, `${path}: ${answer.text}`);
    assert.match(
      answer.text,
      new RegExp(`['"]?${name}['"]? (must be given once|and per_page)|_count and ${name}`),
      answer.text,
    );
  }
  assert.equal((await call('GET', 'Patient?name=a&name=b')).status, 200, 'two conditions are two conditions');
});

test('CarePlan and Consent are found by patient_guid, as a guid and as a reference', async () => {
  await makeDraft(site);
  const consent = {
    resourceType: 'Consent',
    status: 'active',
    subject: { reference: 'Patient/p1' },
    decision: 'permit',
  };
  const made = await call('POST', 'Consent', { body: consent });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(await found('Consent?patient_guid=p1'), [made.body['id']]);
  const plans = await found('CarePlan?patient_guid=p1&status=active');
  assert.equal(plans.length, 1);
  assert.deepEqual(await found('CarePlan?patient_guid=Patient/p1'), plans);
  assert.deepEqual(await found('CarePlan?patient_guid=p2'), []);
});

test("bundles, conditional writes and what reaches over types are the engine's alone", async () => {
  const bundle = { resourceType: 'Bundle', type: 'transaction', entry: [] };
  for (const path of ['', '$transaction', '$batch', '$validate', 'Patient/$validate']) {
    const answer = await call('POST', path, { body: bundle });
    assert.ok([404, 405].includes(answer.status), `${path} ${answer.text}`);
  }
  const patient = { resourceType: 'Patient' };
  assert.equal((await call('PUT', 'Patient?name=x', { body: patient })).status, 405);
  assert.equal((await call('DELETE', 'Patient?name=x')).status, 405);
  for (const path of ['_history', 'Patient/p/$everything', 'Patient/p/CarePlan'])
    assert.equal((await call('GET', path)).status, 404, path);
});

test('a draft cannot be replaced or deleted by FHIR, nor a frozen form written', async () => {
  const id = await makeDraft(site);
  const put = await call('PUT', `ServiceRequest/${id}`, { body: { resourceType: 'ServiceRequest' } });
  assert.deepEqual([put.status, put.headers['allow']], [405, 'GET, HEAD']);
  assert.equal((await call('DELETE', `ServiceRequest/${id}`)).status, 405);
  assert.equal((await call('POST', 'Questionnaire', { body: { resourceType: 'Questionnaire' } })).status, 405);
});

test('every type of caller at every record: read and write', async () => {
  const id = await makeActive(site);
  const form = (await found('Questionnaire'))[0];
  const carePlan = (await found('CarePlan?patient_guid=p1'))[0];
  const patient = { resourceType: 'Patient', id: 'p1', name: [{ family: 'Ek' }] };
  const matrix: Record<string, number[]> = {};
  for (const as of ['nobody', ...Object.keys(CALLERS)]) {
    const answers = await Promise.all([
      call('GET', 'Patient/p1', { as }),
      call('GET', `CarePlan/${carePlan}`, { as }),
      call('GET', `ServiceRequest/${id}`, { as }),
      call('GET', `Questionnaire/${form}`, { as }),
      call('GET', 'Form', { as }),
    ]);
    const write = await call('PUT', 'Patient/p1', { as, body: patient });
    matrix[as] = [...answers, write].map(({ status }) => status);
  }
  assert.deepEqual(matrix, {
    nobody: [401, 401, 401, 401, 401, 401],
    anna: [200, 200, 200, 200, 200, 200],
    bo: [404, 404, 404, 404, 200, 404],
    reader: [200, 200, 200, 200, 200, 403],
    admin: [200, 200, 200, 200, 200, 200],
    patient: [200, 200, 200, 403, 403, 403],
    provider: [403, 403, 403, 403, 403, 403],
    key: [404, 404, 403, 403, 403, 403],
    service: [403, 403, 403, 403, 403, 403],
  });
  assert.deepEqual(await found('Patient', 'patient'), ['p1'], 'a search shows a patient themself alone');
  assert.deepEqual(await found('ServiceRequest', 'bo'), [], 'and others nothing');
});

test('an API key does what its scopes say, for records of nobody’s organisation', async () => {
  const made = await call('POST', 'Patient', { as: 'key', body: { resourceType: 'Patient' } });
  assert.equal(made.status, 201, made.text);
  assert.equal((await call('GET', `Patient/${made.body['id']}`, { as: 'key' })).status, 200);
  assert.deepEqual(await found('Patient', 'key'), [made.body['id']]);
  const lacking = await call('DELETE', `Patient/${made.body['id']}`, { as: 'key' });
  assert.deepEqual([lacking.status, /system\/Patient\.d/.test(lacking.text)], [403, true]);
  assert.equal((await call('GET', 'CarePlan', { as: 'key' })).status, 403, 'reading is not searching');
  assert.equal((await call('GET', 'Consent', { as: 'key' })).status, 403);
  assert.deepEqual(await found('Patient?_revinclude=Consent:subject', 'key'), [made.body['id']]);
});

test('the capability statement is valid, version 2.0.0, and true', async () => {
  const { status, body, headers } = await call('GET', 'metadata', { as: 'nobody' });
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^application\/fhir\+json/);
  assertValid(body);
  assert.deepEqual([body['fhirVersion'], body['version']], ['5.0.0', '2.0.0']);
  const [rest] = objectsOf(body['rest']);
  const served = Object.fromEntries(
    objectsOf(rest?.['resource']).map((resource) => [
      resource['type'],
      objectsOf(resource['interaction']).map(({ code }) => code),
    ]),
  );
  assert.deepEqual(Object.keys(served), [
    'CarePlan',
    'Consent',
    'Observation',
    'Organization',
    'Patient',
    'Provenance',
    'Questionnaire',
    'QuestionnaireResponse',
    'ServiceRequest',
  ]);
  assert.deepEqual(served['ServiceRequest'], ['read', 'search-type', 'create']);
  assert.deepEqual(served['Questionnaire'], ['read', 'search-type']);
});

test('the statement supports If-None-Match and both content types', async () => {
  const first = await call('GET', 'metadata', { as: 'nobody' });
  const tag = String(first.headers['etag']);
  const again = await call('GET', 'metadata', { as: 'nobody', headers: { 'if-none-match': tag } });
  assert.deepEqual([again.status, again.text, again.headers['etag']], [304, '', tag]);
  assert.equal((await call('GET', 'metadata?_format=xml', { as: 'nobody' })).status, 406);
  const brief = await call('GET', 'metadata?_elements=fhirVersion', { as: 'nobody' });
  assert.deepEqual([brief.body['fhirVersion'], brief.body['rest']], ['5.0.0', undefined]);
});
