// The composition root: reads the configuration, opens the database, starts the services, and ends in order (operations page).
import cluster from 'node:cluster';
import { createLogger, type Logger } from '#lib/log/logger.ts';
import { type Config, readConfig } from './config.ts';
import { openDatabase } from './runtime/database.ts';
import { nextStopSignal, shutDown, Teardown } from './runtime/shutdown.ts';
import { startSite } from './runtime/site.ts';
import { VERSION } from './runtime/version.ts';
import { startWorkers, workerCount } from './runtime/workers.ts';

/** `kedja start`: production. Answers the exit code. */
export async function runStart(): Promise<number> {
  const result = readConfig({ mode: 'production', environment: process.env, envFile: '.env' });
  if (!result.ok) return refuse(result.faults);
  const config = result.values;
  const { logLevel: level, logFormat: format, workers } = config.shared;
  const log = createLogger({ service: 'kedja', level, format });
  endOnBugs(log);
  const stopSignal = nextStopSignal();
  const teardown = new Teardown();
  const count = workerCount(workers);
  try {
    const { failed } = await (cluster.isPrimary && count > 1
      ? startPrimary(config, { count, log, teardown })
      : startProcess(config, { log, teardown }));
    const reason = await Promise.race([stopSignal, failed]);
    log.info({ event: 'process.stopping', reason });
  } catch (error) {
    explain(error, log);
    await shutDown(teardown, log);
    return 1;
  }
  const exitCode = await shutDown(teardown, log);
  // The channel to the primary would keep a worker alive.
  if (cluster.isWorker) process.disconnect?.();
  return exitCode;
}

interface Running {
  /** Resolves with the reason when the process cannot go on. */
  readonly failed: Promise<string>;
}

interface Surroundings {
  readonly log: Logger;
  readonly teardown: Teardown;
}

const NEVER = new Promise<never>(() => undefined);

/** The services in this process. */
async function startProcess(config: Config, { log, teardown }: Surroundings): Promise<Running> {
  const database = await openConfiguredDatabase(config, log);
  teardown.add(() => database.stop());
  const startPage = () => ({ version: VERSION, accounts: [], suggestions: [] });
  const site = await startSite({ config, databaseUrl: database.url, version: VERSION, startPage });
  teardown.add(() => site.stop());
  log.info({ event: 'process.started', version: VERSION, pid: process.pid });
  return { failed: NEVER };
}

/** The database in this process, and the services in several workers. */
async function startPrimary(
  config: Config,
  { count, log, teardown }: Surroundings & { count: number },
): Promise<Running> {
  const database = await openConfiguredDatabase(config, log);
  teardown.add(() => database.stop());
  const workers = startWorkers(count, { KEDJA_DATABASE_URL: database.url }, log);
  teardown.add(() => workers.stop());
  log.info({ event: 'process.started', version: VERSION, workers: count });
  return { failed: workers.failed.then(() => 'the workers cannot be kept running') };
}

function openConfiguredDatabase(config: Config, log: Logger) {
  const { databaseUrl, dataDir } = config.shared;
  const onProgress = (message: string) => log.info({ event: 'database.progress', message });
  return openDatabase({ url: databaseUrl?.reveal(), dataDir, log, onProgress });
}

/** Says everything that is missing or unsafe, for a person to read. */
function refuse(faults: readonly string[]): number {
  const list = faults.map((fault) => `  - ${fault}\n`).join('');
  process.stderr.write(`Kedja does not start with this configuration:\n${list}See docs/reference/configuration.md.\n`);
  return 1;
}

/** A start that fails says why in one line; the log has the rest. */
function explain(error: unknown, log: Logger): void {
  log.fatal({ event: 'process.start-failed', err: error });
  process.stderr.write(`Kedja cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
}

/** After an error that nobody caught the state is unknown: the process ends, and its supervisor starts it again. */
function endOnBugs(log: Logger): void {
  const end = (error: unknown) => {
    log.fatal({ event: 'process.uncaught', err: error });
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
