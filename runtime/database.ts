// The PostgreSQL of a process: the database of KEDJA_DATABASE_URL with its standbys, or an embedded one in the data
// folder.
import { systemClock } from '#lib/clock.ts';
import type { DatabaseAddress, DatabaseLog } from '#lib/db/connection.ts';
import type { Database } from '#lib/db/database.ts';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { createPositionSeal } from '#lib/replicas/position.ts';
import { createReadReplicas, type ReadReplicas } from '#lib/replicas/read-replicas.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { Config } from '../config.ts';

const DATABASE_NAME = 'kedja';
/** Separates the key of positions from what else is derived. */
const POSITION_PURPOSE = 'read-position';

export interface OpenedDatabase {
  readonly address: DatabaseAddress;
  stop(): Promise<void>;
}

/** Where the database of the operator's own is; undefined for the embedded one. */
export function configuredAddress({ shared }: Config): DatabaseAddress | undefined {
  const { databaseUrl, databaseDirectUrl, databasePooling: pooling } = shared;
  if (databaseUrl === undefined) return undefined;
  return { url: databaseUrl.reveal(), directUrl: databaseDirectUrl?.reveal(), pooling };
}

export async function openDatabase(options: {
  address: DatabaseAddress | undefined;
  dataDir: string;
  log: Logger;
  onProgress: (message: string) => void;
}): Promise<OpenedDatabase> {
  const { address, dataDir, log, onProgress } = options;
  if (address !== undefined) return { address, stop: async () => undefined };
  const embedded = await startEmbeddedPostgres({
    dataDir,
    log: databaseLog(log),
    onProgress,
    databases: [DATABASE_NAME],
  });
  return { address: { url: embedded.url(DATABASE_NAME) }, stop: embedded.stop };
}

/** Writes the database layer's events to the process's log. */
export function databaseLog(log: Logger): DatabaseLog {
  return (level, event, fields) => log[level]({ event, ...fields });
}

/** The standbys of KEDJA_DATABASE_READ_URL, of which the engine reads; undefined where none are configured. */
export function configuredReplicas(
  { shared }: Pick<Config, 'shared'>,
  options: { readonly primary: Database; readonly log: Logger; readonly metrics: Metrics; readonly keys: KeySet },
): ReadReplicas | undefined {
  const { databaseReadUrls, databaseReadMaxLag: maxLagMs, databasePooling: pooling } = shared;
  if (databaseReadUrls === undefined) return undefined;
  const { primary, log, metrics, keys } = options;
  return createReadReplicas({
    primary,
    clock: systemClock,
    metrics,
    maxLagMs,
    urls: databaseReadUrls.map((url) => url.reveal()),
    connection: { pooling, applicationName: `kedja-${primary.schema}-reads` },
    log: databaseLog(log),
    seal: createPositionSeal(keys.indexKey(POSITION_PURPOSE)),
  });
}
