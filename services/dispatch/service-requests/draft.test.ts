// Drafts over HTTP: creating them, their snapshots, permissions, and errors (decision D2).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fifty } from '#test/support/system/at-once.ts';
import { makeCarePlan, makeDraft, PLAN } from '../testing/samples.ts';
import { assertValid, BASE, makeSite } from '../testing/site.ts';

const site = await makeSite({ after });
const { call } = site;

test('a draft is created from a CarePlan: 201, Location, valid FHIR with the plan’s contents', async () => {
  const careplanGuid = await makeCarePlan(site);
  const made = await call('POST', 'ServiceRequest', { body: { careplan_guid: careplanGuid } });
  assert.equal(made.status, 201);
  assert.match(String(made.headers['content-type']), /^application\/fhir\+json/);
  const { id, meta, ...rest } = made.body;
  assert.equal(made.headers['location'], `${BASE}/ServiceRequest/${id}`);
  assert.ok(meta);
  assert.deepEqual(rest, {
    resourceType: 'ServiceRequest',
    requester: { reference: 'Practitioner/anna' },
    status: 'draft',
    intent: 'order',
    subject: { reference: 'Patient/p1' },
    basedOn: [{ reference: `CarePlan/${careplanGuid}` }],
    instantiatesCanonical: [`${PLAN.url}|1`],
    code: {
      concept: {
        coding: [{ system: PLAN.contained[0]?.code?.coding[0]?.system, code: 'weighing', display: 'Weighing' }],
        text: 'Heart failure at home',
      },
    },
  });
  assertValid(made.body);
  const read = await call('GET', `ServiceRequest/${id}`);
  assert.deepEqual(read.body, made.body);
});

test('a draft is made from a FHIR ServiceRequest with basedOn, and what it says goes into the snapshot', async () => {
  const careplanGuid = await makeCarePlan(site);
  const body = {
    resourceType: 'ServiceRequest',
    status: 'draft',
    intent: 'proposal',
    subject: { reference: 'https://elsewhere.example/fhir/Patient/p1', display: 'Ek' },
    basedOn: [{ reference: `CarePlan/${careplanGuid}` }],
    priority: 'urgent',
    note: [{ text: 'Ring first' }],
    occurrenceDateTime: '2026-03-02',
    code: { concept: { text: 'Own words' } },
  };
  const made = await call('POST', 'ServiceRequest', { body });
  assert.equal(made.status, 201, made.text);
  assertValid(made.body);
  assert.equal(made.body['intent'], 'proposal');
  assert.deepEqual(made.body['subject'], { reference: 'Patient/p1', display: 'Ek' }, 'the patient of the CarePlan');
  assert.deepEqual(made.body['code'], { concept: { text: 'Own words' } });
  const snapshot = await call('GET', `ServiceRequest/${made.body['id']}/snapshot`);
  const { plan_definition: plan, ...rest } = snapshot.body;
  assert.deepEqual(rest, { note: 'Ring first', priority: 'urgent', occurrence: '2026-03-02' });
  assert.equal((plan as { url: string }).url, PLAN.url);
});

