// `kedja restore` as an operator runs it: everything comes back as it was, or nothing does.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { openLongConnection } from '#lib/db/long-connection.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { makeSealedPatients } from '#test/support/system/key-site.ts';
import { startCommand } from '#test/support/system/processes.ts';
import { openKeyFolder } from '../../runtime/keys/keys.ts';
import { writeWhole } from '../whole-file.ts';
import { fileOf } from './backup-file.ts';
import { OWN_SCHEMAS, readTables, SERVICE_SCHEMAS } from './catalog.ts';
import { dump } from './dump.ts';
import { readRows, TEXT_SETTINGS } from './read-rows.ts';
import type { BackupRecord } from './records.ts';
import { RowDigest } from './row-digest.ts';

const hooks = lastFirst({ after });
const folder = await temporaryDataDir();
hooks.after(() => rm(folder, { recursive: true, force: true }));
const KEY = randomBytes(32).toString('base64');
const schemas = [...SERVICE_SCHEMAS].map(([schema, migrations]) => ({ schema, migrations }));
const NAMES = [...SERVICE_SCHEMAS.keys()];
const signal = new AbortController().signal;

function start(url: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const environment = { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: folder, KEDJA_BACKUP_KEY: KEY, ...more };
  return startCommand(args, environment, folder);
}

const run = (url: string, args: readonly string[], more?: Readonly<Record<string, string>>) =>
  start(url, args, more).ended;

async function empty() {
  const { url, database } = await createTestDatabase(hooks);
  return { url, public: database('public') };
}

/** What a database has: rows of each table by digest, positions of sequences, and the form of all that is around. */
async function contentsOf(url: string): Promise<Record<string, unknown>> {
  const db = await openLongConnection({ url }, 'kedja-test');
  try {
    await db.query('BEGIN');
    await db.query(TEXT_SETTINGS);
    const tables: [string, unknown][] = [];
    for (const table of await readTables(db, NAMES)) {
      const digest = new RowDigest();
      for await (const bytes of readRows(db, table)) digest.add(bytes);
      tables.push([`${table.schema}.${table.name}`, digest.sum()]);
    }
    const form = await db.query(
      `SELECT 'index' AS kind, schemaname || indexname AS name, indexdef AS form FROM pg_indexes WHERE schemaname = ANY($1)
       UNION ALL SELECT 'constraint', conrelid::regclass::text || conname, contype::text || pg_get_constraintdef(oid)
         FROM pg_constraint WHERE connamespace::regnamespace::text = ANY($1)
       UNION ALL SELECT 'trigger', tgrelid::regclass::text || tgname, tgenabled::text || pg_get_triggerdef(oid)
         FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT 'sequence', schemaname || sequencename, last_value::text FROM pg_sequences WHERE schemaname = ANY($1)
       ORDER BY 1, 2, 3`,
      [NAMES],
    );
    return { tables: Object.fromEntries(tables), form: form.rows };
  } finally {
    await db.end();
  }
}

async function schemasOf(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    'SELECT nspname::text AS name FROM pg_namespace WHERE nspname = ANY($1) ORDER BY 1',
    [NAMES],
  );
  return rows.map(({ name }) => name);
}

let source: string;

before(async () => {
  const { url, database } = await createTestDatabase(hooks, { schemas });
  source = url;
  await openKeyFolder(folder).keySet('personnummer');
  await makeSealedPatients(database('identity'), folder, 200);
  const patient = (n: number) =>
    JSON.stringify({ resourceType: 'Patient', id: `p${n}`, name: [{ family: `Åberg\t\\${n}`, given: ['A\nB'] }] });
  await writeFile(path.join(folder, 'p.ndjson'), Array.from({ length: 500 }, (_, n) => `${patient(n)}\n`).join(''));
  const imported = await run(url, ['fhir', 'import', 'p.ndjson']);
  assert.equal(imported.code, 0, imported.stderr);
  await database('dispatch').query(
    `INSERT INTO push_bundle SELECT gen_random_uuid(), gen_random_uuid(), repeat('{"a":"ö"}', n % 1000), now()
     FROM generate_series(1, 2000) AS n`,
  );
  // Two months of audit events, each a partition.
  const engine = database('engine');
  for (const millis of [Date.UTC(2026, 0, 5), Date.UTC(2026, 1, 5)]) {
    await engine.query('SELECT add_access_event_month($1)', [millis]);
    await engine.query(
      `INSERT INTO access_event (event_guid, recorded, stored_at, kind, actor, patient)
       SELECT overlay(first_guid_of(to_timestamp($1 / 1000.0) AT TIME ZONE 'UTC')::text PLACING lpad(n::text, 12, '0') FROM 25)::uuid,
         $1, now(), 1, n, gen_random_uuid() FROM generate_series(1, 1000) AS n`,
      [millis],
    );
  }
  const made = await run(url, ['backup', 'all.kedja', '--with-keys']);
  assert.equal(made.code, 0, made.stderr);
});

