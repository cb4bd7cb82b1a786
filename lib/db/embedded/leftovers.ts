// Cleans up after a killed process: a PostgreSQL that still runs, its pid file, an incomplete cluster. Only the holder
// of the folder's lock calls it, so nothing found here is in use.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { DatabaseLog } from '../connection.ts';

const run = promisify(execFile);
const POLL_MS = 20;
/** Each signal to the postmaster and how long it may take: fast shutdown, immediate shutdown, end. */
const ESCALATION: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/** The name under which a cluster is made before it is whole. */
const UNFINISHED = /^cluster\.new-/;

/** Ends an orphaned server of this cluster and removes files that would prevent a new one from starting. */
export async function clearLeftovers(home: string, cluster: string, log: DatabaseLog): Promise<void> {
  const orphans = await serverProcesses(cluster);
  if (orphans.length > 0) {
    log('warn', 'database_orphan_stopping', { pids: orphans });
    await endProcesses(cluster);
  }
  await rm(path.join(cluster, 'postmaster.pid'), { force: true });
  for (const name of await readdir(home)) {
    if (UNFINISHED.test(name)) await rm(path.join(home, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ends the server of a cluster, by ever harder signals. @throws Error when even SIGKILL leaves a process. */
export async function endProcesses(cluster: string): Promise<void> {
  for (const [signal, patience] of ESCALATION) {
    for (const pid of await targets(cluster, signal)) send(pid, signal);
    const end = performance.now() + patience;
    while (performance.now() < end) {
      if ((await serverProcesses(cluster)).length === 0) return;
      await delay(POLL_MS);
    }
  }
  throw new Error(
    `A PostgreSQL of ${cluster} cannot be stopped: processes ${(await serverProcesses(cluster)).join(', ')}`,
  );
}

/**
 * The postmaster gets the shutdown signals and passes them on. Without one, and at the end, every process gets the
 * signal.
 */
async function targets(cluster: string, signal: NodeJS.Signals): Promise<number[]> {
  const pids = await serverProcesses(cluster);
  if (signal === 'SIGKILL') return pids;
  const postmaster = await postmasterPid(cluster);
  return postmaster !== undefined && pids.includes(postmaster) ? [postmaster] : pids;
}

/** The pid in `postmaster.pid`, whether it lives or not. */
export async function postmasterPid(cluster: string): Promise<number | undefined> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isNaN(pid) ? undefined : pid;
}

/**
 * Every PostgreSQL process of the cluster: they all are in its folder (elsewhere than on Linux only the postmaster is
 * found).
 */
export async function serverProcesses(cluster: string): Promise<number[]> {
  if (process.platform !== 'linux') return postmastersByCommand(cluster);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      if (folder !== cluster) return [];
      const command = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
      return command.trim() === 'postgres' ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

async function postmastersByCommand(cluster: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-axo', 'pid=,command=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes('/bin/postgres ') && line.includes(` -D ${cluster} `))
    .map((line) => Number.parseInt(line, 10));
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
