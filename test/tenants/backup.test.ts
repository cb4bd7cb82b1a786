// `kedja backup` and `kedja restore` with tenants (docs/adr/0148): north has a database of its own, south has a schema
// of the installation's.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { MIGRATIONS_LOCK } from '#lib/db/schema/migrate.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { testServer } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { call, eventually } from '#test/support/http.ts';
import { rawRequest } from '#test/support/raw-request.ts';
import { ADMIN } from '#test/support/system/whole-system.ts';
import { openBackup } from '../../cli/backup/backup-file.ts';
import type { BackupRecord } from '../../cli/backup/records.ts';
import { startTenantSystem, succeed } from './tenant-system.ts';

const KEY = randomBytes(32).toString('base64');
/** Nobody listens on it. */
const NOWHERE = 'postgresql://nobody:secret-word@127.0.0.1:1/gone';
const hooks = lastFirst({ after });
const emptyDatabase = async () => (await createTestDatabase(hooks)).url;
const northUrl = await emptyDatabase();
const system = await startTenantSystem(
  hooks,
  async ({ tenant, makeRole }) => {
    await succeed(tenant('add', 'north', '--database', northUrl, '--host', 'north.example.org'));
    await succeed(tenant('add', 'south', '--database', await makeRole('south')));
  },
  { KEDJA_BACKUP_KEY: KEY },
);
const { gateway, run, runWith, tenant } = system;
const folder = path.dirname(system.file);
const saved = path.join(folder, 'saved');
const fileOf = (name: string) => path.join(saved, `${name}.kedja`);
for (const name of ['north', 'south']) await succeed(tenant('admit', name, ADMIN.email));
const tokens: Record<string, string> = { north: await system.signIn('north'), south: await system.signIn('south') };
const at = (name: string) => `${gateway}/engine/t/${name}/api/v1`;
const write = (name: string, id: string) =>
  call(`${at(name)}/Patient/${id}`, {
    method: 'PUT',
    token: tokens[name],
    json: { resourceType: 'Patient', id, name: [{ family: `${name} ${id}` }] },
  });
for (const name of ['north', 'south']) await write(name, 'before');
const keys: Record<string, string> = {};
for (const name of ['north', 'south']) {
  const json = { name: 'reader', scopes: ['system/Patient.rs'] };
  keys[name] = (await call(`${at(name)}/api-keys`, { token: tokens[name], json })).body.key;
}

