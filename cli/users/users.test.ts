// `kedja users` as an operator runs it, on its own databases.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { identityDatabase } from '#test/support/identity/identity.ts';
import { nextEmail, nextPersonnummer } from '#test/support/identity/identity-people.ts';
import { HEADER } from '#test/support/identity/user-csv.ts';
import { startCommand } from '#test/support/system/processes.ts';

const hooks = lastFirst({ after });
const folder = await mkdtemp(path.join(tmpdir(), 'kedja-users-'));
hooks.after(() => rm(folder, { recursive: true, force: true }));
await mkdir(path.join(folder, 'keys'));
await writeFile(path.join(folder, 'keys', 'personnummer.key'), Buffer.alloc(32, 7).toString('base64'));

interface Site {
  readonly database: Database;
  readonly environment: Record<string, string>;
}

/** An empty site: identity's schema without data. */
async function emptySite(): Promise<Site> {
  const created = await identityDatabase(hooks);
  const environment = {
    KEDJA_DATABASE_URL: created.url,
    KEDJA_DATA_DIR: folder,
    KEDJA_IMPORT_PASSWORD: 'a temporary phrase',
  };
  return { database: created.database('identity'), environment };
}

const start = (environment: Record<string, string>, ...args: string[]) => startCommand(['users', ...args], environment);
const users = (environment: Record<string, string>, ...args: string[]) => start(environment, ...args).ended;

async function fileOf(name: string, rows: readonly string[]): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, [HEADER, ...rows, ''].join('\r\n'));
  return file;
}

async function countUsers({ database }: Site): Promise<number> {
  return (await database.query<{ n: number }>('SELECT count(*) AS n FROM app_user')).rows[0]?.n ?? 0;
}

const nurse = (email = nextEmail(), rest = ',,,planning,') => `${email},professional,Åsa,Berg,nurse${rest}`;

