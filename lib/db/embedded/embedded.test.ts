// The embedded PostgreSQL as real processes on real folders: first and later starts, other users, killed processes.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { type Hooks, lastFirst } from '#test/support/hooks.ts';
import { promptly } from '#test/support/http.ts';
import { ServiceError } from '../../errors.ts';
import { createDatabase } from '../pool.ts';
import { chooseAccount, isRoot, mayAccess } from './account.ts';
import { type EmbeddedOptions, startEmbeddedPostgres } from './embedded.ts';
import { postmasterPid, serverProcesses } from './leftovers.ts';

const log = () => {};
const holder = new URL('../../../test/support/database/embedded-holder.ts', import.meta.url).pathname;

async function dataFolder(t: Hooks): Promise<string> {
  const folder = await temporaryDataDir();
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

async function start(t: Hooks, dataDir: string, options: Partial<EmbeddedOptions> = {}) {
  const server = await startEmbeddedPostgres({ dataDir, log, durable: false, ...options });
  t.after(() => server.stop());
  return server;
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

interface Held {
  readonly child: ChildProcess;
  readonly url?: string;
  readonly error?: string;
}

/** Runs the database in a process of its own. */
async function hold(t: Hooks, dataDir: string, account?: { uid: number; gid: number }): Promise<Held> {
  const identity = account === undefined ? [] : [String(account.uid), String(account.gid)];
  const child = spawn(process.execPath, [holder, dataDir, ...identity], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(async () => {
    child.stdin?.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  return { child, ...(JSON.parse(line) as { url?: string; error?: string }) };
}

async function clusterOf(dataDir: string): Promise<string> {
  return realpath(path.join(dataDir, 'database', 'cluster'));
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  await promptly('it came about', async () => ((await condition()) ? true : undefined), 15_000);
}

test('a first start makes a database, a later one finds it', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  const first = await start(t, dataDir, { databases: ['kedja', 'other'] });
  await ask(first.url('other'), 'CREATE TABLE kept AS SELECT 1 AS n');
  const published = path.join(dataDir, 'database', 'url');
  assert.equal(await readFile(published, 'utf8'), `${first.url('kedja')}\n`);
  await first.stop();
  await assert.rejects(stat(published), { code: 'ENOENT' });
  const second = await start(t, dataDir, { port: first.port });
  assert.equal(second.port, first.port, 'a port of ours is free again at once');
  assert.deepEqual(await ask(second.url('other'), 'SELECT n FROM kept'), [{ n: 1 }]);
});

test('the database is UTF-8, sorts by code point and knows Swedish by ICU; extensions can be made by its owner', async (context) => {
  const t = lastFirst(context);
  const server = await start(t, await dataFolder(t));
  const [row] = await ask(
    server.url('kedja'),
    `SELECT current_setting('server_encoding') AS encoding, current_setting('jit') AS jit,
            (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS super,
            (SELECT string_agg(l, '' ORDER BY l) FROM unnest(ARRAY['z','ö','ä','a','å']) l) AS plain,
            (SELECT string_agg(l, '' ORDER BY l COLLATE "sv-x-icu") FROM unnest(ARRAY['z','ö','ä','a','å']) l) AS swedish`,
  );
  assert.deepEqual(row, { encoding: 'UTF8', jit: 'off', super: false, plain: 'azäåö', swedish: 'azåäö' });
  await ask(server.url('kedja'), 'CREATE SCHEMA engine; CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin');
});

test('fsync is on unless the data is thrown away', async (context) => {
  const t = lastFirst(context);
  const server = await start(t, await dataFolder(t), { durable: true });
  assert.deepEqual(await ask(server.adminUrl, 'SHOW fsync'), [{ fsync: 'on' }]);
});

test('no connection works without the generated secret, which only the owner can read', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  const server = await start(t, dataDir);
  for (const address of [server.adminUrl, server.url('kedja')]) {
    const wrong = new URL(address);
    wrong.password = 'guess';
    await assert.rejects(ask(wrong.href, 'SELECT 1'), { code: '28P01' });
  }
  for (const name of ['secret.json', 'url']) {
    assert.equal((await stat(path.join(dataDir, 'database', name))).mode & 0o777, 0o600);
  }
  assert.deepEqual(await ask(server.adminUrl, 'SHOW listen_addresses'), [{ listen_addresses: '127.0.0.1' }]);
  assert.deepEqual(await ask(server.adminUrl, 'SHOW unix_socket_directories'), [{ unix_socket_directories: '' }]);
});

test('a port in use is skipped', async (context) => {
  const t = lastFirst(context);
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  t.after(async () => void squatter.close());
  const { port } = squatter.address() as { port: number };
  const server = await start(t, await dataFolder(t), { port });
  assert.notEqual(server.port, port);
  await ask(server.url('kedja'), 'SELECT 1');
});

test('a second start on the same folder is refused in one line, in this process and in another', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  const server = await start(t, dataDir);
  const refusal = new RegExp(`^The data folder .* is in use by process ${process.pid}; [^\\n]+$`);
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), { message: refusal });
  assert.match((await hold(t, dataDir)).error ?? '', refusal);
  await ask(server.url('kedja'), 'SELECT 1');
});

