// The composition root: reads the configuration, opens the database, starts the services, and shuts down in order
// (operations page).
import cluster from 'node:cluster';
import { createLogger } from '#lib/log/logger.ts';
import { type Config, readConfig } from './config.ts';
import {
  endOnBugs,
  explainFailure,
  openConfiguredDatabase,
  ownLogger,
  type ProcessOptions,
  refuseConfiguration,
  startProcess,
} from './runtime/process.ts';
import { endSoon, nextStopSignal, shutDown, stopLimitOf, Teardown } from './runtime/shutdown.ts';
import { VERSION } from './runtime/version.ts';
import { announceStarted, startWorkers, workerCount } from './runtime/workers.ts';

const NEVER = new Promise<never>(() => undefined);

/** `kedja start`: production. Returns the exit code. */
export async function runStart(): Promise<number> {
  const result = readConfig({ mode: 'production', environment: process.env, envFile: '.env' });
  if (!result.ok) return refuseConfiguration(result.issues);
  const exitCode = await runConfigured(result.values);
  endSoon(exitCode);
  // The channel to the primary process would keep a worker running.
  cluster.worker?.disconnect();
  return exitCode;
}

async function runConfigured(config: Config): Promise<number> {
  const { logLevel: level, logFormat: format, workers, stopSeconds } = config.shared;
  const root = createLogger({ level, format });
  const log = ownLogger(root);
  endOnBugs(log);
  const stopSignal = nextStopSignal({ isWorker: cluster.isWorker });
  const teardown = new Teardown();
  const options: ProcessOptions = {
    log: root,
    teardown,
    onProgress: (message) => log.info({ event: 'database.progress', message }),
    startPage: () => ({ version: VERSION, accounts: [], suggestions: [] }),
    drainMs: config.shared.drainSeconds * 1_000,
  };
  const count = workerCount(workers);
  const isPrimary = cluster.isPrimary && count > 1;
  const limitMs = stopLimitOf(stopSeconds, { isPrimary });
  try {
    const { failed } = isPrimary ? await startPrimary(config, count, options) : { failed: NEVER };
    if (!isPrimary) {
      await startProcess(config, options);
      announceStarted();
    }
    const reason = await Promise.race([stopSignal, failed]);
    log.info({ event: 'process.stopping', reason });
  } catch (error) {
    explainFailure(error, log);
    await shutDown(teardown, log, limitMs);
    return 1;
  }
  return shutDown(teardown, log, limitMs);
}

/** `kedja demo`: everything with demo data, which a production start does not load. Returns the exit code. */
export async function runDemo(): Promise<number> {
  const { startDemo } = await import('./demo/run.ts');
  return startDemo(process.env);
}

/**
 * The database in this process, and the services in several workers; `failed` rejects when they cannot be kept running.
 */
async function startPrimary(
  config: Config,
  count: number,
  options: ProcessOptions,
): Promise<{ failed: Promise<never> }> {
  const log = ownLogger(options.log);
  const database = await openConfiguredDatabase(config, options);
  // The address replaces one that was given as a file.
  const address = { KEDJA_DATABASE_URL: database.address.url, KEDJA_DATABASE_URL_FILE: '' };
  const workers = startWorkers(count, address, log);
  options.teardown.add(() => workers.stop());
  log.info({ event: 'process.started', version: VERSION, workers: count });
  const failed = workers.failed.then((): never => {
    throw new Error('the workers cannot be kept running');
  });
  return { failed };
}
