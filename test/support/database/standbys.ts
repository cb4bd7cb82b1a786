// A primary with hot standbys, each a PostgreSQL of its own. The embedded programs have no pg_basebackup, so the copies
// are made by the low-level backup interface (postgresql.org/docs/18/continuous-archiving.html).
import { chown, cp, lchown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Account } from '#lib/db/embedded/account.ts';
import { findBinaries, usableBinaries } from '#lib/db/embedded/binaries.ts';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { findHome, type Home } from '#lib/db/embedded/home.ts';
import { serverProcesses } from '#lib/db/embedded/leftovers.ts';
import { startOnFreePort } from '#lib/db/embedded/port.ts';
import { type Server, startServer } from '#lib/db/embedded/server.ts';
import { commandLine } from '#lib/db/embedded/settings.ts';
import type { Hooks } from '../hooks.ts';
import { temporaryDataDir } from './server.ts';

export interface TestStandby {
  /** `host:port`. */
  readonly name: string;
  /** The role of services, on the database `kedja`. */
  readonly url: string;
  /** Holds back what the primary sends, until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends all its processes at once (SIGKILL). */
  kill(): Promise<void>;
  /** Starts it again on its port, with what it has on disk. */
  restart(): Promise<void>;
  /** Runs a statement as the superuser. */
  ask<R extends object>(text: string): Promise<R[]>;
}

export interface ReplicatedDatabase {
  readonly url: string;
  readonly adminUrl: string;
  readonly standbys: readonly TestStandby[];
  /** Resolves when every running standby has what the primary has now. */
  caughtUp(): Promise<void>;
}

/** Settings of the copies alone: what is thrown away need not be safe on disk. */
const OWN_SETTINGS = ['-c', 'fsync=off', '-c', 'hot_standby=on'];
const PATIENCE_MS = 60_000;

/**
 * Starts a primary whose commits are as in production, and standbys. `prepare` fills the primary before it is copied.
 */
export async function startReplicatedDatabase(
  hooks: Hooks,
  { count, prepare = async () => {} }: { readonly count: number; readonly prepare?: (url: string) => Promise<void> },
): Promise<ReplicatedDatabase> {
  const dataDir = await temporaryDataDir();
  const primary = await startEmbeddedPostgres({ dataDir, log: () => {} });
  hooks.after(async () => {
    await primary.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
  const url = primary.url('kedja');
  await prepare(url);
  const home = await findHome(dataDir, () => {});
  const source = { adminUrl: primary.adminUrl, port: primary.port, home };
  const standbys: TestStandby[] = [];
  for (let number = 1; number <= count; number += 1) standbys.push(await startStandby(hooks, source, { number, url }));
  const { adminUrl } = primary;
  return { url, adminUrl, standbys, caughtUp: () => untilCaughtUp(adminUrl, standbys) };
}

interface Source {
  readonly adminUrl: string;
  readonly port: number;
  readonly home: Home;
}

async function startStandby(
  hooks: Hooks,
  source: Source,
  { number, url }: { readonly number: number; readonly url: string },
): Promise<TestStandby> {
  const folder = await temporaryDataDir();
  hooks.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const cluster = path.join(folder, 'cluster');
  await copyCluster(source, { cluster, slot: `standby_${number}` });
  const { account } = source.home;
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  await giveTree(cluster, account);
  const binaries = await usableBinaries(await findBinaries(), account, folder);
  const common = { binaries, cluster, logFile: path.join(folder, 'postgres.log'), account };
  const launch = (port: number) =>
    startServer({ ...common, settings: [...commandLine(port, true), ...OWN_SETTINGS] }, () => {});
  const first = await startOnFreePort(launch);
  const { port } = first;
  let server: Server | undefined = first.server;
  hooks.after(async () => server?.stop());
  const admin = addressOn(source.adminUrl, port);
  const ask = <R extends object>(text: string) => askOnce<R>(admin, text);
  return {
    name: `127.0.0.1:${port}`,
    url: addressOn(url, port),
    ask,
    pause: async () => void (await ask('SELECT pg_wal_replay_pause()')),
    resume: async () => void (await ask('SELECT pg_wal_replay_resume()')),
    async kill() {
      for (const pid of await serverProcesses(cluster)) endNow(pid);
      await server?.ended;
      server = undefined;
    },
    async restart() {
      await rm(path.join(cluster, 'postmaster.pid'), { force: true });
      server = await launch(port);
    },
  };
}

/** Files too, which the account reads and writes. */
async function giveTree(folder: string, account: Account): Promise<void> {
  if (account === undefined) return;
  await chown(folder, account.uid, account.gid);
  const names = await readdir(folder, { recursive: true });
  for (const name of names) await lchown(path.join(folder, name), account.uid, account.gid);
}

/** The process may have ended by itself. */
function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** What each server has for itself. */
const OWN_FILES = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot']);

/** Copies the files of the running primary, which says what has to be replayed to make them whole. */
async function copyCluster(
  { adminUrl, port, home }: Source,
  { cluster, slot }: { readonly cluster: string; readonly slot: string },
): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query('SELECT pg_create_physical_replication_slot($1, true)', [slot]);
    await admin.query('SELECT pg_backup_start($1, true)', [slot]);
    await mkdir(cluster, { mode: 0o700 });
    for (const name of await readdir(home.cluster)) {
      if (!OWN_FILES.has(name))
        await cp(path.join(home.cluster, name), path.join(cluster, name), { recursive: true, filter: isStill });
    }
    for (const name of ['pg_wal', 'pg_wal/archive_status', 'pg_replslot'])
      await mkdir(path.join(cluster, name), { mode: 0o700 });
    const { rows } = await admin.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(path.join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await admin.end();
  }
  await writeFile(path.join(cluster, 'standby.signal'), '');
  const { username, password } = new URL(adminUrl);
  const connection = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
  const settings = [`primary_conninfo = '${connection}'`, `primary_slot_name = '${slot}'`, 'hot_standby_feedback = on'];
  await writeFile(path.join(cluster, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
}

/** Temporary files come and go while others are copied. */
function isStill(file: string): boolean {
  return !/pgsql_tmp|pg_internal\.init/.test(file);
}

async function untilCaughtUp(adminUrl: string, standbys: readonly TestStandby[]): Promise<void> {
  const [now] = await askOnce<{ position: string }>(adminUrl, 'SELECT pg_current_wal_flush_lsn()::text AS position');
  const text = `SELECT pg_last_wal_replay_lsn() >= '${now?.position}' AS reached`;
  const end = performance.now() + PATIENCE_MS;
  for (const standby of standbys) {
    while ((await standby.ask<{ reached: boolean }>(text).catch(() => []))[0]?.reached !== true) {
      if (performance.now() > end) throw new Error('A standby does not catch up');
      await delay(20);
    }
  }
}

async function askOnce<R extends object>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}

function addressOn(url: string, port: number): string {
  const address = new URL(url);
  address.port = String(port);
  return address.href;
}
