// `kedja doctor` on set-ups that are broken, each in one way: it names what is wrong, and nothing else.
import assert from 'node:assert/strict';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { migrations } from '#services/identity/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { pgBouncerVersion, startPgBouncer } from '#test/support/database/pgbouncer.ts';
import { temporaryDataDir, testServer } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { startMailServer } from '#test/support/mail.ts';
import { makeSealedPatients } from '#test/support/system/key-site.ts';
import { startCommand, systemPorts } from '#test/support/system/processes.ts';
import { openKeyFolder } from '../../runtime/keys/keys.ts';
import { runDoctor } from './doctor.ts';
import { examine } from './examine.ts';
import type { Finding } from './findings.ts';

const hooks = lastFirst({ after });
const on = await createTestDatabase(hooks, { schemas: [{ schema: 'identity', migrations }] });
const PASSWORD = 'a-password-that-nobody-prints';
const SECRETS = [PASSWORD, new URL(on.url).password];
const { environment: ports } = await systemPorts();
const folder = await dataFolder();

/** A data folder with the key of identity. */
async function dataFolder(): Promise<string> {
  const dataDir = await temporaryDataDir();
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  await openKeyFolder(dataDir).keySet('personnummer');
  return dataDir;
}

const SOUND = {
  ...ports,
  KEDJA_PUBLIC_URL: 'http://localhost:8080',
  KEDJA_ADMIN_EMAIL: 'admin@example.org',
  KEDJA_ADMIN_PASSWORD: PASSWORD,
  KEDJA_DATABASE_URL: on.url,
  KEDJA_DATA_DIR: folder,
  KEDJA_SERVICES: 'identity,dispatch,engine',
};

type Variables = Readonly<Record<string, string | undefined>>;

/** The codes of warnings and errors; no text has a secret. */
async function wrong(changed: Variables): Promise<{ codes: string[]; findings: Finding[] }> {
  const findings = await examine({ ...SOUND, ...changed });
  const text = JSON.stringify(findings);
  for (const secret of SECRETS) assert.ok(!text.includes(secret), text);
  // The server of tests gives up durability for speed.
  const bad = findings.filter(({ level, code }) => level !== 'ok' && code !== 'database.unsafe');
  for (const { advice, message } of bad) assert.ok((advice ?? '') !== '', message);
  return { codes: bad.map(({ level, code }) => `${level} ${code}`), findings };
}

test('a sound set-up has no warning', async () => {
  await makeSealedPatients(on.database('identity'), folder, 3);
  const { codes, findings } = await wrong({});
  assert.deepEqual(codes, []);
  assert.ok(findings.some(({ message }) => message === 'The key personnummer opened the 3 values that were tried'));
});

test('the folder of a demo needs no administrator, whom a production start would miss; other errors are reported', async () => {
  const demo = await dataFolder();
  await writeFile(path.join(demo, 'demo-receiver.json'), '{}');
  const without = { KEDJA_DATA_DIR: demo, KEDJA_ADMIN_EMAIL: undefined, KEDJA_ADMIN_PASSWORD: undefined };
  const ofConfiguration = async (changed: Variables) =>
    (await examine({ ...SOUND, ...without, ...changed }))
      .filter(({ code }) => code.startsWith('configuration.'))
      .map(({ level, code, message }) => `${level} ${code}: ${message}`);
  const needs = 'kedja demo needs no KEDJA_ADMIN_EMAIL, KEDJA_ADMIN_PASSWORD; kedja start does';
  const note = `ok configuration.demo: ${demo} has the data of a demo. ${needs}`;
  assert.deepEqual(await ofConfiguration({}), [note]);
  const [first, second = '', ...more] = await ofConfiguration({ KEDJA_SESSION_IDLE_MINUTES: 'x' });
  assert.deepEqual([first, more], [note, []]);
  assert.match(second, /^error configuration\.invalid: KEDJA_SESSION_IDLE_MINUTES/);
  const [, plain = ''] = await ofConfiguration({ KEDJA_PUBLIC_URL: 'http://kedja.example.org' });
  assert.match(plain, /^error configuration\.invalid: KEDJA_PUBLIC_URL must be https/, 'a demo is no excuse');
  const whole = { KEDJA_ADMIN_EMAIL: SOUND.KEDJA_ADMIN_EMAIL, KEDJA_ADMIN_PASSWORD: PASSWORD };
  assert.deepEqual(await ofConfiguration(whole), ['ok configuration.valid: The configuration is valid']);
});

