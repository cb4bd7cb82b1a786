// The database of a process: the one that KEDJA_DATABASE_URL names, or the embedded PostgreSQL in the data folder.
import type { DatabaseLog } from '#lib/db/connection.ts';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import type { Logger } from '#lib/log/logger.ts';

const DATABASE_NAME = 'kedja';

export interface OpenedDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

export async function openDatabase(options: {
  url: string | undefined;
  dataDir: string;
  log: Logger;
  onProgress: (message: string) => void;
}): Promise<OpenedDatabase> {
  const { url, dataDir, log, onProgress } = options;
  if (url !== undefined) return { url, stop: async () => undefined };
  const embedded = await startEmbeddedPostgres({
    dataDir,
    log: databaseLog(log),
    onProgress,
    databases: [DATABASE_NAME],
  });
  return { url: embedded.url(DATABASE_NAME), stop: embedded.stop };
}

/** The database layer's events in the process's log. */
export function databaseLog(log: Logger): DatabaseLog {
  return (level, event, fields) => log[level]({ event, ...fields });
}
