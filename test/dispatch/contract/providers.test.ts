// The rows of "Endpoints" for providers, the catalogue of forms and what a CarePlan's context is. Each row is tested
// with what it answers and refuses (contract: dispatch; decisions D1, D3, D8, D10, D11, D12). Who may is held by
// authorisation.test.ts, unreadable bodies by bodies.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { PROGRESS_STATUSES } from '#services/dispatch/shared/match-lifecycle.ts';
import { FORM, makeCarePlan, PLAN } from '#services/dispatch/testing/samples.ts';
import { assertValid } from '#services/dispatch/testing/site.ts';
import { INSTANT, PROVIDER, startDispatchContract, TOKEN, UNKNOWN } from '#test/support/dispatch/dispatch-contract.ts';
import { assertShape, GUID, type Shape } from '#test/support/shape.ts';

const contract = await startDispatchContract({ after });
const { ask, expectFhir, refuse, world, pushed, respond } = contract;

type Feed = { requests: Record<string, unknown>[]; next_cursor: string; has_more: boolean };

async function feed(query = ''): Promise<Feed> {
  const answer = await ask(`GET /requests?provider_guid=${PROVIDER}&limit=200${query}`, { as: 'provider' });
  assert.equal(answer.status, 200, answer.text);
  return answer.body as unknown as Feed;
}

test('GET /requests: the dispatched requests of a provider, with bundle and receipt token; 400, 403', async () => {
  const { id, request } = await pushed();
  const { requests } = await feed();
  const { bundle, ...found } = requests.find((each) => each['request_guid'] === request) ?? {};
  const item: Shape = {
    request_guid: GUID,
    service_request_id: id,
    status: 'pushed',
    receipt_token: TOKEN,
    dispatched_at: INSTANT,
    updated_at: INSTANT,
  };
  assertShape(found, item);
  assertValid(bundle);
  const entries = (bundle as { entry: { resource: { resourceType: string } }[] }).entry;
  assert.deepEqual(
    entries.map(({ resource }) => resource.resourceType),
    ['ServiceRequest', 'Patient', 'Binary'],
  );
  for (const query of ['', 'provider_guid=', 'provider_guid=x&since=soon', 'provider_guid=x&cursor=rubbish']) {
    await refuse(`GET /requests?${query}`, { as: 'admin' }, 400, 'validation_error');
  }
});

test('GET /requests: pages by cursor without gap or double, from a moment on, and what changed comes again', async () => {
  const { next_cursor: start } = await feed();
  contract.clock.move(60_000);
  const moment = new Date(contract.clock.now()).toISOString();
  const made = [await pushed(), await pushed(), await pushed()];
  const seen: unknown[] = [];
  for (let cursor = start, more = true; more; ) {
    const query = `provider_guid=${PROVIDER}&limit=1&cursor=${encodeURIComponent(cursor)}`;
    const page = (await ask(`GET /requests?${query}`, { as: 'provider' })).body as unknown as Feed;
    seen.push(...page.requests.map((each) => each['request_guid']));
    [cursor, more] = [page.next_cursor, page.has_more];
  }
  const guids = made.map(({ request }) => request);
  assert.deepEqual(seen, guids);
  assert.deepEqual(
    (await feed(`&since=${moment}`)).requests.map((each) => each['request_guid']),
    guids,
  );
  const { next_cursor: end } = await feed();
  await ask(`POST /ServiceRequest/${made[1]?.id}/revoke`);
  const changed = (await feed(`&cursor=${encodeURIComponent(end)}`)).requests;
  assert.deepEqual(
    changed.map((each) => [each['request_guid'], each['status'], each['bundle']]),
    [[guids[1], 'withdrawn', null]],
  );
  await refuse(`GET /requests?cursor=${encodeURIComponent(end)}`, { as: 'otherProvider' }, 400, 'validation_error');
});

const report = (request: string, body: object, as = 'provider') => ask(`PUT /requests/${request}/status`, { as, body });

