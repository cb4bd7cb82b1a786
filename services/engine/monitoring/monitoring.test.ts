// Health, metrics and status (contract: engine, "Monitoring and metadata"; decision E12).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import type { DiskFigures } from './disk.ts';

const server = { name: 'absent', url: 'http://127.0.0.9:9/fhir', kind: 'fhir', auth: { type: 'none' } } as const;
const metrics = createMetrics('engine');
const { app, call, clock, database } = await startTestEngine(
  { after },
  {
    metrics,
    serverAccess: { allowPrivate: false, servers: [{ ...server, timeoutMs: 1000, revision: 'file' }] },
    callers: {
      reader: makePrincipal(['reader'], { kind: 'engine_user' }),
      provider: makePrincipal(['provider'], { kind: 'engine_user' }),
      key: makePrincipal(['api_key'], { kind: 'api_key', scopes: ['system/*.cruds'] }),
    },
  },
);

const CALLERS = ['admin', 'planner', 'reader', 'service', 'provider', 'patient', 'key', undefined] as const;
for (const [path, statuses] of [
  ['/health', '200 200 200 200 200 200 200 200'],
  ['/metrics', '200 200 200 403 403 403 403 401'],
  ['/status', '200 200 200 403 403 403 403 401'],
] as const) {
  test(`who may GET ${path}`, async () => {
    const answers = await Promise.all(CALLERS.map((caller) => call(caller, 'GET', path)));
    assert.equal(answers.map(({ status }) => status).join(' '), statuses);
  });
}

test('GET /health reports the database, the servers, the queue and the disk, without names', async () => {
  const first = await call(undefined, 'GET', '/health');
  const { checks, ...rest } = first.body;
  clock.time += 5_000;
  assert.deepEqual(rest, { status: 'ok', version: '0.0.0', uptime_s: 0 });
  assert.equal(checks.database.status, 'ok');
  assert.deepEqual(checks.servers, { status: 'ok', total: 1, down: 0, unknown: 1 });
  assert.deepEqual(checks.queue, { status: 'ok', waiting: 0, oldest_s: 0 });
  assert.ok(checks.disk.free_bytes > 0 && checks.disk.free_bytes <= checks.disk.total_bytes);
  assert.ok(!first.text.includes('absent'));
  await call('admin', 'GET', '/servers/test-all');
  const later = await call(undefined, 'GET', '/health');
  assert.deepEqual([later.status, later.body.status, later.body.uptime_s], [200, 'degraded', 5]);
  assert.deepEqual(later.body.checks.servers, { status: 'degraded', total: 1, down: 1, unknown: 0 });
});

test('GET /health is degraded when calls to dispatch have waited for long', async () => {
  await database.query('ALTER TABLE dispatch_call DROP CONSTRAINT dispatch_call_request_guid_fkey');
  await database.query(
    `INSERT INTO dispatch_call (request_guid, kind, body, next_at, created_at) VALUES (gen_random_uuid(), 'status', '{}', $1, $1)`,
    [new Date(clock.time - 301_000)],
  );
  clock.time += 1_000;
  const { queue } = (await call(undefined, 'GET', '/health')).body.checks;
  assert.deepEqual(queue, { status: 'degraded', waiting: 1, oldest_s: 302 });
});

