// Reads from standbys: two nodes of the engine on a primary with two standbys (docs/adr/0129-read-replicas.md). The
// tests run one after the other, as they pause and kill the standbys that all share.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pgBouncerVersion, startPgBouncer } from '#test/support/database/pgbouncer.ts';
import { OTHER_ORGANISATION } from '#test/support/engine/engine.ts';
import { type ReplicatedEngine, startReplicatedEngines } from '#test/support/engine/replicated-engines.ts';
import type { Method } from '#test/support/fhir/capability.ts';
import { checkReplicas } from '../../cli/doctor/replicas.ts';

const MAX_LAG_MS = 1_000;
const site = await startReplicatedEngines({ after }, { maxLagMs: MAX_LAG_MS });
const { one, two, standbys } = site;
await site.using(2);

const patient = (family: string) => ({ resourceType: 'Patient', name: [{ family }] });

async function make(node: ReplicatedEngine, family: string, caller = 'planner'): Promise<string> {
  const made = await node.call(caller, 'POST', '/Patient', patient(family));
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

const admin = (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: site.url, options: '-c search_path=engine,public' });
  return client.connect().then(() => client);
};

/** Runs `work` while the standbys get nothing new, and lets them catch up again. */
async function whilePaused(work: () => Promise<void>): Promise<void> {
  for (const standby of standbys) await standby.pause();
  try {
    await work();
  } finally {
    for (const standby of standbys) await standby.resume();
    await site.caughtUp();
    await site.using(2);
  }
}

/** Patients' data in statements on the primary, but for its jobs, which read what was written at any time. */
const READ = /^(?!.*\bfhir_(?:text_queue|patient_change)\b).*\bfhir_(?:resource|history)\b/s;
const readsOf = (node: ReplicatedEngine) => node.onPrimary.filter((text) => READ.test(text));

test('reads, searches with all that belongs to them, histories and $everything touch no patient on the primary', async () => {
  const id = await make(one, 'Offload');
  const subject = { reference: `Patient/${id}` };
  const observation = { resourceType: 'Observation', status: 'final', code: { text: 'c' }, subject };
  assert.equal((await one.call('planner', 'POST', '/Observation', observation)).status, 201);
  await site.settled();
  const before = await two.fromStandbys();
  two.onPrimary.length = 0;
  const paths = [
    `/Patient/${id}`,
    `/Patient/${id}/_history/1`,
    `/Patient/${id}/_history`,
    '/Patient/_history?_count=2',
    '/_history?_type=Patient&_count=2',
    '/Patient?family=offload&_revinclude=Observation:subject',
    '/Patient?family=offload&_total=accurate&_sort=birthdate',
    '/Patient?_summary=count',
    '/?_type=Patient,Observation&_count=2',
    `/Patient/${id}/Observation`,
    `/Patient/${id}/$everything`,
    `/Patient/${id}/$meta`,
  ];
  for (const path of paths) {
    const answer = await two.call('planner', 'GET', path);
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  }
  const entry = [{ request: { method: 'GET', url: `Patient/${id}` } }];
  const batch = await two.call('planner', 'POST', '/', { resourceType: 'Bundle', type: 'batch', entry });
  assert.equal(batch.body.entry[0].resource.id, id);
  assert.deepEqual(readsOf(two), []);
  assert.ok((await two.fromStandbys()) - before >= paths.length + 1);
  const shared = await Promise.all(standbys.map(({ name }) => two.sample('kedja_reads_total', { server: name })));
  assert.ok(
    shared.every((reads) => reads > 0),
    `both standbys serve: ${shared}`,
  );
});

test('everybody reads their own writes, on either node and from whichever server', async () => {
  const callers = ['planner', 'stranger', 'admin'];
  const nodes = [one, two];
  const before = (await one.fromStandbys()) + (await two.fromStandbys());
  const stale: string[] = [];
  await Promise.all(
    Array.from({ length: 6 }, async (_, worker) => {
      const caller = callers[worker % callers.length] ?? '';
      for (let round = 0; round < 25; round += 1) {
        const [writer, reader] = [nodes[round % 2] ?? one, nodes[(round + 1 + (worker >> 1)) % 2] ?? one];
        const family = `Own-${worker}-${round}`;
        const id = await make(writer, family, caller);
        const found = await reader.call(caller, 'GET', `/Patient?family=${family}`);
        if (found.body.total !== 1) stale.push(`search ${family}: ${found.text}`);
        const changed = await reader.call(caller, 'PUT', `/Patient/${id}`, { ...patient(`${family}-2`), id });
        assert.equal(changed.status, 200, changed.text);
        const read = await writer.call(caller, 'GET', `/Patient/${id}`);
        if (read.body.meta.versionId !== '2') stale.push(`read ${family}: ${read.text}`);
        assert.equal((await writer.call(caller, 'DELETE', `/Patient/${id}`)).status, 204);
        const gone = await reader.call(caller, 'GET', `/Patient/${id}`);
        if (gone.status !== 410) stale.push(`deleted ${family}: ${gone.status}`);
      }
    }),
  );
  assert.deepEqual(stale, []);
  assert.ok((await one.fromStandbys()) + (await two.fromStandbys()) > before, 'the standbys served some');
});

