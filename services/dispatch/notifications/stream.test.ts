// The stream of notifications. The tests check what comes, and resumption without gap or double over two nodes. They
// check its end with the token, its limits, and the way through the gateway.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAudit } from '#lib/audit/audit.ts';
import { newGuid } from '#lib/guid.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { makeGateway } from '#test/support/gateway.ts';
import { eventually, promptly } from '#test/support/http.ts';
import { makePrincipal, makeTestApp, makeTestLogger } from '#test/support/http-app.ts';
import { createSendingBench, ORGANISATION } from '../testing/sending-bench.ts';
import { createNotificationFeature } from './feature.ts';

const bench = await createSendingBench({ after });
const { call, callers, db, clock } = bench;
const planner = { organisationGuids: [ORGANISATION], phases: new Set(['planning']) };
const provider = newGuid();
callers[provider] = makePrincipal(['provider'], { id: newGuid(), kind: 'api_key', providerGuid: provider });
await bench.sending.notifications.start();
const ORIGIN = await bench.app.listen({ host: '127.0.0.1', port: 0 });

/** A planner of the organisation under a name of their own. */
function newPlanner(name: string): string {
  callers[name] = makePrincipal(['professional', 'clinician'], { ...planner, id: newGuid() });
  return name;
}

/** Somebody of the organisation who follows up, and may not read notifications. */
function newFollower(name: string): string {
  const follower = { ...planner, phases: new Set(['followup']), id: newGuid() };
  callers[name] = makePrincipal(['professional', 'clinician'], follower);
  return name;
}

interface Heard {
  readonly items: { readonly id: string; readonly kind: string; readonly guid: string }[];
  /** How often it was told that something has happened, and the text of these events. */
  readonly changes: string[];
  /** The reason with which the server ended it. */
  reason?: string;
  isClosed: boolean;
  close(): void;
}

