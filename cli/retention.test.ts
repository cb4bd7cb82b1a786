// Retention of audit events, as the engine and `kedja retention` carry it out (docs/adr/0127).
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { createAudit } from '#lib/audit/audit.ts';
import type { Database } from '#lib/db/database.ts';
import { dropMonth, monthsOver, readMonths } from '#services/engine/audit-events/retention.ts';
import { migrations } from '#services/engine/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { startCommand } from '#test/support/system/processes.ts';

const hooks = lastFirst({ after });
const dataDir = await temporaryDataDir();
hooks.after(() => rm(dataDir, { recursive: true, force: true }));

async function site() {
  const { url, database } = await createTestDatabase(hooks, { schemas: [{ schema: 'engine', migrations }] });
  const run = (args: readonly string[], kept?: string, more: Readonly<Record<string, string>> = {}) =>
    startCommand(['retention', ...args], {
      KEDJA_DATABASE_URL: url,
      KEDJA_DATA_DIR: dataDir,
      ...more,
      ...(kept === undefined ? {} : { KEDJA_RETENTION_ACCESS_LOG: kept }),
    }).ended;
  return { database: database('engine'), run };
}

/** So many events in the middle of a month, each with a further value of the index. */
async function fill(database: Database, month: string, count: number): Promise<void> {
  const millis = Date.parse(`${month}-15T00:00:00Z`);
  await database.query('SELECT add_access_event_month($1)', [millis]);
  const guid = `overlay(first_guid_of(to_timestamp($1::bigint / 1000.0) AT TIME ZONE 'UTC')::text PLACING lpad(n::text, 12, '0') FROM 25)::uuid`;
  await database.query(
    `INSERT INTO access_event (event_guid, recorded, stored_at, kind, actor) SELECT ${guid}, $1, now(), 1, 1 FROM generate_series(1, $2::int) AS n`,
    [millis, count],
  );
  await database.query(
    `INSERT INTO access_event_value (event_guid, param, text) SELECT ${guid}, 1, 'x' FROM generate_series(1, $2::int) AS n`,
    [millis, count],
  );
}

const monthsOf = async (database: Database) => (await readMonths(database)).map(({ month }) => month);
const countOf = async (database: Database, table: string) =>
  (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]?.n;

test('a month is over when its last moment is older than what is kept', () => {
  const months = [
    { month: '2020-12', until: Date.UTC(2021, 0, 1), events: 0, bytes: 0 },
    { month: '2021-01', until: Date.UTC(2021, 1, 1), events: 0, bytes: 0 },
  ];
  const over = (now: string) => monthsOver(months, 60, Date.parse(now)).map(({ month }) => month);
  assert.deepEqual(over('2025-12-31T23:59:59Z'), []);
  assert.deepEqual(over('2026-01-01T00:00:00Z'), ['2020-12']);
  assert.deepEqual(over('2026-01-31T23:59:59Z'), ['2020-12']);
  assert.deepEqual(over('2026-02-01T00:00:00Z'), ['2020-12', '2021-01']);
});

test('the command shows what it would remove, and removes just that', async () => {
  const { database, run } = await site();
  const recent = new Date().toISOString().slice(0, 7);
  for (const month of ['2020-03', '2020-04', recent]) await fill(database, month, 10);
  const endless = await run([]);
  assert.equal(endless.code, 0, endless.stderr);
  assert.match(endless.stdout, /kept without end/);
  assert.doesNotMatch(endless.stdout, /removes it/);
  const shown = await run([], '60');
  const over = [...shown.stdout.matchAll(/^(\d{4}-\d{2}) .*removes it$/gm)].map(([, month]) => month);
  assert.deepEqual(over, ['2020-03', '2020-04']);
  assert.equal((await monthsOf(database)).length, 3, 'showing removes nothing');
  const unruled = await run(['--apply']);
  assert.deepEqual([unruled.code, unruled.stderr], [0, 'Nothing is over.\n']);
  const applied = await run(['--apply'], '60');
  assert.equal(applied.code, 0, applied.stderr);
  assert.equal(
    applied.stderr,
    '2020-03: 10 audit events removed.\n2020-04: 10 audit events removed.\n2 months removed.\n',
  );
  assert.deepEqual(await monthsOf(database), [recent]);
  assert.deepEqual([await countOf(database, 'access_event'), await countOf(database, 'access_event_value')], [10, 10]);
  const { rows } = await database.query<{ resource: string }>(
    "SELECT resource FROM audit_event WHERE event = 'retention.drop'",
  );
  assert.equal(rows.length, 2);
  assert.match(rows[0]?.resource ?? '', /10 audit events of 2020-03 removed/);
});

test('less than the law asks for is refused, unless it is meant', async () => {
  const { run } = await site();
  const refused = await run([], '59');
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /KEDJA_RETENTION_ACCESS_LOG is 59 months; the law asks for 60 .*KEDJA_RETENTION_BELOW_LAW/,
  );
  const meant = await run([], '59', { KEDJA_RETENTION_BELOW_LAW: 'true' });
  assert.equal(meant.code, 0, meant.stderr);
});

test('a month that somebody reads is left, and nobody waits; afterwards it goes', async () => {
  const { database } = await site();
  await fill(database, '2020-03', 10);
  const audit = createAudit({ database, clock: { now: Date.now }, service: 'engine' });
  const drop = () => dropMonth({ database, audit }, '2020-03', { principal: undefined });
  await database.transaction(async (tx) => {
    await tx.query('SELECT count(*) FROM access_event');
    assert.equal(await drop(), undefined);
    // What comes later is not behind a lock that waits.
    await fill(database, '2020-05', 1);
  });
  assert.equal(await drop(), 10);
  assert.equal(await drop(), 0, 'it is gone');
  assert.deepEqual(await monthsOf(database), ['2020-05']);
});
