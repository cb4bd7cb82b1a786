// `kedja backup` as an operator runs it: what is in the file, what it refuses, and how a damaged file is detected.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { startCommand } from '#test/support/system/processes.ts';
import { openKeyFolder } from '../../runtime/keys/keys.ts';
import { openBackup } from './backup-file.ts';
import { SERVICE_SCHEMAS } from './catalog.ts';
import type { BackupRecord } from './records.ts';

const hooks = lastFirst({ after });
const folder = await temporaryDataDir();
hooks.after(() => rm(folder, { recursive: true, force: true }));
const KEY = randomBytes(32).toString('base64');
const schemas = [...SERVICE_SCHEMAS].map(([schema, migrations]) => ({ schema, migrations }));

function start(url: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  return startCommand(args, { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: folder, ...more }, folder);
}

const run = (url: string, args: readonly string[], more?: Readonly<Record<string, string>>) =>
  start(url, args, more).ended;

const nowhere = 'postgres://nobody@127.0.0.1:1/none';
const check = (file: string, more?: Readonly<Record<string, string>>) =>
  run(nowhere, ['backup', '--check', file], more);

async function site() {
  const made = await createTestDatabase(hooks, { schemas });
  return { url: made.url, database: (schema: string) => made.database(schema) };
}

async function addOrganisations(identity: Database, count: number): Promise<void> {
  await identity.query(
    `INSERT INTO organisation (organisation_guid, name, created_at)
     SELECT gen_random_uuid(), 'Tab\there, line\nthere \\ ' || n, now() FROM generate_series(1, $1::integer) AS n`,
    [count],
  );
}

async function recordsOf(file: string, key?: string): Promise<BackupRecord[]> {
  const signal = new AbortController().signal;
  const opened = await openBackup(
    path.join(folder, file),
    key === undefined ? undefined : Buffer.from(key, 'base64'),
    signal,
  );
  return Array.fromAsync(opened.records);
}

test('a backup has every table of all services, is private to its owner, and its check counts the rows', async () => {
  const { url, database } = await site();
  await addOrganisations(database('identity'), 3_000);
  const made = await run(url, ['backup', 'plain.kedja']);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stderr, /[\d,]+ rows saved, not encrypted, without the key folder\.\n$/);
  assert.equal((await stat(path.join(folder, 'plain.kedja'))).mode & 0o777, 0o600);
  const records = await recordsOf('plain.kedja');
  const [first] = records;
  assert.ok(first?.kind === 'manifest');
  assert.deepEqual(
    first.manifest.schemas.map(({ name }) => name),
    ['identity', 'dispatch', 'engine'],
  );
  const expected = await database('identity').query<{ count: number }>(
    `SELECT count(*) AS count FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname IN ('identity', 'dispatch', 'engine') AND relkind = 'r' AND relpersistence = 'p'`,
  );
  assert.equal(first.manifest.tables.length, expected.rows[0]?.count);
  const index = records.findIndex((record) => record.kind === 'table' && record.table.name === 'organisation');
  const end = records.slice(index).find((record) => record.kind === 'table-end');
  assert.equal(end?.sum.rows, 3_000);
  const checked = await check('plain.kedja');
  assert.equal(checked.code, 0, checked.stderr);
  assert.match(
    checked.stderr,
    /^The backup is complete: \d+ tables, [\d,]+ rows, no keys; of 20\S+, by Kedja \S+, not/,
  );
});

test('a backup may go to standard output', async () => {
  const { url } = await site();
  const { child, ended } = start(url, ['backup', '-']);
  const chunks: Buffer[] = [];
  child.stdout?.setEncoding('latin1').on('data', (text: string) => chunks.push(Buffer.from(text, 'latin1')));
  assert.equal((await ended).code, 0);
  await writeFile(path.join(folder, 'streamed.kedja'), Buffer.concat(chunks));
  assert.equal((await check('streamed.kedja')).code, 0);
});

test('an encrypted file shows nothing, and opens with its key alone', async () => {
  const { url, database } = await site();
  await addOrganisations(database('identity'), 10);
  const made = await run(url, ['backup', 'sealed.kedja'], { KEDJA_BACKUP_KEY: KEY });
  assert.match(made.stderr, / rows saved, encrypted, without/);
  assert.equal((await check('sealed.kedja', { KEDJA_BACKUP_KEY: KEY })).code, 0);
  const none = await check('sealed.kedja');
  assert.deepEqual(
    [none.code, none.stderr],
    [1, 'The backup is encrypted: set KEDJA_BACKUP_KEY or KEDJA_BACKUP_KEY_FILE\n'],
  );
  const wrong = await check('sealed.kedja', { KEDJA_BACKUP_KEY: randomBytes(32).toString('base64') });
  assert.deepEqual([wrong.code, wrong.stderr], [1, 'KEDJA_BACKUP_KEY is not the key of this backup\n']);
  const short = await check('sealed.kedja', { KEDJA_BACKUP_KEY: 'secret' });
  assert.match(short.stderr, /KEDJA_BACKUP_KEY must be 32 bytes in base64/);
});