/** What the next report answers after each report: 200, or 409. */
const PROGRESS: Readonly<Record<string, Readonly<Record<string, 200 | 409>>>> = {
  none: { acknowledged: 200, in_progress: 200, completed: 200, rejected: 200 },
  acknowledged: { acknowledged: 200, in_progress: 200, completed: 200, rejected: 200 },
  in_progress: { acknowledged: 409, in_progress: 200, completed: 200, rejected: 200 },
  completed: { acknowledged: 409, in_progress: 409, completed: 200, rejected: 409 },
  rejected: { acknowledged: 409, in_progress: 409, completed: 409, rejected: 200 },
};

for (const [before, row] of Object.entries(PROGRESS)) {
  test(`PUT /requests/{request_guid}/status after ${before}: every status moves it, is the same again, or is 409`, async () => {
    for (const status of PROGRESS_STATUSES) {
      const { request } = await pushed();
      if (before !== 'none') assert.equal((await report(request, { status: before })).status, 200);
      const { next_cursor: cursor } = await feed();
      const answer = await report(request, { status });
      assert.equal(answer.status, row[status], `${before} → ${status}: ${answer.text}`);
      if (answer.status === 409) assert.match(answer.text, new RegExp(before));
      else assert.deepEqual(answer.body, { request_guid: request, status });
      const news = (await feed(`&cursor=${encodeURIComponent(cursor)}`)).requests.length;
      assert.equal(news, answer.status === 200 && before !== status ? 1 : 0, `${before} → ${status}: events`);
    }
  });
}

test('PUT /requests/{request_guid}/status: 400 for another status, 404 for an unknown request, 409 after it was withdrawn', async () => {
  const { request, id } = await pushed();
  for (const body of [
    {},
    { status: 'done' },
    { status: 'completed', x: 1 },
    { status: 'completed', occurred_at: 'now' },
  ]) {
    await refuse(`PUT /requests/${request}/status`, { as: 'provider', body }, 400, 'validation_error');
  }
  const body = { status: 'completed' };
  for (const guid of [UNKNOWN, 'x'])
    await refuse(`PUT /requests/${guid}/status`, { as: 'provider', body }, 404, 'not_found');
  await ask(`POST /ServiceRequest/${id}/revoke`);
  await refuse(`PUT /requests/${request}/status`, { as: 'provider', body }, 409, 'conflict');
});

test('POST /ServiceRequest/receipt/{token}/respond: accepted or rejected, the same again 200, the opposite 409', async () => {
  for (const [decision, opposite] of [
    ['accepted', 'rejected'],
    ['rejected', 'accepted'],
  ] as const) {
    const { token, request } = await pushed();
    for (let round = 0; round < 2; round += 1) {
      const answer = await respond(token, decision);
      assert.deepEqual([answer.status, answer.body], [200, { request_guid: request, status: decision }]);
      assert.equal(answer.headers['cache-control'], 'no-store');
    }
    const refused = await respond(token, opposite);
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, new RegExp(decision));
  }
});

test('POST /ServiceRequest/receipt/{token}/respond: 400, 404 for an unknown token, 410 withdrawn and expired', async () => {
  const { token, id } = await pushed();
  const address = `POST /ServiceRequest/receipt/${token}/respond`;
  for (const body of [{}, { decision: 'maybe' }, { decision: 'accepted', x: 1 }]) {
    await refuse(address, { as: 'nobody', body }, 400, 'validation_error');
  }
  const body = { decision: 'accepted' };
  for (const unknown of ['x', 'a'.repeat(43), UNKNOWN]) {
    await refuse(`POST /ServiceRequest/receipt/${unknown}/respond`, { as: 'nobody', body }, 404, 'not_found');
  }
  await ask(`POST /ServiceRequest/${id}/revoke`);
  await refuse(address, { as: 'nobody', body }, 410, 'expired');
  const late = await pushed({ respond_by: new Date(contract.clock.now() + 1000).toISOString() });
  contract.clock.move(2000);
  await refuse(`POST /ServiceRequest/receipt/${late.token}/respond`, { as: 'nobody', body }, 410, 'expired');
});

test('a request completes when its only acceptance does, and the provider sees it done', async () => {
  const { request, token, id } = await pushed();
  await respond(token, 'accepted');
  await report(request, { status: 'completed', note: 'Went well' });
  const { body } = await expectFhir(`GET /ServiceRequest/${id}`, {}, 200, 'ServiceRequest');
  assert.equal(body['status'], 'completed');
});

