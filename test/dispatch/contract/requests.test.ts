// The rows of "Endpoints" under /ServiceRequest/{id} (contract: dispatch; decisions D2, D3, D4, D6, D12), each with
// what it answers and refuses. That others' records are 404 and who may is held by authorisation.test.ts, unreadable
// bodies by bodies.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FORM, makeCarePlan, OTHER_FORM, PLAN } from '#services/dispatch/testing/samples.ts';
import { BASE } from '#services/dispatch/testing/site.ts';
import { INSTANT, PROVIDER, startDispatchContract, UNKNOWN } from '#test/support/dispatch/dispatch-contract.ts';
import { GUID, type Shape } from '#test/support/shape.ts';

const contract = await startDispatchContract({ after });
const { ask, expect, expectFhir, expectPage, refuse, world } = contract;

const ATTACHMENT: Shape = {
  form_attachment_guid: GUID,
  form_guid: FORM.id,
  title: 'Breathing',
  position: 1,
  answered_by: 'provider',
  due: null,
};
const MATCH: Shape = {
  match_guid: GUID,
  provider_guid: PROVIDER,
  provider_name: 'Hemvården',
  contract_guid: 'contract-1',
  status: 'pending',
  delivery: null,
  updated_at: INSTANT,
};

async function attach(id: string, form: { id: string } = FORM): Promise<string> {
  const { body } = await ask(`POST /ServiceRequest/${id}/forms`, { body: { form_guid: form.id } });
  return String(body['form_attachment_guid']);
}

async function whileDown(which: 'isPlanDown' | 'isContractDown', work: () => Promise<unknown>): Promise<void> {
  world[which] = true;
  await work().finally(() => {
    world[which] = false;
  });
}

test('POST /ServiceRequest: 201 with Location, by careplan_guid and by basedOn; 400, 422', async () => {
  const carePlan = await makeCarePlan(contract);
  const full = { resourceType: 'ServiceRequest', basedOn: [{ reference: `CarePlan/${carePlan}` }] };
  for (const body of [{ careplan_guid: carePlan }, full]) {
    const made = await expectFhir('POST /ServiceRequest', { body }, 201, 'ServiceRequest');
    assert.equal(made.headers['location'], `${BASE}/ServiceRequest/${made.body['id']}`);
    assert.deepEqual([made.body['status'], made.headers['etag']], ['draft', 'W/"1"']);
    assert.match(String(made.body['id']), GUID);
  }
  await refuse('POST /ServiceRequest', { body: {} }, 400, 'validation_error');
  await refuse('POST /ServiceRequest', { body: { careplan_guid: UNKNOWN } }, 422, 'unprocessable');
  await refuse('POST /ServiceRequest', { body: { ...full, status: 'active' } }, 422, 'unprocessable');
  await refuse('POST /ServiceRequest', { body: { careplan_guid: carePlan }, as: 'bo' }, 422, 'unprocessable');
});

test('GET /ServiceRequest/{id}: the FHIR form in every state, with its ETag', async () => {
  const { id } = await contract.matched();
  for (const [operation, status] of [
    ['hold', 'on-hold'],
    ['resume', 'active'],
    ['revoke', 'revoked'],
    ['archive', 'revoked'],
  ] as const) {
    const moved = await expectFhir(`POST /ServiceRequest/${id}/${operation}`, {}, 200, 'ServiceRequest');
    const read = await expectFhir(`GET /ServiceRequest/${id}`, {}, 200, 'ServiceRequest');
    assert.deepEqual([read.body, read.body['status']], [moved.body, status]);
    assert.equal(read.headers['etag'], moved.headers['etag']);
  }
  await refuse(`GET /ServiceRequest/${UNKNOWN}`, {}, 404, 'not_found');
});