test('a file that was cut short, extended or changed in any byte is refused, with a key and without', async () => {
  const { url, database } = await site();
  await addOrganisations(database('identity'), 20_000);
  for (const more of [{}, { KEDJA_BACKUP_KEY: KEY }]) {
    const key = 'KEDJA_BACKUP_KEY' in more ? KEY : undefined;
    assert.equal((await run(url, ['backup', 'whole.kedja'], more)).code, 0);
    const whole = path.join(folder, 'whole.kedja');
    const bytes = await readFile(whole);
    const broken = path.join(folder, 'broken.kedja');
    for (const length of [0, 5, 40, bytes.length >> 1, bytes.length - 1]) {
      await copyFile(whole, broken);
      await truncate(broken, length);
      await assert.rejects(recordsOf('broken.kedja', key), /no backup of Kedja|not complete/, `${length}`);
    }
    await writeFile(broken, Buffer.concat([bytes, Buffer.from('x')]));
    await assert.rejects(recordsOf('broken.kedja', key), /goes on after its end/);
    for (let turn = 0; turn < 40; turn += 1) {
      const changed = Buffer.from(bytes);
      const at = Math.floor((turn / 40) * bytes.length);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      await writeFile(broken, changed);
      await assert.rejects(recordsOf('broken.kedja', key), Error, `byte ${at}`);
    }
    const damaged = await run(nowhere, ['backup', '--check', 'broken.kedja'], more);
    assert.deepEqual([damaged.code, /^The file is (damaged|not complete)[^\n]*\n$/.test(damaged.stderr)], [1, true]);
  }
});

test('keys go into an encrypted file alone', async () => {
  const { url } = await site();
  const keys = openKeyFolder(folder);
  await keys.keySet('personnummer');
  const plain = await run(url, ['backup', 'keys.kedja', '--with-keys']);
  assert.match(plain.stderr, /^--with-keys needs KEDJA_BACKUP_KEY/);
  const sealed = await run(url, ['backup', 'keys.kedja', '--with-keys'], { KEDJA_BACKUP_KEY: KEY });
  assert.match(sealed.stderr, /encrypted, with 1 keys\.\n$/);
  const kept = (await recordsOf('keys.kedja', KEY)).find((record) => record.kind === 'key');
  assert.equal(kept?.key.content, await readFile(path.join(keys.folder, 'personnummer.key'), 'utf8'));
});

test('a backup is of one moment while services write', async () => {
  const { url, database } = await site();
  const [identity, engine] = [database('identity'), database('engine')];
  for (const db of [identity, engine]) await db.query('CREATE TABLE invariant (turn integer)');
  let isOver = false;
  // A row in both schemas, or in none: a backup that reads them one after the other would find more in the second.
  const writer = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      await identity.query(
        'WITH one AS (INSERT INTO identity.invariant VALUES ($1)) INSERT INTO engine.invariant VALUES ($1)',
        [turn],
      );
    }
  })();
  for (let turn = 0; turn < 3; turn += 1) {
    const made = await run(url, ['backup', `moment-${turn}.kedja`]);
    assert.equal(made.code, 0, made.stderr);
    const records = await recordsOf(`moment-${turn}.kedja`);
    const sums = records.flatMap((record, index) => {
      if (record.kind !== 'table' || record.table.name !== 'invariant') return [];
      const sum = records.slice(index).find(({ kind }) => kind === 'table-end');
      return sum?.kind === 'table-end' ? [sum.sum] : [];
    });
    assert.equal(sums.length, 2);
    assert.ok((sums[0]?.rows ?? 0) > 0);
    assert.deepEqual(sums[0], sums[1]);
  }
  isOver = true;
  await writer;
});

test('a stopped backup leaves no file, and a database without Kedja is refused', async () => {
  const { url, database } = await site();
  // The lock of the table holds the backup up in its middle.
  await database('engine').transaction(async (tx) => {
    await tx.query('LOCK TABLE fhir_resource IN ACCESS EXCLUSIVE MODE');
    const { child, ended } = start(url, ['backup', 'stopped.kedja']);
    const isHeldUp = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await database('identity').query(isHeldUp)).rowCount === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    const stopped = await ended;
    assert.equal(stopped.code, 130);
    assert.match(stopped.stderr, /(^|\n)Stopped: no file was made\.\n$/);
  });
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('stopped.kedja')),
    [],
  );
  const empty = await createTestDatabase(hooks);
  const refused = await run(empty.url, ['backup', 'none.kedja']);
  assert.deepEqual(
    [refused.code, refused.stderr],
    [1, 'There is nothing to back up: no service was ever started here\n'],
  );
});
