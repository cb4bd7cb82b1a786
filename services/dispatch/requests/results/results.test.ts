// Results reported with a status (decision L9, docs/adr/0078), by key, staff and receipt token. They are checked with
// all errors named, and stored with the status or not at all. Each is sent to the engine once, also when it was away.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseWritten } from '#fhir/resources/resource-text.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { servicePrincipal } from '#lib/auth/service-credentials.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { fifty } from '#test/support/system/at-once.ts';
import { createSendingBench, ORGANISATION } from '../../testing/sending-bench.ts';
import { registerResultMetrics } from './metrics.ts';

/** What reached the engine, and how it answers. */
const engine: { readonly reports: string[]; answer: 'ok' | 'down' | 'refused' } = { reports: [], answer: 'ok' };
const bench = await createSendingBench(
  { after },
  {
    results: {
      async store(body) {
        if (engine.answer === 'down') throw new ServiceError('upstream_unavailable', 'The engine is down in this test');
        engine.reports.push(body);
        return engine.answer === 'refused' ? 'unprocessable' : undefined;
      },
    },
  },
);
const { call, clock, db } = bench;

/** A figure of the results on their way, as it is scraped. */
async function metric(name: string): Promise<number | undefined> {
  const metrics = createMetrics('dispatch');
  registerResultMetrics(metrics, db, clock);
  const lines = (await metrics.text()).split('\n').map((line) => line.replace(/,?service="dispatch"/, ''));
  const line = lines.find((each) => each.startsWith(`${name} `) || each.startsWith(`${name.replace('{}', '')} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

async function pushed() {
  const provider = newGuid();
  bench.callers[provider] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: provider });
  const organisationGuid = newGuid();
  bench.callers[`${provider}-nurse`] = makePrincipal(['professional', 'clinician', 'provider'], {
    id: newGuid(),
    name: 'Sara Ek',
    organisationGuids: [organisationGuid],
    phases: new Set(['execution']),
    staffOf: [{ organisationGuid, providerGuid: provider }],
  });
  const { id, patientGuid } = await bench.request([provider]);
  await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, {});
  const [item] = (await call(provider, 'GET', '/api/v1/requests')).body.requests;
  return { id, patientGuid, provider, requestGuid: String(item.request_guid), token: String(item.receipt_token) };
}

const weight = (changes: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'https://example.org/codes', code: 'weight' }] },
  valueQuantity: { value: 80.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  ...changes,
});
const bundleOf = (...resources: object[]) => ({
  resourceType: 'Bundle',
  type: 'collection',
  entry: resources.map((resource) => ({ resource })),
});
const statusOf = (guid: string) => `/api/v1/requests/${guid}/status`;
const report = (caller: string, guid: string, results: object, status = 'completed') =>
  call(caller, 'POST', statusOf(guid), { status, results });
const progressOf = async (id: string) => (await bench.matches(id))[0]?.progress;

/** The resources that the engine was sent last. */
function lastStored() {
  const sent = JSON.parse(engine.reports.at(-1) ?? '{}');
  return { sent, resources: sent.resources.map((text: string) => JSON.parse(text)) };
}

test('a Bundle is stored with the status: about the patient, based on the request, with a Provenance of the provider', async () => {
  const { id, patientGuid, provider, requestGuid } = await pushed();
  const answer = await report(provider, requestGuid, bundleOf(weight()));
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(await progressOf(id), 'completed');
  const { sent, resources } = lastStored();
  assert.deepEqual(
    [sent.request_guid, sent.patient_guid, sent.provider_guid, sent.organisation_guid],
    [requestGuid, patientGuid, provider, ORGANISATION],
  );
  const [observation, provenance] = resources;
  assert.deepEqual(answer.body.results, [`https://engine.example.org/api/v1/Observation/${observation.id}`]);
  assert.deepEqual((await bench.matches(id))[0]?.results, answer.body.results);
  assert.equal(observation.subject.reference, `Patient/${patientGuid}`);
  assert.deepEqual(observation.basedOn, [{ reference: `ServiceRequest/${id}` }]);
  assert.deepEqual(
    observation.meta.tag.map(({ code }: { code: string }) => code),
    ['provider-reported', provider],
  );
  assert.deepEqual(provenance.target, [{ reference: `Observation/${observation.id}` }]);
  assert.equal(provenance.agent[0].who.identifier.value, provider);
  for (const resource of resources) {
    const issues = validateResource(parseWritten(JSON.stringify(resource)), { resourceType: resource.resourceType });
    assert.deepEqual(
      issues.filter(({ severity = 'error' }) => severity === 'error'),
      [],
    );
  }
});

test('staff report under their own names, and the holder of the receipt token reports too', async () => {
  const first = await pushed();
  const nurse = `${first.provider}-nurse`;
  assert.equal((await report(nurse, first.requestGuid, bundleOf(weight()), 'in_progress')).status, 200);
  const [, provenance] = lastStored().resources;
  assert.equal(provenance.agent[1].who.display, 'Sara Ek');
  assert.equal(provenance.agent[1].who.identifier.value, bench.callers[nurse]?.id);
  const second = await pushed();
  const body = { status: 'completed', results: bundleOf(weight()) };
  const answer = await call(undefined, 'POST', `/api/v1/ServiceRequest/receipt/${second.token}/status`, body);
  assert.deepEqual([answer.status, answer.body.status, answer.body.results.length], [200, 'completed', 1]);
  assert.equal(await progressOf(second.id), 'completed');
  const unknown = await call(undefined, 'POST', `/api/v1/ServiceRequest/receipt/${'A'.repeat(43)}/status`, body);
  assert.equal(unknown.status, 404);
});

test('decimals keep their digits', async () => {
  const { provider, requestGuid } = await pushed();
  const text = JSON.stringify({ status: 'completed', results: bundleOf(weight()) }).replace('80.5', '80.50');
  const answer = await bench.app.inject({
    method: 'PUT',
    url: statusOf(requestGuid),
    headers: { authorization: `Bearer ${provider}`, 'content-type': 'application/json' },
    payload: text,
  });
  assert.equal(answer.statusCode, 200, answer.payload);
  assert.match(JSON.parse(engine.reports.at(-1) ?? '').resources[0], /"value":80\.50/);
});

test('every error is named at its place, and neither results nor status are stored', async () => {
  const { id, provider, requestGuid } = await pushed();
  const before = engine.reports.length;
  const invalid = bundleOf(
    weight({ status: 'odd' }),
    weight({ subject: { reference: `Patient/${newGuid()}` } }),
    weight({ basedOn: [{ reference: `ServiceRequest/${newGuid()}` }] }),
    { resourceType: 'Condition' },
    weight({ id: newGuid() }),
  );
  const answer = await report(provider, requestGuid, invalid);
  assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error']);
  const messages = answer.body.messages.join('\n');
  for (const [index, what] of [/status/, /subject/, /basedOn/, /Observation or a Questionnaire/, /\.id/].entries())
    assert.match(messages, new RegExp(`entry\\[${index}\\][^\n]*${what.source}`));
  assert.equal((await report(provider, requestGuid, bundleOf())).status, 400);
  assert.equal((await report(provider, requestGuid, bundleOf(weight()), 'rejected')).status, 400);
  assert.deepEqual([await progressOf(id), engine.reports.length], ['none', before]);
});

test('the same results count once, also with another status', async () => {
  const { id, provider, requestGuid } = await pushed();
  const first = await report(provider, requestGuid, bundleOf(weight()), 'in_progress');
  const second = await report(provider, requestGuid, bundleOf(weight()));
  assert.deepEqual([first.status, second.status, second.body.results], [200, 200, first.body.results]);
  assert.deepEqual([await progressOf(id), (await bench.matches(id))[0]?.results.length], ['completed', 1]);
});

test('the same report sent twice, and fifty times at once, is one effect', async () => {
  const { id, provider, requestGuid } = await pushed();
  const before = engine.reports.length;
  const answers = await fifty(() => report(provider, requestGuid, bundleOf(weight())));
  for (const { status, body } of answers) assert.deepEqual([status, body.results], [200, answers[0]?.body.results]);
  assert.equal((await bench.matches(id))[0]?.results.length, 1);
  const ofRequest = engine.reports.slice(before).filter((body) => body.includes(requestGuid));
  assert.equal(new Set(ofRequest.map((body) => JSON.parse(body).report_guid)).size, 1);
});

test('an engine that is away loses nothing: the status counts, and the results follow', async () => {
  const { id, provider, requestGuid } = await pushed();
  engine.answer = 'down';
  const answer = await report(provider, requestGuid, bundleOf(weight()));
  assert.deepEqual([answer.status, await progressOf(id)], [200, 'completed']);
  const pendingOf = async () =>
    (await db.query('SELECT FROM result_report WHERE request_guid = $1 AND delivered_at IS NULL', [requestGuid]))
      .rowCount;
  assert.equal(await pendingOf(), 1);
  engine.answer = 'ok';
  clock.time += 60_000;
  assert.equal(await metric('kedja_dispatch_results{state="waiting"}'), 1);
  assert.equal(await metric('kedja_dispatch_result_oldest_seconds{}'), 60);
  // A repeat sends what waits, as the background loop does.
  assert.deepEqual((await report(provider, requestGuid, bundleOf(weight()))).body, answer.body);
  assert.equal(await pendingOf(), 0);
  const { rows } = await db.query<{ body: string | null }>('SELECT body FROM result_report WHERE request_guid = $1', [
    requestGuid,
  ]);
  assert.deepEqual(rows, [{ body: null }], 'what the engine has is not kept here');
});

test('what the engine refuses for good is kept for an operator and logged', async () => {
  const { id, provider, requestGuid } = await pushed();
  engine.answer = 'refused';
  await report(provider, requestGuid, bundleOf(weight()));
  engine.answer = 'ok';
  const { rows } = await db.query<{ refusal: string }>('SELECT refusal FROM result_report WHERE request_guid = $1', [
    requestGuid,
  ]);
  assert.deepEqual(rows, [{ refusal: 'unprocessable' }]);
  assert.ok(bench.logLines.some((line) => line.includes('results.refused')));
  assert.equal(await metric('kedja_dispatch_results{state="refused"}'), 1);
  const { body } = await call('planner', 'GET', `/api/v1/ServiceRequest/${id}/results`);
  assert.deepEqual([body.total, body.data[0].state], [1, 'refused'], 'the planner sees it');
  assert.equal(await metric('kedja_dispatch_result_oldest_seconds{}'), 0);
});

test('after the end the provider corrects its own results, and adds to them', async () => {
  const { id, provider, requestGuid } = await pushed();
  const { body } = await report(provider, requestGuid, bundleOf(weight()));
  const observation = String(body.results[0]).split('/').at(-1) ?? '';
  const corrected = weight({ id: observation, status: 'amended' });
  const again = await report(provider, requestGuid, bundleOf(corrected, weight()));
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.equal(again.body.results[0], body.results[0]);
  assert.equal((await bench.matches(id))[0]?.results.length, 2);
  const other = await pushed();
  const foreign = await report(other.provider, other.requestGuid, bundleOf(corrected));
  assert.equal(foreign.status, 400, 'another request’s result');
});

test('a request that is withdrawn takes no results', async () => {
  const { id, provider, requestGuid, token } = await pushed();
  const before = engine.reports.length;
  const { matches } = { matches: await bench.matches(id) };
  assert.equal(matches[0]?.status, 'pushed');
  await db.query(`UPDATE match SET status = 'withdrawn', withdrawn_reason = 'revoked' WHERE request_guid = $1`, [
    requestGuid,
  ]);
  const answer = await report(provider, requestGuid, bundleOf(weight()));
  assert.deepEqual([answer.status, answer.body.error], [409, 'conflict']);
  const byToken = await call(undefined, 'POST', `/api/v1/ServiceRequest/receipt/${token}/status`, {
    status: 'completed',
    results: bundleOf(weight()),
  });
  assert.equal(byToken.status, 409);
  assert.equal(engine.reports.length, before);
  assert.equal((await db.query('SELECT FROM result_report WHERE request_guid = $1', [requestGuid])).rowCount, 0);
});

test('the engine hears whose request it is, and whether results would be taken; another provider’s is not there', async () => {
  bench.callers['engine'] = servicePrincipal('engine');
  const { id, patientGuid, provider, requestGuid } = await pushed();
  const askAll = async (providers: string[], requests: string[]) =>
    (
      await call('engine', 'POST', '/api/v1/requests/reportable', {
        provider_guids: providers,
        service_request_ids: requests,
      })
    ).body.requests;
  const ask = async (providerGuid: string, request: string) => (await askAll([providerGuid], [request]))[0];
  const open = await ask(provider, id);
  assert.deepEqual(open, {
    service_request_id: id,
    provider_guid: provider,
    request_guid: requestGuid,
    patient_guid: patientGuid,
    organisation_guid: ORGANISATION,
    provider_name: open.provider_name,
    provider_organisation_guid: open.provider_organisation_guid,
    status: 'pushed',
    may_report: true,
  });
  const other = await pushed();
  for (const [providerGuid, request] of [
    [other.provider, id],
    [provider, other.id],
    [provider, newGuid()],
    [provider, 'no-guid'],
  ] as const)
    assert.equal(await ask(providerGuid, request), undefined);
  const both = await askAll([provider, other.provider], [id, other.id]);
  assert.deepEqual(both.map((each: { request_guid: string }) => each.request_guid).toSorted(), [
    ...[requestGuid, other.requestGuid].toSorted(),
  ]);
  await report(provider, requestGuid, bundleOf(weight()));
  const done = await ask(provider, id);
  assert.deepEqual([done.status, done.may_report], ['completed', true], 'results are taken after the end too');
  await call(other.provider, 'PUT', statusOf(other.requestGuid), { status: 'rejected', reason: 'no' });
  const rejected = await ask(other.provider, other.id);
  assert.deepEqual([rejected.status, rejected.may_report], ['rejected', false]);
  await db.query(`UPDATE match SET status = 'withdrawn', withdrawn_reason = 'revoked' WHERE request_guid = $1`, [
    requestGuid,
  ]);
  const withdrawn = await ask(provider, id);
  assert.deepEqual([withdrawn.status, withdrawn.may_report], ['withdrawn', false]);
});

test('what the provider wrote at the engine is shown as other results, once, and in the plan after the end', async () => {
  bench.callers['engine'] = servicePrincipal('engine');
  const { id, provider, requestGuid } = await pushed();
  await report(provider, requestGuid, bundleOf(weight()));
  const written = `https://engine.example.org/api/v1/Observation/${newGuid()}`;
  const tell = (caller: string, request = requestGuid) =>
    call(caller, 'POST', `/api/v1/requests/${request}/results`, { results: [written] });
  assert.deepEqual([(await tell('engine')).status, (await tell('engine')).status], [204, 204]);
  const [match] = await bench.matches(id);
  assert.deepEqual([match?.results.length, match?.results[1]], [2, written]);
  const { rows } = await db.query<{ content: string }>('SELECT content FROM fhir_resource WHERE content LIKE $1', [
    `%${written}%`,
  ]);
  assert.deepEqual([rows.length, rows[0]?.content.split(written).length], [1, 2], 'the CarePlan shows it once');
  assert.equal((await tell('engine', newGuid())).status, 404);
  for (const caller of [provider, 'planner', 'admin']) assert.equal((await tell(caller)).status, 403, caller);
});