test('PUT …/snapshot: replaced while a draft, guarded by If-Match; 400, 409, 412, 422', async () => {
  const id = await contract.draft();
  const address = `PUT /ServiceRequest/${id}/snapshot`;
  const body = { plan_definition: PLAN, note: 'Mornings', priority: 'urgent', occurrence: '2026-03-02' };
  const put = await ask(address, { body, headers: { 'if-match': 'W/"1"' } });
  assert.deepEqual([put.status, put.headers['etag'], put.body], [200, 'W/"2"', body]);
  const read = await ask(`GET /ServiceRequest/${id}/snapshot`);
  assert.deepEqual([read.body, read.headers['etag']], [body, 'W/"2"']);
  const { body: fhir } = await ask(`GET /ServiceRequest/${id}`);
  assert.deepEqual(
    [fhir['priority'], fhir['occurrenceDateTime'], fhir['note']],
    ['urgent', '2026-03-02', [{ text: 'Mornings' }]],
  );
  await refuse(address, { body, headers: { 'if-match': 'W/"1"' } }, 412, 'precondition_failed');
  assert.equal((await ask(address, { body, headers: { 'if-match': '*' } })).status, 200);
  await refuse(address, { body, headers: { 'if-match': 'nonsense' } }, 400, 'invalid_request');
  await refuse(address, { body: { ...body, priority: 'now', more: 1 } }, 400, 'validation_error');
  await refuse(address, { body: { plan_definition: { resourceType: 'PlanDefinition' } } }, 422, 'unprocessable');
  for (const occurrence of ['soon', { start: 'soon' }, { start: '2026-03-02', end: '2026-03-01' }, { nothing: 1 }]) {
    await refuse(address, { body: { ...body, occurrence } }, 422, 'unprocessable');
  }
  const active = await contract.active();
  await refuse(`PUT /ServiceRequest/${active}/snapshot`, { body }, 409, 'conflict');
  assert.equal((await ask(`GET /ServiceRequest/${active}/snapshot`)).status, 200);
});

test('POST …/forms: 201 in order; 400, 409 for the same form and for what is no draft, 422 for an unknown form, 503', async () => {
  const id = await contract.draft();
  const address = `POST /ServiceRequest/${id}/forms`;
  await expect(address, { body: { form_guid: FORM.id } }, 201, ATTACHMENT);
  await refuse(address, { body: { form_guid: FORM.id } }, 409, 'conflict');
  for (const body of [{}, { form_guid: '' }, { form_guid: 1 }, { form_guid: FORM.id, x: 1 }]) {
    await refuse(address, { body }, 400, 'validation_error');
  }
  for (const form of [UNKNOWN, 'a/b', '../Patient/p1', '%00', ' ', 'x'.repeat(500)]) {
    await refuse(address, { body: { form_guid: form } }, 422, 'unprocessable');
  }
  await whileDown('isPlanDown', () =>
    refuse(address, { body: { form_guid: OTHER_FORM.id } }, 503, 'upstream_unavailable'),
  );
  const active = await contract.active();
  await refuse(`POST /ServiceRequest/${active}/forms`, { body: { form_guid: OTHER_FORM.id } }, 409, 'conflict');
});

test('GET …/forms: a page of them, with Link headers', async () => {
  const id = await contract.draft();
  await expect(`GET /ServiceRequest/${id}/forms`, {}, 200, { data: [], page: 1, per_page: 20, total: 0 });
  await attach(id);
  await expectPage(`GET /ServiceRequest/${id}/forms`, {}, ATTACHMENT);
  await attach(id, OTHER_FORM);
  const page = await ask(`GET /ServiceRequest/${id}/forms?per_page=1&page=2`);
  assert.equal((page.body['data'] as { form_guid: string }[])[0]?.form_guid, OTHER_FORM.id);
  assert.match(String(page.headers['link']), /per_page=1&page=1>; rel="first", .*rel="prev", .*rel="last"/);
});

test('DELETE …/forms/{form_attachment_guid}: 204; 404 for another, 409 when it is no draft', async () => {
  const id = await contract.draft();
  const attachment = await attach(id);
  const elsewhere = await attach(await contract.draft());
  await refuse(`DELETE /ServiceRequest/${id}/forms/${elsewhere}`, {}, 404, 'not_found');
  await expect(`DELETE /ServiceRequest/${id}/forms/${attachment}`, {}, 204);
  await refuse(`DELETE /ServiceRequest/${id}/forms/${attachment}`, {}, 404, 'not_found');
  const active = await contract.active();
  const { body } = await ask(`GET /ServiceRequest/${active}/forms`);
  const [frozen] = body['data'] as { form_attachment_guid: string }[];
  await refuse(`DELETE /ServiceRequest/${active}/forms/${frozen?.form_attachment_guid}`, {}, 409, 'conflict');
});

