// Retention of rows, as the services and `kedja retention` carry it out (docs/adr/0136). The tests check what goes and
// what stays, two runs at once, a run that is killed, and a database that is lost.
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createAudit } from '#lib/audit/audit.ts';
import { DAY_MS } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { createRetentionLoop } from '#lib/retention/loop.ts';
import { dispatchRetention } from '#services/dispatch/retention.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { keepOpen } from '#test/support/database/keep-open.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { startCommand } from '#test/support/system/processes.ts';
import { SERVICE_SCHEMAS } from './backup/catalog.ts';

const hooks = lastFirst({ after });
const dataDir = await temporaryDataDir();
hooks.after(() => rm(dataDir, { recursive: true, force: true }));
const schemas = [...SERVICE_SCHEMAS].map(([schema, migrations]) => ({ schema, migrations }));
const NOW = Date.now();
const OLD = NOW - 1_000 * DAY_MS;

type Kept = Readonly<Record<string, string>>;

async function site() {
  const { url, database } = await createTestDatabase(hooks, { schemas });
  const start = (args: readonly string[], kept: Kept = {}) =>
    startCommand(['retention', ...args], { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: dataDir, ...kept });
  return { url, start, run: (args: readonly string[], kept?: Kept) => start(args, kept).ended, ...databases(database) };
}

function databases(of: (schema: string) => Database) {
  return { dispatch: of('dispatch'), engine: of('engine'), identity: of('identity') };
}