test('GET /health is degraded when less than a twentieth of the disk is free, or the disk cannot be read', async (t) => {
  const asked: string[] = [];
  let figures: DiskFigures | undefined;
  const disk = await startTestEngine(t, {
    diskPath: '/data',
    readDisk: async (folder) => {
      asked.push(folder);
      if (figures === undefined) throw new Error('EACCES');
      return figures;
    },
  });
  const healthWith = async (bavail: number | undefined) => {
    figures = bavail === undefined ? undefined : { bsize: 4096, blocks: 1000, bavail };
    disk.clock.time += 1_000;
    const { status, body } = await disk.call(undefined, 'GET', '/health');
    return [status, body.status, body.checks.disk];
  };
  const said = (status: string, free: number | null, total: number | null = 4_096_000) => ({
    status,
    free_bytes: free,
    total_bytes: total,
  });
  assert.deepEqual(await healthWith(1000), [200, 'ok', said('ok', 4_096_000)]);
  assert.deepEqual(await healthWith(50), [200, 'ok', said('ok', 204_800)]);
  assert.deepEqual(await healthWith(49), [200, 'degraded', said('degraded', 200_704)]);
  assert.deepEqual(await healthWith(0), [200, 'degraded', said('degraded', 0)]);
  assert.deepEqual(await healthWith(undefined), [200, 'degraded', said('degraded', null, null)]);
  assert.deepEqual(await healthWith(51), [200, 'ok', said('ok', 208_896)]);
  assert.deepEqual(new Set(asked), new Set(['/data']));
});

test('GET /health is 503 without the database', async (t) => {
  let isAway = false;
  const away = await startTestEngine(t, {
    connect: async (own) => {
      const plain = own.database('engine');
      const query: Database['query'] = (...given) =>
        isAway ? Promise.reject(new ServiceError('unavailable', 'away')) : plain.query(...given);
      return { ...plain, query };
    },
  });
  isAway = true;
  const { status, headers, body } = await away.call(undefined, 'GET', '/health');
  isAway = false;
  assert.deepEqual(
    [status, headers['retry-after'], body.status, body.checks.database.status],
    [503, '2', 'down', 'down'],
  );
});

test('GET /status returns what runs and what it holds', async () => {
  await call('admin', 'PUT', '/Patient/counted', { resourceType: 'Patient', id: 'counted' });
  await call('admin', 'PUT', '/Patient/gone', { resourceType: 'Patient', id: 'gone' });
  await call('admin', 'DELETE', '/Patient/gone');
  clock.time += 10_000;
  const { body } = await call('reader', 'GET', '/status');
  assert.deepEqual(body.counts, { Patient: 1 });
  assert.deepEqual([body.version, body.started_at, body.node.pid], ['0.0.0', '2026-03-02T08:00:00.000Z', process.pid]);
  assert.deepEqual(body.jobs, []);
  assert.deepEqual(
    body.servers.map((each: { name: string; status: string }) => [each.name, each.status]),
    [['absent', 'down']],
  );
});

test('GET /metrics answers figures as JSON', async () => {
  // The application of the tests measures with a registry of its own: what it would have reported is reported here.
  for (const [status, seconds, times] of [
    [200, 0.003, 98],
    [200, 0.7, 1],
    [500, 0.03, 1],
  ] as const) {
    const observe = metrics.requestDurations({ method: 'GET', route: '/x', status });
    for (let n = 0; n < times; n += 1) observe(seconds);
  }
  const { body } = await call('reader', 'GET', '/metrics');
  assert.equal(body.requests.total, 100);
  assert.equal(body.requests.errors, 1);
  const [route] = body.requests.routes;
  assert.deepEqual([route.method, route.route, route.count, route.errors], ['GET', '/x', 100, 1]);
  assert.ok(route.p50_ms > 2.5 && route.p50_ms <= 5 && route.p99_ms <= 50 && route.mean_ms > 10, JSON.stringify(route));
  assert.equal(body.resources.Patient, 1);
  assert.deepEqual(
    body.caches.map(({ cache }: { cache: string }) => cache),
    ['sessions'],
  );
  assert.ok(body.process.memory_bytes > 0 && body.process.cpu_s > 0);
});