const away = new URL(on.url);
away.port = '1';
const unknownDatabase = new URL(on.url);
unknownDatabase.pathname = '/no_such_database';

const BROKEN: readonly [what: string, changed: Variables, codes: readonly string[]][] = [
  ['an unknown variable', { KEDJA_PUBLIC_ULR: 'x' }, ['error configuration.invalid']],
  [
    'a secret of two sources, whose part is not checked',
    { KEDJA_DATABASE_URL_FILE: '/nowhere' },
    ['error configuration.invalid'],
  ],
  ['no administrator', { KEDJA_ADMIN_EMAIL: undefined }, ['error configuration.invalid']],
  ['a database that is away', { KEDJA_DATABASE_URL: away.href }, ['error database.unreachable']],
  ['no such database', { KEDJA_DATABASE_URL: unknownDatabase.href }, ['error database.unreachable']],
  [
    'a direct address that leads nowhere',
    { KEDJA_DATABASE_POOLING: 'transaction', KEDJA_DATABASE_DIRECT_URL: away.href },
    // Without a pooler nothing keeps statements under another name.
    ['warning database.prepared-statements', 'error database.direct'],
  ],
  [
    'a mail server that is away',
    { KEDJA_SMTP_URL: 'smtp://127.0.0.1:1', KEDJA_MAIL_FROM: 'a@b.se' },
    ['error mail.refused'],
  ],
  [
    'a host of another machine',
    { KEDJA_HOST: '192.0.2.1', KEDJA_PUBLIC_URL: 'https://127.0.0.1:1', KEDJA_TRUST_PROXY: '127.0.0.1' },
    ['error ports.address', 'error ports.address', 'error ports.address'],
  ],
  [
    'nodes that are away',
    {
      KEDJA_IDENTITY_URL: 'http://127.0.0.1:1',
      KEDJA_SERVICES: 'console',
      KEDJA_DISPATCH_URL: 'http://127.0.0.1:1',
      KEDJA_ENGINE_URL: 'http://127.0.0.1:1',
    },
    ['warning nodes.away', 'warning nodes.away', 'warning nodes.away'],
  ],
];

for (const [what, changed, expected] of BROKEN) {
  test(`broken: ${what}`, async () => {
    const { codes, findings } = await wrong(changed);
    assert.deepEqual(codes, expected, JSON.stringify(findings, undefined, 1));
  });
}

test('a port that another program holds, and a folder without a database', async () => {
  const other = createServer((socket) => socket.destroy());
  hooks.after(() => new Promise<void>((resolve) => other.close(() => resolve())));
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve);
  });
  const taken = String((other.address() as { port: number }).port);
  assert.deepEqual((await wrong({ KEDJA_IDENTITY_PORT: taken })).codes, ['error ports.taken']);
  other.removeAllListeners('connection').on('connection', (socket) => socket.on('error', () => undefined).resume());
  assert.deepEqual((await wrong({ KEDJA_IDENTITY_PORT: taken })).codes, ['error ports.silent']);
  const empty = path.join(folder, 'empty');
  const { codes, findings } = await wrong({ KEDJA_DATABASE_URL: undefined, KEDJA_DATA_DIR: empty });
  assert.deepEqual(codes, ['warning database.none']);
  assert.ok(findings.some(({ code }) => code === 'keys.new'));
});