test('GET /careplans/{guid}/context: the CarePlan with its plan as it was, whatever becomes of the plan; 404', async () => {
  const guid = await makeCarePlan(contract);
  const before = await ask(`GET /careplans/${guid}/context`);
  assert.deepEqual(Object.keys(before.body), ['careplan_guid', 'careplan', 'snapshot']);
  assert.deepEqual(before.body['careplan'], (await ask(`GET /CarePlan/${guid}`)).body);
  const snapshot = before.body['snapshot'] as Record<string, unknown[]>;
  assert.deepEqual(Object.keys(snapshot), [
    'plan_definition',
    'concepts',
    'activities',
    'transactions',
    'goals',
    'timing',
  ]);
  for (const name of ['concepts', 'activities', 'transactions', 'goals', 'timing'])
    assert.ok(snapshot[name]?.length, name);
  const at = world.resources.indexOf(PLAN);
  world.resources[at] = { ...PLAN, title: 'Another title', goal: [] };
  world.isPlanDown = true;
  assert.equal((await ask(`GET /careplans/${guid}/context`)).text, before.text);
  world.isPlanDown = false;
  world.resources[at] = PLAN;
  for (const unknown of [UNKNOWN, 'x']) await refuse(`GET /careplans/${unknown}/context`, {}, 404, 'not_found');
});

test('GET /schemas/render-ready-form: the JSON Schema that the forms of a bundle and of the catalogue follow', async () => {
  const { body: schema, headers } = await ask('GET /schemas/render-ready-form', { as: 'provider' });
  assert.match(String(headers['content-type']), /^application\/schema\+json/);
  const follows = new Ajv2020({ allowUnionTypes: true }).compile(schema);
  const { request } = await pushed();
  const { requests } = await feed();
  const bundle = requests.find((each) => each['request_guid'] === request)?.['bundle'];
  const entries = (bundle as { entry: { resource: { resourceType: string; data: string } }[] }).entry;
  const binary = entries.find(({ resource }) => resource.resourceType === 'Binary')?.resource.data ?? '';
  const { render_ready: ofCatalogue } = (await ask(`GET /Form/${FORM.id}`)).body;
  for (const form of [JSON.parse(Buffer.from(binary, 'base64').toString()), ofCatalogue]) {
    assert.ok(follows(form), JSON.stringify(follows.errors));
  }
});

const ITEM: Shape = { form_guid: /./, title: /./, version: /./, status: 'active', url: /./ };

test('GET /Form and GET /Form/{form_guid}: the catalogue, stale while the plan service is away; 404, 503 when nothing is known', async () => {
  const fresh = await startDispatchContract({ after });
  fresh.world.isPlanDown = true;
  await fresh.refuse('GET /Form', {}, 503, 'upstream_unavailable');
  await fresh.refuse(`GET /Form/${FORM.id}`, {}, 503, 'upstream_unavailable');
  fresh.world.isPlanDown = false;
  fresh.world.resources.push(FORM);
  const page = { data: [ITEM], page: 1, per_page: 20, total: 1, as_of: INSTANT };
  await fresh.expect('GET /Form', {}, 200, { ...page, stale: false });
  const one = await fresh.ask(`GET /Form/${FORM.id}`);
  assertValid(one.body['questionnaire']);
  assert.deepEqual(
    Object.keys(one.body).sort(),
    [...Object.keys(ITEM), 'questionnaire', 'render_ready', 'stale', 'as_of'].sort(),
  );
  fresh.clock.move(3_600_000);
  fresh.world.isPlanDown = true;
  const stale = await fresh.expect('GET /Form', {}, 200, { ...page, stale: true });
  assert.equal(stale.body['as_of'], '2026-03-01T08:00:00.000Z');
  assert.deepEqual((await fresh.ask(`GET /Form/${FORM.id}`)).body, { ...one.body, stale: true });
  fresh.world.isPlanDown = false;
  await fresh.refuse(`GET /Form/${UNKNOWN}`, {}, 404, 'not_found');
});
