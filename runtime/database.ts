// The PostgreSQL of a process: the database of KEDJA_DATABASE_URL, or an embedded one in the data folder.
import type { DatabaseAddress, DatabaseLog } from '#lib/db/connection.ts';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Config } from '../config.ts';

const DATABASE_NAME = 'kedja';

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
