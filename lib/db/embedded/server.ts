// Runs one `postgres`, with a shell as its guard. When our end of the guard's pipe closes, also by SIGKILL, the guard
// stops the server. The server has a session of its own, so that Ctrl-C in a terminal does not stop it before the
// services are done.
import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, asAccount } from './account.ts';
import { endProcesses } from './leftovers.ts';

/**
 * $1: a folder to remove at the end, or nothing; then the command. The loop ends when our process does. The guard
 * ignores signals to a whole group (a shutdown of the machine), because PostgreSQL handles them itself.
 */
const GUARD = `
trap '' HUP INT TERM
exec 3<&0 </dev/null
remove=$1; shift
"$@" 3<&- &
server=$!
{ while read -r _; do :; done; kill -INT "$server"; } <&3 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"; status=$?
kill -KILL "$watcher" 2>/dev/null
[ -z "$remove" ] || rm -rf "$remove"
exit "$status"
`;

const POLL_MS = 10;
/** A fast shutdown writes a checkpoint; after this long the server is ended harder, and recovers at its next start. */
const STOP_PATIENCE_MS = 8_000;
/** The smallest log file that is put aside at a start. */
const LOG_ROTATION_BYTES = 10 * 2 ** 20;

export interface ServerOptions {
  readonly binaries: string;
  readonly cluster: string;
  readonly logFile: string;
  readonly account: Account;
  readonly settings: readonly string[];
  /** A folder that is removed when the server has ended. */
  readonly removeAtEnd?: string;
}

export interface Server {
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Fast shutdown. */
  stop(): Promise<void>;
}

/** Another process listens on the port. */
export class PortTaken extends Error {}

/**
 * Starts the server and waits until it accepts connections. Crash recovery may take long. `onWait` is called each
 * second.
 * @throws PortTaken; Error with the log's last words when the server ends instead.
 */
export async function startServer(options: ServerOptions, onWait: (seconds: number) => void): Promise<Server> {
  const { child, logStart } = await launch(options);
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      hasEnded = true;
      resolve();
    };
    child.once('exit', end);
    child.once('error', end);
  });
  const started = performance.now();
  let seconds = 0;
  while (!(await isReady(options.cluster))) {
    if (hasEnded) throw await failure(options.logFile, logStart);
    await delay(POLL_MS);
    if (performance.now() - started < (seconds + 1) * 1000) continue;
    seconds += 1;
    onWait(seconds);
  }
  // A process that does not stop the database can still exit; the guard then stops the database.
  child.unref();
  return { ended, stop: () => stop(child, ended, options.cluster) };
}

async function launch(options: ServerOptions): Promise<{ child: ChildProcess; logStart: number }> {
  await rotate(options.logFile);
  const log = await open(options.logFile, 'a', 0o600);
  try {
    const logStart = (await log.stat()).size;
    const command = [path.join(options.binaries, 'bin', 'postgres'), '-D', options.cluster, ...options.settings];
    const child = spawn('/bin/sh', ['-c', GUARD, 'kedja-database', options.removeAtEnd ?? '', ...command], {
      ...asAccount(options.account),
      detached: true,
      stdio: ['pipe', log.fd, log.fd],
    });
    child.stdin?.on('error', () => {});
    return { child, logStart };
  } finally {
    await log.close();
  }
}

/** PostgreSQL writes its state into the eighth line of its pid file. */
async function isReady(cluster: string): Promise<boolean> {
  const lines = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[7]?.trim() === 'ready';
}

async function stop(child: ChildProcess, ended: Promise<void>, cluster: string): Promise<void> {
  child.ref();
  child.stdin?.end();
  const patience = new AbortController();
  const tooLong = delay(STOP_PATIENCE_MS, 'late', { signal: patience.signal }).catch(() => 'ended');
  const outcome = await Promise.race([ended, tooLong]);
  patience.abort();
  if (outcome !== 'late') return;
  await endProcesses(cluster);
  await ended;
}

async function failure(logFile: string, logStart: number): Promise<Error> {
  const text = (await readFile(logFile)).subarray(logStart).toString('utf8').trim();
  if (text.includes('could not bind')) return new PortTaken('The port is taken');
  const lines = text.split('\n');
  const reason = lines.find((line) => /(FATAL|PANIC):/.test(line)) ?? (lines.slice(-3).join(' ') || 'it left no word');
  return new Error(`PostgreSQL did not start: ${reason} (log: ${logFile})`);
}

async function rotate(logFile: string): Promise<void> {
  const found = await stat(logFile).catch(() => undefined);
  if (found === undefined || found.size < LOG_ROTATION_BYTES) return;
  await rename(logFile, `${logFile}.old`);
}
