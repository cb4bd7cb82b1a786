// How long a service takes from its launch to its first "ready" on an existing database, and what the idle process
// weighs. It is compared with a bare Fastify server with one database connection, launched the same way.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { startKedja } from '#test/support/system/processes.ts';
import { isReady, residentMegabytes } from './load/processes.ts';

const RUNS = 5;
const IDLE_MS = 5_000;
const POLL_MS = 5;
const START_LIMIT_MS = 120_000;
const ALL = 'identity,engine,dispatch,console';

type IsUp = (port: number) => Promise<boolean>;

interface Started {
  readonly milliseconds: number;
  /** Resident set size after a while of idling, in MiB. */
  readonly megabytes: number;
}

/** Busy processes for each core, beside which a start is measured. */
const OVERBOOKED = 4;
/** A start beside them may take so many times as long as on an idle machine. */
const MUST_RATIO = 5;

/** Launches a process, waits until the port is ready, lets it idle and ends it. */
type Launch = (port: number) => { pid: number; end(): Promise<unknown> };

export async function benchStart(): Promise<boolean> {
  const folder = await temporaryDataDir();
  const keys = await mkdtemp(path.join(tmpdir(), 'kedja-bench-'));
  const database = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
  try {
    const url = database.url('kedja');
    await measure(launchKedja(ALL, 'identity', { url, keys }), 0);
    const bare = await medianOf(launchBare(url), 0);
    report('a bare Fastify server with pg', bare, bare);
    for (const service of ['identity', 'engine', 'dispatch']) {
      report(service, await medianOf(launchKedja(service, service, { url, keys }), 0), bare);
    }
    const all = launchKedja(ALL, 'dispatch', { url, keys });
    report('all services and the gateway', await medianOf(all, IDLE_MS), bare);
    return await benchOverbooked(all);
  } finally {
    await database.stop();
    await Promise.all([folder, keys].map((name) => rm(name, { recursive: true, force: true, maxRetries: 5 })));
  }
}

/**
 * From the launch to "ready", on an idle machine and on one that others keep busy; whether the second is fast enough
 * beside the first.
 */
async function benchOverbooked(launch: Launch): Promise<boolean> {
  const idle = await medianOf(launch, 0, isReady);
  const others = Array.from({ length: OVERBOOKED * availableParallelism() }, () =>
    // Ends by itself, should nobody end it.
    spawn(process.execPath, ['-e', `const end = Date.now() + ${START_LIMIT_MS}; while (Date.now() < end);`]),
  );
  try {
    const busy = await medianOf(launch, 0, isReady);
    const ratio = busy.milliseconds / idle.milliseconds;
    const isMet = ratio <= MUST_RATIO;
    console.log(
      `start  ready: idle ${idle.milliseconds.toFixed(0)} ms, ${OVERBOOKED} × overbooked ${busy.milliseconds.toFixed(0)} ms: ${ratio.toFixed(1)} × (must ${MUST_RATIO}) ${isMet ? 'ok' : 'MISSED'}`,
    );
    return isMet;
  } finally {
    for (const other of others) other.kill();
  }
}

function launchBare(url: string): Launch {
  return (port) => {
    const script = path.join(import.meta.dirname, 'bare-server.ts');
    const environment = { ...process.env, BARE_DATABASE_URL: url, BARE_PORT: String(port) };
    const child = spawn(process.execPath, [script], { env: environment, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    return {
      pid: child.pid ?? 0,
      end: () => {
        child.kill('SIGTERM');
        return ended;
      },
    };
  };
}

function launchKedja(services: string, watched: string, site: { url: string; keys: string }): Launch {
  return (port) => {
    const kedja = startKedja(['start'], {
      KEDJA_SERVICES: services,
      KEDJA_PUBLIC_URL: 'http://localhost:8080',
      KEDJA_IDENTITY_PORT: '0',
      KEDJA_ENGINE_PORT: '0',
      KEDJA_DISPATCH_PORT: '0',
      KEDJA_CONSOLE_PORT: '0',
      [`KEDJA_${watched.toUpperCase()}_PORT`]: String(port),
      KEDJA_DATABASE_URL: site.url,
      KEDJA_DATA_DIR: site.keys,
      KEDJA_ADMIN_EMAIL: 'admin@example.org',
      KEDJA_ADMIN_PASSWORD: 'skogens-grona-stigar-1',
      KEDJA_SERVICE_CLIENTS:
        'identity:a-secret-for-benches-1,engine:a-secret-for-benches-2,dispatch:a-secret-for-benches-3',
      KEDJA_LOG_LEVEL: 'error',
    });
    return { pid: kedja.child.pid ?? 0, end: () => kedja.end('SIGTERM') };
  };
}

async function medianOf(launch: Launch, idleMs: number, isUp: IsUp = answers): Promise<Started> {
  const runs: Started[] = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(launch, idleMs, isUp));
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return {
    milliseconds: middle(runs.map((run) => run.milliseconds)),
    megabytes: middle(runs.map((run) => run.megabytes)),
  };
}

/** Listening is what is timed: a service whose peers are away is up, and not ready until they are there. */
async function measure(launch: Launch, idleMs: number, isUp: IsUp = answers): Promise<Started> {
  const [port = 0] = await freePorts(1);
  const startedAt = performance.now();
  const running = launch(port);
  while (!(await isUp(port))) {
    if (performance.now() - startedAt > START_LIMIT_MS) throw new Error('the process did not start in time');
    await delay(POLL_MS);
  }
  const milliseconds = performance.now() - startedAt;
  await delay(idleMs);
  const megabytes = await residentMegabytes(running.pid);
  await running.end();
  return { milliseconds, megabytes };
}

async function answers(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  }
}

function report(name: string, found: Started, bare: Started): void {
  const time = `${found.milliseconds.toFixed(0)} ms`.padStart(9);
  const ratio = `${(found.milliseconds / bare.milliseconds).toFixed(1)} ×`.padStart(8);
  console.log(`start  ${name.padEnd(32)} ${time} ${ratio} ${found.megabytes.toFixed(0).padStart(6)} MiB`);
}