test('what cannot become a draft is refused with every error, and nothing is written', async () => {
  const careplanGuid = await makeCarePlan(site);
  const before = await countRequests();
  const refused = async (body: unknown) => {
    const answer = await call('POST', 'ServiceRequest', { body });
    assert.equal(answer.body['resourceType'], 'OperationOutcome', answer.text);
    return [
      answer.status,
      (answer.body['issue'] as { details: { text: string } }[]).map(({ details }) => details.text),
    ];
  };
  assert.deepEqual(await refused({ extra: 1 }), [400, ["'extra' is not a known field", "'careplan_guid' is required"]]);
  assert.deepEqual(await refused({ careplan_guid: 7, extra: 1, more: 2 }), [
    400,
    ["'careplan_guid' must be string", "'extra' is not a known field", "'more' is not a known field"],
  ]);
  assert.deepEqual(await refused({ resourceType: 'Task', careplan_guid: '' }), [
    400,
    [
      "'careplan_guid' must NOT have fewer than 1 characters",
      "'resourceType' must be equal to constant",
      'basedOn must name the CarePlan that the request is made from',
    ],
  ]);
  assert.deepEqual(await refused({ careplan_guid: 'none' }), [422, ['There is no CarePlan/none']]);
  assert.deepEqual(await refused({ resourceType: 'ServiceRequest' }), [
    400,
    ['basedOn must name the CarePlan that the request is made from'],
  ]);
  const base = { resourceType: 'ServiceRequest', basedOn: [{ reference: `CarePlan/${careplanGuid}` }] };
  assert.deepEqual(
    await refused({
      ...base,
      status: 'active',
      subject: { reference: 'Patient/other' },
      contained: [{ resourceType: 'Task', id: 'form-1' }],
    }),
    [
      422,
      [
        'The subject must be the patient of the CarePlan',
        'A ServiceRequest begins as a draft',
        'Ids of contained resources that begin with careplan, plan or form are reserved',
      ],
    ],
  );
  assert.equal((await refused({ ...base, occurrenceDateTime: 'soon' }))[0], 422);
  const group = { resourceType: 'CarePlan', status: 'active', intent: 'plan', subject: { reference: 'Group/g' } };
  const groupPlan = await call('POST', 'CarePlan', { body: group });
  assert.equal((await refused({ careplan_guid: groupPlan.body['id'] }))[0], 422);
  assert.equal((await call('POST', 'ServiceRequest', { text: '{' })).status, 400);
  assert.equal(await countRequests(), before);
});

test('the snapshot is replaced, keeps its decimals, shows in the FHIR form and guards against lost updates', async () => {
  const id = await makeDraft(site);
  const first = await call('GET', `ServiceRequest/${id}/snapshot`);
  assert.deepEqual([first.status, first.headers['etag']], [200, 'W/"1"']);
  const plan = { ...PLAN, title: 'Heart failure, adjusted' };
  const text = JSON.stringify({
    plan_definition: plan,
    note: 'Mornings',
    priority: 'asap',
    occurrence: { start: '2026-03-01', end: '2026-04-01' },
  }).replace('80.5', '80.50');
  const put = await call('PUT', `ServiceRequest/${id}/snapshot`, { text, headers: { 'if-match': 'W/"1"' } });
  assert.deepEqual([put.status, put.headers['etag']], [200, 'W/"2"'], put.text);
  assert.match(put.text, /80\.50/);
  assert.match((await call('GET', `ServiceRequest/${id}/snapshot`)).text, /80\.50/);
  const lost = await call('PUT', `ServiceRequest/${id}/snapshot`, { text, headers: { 'if-match': 'W/"1"' } });
  assert.equal(lost.status, 412);
  const { body } = await call('GET', `ServiceRequest/${id}`);
  assertValid(body);
  assert.deepEqual(
    [
      body['priority'],
      body['note'],
      body['occurrencePeriod'],
      (body['code'] as { concept: { text: string } }).concept.text,
    ],
    ['asap', [{ text: 'Mornings' }], { start: '2026-03-01', end: '2026-04-01' }, 'Heart failure, adjusted'],
  );
  const bare = await call('PUT', `ServiceRequest/${id}/snapshot`, { body: { plan_definition: plan } });
  assert.equal(bare.status, 200, 'without If-Match the last writer wins');
  const cleared = await call('GET', `ServiceRequest/${id}`);
  assert.deepEqual(
    ['priority', 'note', 'occurrencePeriod'].filter((name) => name in cleared.body),
    [],
  );
});