test('POST …/forms/reorder: 200 in the new order; 400 for no permutation, 409 when it is no draft', async () => {
  const id = await contract.draft();
  const [one, two] = [await attach(id), await attach(id, OTHER_FORM)];
  const address = `POST /ServiceRequest/${id}/forms/reorder`;
  const { body } = await ask(address, { body: { ordered_guids: [two, one] } });
  assert.deepEqual(
    (body['data'] as { form_attachment_guid: string }[]).map((form) => form.form_attachment_guid),
    [two, one],
  );
  for (const ordered of [[one], [one, one], [one, two, UNKNOWN], []]) {
    await refuse(address, { body: { ordered_guids: ordered } }, 400, 'validation_error');
  }
  for (const wrong of [{}, { ordered_guids: 'x' }, { ordered_guids: [1] }]) {
    await refuse(address, { body: wrong }, 400, 'validation_error');
  }
  const active = await contract.active();
  await refuse(`POST /ServiceRequest/${active}/forms/reorder`, { body: { ordered_guids: [] } }, 409, 'conflict');
});

test('POST …/finalize: active, with contained CarePlan and Questionnaires; 409, 422 without a plan or with a lost form, 503', async () => {
  const id = await contract.draft();
  const attachment = await attach(id);
  const frozen = await expectFhir(`POST /ServiceRequest/${id}/finalize`, {}, 200, 'ServiceRequest');
  const contained = frozen.body['contained'] as { resourceType: string; id: string }[];
  assert.equal(frozen.body['status'], 'active');
  assert.deepEqual(
    contained.map((resource) => `${resource.resourceType}/${resource.id}`),
    [
      'CarePlan/careplan',
      'PlanDefinition/plan',
      'ActivityDefinition/plan-activity-1',
      'ObservationDefinition/plan-transaction-1',
      'Questionnaire/form-1',
      'ValueSet/form-1-degrees',
      'PractitionerRole/requester',
    ],
  );
  await expectFhir(`GET /Questionnaire/${attachment}`, {}, 200, 'Questionnaire');
  await refuse(`POST /ServiceRequest/${id}/finalize`, {}, 409, 'conflict');
  const empty = await contract.draft();
  await ask(`PUT /ServiceRequest/${empty}/snapshot`, { body: {} });
  const before = await ask(`GET /ServiceRequest/${empty}`);
  await refuse(`POST /ServiceRequest/${empty}/finalize`, {}, 422, 'unprocessable');
  assert.equal((await ask(`GET /ServiceRequest/${empty}`)).text, before.text);
  const lost = await contract.draft();
  await attach(lost);
  await whileDown('isPlanDown', () => refuse(`POST /ServiceRequest/${lost}/finalize`, {}, 503, 'upstream_unavailable'));
  world.resources.splice(world.resources.indexOf(FORM), 1);
  await refuse(`POST /ServiceRequest/${lost}/finalize`, {}, 422, 'unprocessable');
  world.resources.push(FORM);
  assert.equal((await ask(`GET /ServiceRequest/${lost}`)).body['status'], 'draft');
});