test('nothing is shown before its access record is stored on the primary', async () => {
  const id = await make(one, 'Recorded');
  await site.settled();
  const [holder, watcher] = await Promise.all([admin(), admin()]);
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE audit_look IN SHARE MODE');
  const before = await two.fromStandbys();
  let isShown = false;
  const reading = two.call('planner', 'GET', `/Patient/${id}`).finally(() => {
    isShown = true;
  });
  // The unpacker waits for the table too.
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO audit_look%' AND pid <> pg_backend_pid()`;
  while ((await watcher.query(waiting)).rowCount === 0) await delay(20);
  assert.equal(await two.fromStandbys(), before + 1);
  assert.equal(isShown, false);
  await holder.query('COMMIT');
  assert.equal((await reading).status, 200);
  await Promise.all([holder.end(), watcher.end()]);
});

test('a caller waits for nobody who is behind, and sees their own writes from the primary', async () => {
  const id = await make(one, 'Behind');
  await whilePaused(async () => {
    await site.using(0);
    const none = () => two.sample('kedja_reads_from_primary_total', { reason: 'none' });
    const before = { waits: await two.waits(), none: await none() };
    for (let version = 2; version < 12; version += 1) {
      await one.call('planner', 'PUT', `/Patient/${id}`, { ...patient(`Behind ${version}`), id });
      const read = await two.call('planner', 'GET', `/Patient/${id}`);
      assert.equal(read.body.meta.versionId, String(version));
    }
    assert.equal(await two.waits(), before.waits);
    assert.equal(await none(), before.none + 10);
  });
});

test('a wait ends after 100 ms, with the primary', async () => {
  const id = await make(one, 'Bounded');
  await site.caughtUp();
  await whilePaused(async () => {
    // The standbys are not too far behind yet, and lack the caller's own change alone.
    const changed = await one.call('planner', 'PUT', `/Patient/${id}`, { ...patient('Bounded 2'), id });
    assert.equal(changed.status, 200, changed.text);
    const read = await two.call('planner', 'GET', `/Patient/${id}`);
    // The standbys are paused until then, so the read has ended its wait without them.
    assert.equal(read.body.meta.versionId, '2');
  });
});

test('what has been withdrawn is not shown by standbys that are behind', async () => {
  const id = await make(one, 'Withdrawn');
  await site.caughtUp();
  assert.equal((await two.call('planner', 'GET', `/Patient/${id}`)).status, 200);
  const key = await one.call('admin', 'POST', '/api-keys', { name: 'k', scopes: ['system/Patient.rs'] });
  assert.equal(key.status, 201, key.text);
  await site.caughtUp();
  assert.equal((await two.call(key.body.key, 'GET', '/Patient?_count=1')).status, 200);
  await whilePaused(async () => {
    const client = await admin();
    const moved = performance.now();
    await client.query('UPDATE fhir_resource SET organisation = $1 WHERE id = $2 OR rid = $2::uuid', [
      OTHER_ORGANISATION,
      id,
    ]);
    await client.end();
    assert.equal((await one.call('admin', 'DELETE', `/api-keys/${key.body.key_guid}`)).status, 204);
    while ((await two.call('planner', 'GET', `/Patient/${id}`)).status === 200) {
      assert.ok(performance.now() - moved < 2 * MAX_LAG_MS, 'a record of others is shown for too long');
      await delay(20);
    }
    assert.equal((await two.call('planner', 'GET', `/Patient?_id=${id}`)).body.total, 0);
    assert.equal((await two.call('stranger', 'GET', `/Patient/${id}`)).status, 200);
    while ((await two.call(key.body.key, 'GET', '/Patient?_count=1')).status !== 401) await delay(50);
  });
});

test('what is not there yet is looked for on the primary', async () => {
  await whilePaused(async () => {
    const id = await make(one, 'Told', 'planner');
    // Another account, which has written nothing.
    const read = await two.call('idle', 'GET', `/Patient/${id}`);
    assert.equal(read.status, 200, read.text);
  });
});