test('of two first starts at the same moment one wins', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  const held = await Promise.all([hold(t, dataDir), hold(t, dataDir)]);
  const winners = held.filter(({ url }) => url !== undefined);
  assert.equal(winners.length, 1);
  assert.match(held.find(({ error }) => error !== undefined)?.error ?? '', /is in use by process \d+/);
  await ask(winners[0]?.url ?? '', 'SELECT 1');
});

test('a cluster of another major version is refused with what to do', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  await (await start(t, dataDir)).stop();
  await writeFile(path.join(await clusterOf(dataDir), 'PG_VERSION'), '17\n');
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), {
    message: /is of PostgreSQL 17, this Kedja brings PostgreSQL 18\. .*pg_dump.*docs\/operations\/database\.md/,
  });
});

test('when its process is killed, the database stops by itself and its data is kept', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  const { child, url = '' } = await hold(t, dataDir);
  await ask(url, 'CREATE TABLE kept AS SELECT 1 AS n');
  const cluster = await clusterOf(dataDir);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(async () => (await serverProcesses(cluster)).length === 0);
  const server = await start(t, dataDir);
  assert.deepEqual(await ask(server.url('kedja'), 'SELECT n FROM kept'), [{ n: 1 }]);
});

test('an orphaned server, its pid file and a half-made cluster do not hinder the next start', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  const { child, url = '' } = await hold(t, dataDir);
  await ask(url, 'CREATE TABLE kept AS SELECT 1 AS n');
  const cluster = await clusterOf(dataDir);
  const orphan = await postmasterPid(cluster);
  await killGuard(orphan);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok((await serverProcesses(cluster)).includes(orphan ?? -1), 'the orphan still runs');
  await mkdir(path.join(cluster, '..', 'cluster.new-1', 'base'), { recursive: true });
  const server = await start(t, dataDir);
  assert.deepEqual(await ask(server.url('kedja'), 'SELECT n FROM kept'), [{ n: 1 }]);
  assert.notEqual(await postmasterPid(cluster), orphan);
  const names = await readdir(path.join(cluster, '..'));
  assert.deepEqual(
    names.filter((name) => name.startsWith('cluster')),
    ['cluster'],
  );
});

/** Ends the shell that watches over a server, as a group-wide SIGKILL would. */
async function killGuard(postmaster: number | undefined): Promise<void> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=', '-p', String(postmaster)]);
  process.kill(Number(stdout), 'SIGKILL');
  const { stdout: shells } = await promisify(execFile)('ps', ['-axo', 'pid=,pgid=,command=']);
  for (const line of shells.split('\n')) {
    const [pid, group] = line.trim().split(/\s+/).map(Number);
    if (group === Number(stdout) && line.includes('kedja-database') && pid !== Number(stdout))
      process.kill(pid!, 'SIGKILL');
  }
}