/** Opens a stream as a browser does and collects what comes. */
async function listen(
  as: string,
  { origin = ORIGIN, from = '', path = '/api/v1', stream = 'notifications' } = {},
): Promise<Heard> {
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${as}`, ...(from === '' ? {} : { 'last-event-id': from }) };
  const response = await fetch(`${origin}${path}/${stream}/stream`, { headers, signal: abort.signal });
  assert.equal(response.status, 200, String(response.status));
  assert.match(String(response.headers.get('content-type')), /^text\/event-stream/);
  const heard: Heard = { items: [], changes: [], isClosed: false, close: () => abort.abort() };
  void collect(response, heard)
    .catch(() => undefined)
    .finally(() => (heard.isClosed = true));
  return heard;
}

async function collect(response: Response, heard: Heard): Promise<void> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(event)?.[1];
      const data = JSON.parse(field('data') ?? '{}');
      if (field('event') === 'end') heard.reason = data.reason;
      if (field('event') === 'change') heard.changes.push(event);
      if (field('event') === 'notification') {
        heard.items.push({ id: String(field('id')), kind: data.kind, guid: data.notification_guid });
      }
    }
  }
}

/** A request that was pushed and is now about to be reported on. */
async function pushed(): Promise<string> {
  const { id } = await bench.request([provider]);
  const { body } = await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, {});
  return body.pushed[0].request_guid;
}

const report = async (request: string, status: string) =>
  assert.equal((await call(provider, 'PUT', `/api/v1/requests/${request}/status`, { status })).status, 200);

const guidsOf = async (as: string): Promise<string[]> =>
  (await call(as, 'GET', '/api/v1/notifications?per_page=200')).body.data
    .map((item: { notification_guid: string }) => item.notification_guid)
    .reverse();

test('notifications come as they are committed, and a stream resumes after the last one without gap or double', async () => {
  const anna = newPlanner('anna');
  const before = await call(anna, 'GET', '/api/v1/notifications');
  const first = await listen(anna, { from: before.body.cursor });
  const request = await pushed();
  await report(request, 'acknowledged');
  await eventually('the first came', async () => (first.items.length === 1 ? true : undefined));
  first.close();
  await report(request, 'in_progress');
  await report(request, 'completed');
  const second = await listen(anna, { from: first.items[0]?.id ?? '' });
  await report(await pushed(), 'acknowledged');
  await eventually('the rest came', async () => (second.items.length === 3 ? true : undefined));
  const kinds = ['report_received', 'request_completed', 'report_received'];
  assert.deepEqual(
    second.items.map(({ kind }) => kind),
    kinds,
  );
  second.close();
  const guids = [...first.items, ...second.items].map(({ guid }) => guid);
  assert.deepEqual(guids, (await guidsOf(anna)).slice(-4));
});

test('events of many writers reach streams at two nodes, each once and in one order', async () => {
  const bo = newPlanner('bo');
  const log = makeTestLogger();
  const other = await makeTestApp(callers);
  const node = createNotificationFeature({
    mailer: undefined,
    readContact: undefined,
    timeZone: 'Europe/Stockholm',
    baseUrl: 'https://dispatch.example.org/api/v1',
    database: db,
    clock,
    log,
    audit: createAudit({ database: db, clock, service: 'x' }),
  });
  await other.register(async (scope: HttpApp) => node.registerRoutes(scope), { prefix: '/api/v1' });
  await node.start();
  const origin = await other.listen({ host: '127.0.0.1', port: 0 });
  const cursor = (await call(bo, 'GET', '/api/v1/notifications')).body.cursor;
  const heard = await Promise.all([listen(bo, { from: cursor }), listen(bo, { origin, from: cursor })]);
  const requests = await Promise.all(Array.from({ length: 12 }, pushed));
  await Promise.all(
    requests.map(async (request) => {
      for (const status of ['acknowledged', 'in_progress', 'completed']) await report(request, status);
    }),
  );
  await eventually('all came', async () => (heard.every(({ items }) => items.length >= 36) ? true : undefined));
  const [one = [], two] = heard.map(({ items }) => items.map(({ guid }) => guid));
  assert.deepEqual([one.length, new Set(one).size], [36, 36]);
  assert.deepEqual(two, one);
  await node.stop();
  await eventually('the node ended its stream', async () => (heard[1]?.isClosed ? true : undefined));
  assert.equal(heard[1]?.reason, 'stopping');
  await other.close();
  heard[0]?.close();
});

test('a stream ends within two seconds after its token, and is silent at once about a lost organisation', async () => {
  const [eva, ola] = [newPlanner('eva'), newPlanner('ola')];
  const cursor = (await call(eva, 'GET', '/api/v1/notifications')).body.cursor;
  const [ended, lost] = [await listen(eva), await listen(ola, { from: cursor })];
  callers[ola] = { ...callers[ola]!, organisationGuids: [newGuid()] };
  delete callers[eva];
  await promptly('the stream ended', async () => (ended.isClosed ? true : undefined), 2000);
  assert.equal(ended.reason, 'unauthorized');
  await report(await pushed(), 'acknowledged');
  const fred = await listen(newPlanner('fred'), { from: cursor });
  await eventually('it came to others', async () => (fred.items.length > 0 ? true : undefined));
  assert.deepEqual([lost.items, lost.isClosed], [[], false]);
  callers[ola] = { ...callers[ola], phases: new Set() };
  await eventually('without the phase it ends', async () => (lost.isClosed ? true : undefined));
  assert.equal(lost.reason, 'forbidden');
  fred.close();
});

test('a sixth stream of one reader is 429; a cursor that is none 400; seconds=0 sends what there is', async () => {
  const kim = newPlanner('kim');
  const open = await Promise.all(Array.from({ length: 5 }, () => listen(kim)));
  const sixth = await call(kim, 'GET', '/api/v1/notifications/stream?seconds=0');
  assert.deepEqual([sixth.status, sixth.body.error], [429, 'rate_limited']);
  for (const each of open) each.close();
  const url = '/api/v1/notifications/stream?seconds=0';
  const asKim = (query: string) =>
    bench.app.inject({ url: `${url}${query}`, headers: { authorization: `Bearer ${kim}` } });
  await eventually('the closed ones are forgotten', async () =>
    (await asKim('')).statusCode === 200 ? true : undefined,
  );
  assert.equal((await asKim('&last_event_id=none')).statusCode, 400);
  const zero = Buffer.from(JSON.stringify([[`organisation/${ORGANISATION}`, 0]])).toString('base64url');
  const { payload, headers } = await asKim(`&last_event_id=${zero}`);
  assert.equal(headers['cache-control'], 'private, no-store');
  assert.equal(payload.split('event: notification').length - 1, (await guidsOf(kim)).length);
  assert.match(payload, /event: end\ndata: \{"reason":"finished"\}\n\n$/);
});

test('who follows up is told that something has happened to a request of the organisation, and not what', async () => {
  const bea = newFollower('bea');
  assert.equal((await call(bea, 'GET', '/api/v1/notifications/stream?seconds=0')).status, 403);
  callers['elsewhere'] = { ...callers[newFollower('elsewhere')]!, organisationGuids: [newGuid()] };
  const request = await pushed();
  await report(request, 'acknowledged');
  const from = Buffer.from(JSON.stringify([[`organisation/${ORGANISATION}`, 0]])).toString('base64url');
  const told = await listen(bea, { stream: 'worklist', from });
  const others = await listen('elsewhere', { stream: 'worklist', from });
  await eventually('it was told of what was before', async () => (told.changes.length === 1 ? true : undefined));
  await report(request, 'in_progress');
  await eventually('it was told of what came', async () => (told.changes.length === 2 ? true : undefined));
  assert.match(told.changes[0] ?? '', /^id: \S+\nevent: change\ndata: \{\}$/);
  assert.doesNotMatch(told.changes.join(), new RegExp(request));
  told.close();
  const cursor = /^id: (\S+)/.exec(told.changes.at(-1) ?? '')?.[1] ?? '';
  await report(request, 'completed');
  const again = await listen(bea, { stream: 'worklist', from: cursor });
  await eventually('what came meanwhile is told', async () => (again.changes.length > 0 ? true : undefined));
  assert.deepEqual([again.items, others.changes], [[], []]);
  callers[bea] = { ...callers[bea]!, phases: new Set(['execution']) };
  await eventually('without the phase it ends', async () => (again.isClosed ? true : undefined));
  assert.equal(again.reason, 'forbidden');
  others.close();
});

test('HEAD opens no stream: it takes no place and records no reading', async () => {
  const ida = newPlanner('ida');
  await report(await pushed(), 'acknowledged');
  const recorded = async () => (await db.query('SELECT FROM audit_event')).rowCount;
  const before = await recorded();
  const headers = { authorization: `Bearer ${ida}` };
  for (let count = 0; count < 6; count += 1) {
    const response = await fetch(`${ORIGIN}/api/v1/notifications/stream`, { method: 'HEAD', headers });
    assert.equal(response.status, 200);
    assert.match(String(response.headers.get('content-type')), /^text\/event-stream/);
  }
  const heard = await listen(ida);
  heard.close();
  assert.equal(await recorded(), before);
});

test('a stream passes the gateway at once, and ends when the gateway stops', async () => {
  const liv = newPlanner('liv');
  const gateway = await makeGateway([ORIGIN]);
  const origin = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const heard = await listen(liv, { origin, path: '/dispatch/api/v1' });
  await report(await pushed(), 'acknowledged');
  await eventually('it came', async () => (heard.items.length === 1 ? true : undefined));
  await gateway.close();
  await eventually('it ended', async () => (heard.isClosed ? true : undefined));
});

test('a node that shuts down ends its streams and says so', async () => {
  const heard = await listen(newPlanner('mia'));
  await bench.app.close();
  await eventually('it ended', async () => (heard.isClosed ? true : undefined));
  assert.equal(heard.reason, 'stopping');
});
