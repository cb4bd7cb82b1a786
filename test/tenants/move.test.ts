// `kedja tenant move` under load: no write is lost, none waits long, and a killed move leaves the source in charge.
// KEDJA_MOVE_RESOURCES=100000 moves more.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { temporaryDataDir, testServer } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { ADMIN } from '#test/support/system/whole-system.ts';
import { startTenantSystem, succeed } from './tenant-system.ts';

const RESOURCES = Number(process.env['KEDJA_MOVE_RESOURCES'] ?? 500);
const PER_BUNDLE = 100;
const WRITERS = 3;
/** Far above what is promised, for a machine that has many times as much to do. */
const LONGEST_MS = 20_000;

const hooks = lastFirst({ after });
const from = await startSource();
const to = await makeTarget();
const system = await startTenantSystem(hooks, async ({ tenant }) => {
  await succeed(tenant('add', 'north', '--database', from.url));
});
await succeed(system.tenant('admit', 'north', ADMIN.email));
const token = await system.signIn('north');
const base = `${system.engine}/t/north/api/v1`;

/** A server with wal_level = logical, and a role that may replicate. */
async function startSource() {
  const dataDir = await temporaryDataDir();
  const options = { dataDir, log: () => undefined, durable: false } as const;
  const first = await startEmbeddedPostgres(options);
  await asAdmin(first.adminUrl, "ALTER SYSTEM SET wal_level = 'logical'");
  await first.stop();
  const server = await startEmbeddedPostgres({ ...options, port: first.port });
  hooks.after(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
  const url = new URL(server.url('kedja'));
  await asAdmin(server.adminUrl, `ALTER ROLE ${decodeURIComponent(url.username)} REPLICATION`);
  return { url: url.href, adminUrl: server.adminUrl };
}

/** A database of the run's server, whose role may subscribe. */
async function makeTarget() {
  const { adminUrl } = await testServer();
  const name = `kedja_target_${randomBytes(4).toString('hex')}`;
  const url = new URL(adminUrl);
  const [role, password] = [`${name}_role`, randomBytes(8).toString('hex')];
  await asAdmin(adminUrl, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
  await asAdmin(adminUrl, `GRANT pg_create_subscription TO ${role}`);
  await asAdmin(adminUrl, `CREATE DATABASE ${name} OWNER ${role}`);
  hooks.after(async () => {
    await asAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await asAdmin(adminUrl, `DROP ROLE IF EXISTS ${role}`);
  });
  url.pathname = `/${name}`;
  const ofAdmin = url.href;
  url.username = role;
  url.password = password;
  return { url: url.href, adminUrl: ofAdmin };
}

async function asAdmin(address: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const patient = (family: string) => ({ resourceType: 'Patient', name: [{ family }] });

async function fill(): Promise<void> {
  for (let made = 0; made < RESOURCES; made += PER_BUNDLE) {
    const entry = Array.from({ length: PER_BUNDLE }, (_, index) => ({
      resource: patient(`Berg${made + index}`),
      request: { method: 'POST', url: 'Patient' },
    }));
    await call(base, { token, json: { resourceType: 'Bundle', type: 'transaction', entry } });
  }
}

/** Creates and updates without a pause until it is stopped; what was answered 2xx is kept. */
function startWriters() {
  let isStopping = false;
  const written = new Map<string, number>();
  const refused: string[] = [];
  let longestMs = 0;
  const timed = async (path: string, options: Parameters<typeof call>[1]) => {
    const began = performance.now();
    const answer = await call(`${base}${path}`, { token, ...options }).catch((error: unknown) => {
      refused.push(String(error));
      return undefined;
    });
    longestMs = Math.max(longestMs, performance.now() - began);
    return answer;
  };
  const running = Array.from({ length: WRITERS }, async (_, writer) => {
    while (!isStopping) {
      const made = await timed('/Patient', { json: patient(`Writer${writer}`) });
      const id: string | undefined = made?.body.id;
      if (id === undefined) continue;
      written.set(id, 1);
      const json = { ...patient(`Writer${writer}Again`), id };
      if ((await timed(`/Patient/${id}`, { method: 'PUT', json })) !== undefined) written.set(id, 2);
    }
  });
  return {
    written,
    refused,
    longestMs: () => longestMs,
    stop: async () => {
      isStopping = true;
      await Promise.all(running);
    },
  };
}

const total = async () => Number((await call(`${base}/Patient?_summary=count`, { token })).body.total);

test('a killed move leaves the source in charge, and the next one succeeds, under load, without a loss', async (t) => {
  await fill();
  const writers = startWriters();
  hooks.after(writers.stop);
  const killed = await system.killDuring(['move', 'north', '--database', to.url], /Copying/);
  assert.notEqual(killed.code, 0);
  assert.ok((await call(`${base}/Patient`, { token, json: patient('Between') })).body.id);
  // Killed once the new place is in charge, and before the file says so: nodes find it by themselves.
  await system.killDuring(['move', 'north', '--database', to.url], /in charge/);
  await call(`${base}/Patient`, { token, json: patient('Found') });
  assert.match((await system.tenant('list')).stdout, /^north .*(it has moved to .*kedja_target.*| ok$)/m);
  const moved = await system.tenant('move', 'north', '--database', to.url);
  t.diagnostic(`${moved.stdout}${moved.stderr}`.trim());
  // Unless it was killed only when it had written the file.
  assert.match(`${moved.stdout}${moved.stderr}`, /is at .*kedja_target.* since an earlier move|is there already/);
  // After the move writes go on, at the new place.
  await call(`${base}/Patient`, { token, json: patient('After') });
  await writers.stop();
  assert.deepEqual(writers.refused, []);
  assert.ok(writers.longestMs() < LONGEST_MS, `a write waited for ${writers.longestMs()} ms`);
  t.diagnostic(`${writers.written.size} creations and updates, the longest in ${Math.round(writers.longestMs())} ms`);
  for (const [id, version] of writers.written) {
    const { body } = await call(`${base}/Patient/${id}`, { token });
    assert.equal(Number(body.meta.versionId), version, id);
  }
  assert.equal(await total(), RESOURCES + writers.written.size + 3);
  const [row] = await asAdmin(to.adminUrl, 'SELECT count(*)::int AS n FROM north_engine.fhir_resource');
  assert.ok(Number(row?.['n']) >= RESOURCES, 'it is at the new server');
});

test('nothing of the move stays but the tables that were set aside', async () => {
  const left = `SELECT (SELECT count(*) FROM pg_replication_slots)::int AS slots,
    (SELECT count(*) FROM pg_publication)::int AS publications,
    to_regnamespace('north_engine') IS NULL AND to_regnamespace('north_engine_moved') IS NOT NULL AS aside`;
  const source = new URL(from.adminUrl);
  source.pathname = '/kedja';
  assert.deepEqual(await asAdmin(source.href, left), [{ slots: 0, publications: 0, aside: true }]);
  const there = await asAdmin(to.adminUrl, 'SELECT count(*)::int AS n FROM pg_subscription_rel');
  assert.deepEqual(there, [{ n: 0 }]);
  assert.match((await succeed(system.tenant('list'))).stdout, /^north .*kedja_target.* ok$/m);
});

test('what a move needs is named at once, before anything is made', async () => {
  const back = await system.tenant('move', 'north', '--database', from.url);
  assert.equal(back.code, 1);
  assert.match(back.stderr, /wal_level = 'logical'.*REPLICATION.*pg_create_subscription/s);
  assert.match((await system.tenant('move', 'north', '--database', to.url)).stderr, /is there already/);
  assert.match((await system.tenant('move', 'west', '--database', to.url)).stderr, /no tenant west/);
});
