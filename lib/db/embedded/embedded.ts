// The embedded PostgreSQL 18: starts a server from a data folder, without an installed PostgreSQL
// (docs/adr/0001-embedded-postgresql.md).
import { chmod, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import path from 'node:path';
import type { DatabaseLog } from '../connection.ts';
import { findBinaries, majorVersion, usableBinaries } from './binaries.ts';
import { clusterVersion, makeCluster, requireVersion } from './cluster.ts';
import { chownTree, findHome, type Home } from './home.ts';
import { clearLeftovers } from './leftovers.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { startOnFreePort } from './port.ts';
import { prepareDatabases } from './roles.ts';
import { ADMIN_ROLE, makeSecrets, OWNER_ROLE, publishUrl, readSecrets, withdrawUrl } from './secrets.ts';
import { type Server, startServer } from './server.ts';
import { commandLine, thisMachine, tuning } from './settings.ts';
import { supervise } from './supervisor.ts';

export interface EmbeddedOptions {
  /** KEDJA_DATA_DIR; the database is kept in its folder `database`. */
  readonly dataDir: string;
  readonly log: DatabaseLog;
  /** Called with a short text about each step that takes long enough to be shown to a person. */
  readonly onProgress?: (message: string) => void;
  /** Databases that are there, owned by `kedja`, when the call returns. Default: `kedja`. */
  readonly databases?: readonly string[];
  /** `false` gives up durability for speed: for what is thrown away. */
  readonly durable?: boolean;
  /** Removes the whole data folder when the server ends, however this process ends: for what is thrown away. */
  readonly temporary?: boolean;
  /** A port to prefer, for a restart that pools are to survive. */
  readonly port?: number;
}

export interface EmbeddedPostgres {
  readonly port: number;
  /** The superuser, on the database `postgres`. */
  readonly adminUrl: string;
  /** The role `kedja`, which owns the databases and is no superuser. */
  url(database: string): string;
  /** Fast shutdown; then the data folder is free for another process. */
  stop(): Promise<void>;
}

/**
 * Starts the database of a data folder, or creates it, and keeps it running until `stop`. A server that ends by itself
 * is restarted on the same port.
 * @throws Error in one line when another process uses the folder, another major version made it, or PostgreSQL cannot
 * run.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const home = await findHome(options.dataDir, (folder, reason) => {
    options.log('warn', 'database_placed_elsewhere', { folder, reason });
    options.onProgress?.(`The database is kept in ${folder}, since ${reason}`);
  });
  const lock = await lockFolder(home.base);
  try {
    return await startLocked(home, lock, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startLocked(home: Home, lock: FolderLock, options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log, temporary = false, databases = ['kedja'] } = options;
  await clearLeftovers(home.folder, home.cluster, log);
  const { binaries, secrets } = await prepareCluster(home, options);
  if (temporary) await chownTree(options.dataDir, home.account);
  const launch = launcher(home, binaries, options);
  const { server, port } = await startOnFreePort(launch, options.port);
  const url = (database: string) => address(OWNER_ROLE, secrets.owner, port, database);
  const adminUrl = address(ADMIN_ROLE, secrets.admin, port, 'postgres');
  try {
    await prepareDatabases(adminUrl, secrets, databases);
    await publishUrl(home.base, url(databases[0] ?? 'postgres'));
  } catch (error) {
    await server.stop();
    throw error;
  }
  log('info', 'database_started', { port, folder: home.folder });
  const supervised = supervise(server, temporary ? undefined : () => relaunch(home, () => launch(port), log), log);
  const stop = once(async () => {
    await supervised.stop();
    if (temporary) return;
    await withdrawUrl(home.base);
    await lock.release();
  });
  return { port, adminUrl, url, stop };
}

/** Makes the cluster if there is none, and writes the settings for this machine. */
async function prepareCluster(home: Home, { durable = true, onProgress = () => {} }: EmbeddedOptions) {
  const found = await findBinaries();
  const existing = await clusterVersion(home.cluster);
  if (existing !== undefined) requireVersion(home.cluster, existing, majorVersion(found));
  const binaries = await usableBinaries(found, home.account, home.folder);
  const secrets = existing === undefined ? await makeSecrets(home.base) : await readSecrets(home.base);
  if (existing === undefined) {
    onProgress('Making the database');
    await makeCluster(home, binaries, secrets.admin, durable);
  }
  const settings = path.join(home.cluster, 'kedja.conf');
  await writeFile(settings, tuning(thisMachine(totalmem(), process.constrainedMemory())));
  await chmod(settings, 0o644);
  return { binaries, secrets };
}

function launcher(home: Home, binaries: string, options: EmbeddedOptions): (port: number) => Promise<Server> {
  const { dataDir, durable = true, temporary = false, onProgress = () => {} } = options;
  const common = {
    binaries,
    cluster: home.cluster,
    logFile: path.join(home.folder, 'postgres.log'),
    account: home.account,
    ...(temporary ? { removeAtEnd: dataDir } : {}),
  };
  const onWait = (seconds: number) => onProgress(`Waiting for the database to recover (${seconds} s)`);
  return (port) => startServer({ ...common, settings: commandLine(port, durable) }, onWait);
}

async function relaunch(home: Home, launch: () => Promise<Server>, log: DatabaseLog): Promise<Server> {
  await clearLeftovers(home.folder, home.cluster, log);
  return launch();
}

function address(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