test('a restored database has the same rows, sequences, indexes, constraints and triggers', async () => {
  const target = await empty();
  const dataDir = path.join(folder, 'other');
  const restored = await run(target.url, ['restore', 'all.kedja'], { KEDJA_DATA_DIR: dataDir });
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stderr, /rows of \d+ tables restored, and compared with the backup of .*; 1 keys\.\n$/);
  assert.deepEqual(await contentsOf(target.url), await contentsOf(source));
  const key = path.join(dataDir, 'keys', 'personnummer.key');
  assert.equal(await readFile(key, 'utf8'), await readFile(path.join(folder, 'keys', 'personnummer.key'), 'utf8'));
  assert.equal((await stat(key)).mode & 0o777, 0o600);
  const again = await run(target.url, ['restore', 'all.kedja'], { KEDJA_DATA_DIR: dataDir });
  assert.equal(again.code, 1);
  assert.match(again.stderr, /^The database is not empty: dispatch has \d+ tables \(.+\), engine has .+, identity has/);
});

test('a wrong key, a damaged and a truncated file, and other keys in the folder leave the database empty', async () => {
  const target = await empty();
  const whole = path.join(folder, 'all.kedja');
  const size = (await stat(whole)).size;
  await copyFile(whole, path.join(folder, 'cut.kedja'));
  await truncate(path.join(folder, 'cut.kedja'), size - 10);
  const bytes = await readFile(whole);
  bytes[size - 1000] = (bytes[size - 1000] ?? 0) ^ 1;
  await writeFile(path.join(folder, 'changed.kedja'), bytes);
  const others = path.join(folder, 'others');
  await mkdir(path.join(others, 'keys'), { recursive: true });
  await writeFile(path.join(others, 'keys', 'personnummer.key'), randomBytes(32).toString('base64'));
  const refused: [args: string[], more: Record<string, string>, message: RegExp][] = [
    [['all.kedja'], { KEDJA_BACKUP_KEY: randomBytes(32).toString('base64') }, /is not the key of this backup/],
    [['cut.kedja'], {}, /is not complete/],
    [['changed.kedja'], {}, /is damaged in part/],
    [['all.kedja'], { KEDJA_DATA_DIR: others }, /holds another key than the backup: nothing was restored/],
  ];
  for (const [args, more, message] of refused) {
    const { code, stderr } = await run(target.url, ['restore', ...args], more);
    assert.deepEqual([code, message.test(stderr)], [1, true], stderr);
    assert.deepEqual(await schemasOf(target.public), []);
  }
});

test('a killed restore leaves nothing, and can be begun again', async () => {
  const target = await empty();
  const { child, ended } = start(target.url, ['restore', 'all.kedja']);
  const isLoading = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY "engine"%'`;
  await eventually(
    'rows are loaded',
    async () => ((await target.public.query(isLoading)).rowCount > 0 ? true : undefined),
    60_000,
  );
  child.kill('SIGKILL');
  await ended;
  assert.deepEqual(await schemasOf(target.public), []);
  const again = await run(target.url, ['restore', 'all.kedja']);
  assert.equal(again.code, 0, again.stderr);
});

test('a backup of a newer release is refused in words', async () => {
  const records = await Array.fromAsync(
    dump({ address: { url: source }, schemas: OWN_SCHEMAS, keys: [], signal, onRows: () => undefined }),
  );
  const write = async (name: string, change: (record: BackupRecord) => BackupRecord) => {
    const changed = async function* () {
      for (const record of records) yield change(structuredClone(record));
    };
    await writeWhole(fileOf(changed(), undefined), path.join(folder, name), signal);
  };
  await write('newer.kedja', (record) => {
    if (record.kind !== 'manifest') return record;
    const [first] = record.manifest.schemas;
    first?.migrations.push({ source: 'identity', version: 9999, file: '9999_future.sql', checksum: 'x' });
    return record;
  });
  const target = await empty();
  const newer = await run(target.url, ['restore', 'newer.kedja']);
  assert.equal(newer.code, 1);
  assert.match(
    newer.stderr,
    /is of a newer release than this one: it has identity\/9999_future\.sql\. Restore it with/,
  );
  assert.deepEqual(await schemasOf(target.public), []);
});

test('a rehearsal restores into a database of its own and removes it', async () => {
  const temporary = path.join(folder, 'temporary');
  await mkdir(temporary, { mode: 0o711 });
  const rehearsed = await run('postgres://nobody@127.0.0.1:1/none', ['restore', '--verify', 'all.kedja'], {
    TMPDIR: temporary,
  });
  assert.equal(rehearsed.code, 0, rehearsed.stderr);
  assert.match(rehearsed.stderr, /rows of \d+ tables can be restored, and are as in the backup of/);
  await eventually('the folder is empty', async () => ((await readdir(temporary)).length === 0 ? true : undefined));
});
