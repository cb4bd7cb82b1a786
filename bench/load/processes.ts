// The processes that a benchmark starts beside itself: the service as an operator starts it, and the bare limits.
import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const READY_MS = 30_000;

/**
 * `kedja start` with exactly this environment besides PATH and HOME; its log, at the production level, goes to the
 * file. Options for Node itself, such as `--cpu-prof`, are taken from BENCH_NODE_ARGUMENTS.
 */
export async function spawnKedja(
  environment: Readonly<Record<string, string>>,
  logFile: string,
): Promise<ChildProcess> {
  const { PATH = '', HOME = '', BENCH_NODE_ARGUMENTS = '' } = process.env;
  const nodeArguments = BENCH_NODE_ARGUMENTS.split(' ').filter((each) => each !== '');
  const log = await open(logFile, 'w');
  const service = spawn(
    process.execPath,
    [...nodeArguments, path.join(import.meta.dirname, '..', '..', 'kedja.mjs'), 'start'],
    {
      env: { PATH, HOME, ...environment },
      stdio: ['ignore', log.fd, 'inherit'],
    },
  );
  await log.close();
  return service;
}

/** @throws Error when the service ends, or is not ready in time */
export async function untilReady(service: ChildProcess, port: number): Promise<void> {
  for (let waited = 0; !(await isReady(port)); waited += 20) {
    if (service.exitCode !== null || waited > READY_MS) throw new Error('the service did not become ready');
    await delay(20);
  }
}

/** Whether a service of this machine answers that it is ready, within a second. */
export async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

/** Asks the process of bare limits for a number. @throws Error with what it answers instead */
export function askBare(bare: ChildProcess, job: object): Promise<number> {
  return new Promise((resolve, reject) => {
    bare.once('message', (answer: { value?: number; error?: string }) => {
      if (answer.value === undefined) reject(new Error(answer.error));
      else resolve(answer.value);
    });
    bare.send(job);
  });
}

/** The resident memory of a process in MiB; NaN where the system does not report it. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** Ends the process; resolves when it has ended. */
export function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
