// The rows of "Resources and their fields", "Limits" and "Versioning" (contract: dispatch; decisions D1, G3, G6). They
// are the FHIR records, how they are searched and paged, and the capability statement. That the statement is true to
// its last parameter is held by services/dispatch/capability.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FORM, makeCarePlan } from '#services/dispatch/testing/samples.ts';
import { BASE } from '#services/dispatch/testing/site.ts';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { GUID } from '#test/support/shape.ts';

const contract = await startDispatchContract({ after });
const { ask, expect, expectFhir, refuse } = contract;

const PATIENT = {
  resourceType: 'Patient',
  gender: 'female',
  birthDate: '1950-02-03',
  name: [{ family: 'Ek', given: ['Maj'] }],
};
const subject = { reference: 'Patient/p1' };

interface Bundle {
  readonly type: string;
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly fullUrl: string;
    readonly search: { mode: string };
    readonly resource: { id: string };
  }[];
}

async function search(path: string, as = 'anna'): Promise<Bundle> {
  return (await expectFhir(`GET ${path}`, { as }, 200, 'Bundle')).body as unknown as Bundle;
}

const idsOf = ({ entry = [] }: Bundle) => entry.map(({ resource }) => resource.id);
const linkOf = ({ link }: Bundle, relation: string) => link.find((each) => each.relation === relation)?.url;

test('GET /metadata: R5, its own version 2.0.0, and at least the interactions and parameters of the contract', async () => {
  const { body } = await expectFhir('GET /metadata', { as: 'nobody' }, 200, 'CapabilityStatement');
  assert.deepEqual([body['fhirVersion'], body['version']], ['5.0.0', '2.0.0']);
  const [rest] = body['rest'] as {
    resource: { type: string; interaction: { code: string }[]; searchParam: { name: string; type: string }[] }[];
  }[];
  for (const [type, interactions, parameters] of CONTRACT) {
    const claimed = rest?.resource.find((each) => each.type === type);
    const codes = claimed?.interaction.map(({ code }) => code) ?? [];
    assert.deepEqual(
      interactions.filter((code) => !codes.includes(code)),
      [],
      type,
    );
    const named = claimed?.searchParam.map(({ name, type: of }) => `${name} ${of}`) ?? [];
    assert.deepEqual(
      parameters.filter((parameter) => !named.includes(parameter)),
      [],
      type,
    );
  }
});

const CONTRACT: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'Patient',
    ['read', 'search-type', 'create', 'update', 'delete'],
    ['name string', 'gender token', 'birthdate date', '_count number', '_offset number'],
  ],
  ['CarePlan', ['create', 'read', 'update', 'search-type'], ['patient_guid reference', 'status token']],
  ['ServiceRequest', ['read', 'search-type', 'create'], ['status token', 'page number', 'per_page number']],
  ['Questionnaire', ['read', 'search-type'], ['page number', 'per_page number']],
];

test('Patient: create 201, read, update, delete 204 and then 410; 400, 404, 409, 412, 422', async () => {
  const made = await expectFhir('POST /Patient', { body: PATIENT }, 201, 'Patient');
  const id = String(made.body['id']);
  assert.match(id, GUID);
  assert.ok(String(made.headers['location']).startsWith(`${BASE}/Patient/${id}`));
  const read = await expectFhir(`GET /Patient/${id}`, {}, 200, 'Patient');
  assert.deepEqual([read.body, read.headers['etag']], [made.body, 'W/"1"']);
  const body = { ...PATIENT, id, gender: 'other' };
  await expectFhir(`PUT /Patient/${id}`, { body, headers: { 'if-match': 'W/"1"' } }, 200, 'Patient');
  await refuse(`PUT /Patient/${id}`, { body, headers: { 'if-match': 'W/"1"' } }, 412, 'precondition_failed');
  await refuse(`PUT /Patient/${id}`, { body: { ...body, id: 'another' } }, 400, 'invalid_request');
  await refuse('POST /Patient', { body: { ...PATIENT, gender: 'x', birthDate: '1950-02-31' } }, 422, 'unprocessable');
  await expect(`DELETE /Patient/${id}`, {}, 204);
  await refuse(`GET /Patient/${id}`, {}, 410, 'deleted');
  await refuse('GET /Patient/nobody', {}, 404, 'not_found');
  await contract.draft();
  await refuse('DELETE /Patient/p1', {}, 409, 'conflict');
});

test('Patient: name, gender and birthdate find them', async () => {
  const made = await ask('POST /Patient', {
    body: { ...PATIENT, name: [{ family: 'Åkesson' }], birthDate: '1931-07-09' },
  });
  for (const query of [
    'name=akess',
    'name:exact=Åkesson',
    'birthdate=1931',
    'birthdate=lt1940',
    'gender=female&name=åkesson',
  ]) {
    assert.deepEqual(idsOf(await search(`/Patient?${query}`)), [made.body['id']], query);
  }
  assert.deepEqual(idsOf(await search('/Patient?name=akess&gender=male')), []);
});

