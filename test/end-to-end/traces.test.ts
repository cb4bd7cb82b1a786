// One trace from the gateway's request to the webhook that a provider gets, with the services in processes of their own
// (docs/adr/0132). Nothing of patients and no secret is in any span of the whole workflow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { createSystemDatabase } from '#test/support/system/system-database.ts';
import { type CollectedSpan, startCollector } from '#test/support/traces/collector.ts';
import { call } from './call.ts';
import { assertNoneOf } from './log-secrecy.ts';
import { giveConsent, match, writeRequest } from './request.ts';
import { startSystem } from './system.ts';
import { prepareScenario } from './workflow.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const UNRECORDED = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = 'b7ad6b7169203331';
const KINDS = { server: 2, client: 3 };

test('a push is one trace: gateway, dispatch, its statements, and the webhook', async (t) => {
  const hooks = lastFirst(t);
  const collector = await startCollector(hooks);
  const { url: databaseUrl } = await createSystemDatabase(hooks);
  const environment = {
    KEDJA_TRACES_URL: collector.url,
    KEDJA_TRACES_HEADERS: 'x-key=a%20key',
    KEDJA_TRACES_RATIO: '1',
  };
  const system = await startSystem(hooks, { databaseUrl, isApart: true, environment });
  const { accounts, library, addresses } = await prepareScenario(system.addresses);
  await giveConsent(addresses, accounts);
  const request = await writeRequest(addresses, accounts, library);
  await match(addresses, accounts, request.id);
  const dispatch = `${addresses.gateway}/dispatch/api/v1`;
  const asked = (traceparent: string) => ({
    token: accounts.planner,
    headers: { traceparent, tracestate: 'journal=abc' },
  });

  await call(
    `${dispatch}/ServiceRequest?subject=Patient/${accounts.patientGuid}`,
    asked(`00-${UNRECORDED}-${CALLER}-00`),
  );
  for (const hostile of ['00-19900118-9811-01', `ff-${TRACE_ID}-${CALLER}-01`, `00-${TRACE_ID}-${CALLER}-01,x`]) {
    await call(`${dispatch}/ServiceRequest/${request.id}`, asked(hostile));
  }
  await call(`${dispatch}/ServiceRequest/${request.id}/push`, {
    ...asked(`00-${TRACE_ID}-${CALLER}-01`),
    json: {},
    expect: 202,
  });
  const webhook = await eventually('the webhook arrived', async () => addresses.receiver.ledger[0]);
  assert.equal(webhook.headers.tracestate, 'journal=abc');
  assert.ok(webhook.isSigned);

  // What a process has not sent yet, it sends at its end.
  for (const service of ['dispatch', 'engine', 'identity'] as const) {
    assert.equal(await system.processOf(service).end('SIGTERM'), 0);
  }
  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
  const gateway = only(spans, ({ service, kind }) => service === 'kedja-console' && kind === KINDS.server);
  const server = only(spans, ({ service, kind }) => service === 'kedja-dispatch' && kind === KINDS.server);
  const sent = spans.find(({ spanId }) => webhook.headers.traceparent === `00-${TRACE_ID}-${spanId}-01`);
  assert.deepEqual([gateway.parentSpanId, gateway.traceState], [CALLER, 'journal=abc']);
  assert.equal(server.parentSpanId, gateway.spanId);
  assert.equal(server.name, 'POST /api/v1/ServiceRequest/:id/push');
  assert.deepEqual(server.attributes, {
    'http.request.method': 'POST',
    'http.route': '/api/v1/ServiceRequest/:id/push',
    'http.response.status_code': '202',
  });
  assert.deepEqual([sent?.name, sent?.service, sent?.parentSpanId], ['POST webhook', 'kedja-dispatch', server.spanId]);
  assert.equal(sent?.attributes['http.response.status_code'], '204');
  const queued = only(spans, ({ attributes }) => attributes['kedja.statement'] === 'delivery-insert');
  assert.equal(queued.parentSpanId, server.spanId);
  assert.deepEqual(
    [queued.attributes['db.system.name'], queued.attributes['db.query.summary']],
    ['postgresql', 'INSERT delivery SELECT provider_endpoint'],
  );

  assert.ok(collector.spans.length > 200, String(collector.spans.length));
  assert.ok(collector.requests.every(({ headers }) => headers['x-key'] === 'a key'));
  const everything = collector.requests.map(({ text }) => text).join('\n');
  assert.doesNotMatch(everything, new RegExp(UNRECORDED), 'what the caller does not record');
  assertNoneOf(everything, [accounts.planner, accounts.admin, accounts.patient, library.outsideKey]);
  for (const guid of [accounts.patientGuid, request.id]) assert.ok(!everything.includes(guid), 'an id of a record');
  const log = system.processOf('dispatch').output();
  assert.match(log, new RegExp(`"trace_id":"${TRACE_ID}","span_id":"${server.spanId}"`));
  assert.match(log, new RegExp(`"event":"delivery.attempted".*"trace_id":"${TRACE_ID}"`));
});

function only(spans: readonly CollectedSpan[], isIt: (span: CollectedSpan) => boolean): CollectedSpan {
  const [found, ...others] = spans.filter(isIt);
  assert.ok(found !== undefined && others.length === 0, JSON.stringify(spans.filter(isIt)));
  return found;
}