async function dropDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: (await testServer()).adminUrl });
  await client.connect();
  try {
    await client.query(`DROP DATABASE ${pg.escapeIdentifier(new URL(url).pathname.slice(1))} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

async function recordsOf(file: string): Promise<BackupRecord[]> {
  const opened = await openBackup(file, Buffer.from(KEY, 'base64'), new AbortController().signal);
  return Array.fromAsync(opened.records);
}

/** Tables with their counts and digests, and sequences. */
async function contentsOf(file: string): Promise<unknown[]> {
  return (await recordsOf(file)).filter(({ kind }) => ['table', 'table-end', 'sequences'].includes(kind));
}

test('a folder gets a file of the installation and of each tenant, and a file alone says what is not in it', async () => {
  const all = await succeed(run('backup', '--all', saved, '--with-keys'));
  assert.deepEqual(await readdir(saved), ['default.kedja', 'north.kedja', 'south.kedja']);
  assert.match(all.stderr, /^Tenant north: [\d,]+ rows saved, encrypted, with 3 keys\.$/m);
  const checked = await succeed(run('backup', '--check', fileOf('north')));
  assert.match(checked.stderr, /^The backup of tenant north is complete: \d+ tables, [\d,]+ rows, 3 keys;/);
  const [first, manifest] = await recordsOf(fileOf('north'));
  assert.ok(first?.kind === 'tenant' && manifest?.kind === 'manifest');
  assert.deepEqual(
    [first.tenant.name, first.tenant.schema, first.tenant.hosts],
    ['north', 'north', ['north.example.org']],
  );
  assert.deepEqual(
    manifest.manifest.schemas.map(({ name }) => name),
    ['engine', 'dispatch'],
  );
  const alone = await succeed(run('backup', path.join(folder, 'alone.kedja')));
  assert.match(alone.stderr, /^Not in it: the tenants north, south\. Save one by --tenant NAME, everything by --all/m);
});

test('a tenant whose database is away is named, the others are saved, and no file is begun', async () => {
  const file = path.join(folder, 'with-away.json');
  const { tenants } = JSON.parse(await readFile(system.file, 'utf8'));
  await writeFile(file, JSON.stringify({ tenants: [{ name: 'away', schema: 'away', database: NOWHERE }, ...tenants] }));
  const other = { KEDJA_TENANTS_FILE: file };
  const into = path.join(folder, 'partly');
  const keyless = await runWith(other, 'backup', '--tenant', 'away', path.join(folder, 'away.kedja'), '--with-keys');
  assert.match(keyless.stderr, /^Tenant away: there is no tenant-away-engine-inbox\.key, tenant-away-dispatch/);
  for (const key of ['engine-inbox', 'dispatch-delivery', 'session'])
    await writeFile(path.join(folder, 'keys', `tenant-away-${key}.key`), randomBytes(32).toString('base64'));
  const all = await runWith(other, 'backup', '--all', into);
  assert.equal(all.code, 1);
  assert.match(all.stderr, /^Tenant away \(127\.0\.0\.1:1\/gone\): .+$/m);
  assert.match(all.stderr, /^Not saved: away\./m);
  assert.doesNotMatch(all.stderr, /secret-word/);
  assert.deepEqual(await readdir(into), ['default.kedja', 'north.kedja', 'south.kedja']);
  const one = await runWith(other, 'backup', '--tenant', 'away', path.join(into, 'away.kedja'));
  assert.deepEqual([one.code, (await readdir(into)).length], [1, 3]);
  assert.match(one.stderr, /^Tenant away \(127\.0\.0\.1:1\/gone\): /);
  const unknown = await run('backup', '--tenant', 'west', path.join(into, 'west.kedja'));
  assert.match(unknown.stderr, /^There is no tenant west in /);
});

test('a restore refuses what is not asked for, and a place that is in use', async () => {
  const before = await readFile(system.file, 'utf8');
  const refused: [args: string[], message: RegExp][] = [
    [[fileOf('north')], /^The backup is of tenant north: restore it with --tenant north\. Nothing was restored$/m],
    [[fileOf('north'), '--tenant', 'south'], /^The backup is of tenant north: /],
    [[fileOf('default'), '--tenant', 'north'], /^The backup is of the installation, and not of a tenant: /],
    [
      [fileOf('north'), '--tenant', 'north'],
      /^Tenant north: The database is not empty: north_dispatch has .+ Restore to another --schema or --database/,
    ],
    [[fileOf('north'), '--tenant', 'north', '--database', NOWHERE], /^Tenant north \(127\.0\.0\.1:1\/gone\): /],
    [[fileOf('north'), '--tenant', 'north', '--schema', 'pg_x'], /^north: 'schema' must|'schema' must be/],
    [
      // South is in the installation's database by an address of its own.
      [fileOf('north'), '--tenant', 'north', '--schema', 'south', '--database', urlOf('south')],
      /the schema south is that of/,
    ],
  ];
  for (const [args, message] of refused) {
    const { code, stderr } = await run('restore', ...args);
    assert.deepEqual([code, message.test(stderr)], [1, true], `${args.join(' ')}: ${stderr}`);
    assert.doesNotMatch(stderr, /secret-word/);
  }
  assert.equal(await readFile(system.file, 'utf8'), before);

  function urlOf(name: string): string {
    return JSON.parse(before).tenants.find((each: { name: string }) => each.name === name).database;
  }
});

test('keys that are not the tenant’s are found before anything is made', async () => {
  const dataDir = path.join(folder, 'other-keys');
  await cp(path.join(folder, 'keys'), path.join(dataDir, 'keys'), { recursive: true });
  const wrong = path.join(dataDir, 'keys', 'tenant-north-engine-inbox.key');
  await writeFile(wrong, randomBytes(32).toString('base64'));
  const database = await createTestDatabase(hooks);
  const args = ['restore', fileOf('north'), '--tenant', 'north', '--database', database.url];
  const { code, stderr } = await runWith({ KEDJA_DATA_DIR: dataDir }, ...args);
  assert.equal(code, 1);
  assert.match(stderr, /tenant-north-engine-inbox\.key: not the keys of tenant north in this backup/);
  const { rows } = await database
    .database('public')
    .query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'north%'");
  assert.deepEqual(rows, []);
});

const statusAt = async (name: string, id: string) => {
  const headers = { authorization: `Bearer ${tokens[name]}` };
  return (await rawRequest(gateway, `/engine/t/${name}/api/v1/Patient/${id}`, { headers })).status;
};

/** Until what was written after the backup is not there. A busy machine opens a tenant slowly. */
const followed = (name: string) =>
  eventually('the node has followed', async () => ((await statusAt(name, 'after')) === 404 ? true : undefined), 60_000);

test('a backup without the keys says that it does not know them, and a file that is locked is said at once', async () => {
  const more = { KEDJA_DATA_DIR: path.join(folder, 'keyless') };
  const file = path.join(folder, 'keyless.kedja');
  const { stderr } = await succeed(runWith(more, 'backup', '--tenant', 'north', file));
  assert.match(stderr, /^Tenant north: there is no tenant-north-engine-inbox\.key, .+: a restore will not know/m);
  await succeed(run('backup', '--check', file));
  await writeFile(`${system.file}.lock`, '');
  const locked = await run('restore', file, '--tenant', 'north', '--schema', 'north_2');
  await rm(`${system.file}.lock`);
  assert.match(locked.stderr, /^Another command changes .+tenants\.json; if none does, one was killed: remove/);
  assert.match((await succeed(tenant('list'))).stdout, /^north +north .* ok$/m);
});

test('a tenant whose database is gone comes back at another one, with its keys, and nodes follow', async () => {
  await write('north', 'after');
  await dropDatabase(northUrl);
  await eventually('its requests fail', async () => ((await statusAt('north', 'before')) === 503 ? true : undefined));
  const elsewhere = path.join(folder, 'north-url');
  await writeFile(elsewhere, await emptyDatabase());
  const args = ['--tenant', 'north', '--database', `@${elsewhere}`];
  const restored = await succeed(run('restore', fileOf('north'), ...args));
  assert.match(restored.stderr, /rows of \d+ tables restored, and compared with the backup of .*; 3 keys\.$/m);
  assert.match(restored.stderr, /^Tenant north is at .*, schema north\.$/m);
  await followed('north');
  const { body } = await call(`${at('north')}/Patient/before`, { apiKey: keys['north'] });
  assert.equal(body.name[0].family, 'north before');
  await write('north', 'again');
  assert.match((await succeed(tenant('list'))).stdout, /^north +north +.* ok$/m);
});

test('a tenant comes back beside itself, in another schema of the same database', async () => {
  await write('south', 'after');
  await succeed(run('restore', fileOf('south'), '--tenant', 'south', '--schema', 'south_again'));
  await followed('south');
  await call(`${at('south')}/Patient/before`, { apiKey: keys['south'] });
  assert.match((await succeed(tenant('list'))).stdout, /^south +south_again +.* ok$/m);
});

test('a restore that ended before the tenants file was written is finished when it is run again', async () => {
  const target = await createTestDatabase(hooks);
  const url = path.join(folder, 'late-url');
  await writeFile(url, target.url);
  const args = ['restore', fileOf('north'), '--tenant', 'north', '--database', `@${url}`, '--schema', 'late'];
  const db = target.database('public');
  const lock = `${system.file}.lock`;
  const before = await readFile(system.file, 'utf8');
  // The rows wait for us, so that the file cannot be written afterwards.
  const failed = await db.transaction(async (transaction) => {
    await transaction.query(`SELECT pg_advisory_xact_lock(${MIGRATIONS_LOCK})`);
    const running = run(...args);
    const waits = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await eventually('it waits', async () => ((await db.query(waits)).rowCount > 0 ? true : undefined), 60_000);
    await writeFile(lock, '');
    return { running };
  });
  const { code, stderr } = await failed.running;
  await rm(lock);
  assert.deepEqual([code, await readFile(system.file, 'utf8')], [1, before], stderr);
  assert.match(stderr, /^The rows are restored, but .+tenants\.json does not name tenant north at schema late/m);
  const again = await succeed(run(...args));
  assert.match(again.stderr, /^The rows of this backup are there: an earlier restore ended before its last step/m);
  assert.match((await succeed(tenant('list'))).stdout, /^north +late .* ok$/m);
  const third = await run(...args);
  assert.deepEqual([third.code, /is not empty/.test(third.stderr)], [1, true], third.stderr);
});

test('a new installation gets the tenants of the old one, equal row for row', async () => {
  const dataDir = path.join(folder, 'new');
  const more = {
    KEDJA_DATABASE_URL: await emptyDatabase(),
    KEDJA_DATA_DIR: dataDir,
    KEDJA_TENANTS_FILE: path.join(dataDir, 'tenants.json'),
  };
  await mkdir(dataDir);
  await writeFile(more.KEDJA_TENANTS_FILE, '{ "tenants": [] }');
  await succeed(runWith(more, 'restore', fileOf('default')));
  for (const name of ['north', 'south']) {
    await rm(path.join(dataDir, 'keys', `tenant-${name}-session.key`));
    const place = name === 'north' ? ['--database', await emptyDatabase()] : [];
    await succeed(runWith(more, 'restore', fileOf(name), '--tenant', name, ...place));
    assert.match(await readFile(path.join(dataDir, 'keys', `tenant-${name}-session.key`), 'utf8'), /^[\w+/]{43}=$/);
  }
  const { stdout } = await succeed(runWith(more, 'tenant', 'list'));
  // Who may sign in is in the installation's backup.
  assert.match(stdout, /^north +north +.*north\.example\.org +1 +ok$/m);
  assert.match(stdout, /^south +south +the installation’s database +1 +ok$/m);
  const again = path.join(dataDir, 'again');
  await succeed(runWith(more, 'backup', '--all', again));
  for (const name of ['default', 'north', 'south'])
    assert.deepEqual(await contentsOf(path.join(again, `${name}.kedja`)), await contentsOf(fileOf(name)), name);
});

test('a rehearsal needs neither the tenants file nor the keys', async () => {
  const more = { KEDJA_TENANTS_FILE: path.join(folder, 'none.json'), KEDJA_DATA_DIR: path.join(folder, 'none') };
  const { stderr } = await succeed(runWith(more, 'restore', '--verify', fileOf('north')));
  assert.match(stderr, /rows of \d+ tables can be restored, and are as in the backup of .*; 3 keys\.$/m);
});