test('a pid file that names another living process does not prevent a start', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  await (await start(t, dataDir)).stop();
  const cluster = await clusterOf(dataDir);
  await writeFile(
    path.join(cluster, 'postmaster.pid'),
    `${process.pid}\n${cluster}\n1\n5432\n\n127.0.0.1\n1 1\nready   \n`,
  );
  const server = await start(t, dataDir);
  await ask(server.url('kedja'), 'SELECT 1');
});

test('a killed server is restarted on its port, and pools recover', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  const server = await start(t, dataDir);
  const database = createDatabase({ url: server.url('kedja'), schema: 'public' });
  t.after(() => database.close());
  await database.query('SELECT 1');
  const cluster = await clusterOf(dataDir);
  process.kill((await postmasterPid(cluster)) ?? 0, 'SIGKILL');
  await until(async () => {
    try {
      return (await database.query('SELECT 1')).rowCount === 1 && (await postmasterPid(cluster)) !== undefined;
    } catch (error) {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, 'unavailable');
      return false;
    }
  });
});

test('a temporary server removes its folder, also when its process is killed', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  const server = await start(t, dataDir, { temporary: true });
  await ask(server.url('kedja'), 'SELECT 1');
  await server.stop();
  await assert.rejects(stat(dataDir), { code: 'ENOENT' });
});

test('a cluster without its secret is refused, and so is one that is gone', async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  await (await start(t, dataDir)).stop();
  const base = path.join(dataDir, 'database');
  await rm(path.join(base, 'secret.json'));
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), { message: /secret\.json.*backup/ });
  await writeFile(path.join(base, 'location'), '/nowhere/at/all\n');
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), {
    message: /was kept in \/nowhere\/at\/all, which is gone/,
  });
});

test('as root, a folder closed to others keeps a pointer to where the database is', {
  skip: !isRoot(),
}, async (context) => {
  const t = lastFirst(context);
  const closed = await mkdtemp(path.join(homedir(), 'kedja-test-'));
  t.after(() => rm(closed, { recursive: true }));
  await chmod(closed, 0o700);
  const dataDir = path.join(closed, 'data');
  const messages: string[] = [];
  const server = await start(t, dataDir, { onProgress: (message) => messages.push(message) });
  const elsewhere = (await readFile(path.join(dataDir, 'database', 'location'), 'utf8')).trim();
  t.after(async () => {
    await rm(elsewhere, { recursive: true });
    await rmdir(path.dirname(elsewhere)).catch(() => {});
  });
  assert.ok(messages.some((message) => message.includes(elsewhere)));
  assert.equal((await stat(path.join(elsewhere, 'cluster'))).uid, (await chooseAccount())?.uid);
  await ask(server.url('kedja'), 'CREATE TABLE kept AS SELECT 1 AS n');
  await server.stop();
  const again = await start(t, dataDir);
  assert.deepEqual(await ask(again.url('kedja'), 'SELECT n FROM kept'), [{ n: 1 }]);
});

const nobody = { uid: 65_534, gid: 65_534 };
const isClosedCheckout = isRoot() && !(await mayAccess(nobody, '-r', holder));

test('as an ordinary user, the database is that user’s own', {
  skip: isClosedCheckout && 'another user cannot read this checkout',
}, async (context) => {
  const t = lastFirst(context);
  const dataDir = await dataFolder(t);
  if (isRoot()) await chmod(dataDir, 0o777);
  const { child, url = '', error } = await hold(t, dataDir, isRoot() ? nobody : undefined);
  assert.equal(error, undefined);
  await ask(url, 'SELECT 1');
  const owner = (await stat(await clusterOf(dataDir))).uid;
  assert.equal(owner, isRoot() ? nobody.uid : process.getuid?.());
  child.stdin?.end();
  await once(child, 'exit');
  // Root takes it over and goes on as that user.
  const server = await start(t, dataDir);
  await ask(server.url('kedja'), 'SELECT 1');
  assert.equal((await stat(await clusterOf(dataDir))).uid, owner);
});