test('a snapshot that is not valid is refused with every error and changes nothing', async () => {
  const id = await makeDraft(site);
  const put = (body: unknown) => call('PUT', `ServiceRequest/${id}/snapshot`, { body });
  assert.equal((await put({ priority: 'now', extra: 1 })).status, 400);
  assert.equal((await put({ plan_definition: { resourceType: 'PlanDefinition' } })).status, 422, 'status is missing');
  assert.equal((await put({ plan_definition: PLAN, occurrence: 'soon' })).status, 422);
  const broken = { plan_definition: { resourceType: 'PlanDefinition' }, occurrence: 'soon' };
  const ofPlan = await put(broken);
  assert.deepEqual([ofPlan.status, fieldsOf(ofPlan)], [422, ['PlanDefinition.status', 'ServiceRequest.occurrence']]);
  const all = await put({ ...broken, priority: 'now', extra: 1 });
  const fields = ['extra', 'priority', 'PlanDefinition.status', 'ServiceRequest.occurrence'];
  assert.deepEqual([all.status, fieldsOf(all)], [400, fields]);
  assert.deepEqual(fieldsOf(await put({ plan_definition: 'PlanDefinition', note: 7 })), ['plan_definition', 'note']);
  // The number is validated with the digits as written.
  const extension = [{ url: 'http://example.org/fhir/StructureDefinition/count', valueInteger: 1 }];
  const plain = JSON.stringify({ plan_definition: { ...PLAN, extension } });
  const written = await call('PUT', `ServiceRequest/${id}/snapshot`, {
    text: plain.replace('"valueInteger":1', '"valueInteger":1.0'),
  });
  assert.deepEqual([written.status, /must be written as a whole number/.test(written.text)], [422, true], written.text);
  const dangling = { ...PLAN, action: [{ definitionCanonical: '#gone' }] };
  assert.match((await put({ plan_definition: dangling })).text, /#gone/);
  assert.equal((await call('GET', `ServiceRequest/${id}/snapshot`)).headers['etag'], 'W/"1"');
});

test('an action that is removed from the plan loses its definitions too', async () => {
  const id = await makeDraft(site);
  const put = await call('PUT', `ServiceRequest/${id}/snapshot`, {
    body: { plan_definition: { ...PLAN, action: [{ title: 'Talk' }] } },
  });
  assert.equal(put.status, 200, put.text);
  assert.equal('contained' in (put.body['plan_definition'] as object), false);
});

test('of fifty concurrent replacements of one snapshot version one succeeds', async () => {
  const id = await makeDraft(site);
  const answers = await fifty((index) =>
    call('PUT', `ServiceRequest/${id}/snapshot`, {
      body: { plan_definition: PLAN, note: `n${index}` },
      headers: { 'if-match': 'W/"1"' },
    }),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 412)]);
});

test('who may: staff of the organisation in the phase planning; others 403 or 404', async () => {
  const id = await makeDraft(site);
  const status = async (as: string, method: 'GET' | 'PUT', path = `ServiceRequest/${id}/snapshot`) =>
    (await call(method, path, { as, ...(method === 'PUT' ? { body: { plan_definition: PLAN } } : {}) })).status;
  assert.equal(await status('nobody', 'GET'), 401);
  assert.equal(await status('reader', 'GET'), 200);
  assert.equal(await status('reader', 'PUT'), 403);
  assert.equal(await status('bo', 'GET'), 404, 'another organisation');
  assert.equal(await status('bo', 'PUT'), 404);
  assert.equal(await status('admin', 'PUT'), 200);
  assert.equal(await status('patient', 'GET'), 200, 'their own');
  assert.equal(await status('patient', 'PUT'), 403);
  assert.equal(await status('provider', 'GET'), 403);
  assert.equal(await status('anna', 'GET', 'ServiceRequest/no-guid/snapshot'), 404);
  assert.equal(await status('anna', 'GET', 'ServiceRequest/019a0000-0000-7000-8000-0000000000ff/snapshot'), 404);
});

async function countRequests(): Promise<number> {
  const { rows } = await site.database.query<{ count: number }>('SELECT count(*) AS count FROM service_request');
  return rows[0]?.count ?? 0;
}

function fieldsOf({ body }: { readonly body: Record<string, unknown> }): (string | undefined)[] {
  return (body['issue'] as { expression?: string[] }[]).map(({ expression }) => expression?.[0]);
}
