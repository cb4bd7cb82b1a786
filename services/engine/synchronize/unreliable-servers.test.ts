// Synchronisation with a server that misbehaves or is away, and stop and resume (contract: engine, POST /synchronize;
// decision E11).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Principal } from '#lib/auth/principal.ts';
import { CALLERS, startTestEngine } from '#test/support/engine/engine.ts';
import { answerFhir, startMisbehavingServer } from '#test/support/fhir/misbehaving-server.ts';
import { eventually } from '#test/support/http.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const BOSS = '01900000-0000-7000-8000-0000000000e1';
/** What identity says of its users now. */
const users = new Map<string, Principal>();
const { call, clock, engine } = await startTestEngine(
  { after },
  {
    serverAccess: { allowPrivate: ['127.0.0.1'], servers: [] },
    readAccess: async (id) => users.get(id) ?? CALLERS['admin'],
    callers: { boss: makePrincipal(['professional', 'clinician', 'admin'], { id: BOSS }) },
  },
);
const server = await startMisbehavingServer({ after });
await engine.start();

let made = 0;
async function start(input: object = {}): Promise<string> {
  made += 1;
  const name = `wayward-${made}`;
  const url = `${server.url}/${name}`;
  assert.equal((await call('admin', 'POST', '/servers', { name, url, timeout_ms: 5000 })).status, 201);
  const started = await call('admin', 'POST', '/synchronize', {
    server: name,
    resource_types: ['Basic'],
    direction: 'pull',
    ...input,
  });
  assert.equal(started.status, 202, started.text);
  return started.body.job_guid;
}

/** Lets time go by until the job is as wanted. */
function until(guid: string, what: (job: { state: string; failures: number }) => boolean) {
  return eventually('the job is as wanted', async () => {
    clock.time += 1_000;
    engine.wake();
    const { body } = await call('admin', 'GET', `/synchronize/${guid}`);
    return what(body) ? body : undefined;
  });
}

const ended = (guid: string) => until(guid, ({ state }) => state !== 'running');
const basic = (id: string, second: number) => ({
  resourceType: 'Basic',
  id,
  meta: { versionId: '1', lastUpdated: `2026-01-01T00:00:0${second}Z` },
  code: { text: id },
});
const bundle = (resources: readonly object[], next?: string) => ({
  resourceType: 'Bundle',
  type: 'searchset',
  ...(next === undefined ? {} : { link: [{ relation: 'next', url: next }] }),
  entry: resources.map((resource) => ({ resource })),
});

test('pages that the server forgets are found again by time, and nothing comes twice', async () => {
  let isForgotten = false;
  server.behave(({ url }, response) => {
    const query = new URL(url, server.url).searchParams;
    if (query.has('_id')) answerFhir(response, bundle([basic('p1', 1), basic('p2', 2), basic('p3', 3)]));
    else if (query.has('page') && !isForgotten) {
      isForgotten = true;
      answerFhir(response, { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'expired' }] }, 410);
    } else if (query.get('_lastUpdated') === 'ge2026-01-01T00:00:02.000Z')
      answerFhir(response, bundle([basic('p2', 2), basic('p3', 3)]));
    else answerFhir(response, bundle([basic('p1', 1), basic('p2', 2)], 'Basic?page=2'));
  });
  const done = await ended(await start());
  assert.deepEqual([done.state, isForgotten], ['done', true], JSON.stringify(done));
  assert.deepEqual([done.counts.pull.created, done.counts.pull.unchanged], [3, 1]);
  for (const id of ['p1', 'p2', 'p3']) {
    assert.equal((await call('admin', 'GET', `/Basic/${id}`)).body.meta.versionId, '1');
  }
});

test('pages that never end, or lead elsewhere, end the job instead of going on for ever', async () => {
  server.behave((_asked, response) => answerFhir(response, bundle([basic('e1', 1)], 'Basic?page=again')));
  const endless = await ended(await start());
  assert.deepEqual([endless.state, endless.fault], ['failed', 'Basic: the pages of the server do not end']);
  server.behave((_asked, response) => answerFhir(response, bundle([basic('e2', 1)], 'http://10.0.0.1/other')));
  const guid = await start();
  const away = await until(guid, ({ failures }) => failures > 1);
  assert.match(away.fault, /its next page lies elsewhere/);
  assert.equal((await call('admin', 'POST', `/synchronize/${guid}/stop`)).body.state, 'stopped');
});