test('keys that are missing, of another database, damaged and open to others', async () => {
  const none = path.join(folder, 'none');
  await mkdir(none);
  assert.deepEqual((await wrong({ KEDJA_DATA_DIR: none })).codes, ['error keys.missing']);
  assert.deepEqual((await wrong({ KEDJA_DATA_DIR: await dataFolder() })).codes, ['error keys.wrong']);
  const damaged = await dataFolder();
  const file = path.join(damaged, 'keys', 'personnummer.key');
  await chmod(file, 0o644);
  assert.deepEqual((await wrong({ KEDJA_DATA_DIR: damaged })).codes.toSorted(), [
    'error keys.wrong',
    'warning keys.open',
  ]);
  await writeFile(file, 'cut');
  assert.deepEqual((await wrong({ KEDJA_DATA_DIR: damaged })).codes.toSorted(), [
    'error keys.damaged',
    'error keys.not-tried',
    'warning keys.open',
  ]);
});

test('a transaction that others wait for', async (context) => {
  const { url } = await createTestDatabase(context, { schemas: [{ schema: 'identity', migrations }] });
  const [holder, waiter] = [1, 2].map(() => new pg.Client({ connectionString: url, application_name: 'psql' }));
  assert.ok(holder !== undefined && waiter !== undefined);
  for (const client of [holder, waiter]) {
    client.on('error', () => undefined);
    await client.connect();
  }
  await holder.query('BEGIN; LOCK TABLE identity.organisation');
  const waiting = waiter.query('SELECT 1 FROM identity.organisation').catch(() => undefined);
  const of = { ...SOUND, KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: folder };
  const found = await eventually('the transaction is old enough', async () => {
    const findings = await examine(of);
    return findings.find(({ code }) => code === 'database.blocked');
  });
  assert.match(
    found.message,
    /of psql \(idle in transaction\) has had a transaction open for \d+ s, and 1 others wait/,
  );
  const [, statement = ''] = /(SELECT pg_terminate_backend\(\d+\))/.exec(found.advice ?? '') ?? [];
  await on.database('identity').query(statement);
  await waiting;
  await waiter.end();
  assert.ok(!(await examine(of)).some(({ code }) => code === 'database.blocked'));
});

test('a database that takes no writes', async (context) => {
  const { url, database } = await createTestDatabase(context, { schemas: [{ schema: 'identity', migrations }] });
  const name = new URL(url).pathname.slice(1);
  await database('identity').query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const { codes, findings } = await wrong({
    KEDJA_DATABASE_URL: url,
    KEDJA_DATA_DIR: folder,
    KEDJA_SERVICES: 'identity',
  });
  // The other services may be away: they are not part of this.
  assert.deepEqual(
    codes.filter((code) => code.startsWith('error')),
    ['error database.room'],
  );
  assert.match(JSON.stringify(findings), /cannot execute CREATE TABLE AS in a read-only transaction/);
});

test('a schema that is newer, and one that is older than this release', async () => {
  const identity = on.database('identity');
  await identity.query(
    `INSERT INTO schema_migration (source, version, file, checksum) VALUES ('identity', 9999, '9999_later.sql', 'x')`,
  );
  const newer = await wrong({});
  assert.deepEqual(newer.codes, ['error database.migrations']);
  assert.match(newer.findings.map(({ message }) => message).join(), /9999_later\.sql .* newer than this code/);
  await identity.query('DELETE FROM schema_migration WHERE version = 9999');
  const { rows } = await identity.query<{ version: number; file: string; checksum: string }>(
    `DELETE FROM schema_migration WHERE source = 'identity'
       AND version = (SELECT max(version) FROM schema_migration WHERE source = 'identity')
     RETURNING version, file, checksum`,
  );
  assert.deepEqual((await wrong({})).codes, ['warning database.migrations-pending']);
  const [last] = rows;
  await identity.query(
    `INSERT INTO schema_migration (source, version, file, checksum) VALUES ('identity', $1::int, $2::text, $3::text)`,
    [last?.version, last?.file, last?.checksum],
  );
});