test('import names every error with its line, reports its result, and sets its exit code', async () => {
  const site = await emptySite();
  const known = nextEmail();
  const file = await fileOf('some.csv', [nurse(known), nurse(known), 'bad\u001B[2Jaddress,robot,,,,,,,']);
  const dry = await users(site.environment, 'import', file, '--dry-run');
  assert.equal(await countUsers(site), 0);
  assert.match(dry.stderr, /1 user would be created, 1 row skipped, 3 errors\.\n$/);
  const real = await users(site.environment, 'import', file);
  assert.equal(real.code, 1);
  assert.equal(real.stdout, dry.stdout);
  const lines = real.stdout.trimEnd().split('\n');
  assert.equal(lines.length, 3);
  assert.match(lines[0] ?? '', new RegExp(`^line 3 \\(${known}\\): 'email' is the one of line 2`));
  assert.match(lines[1] ?? '', /^line 4 \(bad\uFFFD\[2Jaddress\): 'email' must be/);
  assert.match(real.stderr, /1 user created, 1 row skipped, 3 errors\.\n$/);
  const again = await users(site.environment, 'import', await fileOf('good.csv', [nurse(known), nurse()]));
  assert.deepEqual([again.code, again.stdout], [0, '']);
  assert.equal(await countUsers(site), 2);
  const { rows } = await site.database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const whos = new Set(rows.map(({ resource }) => JSON.parse(resource).agent[0].who.identifier.value));
  assert.deepEqual([...whos], [userInfo().username]);
});

test('export, empty system, import, export: the same file to the byte, readable by its owner alone', async () => {
  const [first, second] = [await emptySite(), await emptySite()];
  const rows = Array.from({ length: 1_500 }, (_, index) =>
    index % 2 === 0
      ? nurse(nextEmail(), `,,"Söder, väst;=1+1",team:Natt ${index % 7}*,${index % 90 === 0}`)
      : `${nextEmail()},patient,,,,${nextPersonnummer()},"Enhet ""${index % 11}""",,`,
  );
  const file = await fileOf('all.csv', rows);
  assert.equal((await users(first.environment, 'import', file, '--create-missing')).code, 0);
  const [one, two] = [path.join(folder, 'one.csv'), path.join(folder, 'two.csv')];
  const exported = await users(first.environment, 'export', one);
  assert.deepEqual([exported.code, exported.stdout, exported.stderr], [0, '', '1,500 users exported.\n']);
  const imported = await users(second.environment, 'import', one, '--create-missing');
  assert.match(imported.stderr, /1,500 users created, 0 rows skipped, 13 organisations and 7 groups made, 0 errors/);
  assert.equal((await users(second.environment, 'export', two)).code, 0);
  assert.equal(await readFile(two, 'utf8'), await readFile(one, 'utf8'));
  assert.equal((await stat(one)).mode & 0o777, 0o600);
  const { stdout } = await users(second.environment, 'export', '-');
  assert.equal(stdout, await readFile(one, 'utf8'));
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('Ctrl-C leaves no half-imported user, reports its progress, and the same command continues', async () => {
  const site = await emptySite();
  const rows = Array.from({ length: 20_000 }, () => nurse());
  const file = await fileOf('many.csv', rows);
  const { child, ended } = start(site.environment, 'import', file);
  while ((await countUsers(site)) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  assert.equal(code, 130, stderr);
  const made = await countUsers(site);
  assert.ok(made > 0 && made < 20_000);
  assert.match(
    stderr,
    new RegExp(
      `Stopped after line ${made + 1}\\. [^]* ${made.toLocaleString('en')} users created, 0 rows`.replace(
        ' [^]* ',
        '[^]*',
      ),
    ),
  );
  const { rows: halves } = await site.database.query(
    'SELECT FROM app_user u LEFT JOIN membership m USING (user_guid) WHERE m.user_guid IS NULL',
  );
  assert.equal(halves.length, 0);
  assert.equal((await users(site.environment, 'import', file)).code, 0);
  assert.equal(await countUsers(site), 20_000);
});

test('an error is printed, and nothing is changed', async () => {
  const site = await emptySite();
  const said = async (pattern: RegExp, environment: Record<string, string>, ...args: string[]) => {
    const { code, stdout, stderr } = await users(environment, ...args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, pattern);
  };
  const { KEDJA_IMPORT_PASSWORD: _, ...bare } = site.environment;
  const file = await fileOf('one-user.csv', [nurse()]);
  await said(/^There is no temporary password .*KEDJA_IMPORT_PASSWORD\n$/, bare, 'import', file);
  await said(/^The file cannot be read: .* is a folder/, site.environment, 'import', folder);
  await said(/is no file; name a file, or - for/, site.environment, 'export', folder);
  await said(/is no file; name a file, or - for/, site.environment, 'export', '/dev/null');
  assert.ok((await stat('/dev/null')).isCharacterDevice());
  await said(/^The file cannot be read: ENOENT/, site.environment, 'import', path.join(folder, 'none.csv'));
  await said(
    /^The folder \S+no is not there; make it first\n$/,
    site.environment,
    'export',
    path.join(folder, 'no', 'users.csv'),
  );
  const wrong = path.join(folder, 'wrong.csv');
  await writeFile(wrong, HEADER.replace('email', 'mail'));
  await said(/column 'email' is missing\n.*column 'mail' is not known\n$/, site.environment, 'import', wrong);
  for (const args of [
    [],
    ['import'],
    ['import', 'a', 'b'],
    ['export', 'a', '--dry-run'],
    ['import', 'a', '--what'],
    ['delete', 'a'],
  ]) {
    await said(/^.+\n\nusage: kedja users import/, {}, ...args);
  }
  assert.equal((await users({}, '--help')).code, 0);
  assert.equal(await countUsers(site), 0);
});

test('reset-password prints a code for an account, alone, and names the operator in the audit log', async () => {
  const site = await emptySite();
  const email = nextEmail();
  await users(site.environment, 'import', await fileOf('reset.csv', [`${email},professional,Åsa,Ek,nurse,,,,false`]));
  const issued = await users(site.environment, 'reset-password', email.toUpperCase());
  assert.equal(issued.code, 0, issued.stderr);
  assert.match(issued.stdout, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}\n$/);
  const unknown = await users(site.environment, 'reset-password', 'nobody@example.org');
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  const { rows } = await site.database.query<{ resource: string }>(
    `SELECT resource FROM audit_event WHERE event = 'user.issue-reset-code'`,
  );
  assert.deepEqual([rows.length, rows[0]?.resource.includes(userInfo().username)], [1, true]);
});
