// A separate PostgreSQL that a test may crash. It writes to disk as in production.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { postmasterPid } from '#lib/db/embedded/leftovers.ts';
import type { Hooks } from '../hooks.ts';
import { temporaryDataDir } from './server.ts';

export interface DurableDatabase {
  readonly url: string;
  /** The id of the running server process. */
  pid(): Promise<number | undefined>;
  /**
   * Crashes it; its supervisor starts it again on its port. Returns the id of the process, or undefined when none runs.
   */
  crash(): Promise<number | undefined>;
}

/** A durable database that its supervisor restarts on its port after a crash. */
export async function startDurableDatabase(hooks: Hooks): Promise<DurableDatabase> {
  const dataDir = await temporaryDataDir();
  const server = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  hooks.after(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
  const pid = () => postmasterPid(path.join(dataDir, 'database', 'cluster'));
  return {
    url: server.url('kedja'),
    pid,
    // SIGQUIT is what `pg_ctl stop -m immediate` sends: no checkpoint, every connection cut, recovery at the next
    // start.
    crash: async () => {
      const crashed = await pid();
      if (crashed !== undefined) process.kill(crashed, 'SIGQUIT');
      return crashed;
    },
  };
}