test('a database in another encoding, with a role that may not change its schema', async () => {
  const { adminUrl } = await testServer();
  const name = `kedja_test_ascii_${process.pid}`;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  hooks.after(async () => {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.end();
  });
  await admin.query(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0`);
  const own = new URL(adminUrl);
  own.pathname = `/${name}`;
  const inside = new pg.Client({ connectionString: own.href });
  await inside.connect();
  await inside.query('CREATE SCHEMA identity');
  await inside.end();
  const url = new URL(on.url);
  url.pathname = `/${name}`;
  assert.deepEqual((await wrong({ KEDJA_DATABASE_URL: url.href })).codes, [
    'error database.encoding',
    'error database.rights',
    'error database.rights',
    'warning database.migrations-pending',
  ]);
});

test('behind a pooler of transactions: with its settings, without them, and with LISTEN through it', {
  skip: pgBouncerVersion() === undefined && 'PgBouncer is not installed',
}, async () => {
  const pooled = await startPgBouncer(hooks, on.url);
  const unset = await wrong({ KEDJA_DATABASE_URL: pooled });
  assert.deepEqual(unset.codes, ['error database.unreachable']);
  assert.match(unset.findings.map(({ advice = '' }) => advice).join(), /pooler\.md/);
  const set = { KEDJA_DATABASE_URL: pooled, KEDJA_DATABASE_POOLING: 'transaction' };
  const sound = await wrong({ ...set, KEDJA_DATABASE_DIRECT_URL: on.url });
  assert.deepEqual(
    sound.codes.filter((code) => code !== 'warning database.prepared-statements'),
    [],
  );
  const through = await wrong({ ...set, KEDJA_DATABASE_DIRECT_URL: pooled });
  assert.ok(through.codes.includes('error database.direct'), through.codes.join());
  const ignoring = await startPgBouncer(hooks, on.url, {
    ignore_startup_parameters: 'options,statement_timeout,idle_in_transaction_session_timeout',
  });
  assert.ok((await wrong({ KEDJA_DATABASE_URL: ignoring })).codes.includes('error database.pooling'));
});

test('a mail server that takes connections', async () => {
  const { url } = await startMailServer(hooks);
  assert.deepEqual((await wrong({ KEDJA_SMTP_URL: url, KEDJA_MAIL_FROM: 'a@example.org' })).codes, []);
});

test('the command answers lines or JSON, exits with 1 for an error, and prints no secret', async () => {
  const cwd = await temporaryDataDir();
  hooks.after(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(path.join(cwd, '.env'), `KEDJA_ADMIN_PASSWORD=${PASSWORD}\n`, { mode: 0o644 });
  const { KEDJA_ADMIN_PASSWORD: _of, ...rest } = SOUND;
  const lines = await startCommand(['doctor'], rest, cwd).ended;
  const json = await startCommand(['doctor', '--json'], { ...rest, KEDJA_DATABASE_URL: away.href }, cwd).ended;
  assert.equal(lines.code, 0, lines.stdout + lines.stderr);
  assert.match(lines.stdout, /^warning configuration \.env holds a secret and is open .*\. Run chmod o-rwx \.env\.$/m);
  assert.match(lines.stdout, /\n0 errors, \d warnings?\.\n$/);
  const answer = JSON.parse(json.stdout);
  assert.deepEqual([json.code, answer.errors, answer.warnings], [1, 1, 1]);
  for (const secret of SECRETS) assert.ok(!(lines.stdout + json.stdout + json.stderr).includes(secret));
});

test('arguments that it does not know are refused', async (context) => {
  const { mock } = context.mock.method(console, 'error', () => {});
  assert.equal(await runDoctor(['--all']), 1);
  assert.match(String(mock.calls[0]?.arguments[0]), /^"--all" is none of the uses below/);
});