test('GET /metrics answers Prometheus text to who asks for it', async () => {
  for (const [accept, type] of [
    ['text/plain', 'text/plain'],
    ['application/openmetrics-text;version=1.0.0,text/plain;q=0.5', 'text/plain'],
    ['application/json, text/plain', 'application/json'],
    ['*/*', 'application/json'],
    ['text/plain, */*', 'text/plain'],
    ['text/plain;q=0.2, application/json', 'application/json'],
    ['application/json;q=0.2, text/plain', 'text/plain'],
    ['text/plain;q=0, */*', 'application/json'],
    ['text/plain;q=0', 'application/json'],
    ['application/*, text/plain;q=0.9', 'application/json'],
    ['application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1', 'text/plain'],
  ] as const) {
    const headers = { authorization: 'Bearer reader', accept };
    const answer = await app.inject({ method: 'GET', url: '/api/v1/metrics', headers });
    assert.equal(answer.statusCode, 200, answer.body);
    assert.ok(String(answer.headers['content-type']).startsWith(type), accept);
    if (type === 'text/plain')
      assert.match(answer.body, /^kedja_http_request_duration_seconds_count\{.*route="\/x".*\} 99$/m);
  }
});

test('the metrics include the jobs of each kind and the calls that wait for dispatch', async (t) => {
  const own = createMetrics('engine');
  const { clock: now, database: db } = await startTestEngine(t, { metrics: own });
  const figures = async () => {
    const lines = (await own.text()).split('\n').filter((line) => /^kedja_engine_(job|dispatch)/.test(line));
    return new Map(
      lines.map((line) => [line.replace(/,?service="engine"|\s\S+$/g, ''), Number(line.split(' ').at(-1))]),
    );
  };
  const none = await figures();
  for (const kind of ['export', 'import', 'file-import', 'synchronize', 'search-parameter']) {
    assert.equal(none.get(`kedja_engine_jobs{kind="${kind}",state="running"}`), 0, [...none.keys()].join('\n'));
    assert.equal(none.get(`kedja_engine_jobs{kind="${kind}",state="failed"}`), 0);
    assert.equal(none.get(`kedja_engine_job_oldest_seconds{kind="${kind}"}`), 0);
  }
  const at = new Date(now.time - 90_000);
  for (const [name, state] of [
    ['a', 'running'],
    ['b', 'failed'],
    ['c', 'failed'],
  ]) {
    await db.query(
      `INSERT INTO sync_job (job_guid, server, principal, resource_types, direction, dry_run, state, created_at, updated_at, next_at)
       VALUES (gen_random_uuid(), $1, '{}', '{Basic}', 'pull', false, $2, $3, $3, $3)`,
      [name, state, at],
    );
  }
  await db.query('ALTER TABLE dispatch_call DROP CONSTRAINT dispatch_call_request_guid_fkey');
  await db.query(
    `INSERT INTO dispatch_call (request_guid, kind, body, next_at, created_at, refused_at, refusal)
     SELECT gen_random_uuid(), 'status', '{}', $1, $1, refused, CASE WHEN refused IS NOT NULL THEN 'conflict' END
     FROM unnest(ARRAY[NULL, NULL, $1]::timestamptz[]) AS t(refused)`,
    [at],
  );
  const some = await figures();
  assert.equal(some.get('kedja_engine_jobs{kind="synchronize",state="running"}'), 1);
  assert.equal(some.get('kedja_engine_jobs{kind="synchronize",state="failed"}'), 2);
  assert.equal(some.get('kedja_engine_job_oldest_seconds{kind="synchronize"}'), 90);
  assert.equal(some.get('kedja_engine_dispatch_calls{state="waiting"}'), 2);
  assert.equal(some.get('kedja_engine_dispatch_calls{state="refused"}'), 1);
  assert.equal([...some].find(([name]) => name.startsWith('kedja_engine_dispatch_call_oldest_seconds'))?.[1], 90);
  await db.query('DELETE FROM sync_job');
  assert.equal(
    (await figures()).get('kedja_engine_jobs{kind="synchronize",state="failed"}'),
    0,
    'what is gone is not reported',
  );
});

test('GET /metadata is what the capability page shows: anybody may read it', async () => {
  const { status, body } = await call(undefined, 'GET', '/metadata');
  assert.deepEqual([status, body.resourceType, body.fhirVersion], [200, 'CapabilityStatement', '5.0.0']);
});
