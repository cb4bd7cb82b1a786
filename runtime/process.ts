// Starts one process of Kedja: its database and its services, whichever command asked for it.
import { ServiceError } from '#lib/errors.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Config } from '../config.ts';
import type { StartPageContent } from '../gateway/start-page.ts';
import { configuredAddress, type OpenedDatabase, openDatabase } from './database.ts';
import { deferGarbageCollection } from './garbage.ts';
import type { Teardown } from './shutdown.ts';
import { type Site, startSite } from './site.ts';
import { VERSION } from './version.ts';

export interface ProcessOptions {
  /** The process's logger; each service logs through a child of it. */
  readonly log: Logger;
  /** Collects everything that must be stopped at the end. */
  readonly teardown: Teardown;
  /** Called with a short message at slow steps, for a person to read. */
  readonly onProgress: (message: string) => void;
  readonly startPage: () => StartPageContent;
  /** How long idle connections stay open during the shutdown, in milliseconds. */
  readonly drainMs: number;
}

/** Opens the database and starts the configured services. */
export async function startProcess(config: Config, options: ProcessOptions): Promise<Site> {
  const { log, teardown, startPage, drainMs } = options;
  deferGarbageCollection(config.shared.services);
  const database = await openConfiguredDatabase(config, options);
  const site = await startSite({ config, database: database.address, version: VERSION, log, startPage, drainMs });
  teardown.add(() => site.stop());
  ownLogger(log).info({ event: 'process.started', version: VERSION, pid: process.pid });
  return site;
}

/** Opens the configured database; the teardown closes it. */
export async function openConfiguredDatabase(
  config: Config,
  { log, teardown, onProgress }: Omit<ProcessOptions, 'startPage' | 'drainMs'>,
): Promise<OpenedDatabase> {
  const { dataDir } = config.shared;
  const address = configuredAddress(config);
  const database = await openDatabase({ address, dataDir, log: ownLogger(log), onProgress });
  teardown.add(() => database.stop());
  return database;
}

/** The log of the process itself, apart from its services. */
export function ownLogger(log: Logger): Logger {
  return log.child({ service: 'kedja' });
}

/** Prints every missing or unsafe setting for a person; returns the exit code. */
export function refuseConfiguration(issues: readonly string[]): number {
  const list = issues.map((issue) => `  - ${issue}\n`).join('');
  process.stderr.write(`Kedja does not start with this configuration:\n${list}See docs/reference/configuration.md.\n`);
  return 1;
}

/** Prints why the start failed in one line; the log has the rest. */
export function explainFailure(error: unknown, log: Logger): void {
  log.fatal({ event: 'process.start-failed', err: error });
  process.stderr.write(`Kedja cannot start: ${explainError(error)}\n`);
}

/** For an unavailable database the driver's message: host, user or database, never a password. */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isAway = error instanceof ServiceError && error.code === 'unavailable' && error.cause instanceof Error;
  if (!isAway) return error.message;
  const [first] = error.cause instanceof AggregateError ? error.cause.errors : [error.cause];
  const message = first instanceof Error ? first.message : String(first);
  // PgBouncer's words for the settings of a connection that it does not keep.
  const advice = message.includes('unsupported startup parameter')
    ? '. Behind PgBouncer set KEDJA_DATABASE_POOLING and KEDJA_DATABASE_DIRECT_URL: see docs/operations/pooler.md'
    : '';
  return `the database cannot be used: ${message}${advice}`;
}

/** Ends the process after an uncaught error, as its state is unknown. Its supervisor starts it again. */
export function endOnBugs(log: Logger): void {
  const end = (error: unknown) => {
    log.fatal({ event: 'process.uncaught', err: error });
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