test('what the server sends that is no resource of the type is named, and the rest is taken', async () => {
  const odd = [basic('o1', 1), { resourceType: 'Patient', id: 'o2' }, { ...basic('x', 1), id: 'a b' }, basic('o3', 2)];
  const invalid = { ...basic('o4', 3), code: undefined, created: 'yesterday' };
  server.behave((_asked, response) => answerFhir(response, bundle([...odd, invalid])));
  const done = await ended(await start());
  assert.deepEqual(
    [done.state, done.counts.pull.created, done.counts.pull.conflicts],
    ['done', 2, 3],
    JSON.stringify(done),
  );
  assert.deepEqual(done.conflicts.map(({ kind }: { kind: string }) => kind).toSorted(), [
    'refused_here',
    'unreadable',
    'unreadable',
  ]);
  assert.match(JSON.stringify(done.conflicts), /Basic\.c(?:ode|reated)/);
});

test('a server that reports no deletions deletes nothing: what it has no more is a conflict, and so is a deletion that it refuses', async () => {
  const resources = ['d1', 'd2', 'd3', 'd4'].map((id) => basic(id, 1));
  server.behave((_asked, response) => answerFhir(response, bundle(resources)));
  const first = await ended(await start());
  assert.equal(first.counts.pull.created, 4);
  const { server: name } = first;
  await call('admin', 'DELETE', '/Basic/d4');
  let deletions = 0;
  server.behave(({ method, url }, response) => {
    const id = /\/Basic\/(\w+)$/.exec(url)?.[1];
    if (method === 'DELETE') {
      deletions += 1;
      response.writeHead(405).end();
    } else if (id === 'd2') response.writeHead(404).end();
    else if (id === 'd3') response.writeHead(410).end();
    else if (id === 'd4') answerFhir(response, basic('d4', 1));
    else answerFhir(response, bundle([basic('d1', 1), basic('d4', 1)]));
  });
  const second = { server: name, resource_types: ['Basic'], direction: 'both' };
  const started = await call('admin', 'POST', '/synchronize', second);
  const done = await ended(started.body.job_guid);
  assert.deepEqual(
    [done.state, done.counts.pull.deleted, done.counts.pull.skipped, done.counts.push.deleted, deletions],
    ['done', 1, 1, 0, 1],
    JSON.stringify(done),
  );
  assert.deepEqual(
    done.conflicts.map(({ id, kind }: { id: string; kind: string }) => `${id} ${kind}`),
    ['d2 deleted_there', 'd4 refused_there'],
  );
  assert.equal((await call('admin', 'GET', '/Basic/d2')).status, 200);
  assert.equal((await call('admin', 'GET', '/Basic/d3')).status, 410);
});

test('a server that is away is tried again; a job is stopped and resumed, and one runs at a time', async () => {
  server.behave((_asked, response) => void response.writeHead(503).end());
  const guid = await start();
  const waiting = await until(guid, ({ failures }) => failures >= 2);
  assert.deepEqual([waiting.state, waiting.conflict_count], ['running', 0]);
  assert.match(waiting.fault, /failed/);
  const second = { server: waiting.server, resource_types: ['Basic'], direction: 'pull' };
  assert.equal((await call('admin', 'POST', '/synchronize', second)).status, 409);
  assert.equal((await call('admin', 'DELETE', `/synchronize/${guid}`)).status, 409);
  const list = await call('admin', 'GET', '/synchronize?state=running');
  assert.deepEqual(
    list.body.data.map(({ job_guid: each }: { job_guid: string }) => each),
    [guid],
  );
  for (let times = 0; times < 2; times += 1) {
    const stopped = await call('admin', 'POST', `/synchronize/${guid}/stop`);
    assert.deepEqual([stopped.status, stopped.body.state], [200, 'stopped']);
  }
  server.behave((_asked, response) => answerFhir(response, bundle([basic('r1', 1)])));
  const resumed = await call('admin', 'POST', `/synchronize/${guid}/resume`);
  assert.deepEqual([resumed.status, resumed.body.failures, resumed.body.fault], [200, 0, null]);
  const done = await ended(guid);
  assert.deepEqual([done.state, done.counts.pull.created], ['done', 1]);
  for (const change of ['stop', 'resume']) {
    const late = await call('admin', 'POST', `/synchronize/${guid}/${change}`);
    assert.deepEqual([late.status, late.body.message], [409, 'The synchronization is done']);
  }
  assert.equal((await call('admin', 'DELETE', `/synchronize/${guid}`)).status, 204);
  assert.equal((await call('admin', 'GET', `/synchronize/${guid}`)).status, 404);
});