test('CarePlan: create with its plan, read, update; found by patient_guid and status; 422, 503 with nothing written', async () => {
  const id = await makeCarePlan(contract);
  await expectFhir(`GET /CarePlan/${id}`, {}, 200, 'CarePlan');
  for (const query of ['patient_guid=p1', 'patient_guid=Patient/p1', 'patient_guid=p1&status=active']) {
    assert.ok(idsOf(await search(`/CarePlan?_count=100&${query}`)).includes(id), query);
  }
  assert.deepEqual(idsOf(await search('/CarePlan?patient_guid=p2')), []);
  const { body } = await ask(`GET /CarePlan/${id}`);
  await expectFhir(`PUT /CarePlan/${id}`, { body: { ...body, status: 'on-hold' } }, 200, 'CarePlan');
  assert.ok(idsOf(await search('/CarePlan?status=on-hold')).includes(id));
  const plan = { resourceType: 'CarePlan', status: 'active', intent: 'plan', subject };
  const before = (await search('/CarePlan')).total;
  await refuse(
    'POST /CarePlan',
    { body: { ...plan, instantiatesCanonical: ['https://no.example/plan'] } },
    422,
    'unprocessable',
  );
  await refuse('POST /CarePlan', { body: { ...plan, intent: 'whatever' } }, 422, 'unprocessable');
  contract.world.isPlanDown = true;
  const named = { ...plan, instantiatesCanonical: ['https://no.example/plan'] };
  await refuse('POST /CarePlan', { body: named }, 503, 'upstream_unavailable');
  contract.world.isPlanDown = false;
  assert.equal((await search('/CarePlan')).total, before);
  await refuse(`DELETE /CarePlan/${id}`, {}, 405, 'method_not_allowed');
});

test('Consent: create, read, update, found by patient', async () => {
  const made = await expectFhir(
    'POST /Consent',
    { body: { resourceType: 'Consent', status: 'active', subject, decision: 'permit' } },
    201,
    'Consent',
  );
  const id = String(made.body['id']);
  for (const query of ['patient=Patient/p1', 'patient=p1', 'patient_guid=p1', 'subject=Patient/p1']) {
    assert.ok(idsOf(await search(`/Consent?${query}`)).includes(id), query);
  }
  await expectFhir(`PUT /Consent/${id}`, { body: { ...made.body, status: 'inactive' } }, 200, 'Consent');
  await refuse('POST /Consent', { body: { resourceType: 'Consent', status: 'on', subject } }, 422, 'unprocessable');
});

test('ServiceRequest and Questionnaire: found by status, patient and archived; what is frozen is found by its address', async () => {
  const draft = await contract.draft();
  const active = await contract.active();
  assert.ok(idsOf(await search('/ServiceRequest?status=draft')).includes(draft));
  assert.ok(idsOf(await search('/ServiceRequest?status=active&patient_guid=p1')).includes(active));
  await ask(`POST /ServiceRequest/${draft}/archive`);
  assert.ok(!idsOf(await search('/ServiceRequest?status=draft')).includes(draft));
  assert.ok(idsOf(await search('/ServiceRequest?archived=true')).includes(draft));
  assert.ok(idsOf(await search(`/Questionnaire?url=${FORM.url}`)).length > 0);
  await refuse('GET /ServiceRequest?archived=maybe', {}, 400, 'validation_error');
  for (const type of ['ServiceRequest', 'Questionnaire'])
    await refuse(`PUT /${type}/x`, { body: {} }, 405, 'method_not_allowed');
  await refuse('POST /Questionnaire', { body: FORM }, 405, 'method_not_allowed');
});

for (const type of ['Patient', 'CarePlan', 'Consent', 'ServiceRequest', 'Questionnaire']) {
  test(`${type}: pages of _count, _offset, page and per_page, with their bounds, show in the links`, async () => {
    await contract.active();
    await ask('POST /Patient', { body: PATIENT });
    await ask('POST /Consent', { body: { resourceType: 'Consent', status: 'draft', subject, decision: 'permit' } });
    await contract.active();
    const all = idsOf(await search(`/${type}?_count=1000`));
    assert.ok(all.length > 1 || type === 'Consent', type);
    const counted = await search(`/${type}?_count=1`);
    assert.deepEqual([counted.type, counted.total, idsOf(counted)], ['searchset', all.length, all.slice(0, 1)]);
    const seen: string[] = [];
    for (let next: string | undefined = `${BASE}/${type}?_count=1`; next !== undefined; ) {
      const page: Bundle = await search(next.slice(BASE.length));
      seen.push(...idsOf(page));
      next = linkOf(page, 'next');
    }
    assert.deepEqual(seen, all);
    assert.deepEqual(idsOf(await search(`/${type}?_count=1&_offset=1`)), all.slice(1, 2));
    const second = await search(`/${type}?page=2&per_page=1`);
    assert.deepEqual(idsOf(second), all.slice(1, 2));
    assert.match(linkOf(second, 'self') ?? '', /page=2&per_page=1|per_page=1&page=2/);
    for (const { fullUrl, search: how, resource } of second.entry ?? []) {
      assert.deepEqual([fullUrl, how.mode], [`${BASE}/${type}/${resource.id}`, 'match']);
    }
    for (const wrong of [
      '_count=-1',
      '_count=x',
      '_offset=-1',
      '_offset=x',
      'page=0',
      'per_page=0',
      'per_page=201',
      'page=x',
    ]) {
      const answer = await ask(`GET /${type}?${wrong}`);
      assert.equal(answer.status, 400, `${wrong}: ${answer.text}`);
    }
    assert.equal((await search(`/${type}?per_page=200`)).total, all.length);
  });

  test(`${type}: an unknown parameter is refused under handling=strict, else left out of the self link`, async () => {
    const headers = { prefer: 'handling=strict' };
    await refuse(`GET /${type}?unknown=1`, { headers }, 400, 'validation_error');
    const lenient = await search(`/${type}?unknown=1&_count=1`);
    assert.ok(!linkOf(lenient, 'self')?.includes('unknown'));
  });
}