test('a position that is sent along shows the writes of another account; rubbish makes nobody wait', async () => {
  await whilePaused(async () => {
    const made = await one.call('planner', 'POST', '/Patient', patient('Carried'));
    const position = String(made.headers['kedja-position']);
    assert.match(position, /^[\w-]{22}$/);
    const search = (caller: string, header: string) =>
      two.app.inject({
        method: 'GET',
        url: '/api/v1/Patient?family=Carried',
        headers: { authorization: `Bearer ${caller}`, 'kedja-position': header },
      });
    assert.equal((await search('idle', position)).json().total, 1);
  });
  const id = await make(one, 'Rubbish');
  await site.caughtUp();
  const before = await two.waits();
  const rubbish = ['', 'x', '0/FFFFFFFF', 'A'.repeat(22), '_'.repeat(22), 'A'.repeat(5000), '\u00e5', 'NaN'];
  for (const header of rubbish) {
    const answer = await two.app.inject({
      method: 'GET',
      url: `/api/v1/Patient/${id}`,
      headers: { authorization: 'Bearer idle', 'kedja-position': header },
    });
    assert.equal(answer.statusCode, 200, `${header}: ${answer.body}`);
  }
  assert.equal(await two.waits(), before);
});

test('/openapi.json has the header on the responses that carry it, and on no other', async () => {
  const { paths, components } = (await one.app.inject('/openapi.json')).json();
  assert.ok(components.headers['Kedja-Position'].description);
  const id = await make(one, 'Documented');
  const entry = [{ request: { method: 'GET', url: `Patient/${id}` } }];
  const calls: readonly [method: Method, path: string, documented: string, body?: object][] = [
    ['GET', `/Patient/${id}`, '/Patient/{id}'],
    ['POST', '/Patient', '/Patient', patient('Documented')],
    ['PUT', `/Patient/${id}`, '/Patient/{id}', { ...patient('Documented'), id }],
    ['POST', `/Patient/${id}/$validate`, '/Patient/{id}/$validate', { ...patient('Documented'), id }],
    ['POST', '/', '/', { resourceType: 'Bundle', type: 'batch', entry }],
    ['DELETE', `/Patient/${id}`, '/Patient/{id}'],
    ['GET', '/units', '/units'],
    ['POST', '/units', '/units', { name: 'kilogram', ucum_code: 'kg' }],
  ];
  for (const [method, path, documented, body] of calls) {
    const { status, headers, text } = await one.call('planner', method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
    const response = paths[`/api/v1${documented}`][method.toLowerCase()].responses[status];
    const names = Object.keys(response.headers ?? {});
    const carried = headers['kedja-position'] === undefined ? [] : ['Kedja-Position'];
    assert.deepEqual(names, carried, `${method} ${path}`);
    assert.equal(carried.length, method === 'GET' ? 0 : 1, `${method} ${path}`);
  }
  assert.equal(paths['/api/v1/Patient/_search'].post.responses['200'].headers, undefined, 'a search is no write');
  assert.equal(paths['/api/v1/Patient'].post.responses['422'].headers, undefined, 'nothing is written');
});

test('a crash of the primary, which empties the table of positions, hides nobody’s own writes', async () => {
  const id = await make(one, 'Crashed');
  await site.caughtUp();
  await whilePaused(async () => {
    await one.call('planner', 'PUT', `/Patient/${id}`, { ...patient('Crashed 2'), id });
    const client = await admin();
    await client.query('TRUNCATE write_position');
    await client.end();
    assert.equal((await two.call('planner', 'GET', `/Patient/${id}`)).body.meta.versionId, '2');
    assert.equal((await two.call('planner', 'GET', `/Patient/${id}`)).body.meta.versionId, '2');
  });
});

async function exportPatients(): Promise<string> {
  const started = await one.app.inject({
    method: 'GET',
    url: '/api/v1/$export?_type=Patient',
    headers: { authorization: 'Bearer admin', prefer: 'respond-async', accept: 'application/fhir+json' },
  });
  assert.equal(started.statusCode, 202, started.body);
  const address = String(started.headers['content-location']).replace(/^.*\/api\/v1/, '');
  let status = await one.call('admin', 'GET', address);
  while (status.status === 202) {
    await delay(50);
    status = await one.call('admin', 'GET', address);
  }
  assert.equal(status.status, 200, status.text);
  const url = String(status.body.output[0]?.url).replace(/^.*engine\.test/, '');
  return (await one.app.inject({ method: 'GET', url, headers: { authorization: 'Bearer admin' } })).body;
}

test('exports read from a standby, with all that was written before', async () => {
  const before = (await one.fromStandbys()) + (await two.fromStandbys());
  // A standby that does not have everything within 100 ms leaves a page to the primary.
  do {
    const id = await make(one, 'Exported');
    assert.ok((await exportPatients()).includes(id), 'the latest patient is in it');
  } while ((await one.fromStandbys()) + (await two.fromStandbys()) === before);
});

test('statements in transactions, as a pooler needs them, read from standbys too', async () => {
  const node = await site.startNode({ pooling: 'transaction', isQuiet: true });
  await requireReads(node, 'Pooled', () => node.fromStandbys());
});

const withoutPgBouncer = pgBouncerVersion() === undefined ? 'PgBouncer is not installed' : false;

test('standbys behind a PgBouncer serve, and are known as standbys', { skip: withoutPgBouncer }, async () => {
  const urls = await Promise.all(standbys.map(({ url }) => startPgBouncer({ after }, url)));
  const node = await site.startNode({ urls, pooling: 'transaction', isQuiet: true });
  await requireReads(node, 'Bounced', async () => {
    const hosts = urls.map((url) => new URL(url).host);
    const reads = await Promise.all(hosts.map((server) => node.sample('kedja_reads_total', { server })));
    return Math.max(...reads.map((each) => (Number.isNaN(each) ? 0 : each)));
  });
});

/** A node sees own writes at once, and reads from its standbys. */
async function requireReads(
  node: ReplicatedEngine,
  family: string,
  fromStandbys: () => Promise<number>,
): Promise<void> {
  const id = await make(one, family);
  await site.caughtUp();
  let version = 1;
  // Until the standbys are in use, the primary serves.
  do {
    version += 1;
    const changed = await node.call('planner', 'PUT', `/Patient/${id}`, { ...patient(`${family} ${version}`), id });
    assert.equal(changed.status, 200, changed.text);
    const read = await node.call('planner', 'GET', `/Patient/${id}`);
    assert.equal(read.body.meta.versionId, String(version));
    assert.equal((await node.call('planner', 'GET', `/Patient?family=${family}&_id=${id}`)).body.total, 1);
  } while ((await fromStandbys()) === 0);
}

test('a server that does not follow the primary is not read from, and is named', async () => {
  const closed = site.url.replace(/:\d+\//, ':1/');
  const node = await site.startNode({ urls: [site.url, closed], isQuiet: true });
  const reasonsOf = (url: string) => {
    const { host } = new URL(url);
    return node.logged.filter(({ standby }) => standby === host).map(({ reason }) => reason);
  };
  while (reasonsOf(site.url).length === 0 || reasonsOf(closed).length === 0) await delay(20);
  assert.deepEqual(reasonsOf(site.url), ['it is no standby']);
  assert.match(String(reasonsOf(closed)[0]), /ECONNREFUSED/);
  const id = await make(node, 'Unserved');
  assert.equal((await node.call('planner', 'GET', `/Patient/${id}`)).status, 200);
  assert.equal(await node.fromStandbys(), 0);
  assert.ok(!JSON.stringify(node.logged).includes(new URL(site.url).password), 'no password is logged');
});

test('kedja doctor says which standbys follow, which are behind, and which are none', async () => {
  const [first, second] = standbys;
  assert.ok(first && second);
  const closed = site.url.replace(/:\d+\//, ':1/');
  const codes = async () => {
    const urls = [first.url, second.url, site.url, closed];
    const findings = await checkReplicas({ primary: { url: site.url }, urls, maxLagMs: MAX_LAG_MS });
    return findings.map(({ code, level }) => `${level} ${code}`);
  };
  const others = ['error replicas.unfit', 'warning replicas.unreachable'];
  await site.caughtUp();
  assert.deepEqual(await codes(), ['ok replicas.standby', 'ok replicas.standby', ...others]);
  await second.pause();
  await make(one, 'Behind the doctor');
  assert.deepEqual(await codes(), ['ok replicas.standby', 'warning replicas.lag', ...others]);
  await second.resume();
  await site.using(2);
});

test('a standby that is killed under load fails no request, and is used again when it is back', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => make(one, `Killed ${index}`)));
  await site.caughtUp();
  const [victim] = standbys;
  assert.ok(victim);
  const failures: string[] = [];
  let reads = 0;
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: 12 }, async (_, worker) => {
      for (let turn = worker; !isOver; turn += 1) {
        const node = turn % 2 === 0 ? one : two;
        const path = turn % 3 === 0 ? '/Patient?family=killed&_count=5' : `/Patient/${ids[turn % ids.length]}`;
        const answer = await node.call('planner', 'GET', path);
        reads += 1;
        if (answer.status !== 200) failures.push(`${path}: ${answer.status} ${answer.text}`);
      }
    }),
  );
  const until = async (count: number) => {
    while (reads < count) await delay(10);
  };
  await until(50);
  await victim.kill();
  await site.using(1);
  await until(reads + 100);
  await victim.restart();
  await site.using(2);
  await until(reads + 50);
  isOver = true;
  await load;
  assert.deepEqual(failures, []);
  assert.ok(one.logged.some(({ event, standby }) => event === 'standby_not_used' && standby === victim.name));
});
