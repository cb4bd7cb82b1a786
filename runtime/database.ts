// The PostgreSQL of a process: the database of KEDJA_DATABASE_URL, or an embedded one in the data folder.
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

/** Writes the database layer's events to the process's log. */
export function databaseLog(log: Logger): DatabaseLog {
  return (level, event, fields) => log[level]({ event, ...fields });
}
