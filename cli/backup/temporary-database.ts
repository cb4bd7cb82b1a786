// An embedded database for a rehearsal, in a temporary folder that is removed however the process ends.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';

const NAME = 'kedja';

/** Runs `work` on an empty database. @throws Error when PostgreSQL cannot run there */
export async function withTemporaryDatabase<T>(work: (address: DatabaseAddress) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-rehearsal-'));
  // PostgreSQL may run as another account, which has to reach its own folder within.
  await chmod(dataDir, 0o711);
  try {
    const server = await startEmbeddedPostgres({
      dataDir,
      log: () => {},
      onProgress: (message) => console.error(message),
      databases: [NAME],
      durable: false,
      temporary: true,
    });
    try {
      return await work({ url: server.url(NAME) });
    } finally {
      await server.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