test('POST …/match: 200, a match for each contract, no doubles; 400, 409 unless active, 503 with nothing changed', async () => {
  const id = await contract.active();
  await whileDown('isContractDown', () => refuse(`POST /ServiceRequest/${id}/match`, {}, 503, 'upstream_unavailable'));
  await expect(`GET /ServiceRequest/${id}/matches`, {}, 200, { data: [], page: 1, per_page: 20, total: 0 });
  const first = await expect(`POST /ServiceRequest/${id}/match`, {}, 200, { matches: [MATCH] });
  const again = await ask(`POST /ServiceRequest/${id}/match`, { body: { region: 'Skåne', date: '2026-03-05' } });
  assert.deepEqual(again.body, first.body);
  assert.deepEqual((world.matched.at(-1) as { date: string; region: string }).region, 'Skåne');
  await expectPage(`GET /ServiceRequest/${id}/matches`, {}, MATCH);
  for (const body of [{ region: '' }, { date: 'today' }, { date: '2026-02-30' }, { codes: [] }]) {
    await refuse(`POST /ServiceRequest/${id}/match`, { body }, 400, 'validation_error');
  }
  await refuse(`POST /ServiceRequest/${await contract.draft()}/match`, {}, 409, 'conflict');
});

const PUSHED: Shape = {
  pushed: [{ match_guid: GUID, request_guid: GUID, delivery_guid: null }],
  blocked: [],
  already: [],
};

test('POST …/push: 202, each pending match once; 400, 403 without consent, 409 with nothing pending or unless active', async () => {
  const { id } = await contract.matched();
  const address = `POST /ServiceRequest/${id}/push`;
  await refuse(address, {}, 403, 'consent_required');
  const kept = (await ask(`GET /ServiceRequest/${id}/matches`)).body['data'] as {
    status: string;
    blocked_reason: string;
  }[];
  assert.deepEqual([kept[0]?.status, kept[0]?.blocked_reason], ['pending', 'consent_missing']);
  await contract.pushed();
  for (const body of [{ selection: 'any' }, { respond_by: 'soon' }, { respond_by: '2020-01-01T00:00:00Z' }, { x: 1 }]) {
    await refuse(address, { body }, 400, 'validation_error');
  }
  await expect(address, { body: { selection: 'first', respond_by: '2026-03-09T08:00:00Z' } }, 202, PUSHED);
  await refuse(address, {}, 409, 'conflict');
  await refuse(`POST /ServiceRequest/${await contract.draft()}/push`, {}, 409, 'conflict');
});

test('POST …/push/{match_guid}: 202 for that one alone; 404 for another, 409 when it was pushed', async () => {
  const { id, match } = await contract.matched();
  const other = await contract.pushed();
  await refuse(`POST /ServiceRequest/${id}/push/${other.match}`, {}, 404, 'not_found');
  await expect(`POST /ServiceRequest/${id}/push/${match}`, {}, 202, PUSHED);
  const again = await refuse(`POST /ServiceRequest/${id}/push/${match}`, {}, 409, 'conflict');
  assert.match(again.text, /pushed/);
});

test('POST …/revoke: 200, cancelled, matches withdrawn; 400, 409 when a match is accepted', async () => {
  const open = await contract.pushed();
  await expectFhir(`POST /ServiceRequest/${open.id}/revoke`, { body: { reason: 'Moved' } }, 200, 'ServiceRequest');
  const { body } = await ask(`GET /ServiceRequest/${open.id}/matches`);
  const [match] = body['data'] as { status: string; withdrawn_reason: string }[];
  assert.deepEqual([match?.status, match?.withdrawn_reason], ['withdrawn', 'revoked']);
  const taken = await contract.pushed();
  await ask(`POST /ServiceRequest/receipt/${taken.token}/respond`, { as: 'nobody', body: { decision: 'accepted' } });
  await refuse(`POST /ServiceRequest/${taken.id}/revoke`, {}, 409, 'conflict');
  for (const wrong of [{ reason: '' }, { reason: 'x'.repeat(2001) }, { why: 'x' }]) {
    await refuse(`POST /ServiceRequest/${taken.id}/revoke`, { body: wrong }, 400, 'validation_error');
  }
});

test('POST …/archive: 200 and again 200; 409 while something is open', async () => {
  const id = await contract.draft();
  for (let round = 0; round < 2; round += 1)
    await expectFhir(`POST /ServiceRequest/${id}/archive`, {}, 200, 'ServiceRequest');
  const { id: open } = await contract.pushed();
  await refuse(`POST /ServiceRequest/${open}/archive`, {}, 409, 'conflict');
});