test('a server that does not know the type, or is removed, ends the job with why', async () => {
  server.behave((_asked, response) => void response.writeHead(404).end());
  const unknown = await ended(await start());
  assert.deepEqual(unknown.state, 'failed');
  assert.match(unknown.fault, /^Basic: .*it answered 404/);
  server.behave((_asked, response) => void response.writeHead(503).end());
  const guid = await start();
  const { server: name } = await until(guid, ({ failures }) => failures >= 1);
  await call('admin', 'DELETE', `/servers/${name}`);
  assert.deepEqual((await ended(guid)).fault, 'Server not found');
});

test('a job does not outlive the rights of who asked for it; who resumes it answers for it', async () => {
  // The rights go while the server is asked: the step running had them, and only the next asks for them again.
  server.behave((_asked, response) => {
    users.set(BOSS, makePrincipal(['professional', 'clinician'], { id: BOSS }));
    server.behave((_next, answer) => answerFhir(answer, bundle([basic('rights', 1)])));
    response.writeHead(503).end();
  });
  const name = 'wayward-rights';
  assert.equal((await call('boss', 'POST', '/servers', { name, url: `${server.url}/${name}` })).status, 201);
  const input = { server: name, resource_types: ['Basic'], direction: 'pull' };
  const { job_guid: guid } = (await call('boss', 'POST', '/synchronize', input)).body;
  const done = await ended(guid);
  assert.deepEqual(
    [done.state, done.fault, done.counts.pull.read],
    ['failed', 'Whoever asked for this synchronization may no longer have it', 0],
  );
  assert.equal((await call('admin', 'GET', '/Basic/rights')).status, 404);
  assert.equal((await call('admin', 'POST', `/synchronize/${guid}/resume`)).status, 200);
  assert.equal((await ended(guid)).state, 'done');
  assert.equal((await call('admin', 'GET', '/Basic/rights')).status, 200);
});

test('what a step finds after its job was stopped, or resumed since, does not touch the job', async () => {
  for (const [status, isResumed] of [
    [404, false],
    [503, false],
    [404, true],
    [503, true],
  ] as const) {
    const [asked, isChanged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    server.behave(async (_asked, response) => {
      asked.resolve();
      await isChanged.promise;
      response.writeHead(status).end();
    });
    const guid = await start();
    await asked.promise;
    server.behave((_asked, response) => answerFhir(response, bundle([basic(`late-${status}`, 1)])));
    assert.equal((await call('admin', 'POST', `/synchronize/${guid}/stop`)).status, 200);
    if (isResumed) assert.equal((await call('admin', 'POST', `/synchronize/${guid}/resume`)).status, 200);
    isChanged.resolve();
    const done = await ended(guid);
    if (isResumed) {
      assert.deepEqual([done.state, done.failures, done.fault], ['done', 0, null], String(status));
      continue;
    }
    // The step has ended when the next job, of the same loop, has.
    await ended(await start());
    const now = (await call('admin', 'GET', `/synchronize/${guid}`)).body;
    assert.deepEqual([now.state, now.failures, now.fault], ['stopped', 0, null], String(status));
  }
});

test('a long page is carried over as a short one is, and so is what it says of the next', async () => {
  const long = (id: string, second: number) => ({ ...basic(id, second), code: { text: 'x'.repeat(200_000) } });
  server.behave(({ url }, response) => {
    const { searchParams } = new URL(url, server.url);
    const wrong = { resourceType: 'Patient', id: 'long-4' };
    if (searchParams.has('page')) answerFhir(response, bundle([long('long-3', 3), wrong]));
    else answerFhir(response, bundle([long('long-1', 1), basic('long-2', 2), long('long-5', 2)], 'Basic?page=2'));
  });
  const done = await ended(await start());
  assert.deepEqual(
    [done.state, done.counts.pull.created, done.counts.pull.conflicts],
    ['done', 4, 1],
    JSON.stringify(done),
  );
  assert.equal((await call('admin', 'GET', '/Basic/long-3')).body.code.text.length, 200_000);
});