const countOf = async (database: Database, table: string, where = 'true') =>
  (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE ${where}`)).rows[0]?.n;

/** Rows that the audit events of retention name, by rule. */
async function recorded(database: Database, rule: string): Promise<number> {
  const { rows } = await database.query<{ detail: string }>(
    `SELECT resource::json #>> '{outcome,detail,0,text}' AS detail FROM audit_event
     WHERE event = 'retention.remove' AND resource LIKE '%"' || $1 || '"%'`,
    [rule],
  );
  return rows.reduce((sum, { detail }) => sum + Number(/^\d+/.exec(detail)?.[0]), 0);
}

/** So many pings that were delivered, each with an attempt. */
async function fillPings(database: Database, count: number, time = OLD, status = 'delivered'): Promise<void> {
  const guids = Array.from({ length: count }, () => newGuid(time).replace(/^.{13}/, timeText(time)));
  await database.query(
    `WITH d AS (
       INSERT INTO delivery (delivery_guid, provider_guid, type, status, envelope, body_sha256, next_at, created_at, updated_at, dead_at)
       SELECT g, 'p', 'ping', $3, '{}', '', $2, $2, $2, CASE WHEN $3 = 'dead' THEN $2::timestamptz END FROM unnest($1::uuid[]) g
       RETURNING delivery_guid)
     INSERT INTO delivery_attempt (delivery_guid, attempt, started_at) SELECT delivery_guid, 1, $2 FROM d`,
    [guids, new Date(time), status],
  );
}

function timeText(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** A request at a provider, with one webhook that arrived long ago. */
async function fillRequest(database: Database, progress: string): Promise<void> {
  await fillPings(database, 1);
  const [request, receipt, bundle] = [newGuid(), newGuid(), newGuid()];
  const at = new Date(OLD);
  await database.query(
    `INSERT INTO service_request (id, organisation_guid, patient_guid, careplan_guid, status, snapshot, created_at, updated_at)
     VALUES ($1, 'o', 'p', 'c', 'active', '{}', $2, $2)`,
    [request, at],
  );
  await database.query(
    `INSERT INTO match (service_request_id, match_guid, provider_guid, provider_name, contract_guid, status, request_guid, progress,
       pushed_at, created_at, updated_at) VALUES ($1, $2, 'p', 'P', 'k', 'accepted', $3, $4, $5, $5, $5)`,
    [request, newGuid(), receipt, progress, at],
  );
  await database.query(
    "INSERT INTO push_bundle (bundle_guid, service_request_id, content, created_at) VALUES ($1, $2, '{}', $3)",
    [bundle, request, at],
  );
  await database.query(
    `INSERT INTO receipt (request_guid, service_request_id, provider_guid, patient_guid, organisation_guid, bundle_guid, token_hash,
       token_key, feed_position, dispatched_at, updated_at) VALUES ($1, $2, 'p', 'p', 'o', $3, $4, 'k', $5, $6, $6)`,
    [receipt, request, bundle, Buffer.from(receipt), progress.length, at],
  );
  await database.query(
    `UPDATE delivery SET type = 'request.dispatched', request_guid = $1 WHERE delivery_guid =
       (SELECT delivery_guid FROM delivery WHERE type = 'ping' AND created_at = $2 ORDER BY delivery_guid DESC LIMIT 1)`,
    [receipt, at],
  );
}

/** A resource of the type with two versions, of which the current one was written at a time. */
async function fillVersions(database: Database, type: string, current: number): Promise<void> {
  const rid = newGuid();
  const insert = (table: string, version: number, at: number, deleted: string) =>
    database.query(
      `INSERT INTO ${table} (type, rid, version, updated_at, deleted, content) VALUES ($1, $2, $3, $4, ${deleted}, $5)`,
      [nameKey(type), rid, version, new Date(at), JSON.stringify({ resourceType: type, id: rid })],
    );
  await insert('fhir_history', 1, OLD - 4_000 * DAY_MS, 'false');
  await insert('fhir_resource', 2, current, 'false');
}

test('every table is named on the page for operators, with what removes its rows', async () => {
  const { engine } = await site();
  const { rows } = await engine.query<{ name: string }>(
    `SELECT DISTINCT table_name::text AS name FROM information_schema.tables
     WHERE table_schema = ANY($1) AND table_type = 'BASE TABLE' ORDER BY 1`,
    [[...SERVICE_SCHEMAS.keys()]],
  );
  const page = await readFile(path.join(import.meta.dirname, '..', 'docs', 'operations', 'retention.md'), 'utf8');
  const named = new Set([...page.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
  assert.ok(rows.length > 100);
  assert.deepEqual(
    rows.flatMap(({ name }) => (named.has(name.replace(/_\d{4}_\d{2}$/, '')) ? [] : [name])),
    [],
  );
});

test('webhooks go when they are done and their request is finished, and nothing else of it', async () => {
  const { dispatch, run } = await site();
  await fillPings(dispatch, 3);
  await fillPings(dispatch, 2, NOW);
  await fillPings(dispatch, 1, OLD, 'dead');
  await fillRequest(dispatch, 'in_progress');
  await fillRequest(dispatch, 'completed');
  const endless = await run(['--apply']);
  assert.deepEqual([endless.code, endless.stderr], [0, 'Nothing is over.\n']);
  const kept = { KEDJA_RETENTION_DELIVERIES: '400' };
  const shown = await run([], kept);
  assert.match(shown.stdout, /^webhooks that are done +400 days +4 +KEDJA_RETENTION_DELIVERIES$/m, shown.stderr);
  assert.equal(await countOf(dispatch, 'delivery'), 8);
  const applied = await run(['--apply'], kept);
  assert.deepEqual([applied.code, applied.stderr], [0, 'dispatch: 4 webhooks that are done removed.\n']);
  for (const table of ['delivery', 'delivery_attempt', 'delivery_of_provider'])
    assert.equal(await countOf(dispatch, table), 4);
  assert.equal(await countOf(dispatch, 'delivery', "status = 'dead' OR request_guid IS NOT NULL"), 2);
  assert.deepEqual([await countOf(dispatch, 'receipt'), await countOf(dispatch, 'push_bundle')], [2, 2]);
  assert.equal(await recorded(dispatch, 'deliveries'), 4);
});

test('superseded versions go when the resource has not changed for long, and those of definitions stay', async () => {
  const { engine, run } = await site();
  const before = OLD - 4_000 * DAY_MS;
  await fillVersions(engine, 'Observation', before);
  await fillVersions(engine, 'Patient', before);
  await fillVersions(engine, 'Observation', NOW);
  await fillVersions(engine, 'PlanDefinition', before);
  const kept = { KEDJA_RETENTION_VERSIONS: '120' };
  const shown = await run([], kept);
  assert.match(
    shown.stdout,
    /^superseded versions of resources of patients +120 months +2 +KEDJA_RETENTION_VERSIONS$/m,
  );
  const applied = await run(['--apply'], kept);
  assert.equal(applied.stderr, 'engine: 2 superseded versions of resources of patients removed.\n');
  assert.deepEqual([await countOf(engine, 'fhir_history'), await countOf(engine, 'fhir_resource')], [2, 4]);
  assert.equal(await countOf(engine, 'fhir_history', `type = ${nameKey('PlanDefinition')}`), 1);
});

test('less than the law asks for is refused, unless it is meant', async () => {
  const { run } = await site();
  const kept = { KEDJA_RETENTION_VERSIONS: '119', KEDJA_RETENTION_ACCESS_LOG: '59' };
  const refused = await run([], kept);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /KEDJA_RETENTION_ACCESS_LOG is 59 months; the law asks for 60/);
  assert.match(
    refused.stderr,
    /KEDJA_RETENTION_VERSIONS is 119 months; the law asks for 120 .*KEDJA_RETENTION_BELOW_LAW/,
  );
  const meant = await run([], { ...kept, KEDJA_RETENTION_BELOW_LAW: 'true' });
  assert.equal(meant.code, 0, meant.stderr);
  const short = await run([], { KEDJA_RETENTION_DELIVERIES: '29' });
  assert.match(short.stderr, /KEDJA_RETENTION_DELIVERIES/);
});

test('copies of audit events go when the engine has them, and cannot be deleted otherwise', async () => {
  const { identity, run } = await site();
  const insert = async (time: number, isShipped: boolean) => {
    const guid = `${timeText(time)}-7000-8000-${newGuid().slice(-12)}`;
    await identity.query(
      "INSERT INTO audit_event (event_guid, recorded_at, resource, event) VALUES ($1, $2, '{}', 'x')",
      [guid, new Date(time)],
    );
    if (!isShipped) await identity.query('INSERT INTO audit_outbox (event_guid) VALUES ($1)', [guid]);
  };
  const long = NOW - 3_000 * DAY_MS;
  await insert(long, true);
  await insert(long, false);
  await insert(OLD, true);
  await assert.rejects(identity.query('DELETE FROM audit_event'), /append-only/);
  await assert.rejects(identity.query("UPDATE audit_event SET resource = ''"), /append-only/);
  const applied = await run(['--apply'], { KEDJA_RETENTION_ACCESS_LOG: '60' });
  assert.equal(applied.stderr, 'identity: 1 audit events that the engine has removed.\n');
  assert.equal(await countOf(identity, 'audit_event', "event = 'x'"), 2);
});

test('decided requests for accounts and finished jobs go, and those that wait stay', async () => {
  const { identity, engine, run } = await site();
  const organisation = newGuid();
  await identity.query('INSERT INTO organisation (organisation_guid, name, created_at) VALUES ($1, $2, now())', [
    organisation,
    'Norrvik',
  ]);
  for (const [status, decided] of [
    ['rejected', OLD],
    ['rejected', NOW],
    ['pending', undefined],
  ] as const)
    await identity.query(
      `INSERT INTO access_request (access_request_guid, email, email_key, password_hash, first_name, last_name, professional_role,
         organisation_guid, requested_phases, status, created_at, decided_at)
       VALUES ($1::uuid, $1::uuid::text, $1::uuid::text, $2, 'A', 'B', 'nurse', $3, '{}', $4, $5, $6)`,
      [
        newGuid(),
        decided ? null : 'x',
        organisation,
        status,
        new Date(OLD),
        decided === undefined ? null : new Date(decided),
      ],
    );
  for (const [state, finished] of [
    ['done', OLD],
    ['done', NOW],
    ['running', undefined],
  ] as const)
    await engine.query(
      `INSERT INTO bulk_job (job_guid, kind, state, owner, principal, request, created_at, finished_at, next_at)
       VALUES ($1, 'file-import', $2, 'o', '{}', '{}', $3, $4, $3)`,
      [newGuid(), state, new Date(OLD), finished === undefined ? null : new Date(finished)],
    );
  const applied = await run(['--apply'], { KEDJA_RETENTION_APPLICATIONS: '365', KEDJA_RETENTION_JOBS: '90' });
  assert.equal(
    applied.stderr,
    'engine: 1 finished synchronisations and imports removed.\nidentity: 1 decided requests for accounts, leads and groups removed.\n',
  );
  assert.deepEqual([await countOf(identity, 'access_request'), await countOf(engine, 'bulk_job')], [2, 2]);
});

test('two runs at once share the work: each row is removed and recorded once', async () => {
  const { dispatch, engine, start } = await site();
  await fillPings(dispatch, 12_000);
  for (const month of ['2019-03', '2019-04', '2019-05', '2019-06'])
    await engine.query('SELECT add_access_event_month($1)', [Date.parse(`${month}-15T00:00:00Z`)]);
  const kept = { KEDJA_RETENTION_DELIVERIES: '400', KEDJA_RETENTION_ACCESS_LOG: '60' };
  const runs = await Promise.all([start(['--apply'], kept).ended, start(['--apply'], kept).ended]);
  for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
  for (const table of ['delivery', 'delivery_attempt', 'delivery_of_provider'])
    assert.equal(await countOf(dispatch, table), 0);
  const said = runs.map(({ stderr }) => Number(/dispatch: ([\d,]+) /.exec(stderr)?.[1]?.replaceAll(',', '') ?? 0));
  assert.equal(
    said.reduce((sum, each) => sum + each, 0),
    12_000,
  );
  assert.equal(await recorded(dispatch, 'deliveries'), 12_000);
  assert.equal(await countOf(engine, 'pg_inherits', "inhparent = 'access_event'::regclass"), 0);
  assert.equal(await countOf(engine, 'audit_event', "event = 'retention.drop'"), 4, 'each month is recorded once');
});

test('a run that is killed leaves whole batches, and another one goes on', async () => {
  const { dispatch, start, run } = await site();
  await fillPings(dispatch, 6_000);
  const kept = { KEDJA_RETENTION_DELIVERIES: '400' };
  const { child, ended } = start(['--apply'], kept);
  await eventually(
    'a batch was removed',
    async () => ((await countOf(dispatch, 'delivery')) ?? 0) < 6_000 || undefined,
  );
  child.kill('SIGKILL');
  await ended;
  await eventually('its transaction ended', async () => {
    const others =
      "query LIKE '%delivery_attempt%' AND pid <> pg_backend_pid() AND state <> 'idle' AND datname = current_database()";
    return (await countOf(dispatch, 'pg_stat_activity', others)) === 0 || undefined;
  });
  const left = (await countOf(dispatch, 'delivery')) ?? 0;
  assert.deepEqual(
    [await countOf(dispatch, 'delivery_attempt'), await countOf(dispatch, 'delivery_of_provider')],
    [left, left],
  );
  assert.equal(await recorded(dispatch, 'deliveries'), 6_000 - left);
  const again = await run(['--apply'], kept);
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual([await countOf(dispatch, 'delivery'), await recorded(dispatch, 'deliveries')], [0, 6_000]);
});

test('a row that somebody holds is left, and goes the next time', async () => {
  const { dispatch, run } = await site();
  await fillPings(dispatch, 5);
  const kept = { KEDJA_RETENTION_DELIVERIES: '400' };
  await dispatch.transaction(async (tx) => {
    await tx.query('SELECT FROM delivery ORDER BY delivery_guid LIMIT 1 FOR UPDATE');
    const { stderr } = await keepOpen(tx, run(['--apply'], kept));
    assert.equal(stderr, 'dispatch: 4 webhooks that are done removed.\n');
  });
  assert.equal((await run(['--apply'], kept)).stderr, 'dispatch: 1 webhooks that are done removed.\n');
});

test('when the database is lost while a month is dropped, the month is there or gone, and the next run completes it', async () => {
  const { engine, start, run } = await site();
  const millis = Date.parse('2019-03-15T00:00:00Z');
  await engine.query('SELECT add_access_event_month($1)', [millis]);
  await engine.query(
    `INSERT INTO access_event (event_guid, recorded, stored_at, kind, actor)
     SELECT overlay(first_guid_of(to_timestamp($1::bigint / 1000.0) AT TIME ZONE 'UTC')::text PLACING lpad(n::text, 12, '0') FROM 25)::uuid,
       $1, now(), 1, 1 FROM generate_series(1, 100) AS n`,
    [millis],
  );
  const kept = { KEDJA_RETENTION_ACCESS_LOG: '60' };
  const lost = await engine.transaction(async (tx) => {
    // The values go, and the drop of the events waits for this reader, again and again.
    await tx.query('SELECT count(*) FROM access_event_2019_03');
    const { ended } = start(['--apply'], kept);
    const dropped = eventually('the values were dropped', async () => {
      const { rows } = await engine.query<{ gone: boolean }>(
        "SELECT to_regclass('access_event_value_2019_03') IS NULL AS gone",
      );
      return rows[0]?.gone || undefined;
    });
    await keepOpen(tx, dropped);
    await engine.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND pid <> ALL(SELECT pid FROM pg_locks WHERE relation = 'access_event_2019_03'::regclass AND mode = 'AccessShareLock')`,
    );
    assert.equal(await countOf(engine, 'access_event'), 100, 'nothing of the events is gone');
    return { ended };
  });
  // Its connection was ended: it went on by another one, or said so and ended.
  const outcome = await lost.ended;
  assert.ok(outcome.code === 0 || /^[^\n]+\n$/.test(outcome.stderr), outcome.stderr);
  const again = await run(['--apply'], kept);
  assert.equal(again.code, 0, again.stderr);
  assert.equal(await countOf(engine, 'pg_inherits', "inhparent = 'access_event'::regclass"), 0);
  assert.equal(await countOf(engine, 'audit_event', "event = 'retention.drop'"), 1);
});

test('a service removes what is over by itself', async () => {
  const { dispatch } = await site();
  await fillPings(dispatch, 1_500);
  const clock = { now: () => NOW };
  const lines: string[] = [];
  const loop = createRetentionLoop(dispatchRetention({ deliveries: 400 }, loadSearchParameters()), {
    database: dispatch,
    audit: createAudit({ database: dispatch, clock, service: 'dispatch' }),
    clock,
    log: makeTestLogger(lines),
    service: 'dispatch',
  });
  loop.start();
  await eventually('all were removed', async () => (await countOf(dispatch, 'delivery')) === 0 || undefined);
  await eventually('it was logged', async () => lines.some((line) => line.includes('retention.removed')) || undefined);
  await loop.stop();
  assert.equal(await recorded(dispatch, 'deliveries'), 1_500);
});
