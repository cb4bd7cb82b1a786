// Creates the cluster on disk atomically, and recognises one that these programs cannot open.
import { execFile } from 'node:child_process';
import { appendFile, chown, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Account, asAccount } from './account.ts';
import type { Home } from './home.ts';
import { ADMIN_ROLE } from './secrets.ts';

const run = promisify(execFile);

/** The major version of the cluster, or `undefined` when there is none. */
export async function clusterVersion(cluster: string): Promise<string | undefined> {
  const text = await readFile(path.join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** @throws Error with what to do, when a cluster was made by another major version. */
export function requireVersion(cluster: string, found: string, ours: string): void {
  if (found === ours) return;
  throw new Error(
    `The database in ${cluster} is of PostgreSQL ${found}, this Kedja brings PostgreSQL ${ours}. ` +
      `Run "kedja database" of the Kedja that made it, save with pg_dump, move the folder ${path.dirname(cluster)} away, ` +
      'run it of this Kedja, and load the dump (docs/operations/database.md, "Another major version")',
  );
}

/**
 * Makes a cluster with UTF-8, sorted by code point, with data checksums, and SCRAM for everybody. The collation is
 * `C.UTF-8` of PostgreSQL itself, so that no library update of the system can break an index. ICU collations such as
 * `sv-x-icu` are there for a query that wants them.
 */
export async function makeCluster(home: Home, binaries: string, password: string, durable: boolean): Promise<void> {
  const unfinished = path.join(home.folder, `cluster.new-${process.pid}`);
  const passwordFile = `${unfinished}.password`;
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await Promise.all([give(unfinished, home.account), give(passwordFile, home.account)]);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = [
    `--username=${ADMIN_ROLE}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-c',
    'scram_iterations=1',
  ];
  const rest = ['--no-instructions', ...(durable ? [] : ['--no-sync'])];
  try {
    const initdb = path.join(binaries, 'bin', 'initdb');
    await run(initdb, [`--pgdata=${unfinished}`, ...locale, ...access, ...rest], asAccount(home.account));
  } catch (error) {
    throw new Error(`A database could not be made in ${home.folder}: ${lastWords(error)}`, { cause: error });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await appendFile(path.join(unfinished, 'postgresql.conf'), "\ninclude_if_exists = 'kedja.conf'\n");
  await rename(unfinished, home.cluster);
  await sync(home.folder);
}

/** Makes the new name durable before anything in it counts as durable. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

async function give(file: string, account: Account): Promise<void> {
  if (account !== undefined) await chown(file, account.uid, account.gid);
}

function lastWords(error: unknown): string {
  const { stderr } = Object(error);
  const lines = typeof stderr === 'string' ? stderr.trim().split('\n') : [];
  return lines.find((line) => line.includes('error:')) ?? lines.at(-1) ?? String(error);
}
