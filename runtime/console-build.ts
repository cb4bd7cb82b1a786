// The built console for the gateway of this process: built at the start when it is missing, and read into memory
// (docs/adr/0093).
import type { Logger } from '#lib/log/logger.ts';
import { ensureConsole } from '../console/build/ensure.ts';
import { type ConsoleFiles, readConsoleFiles } from '../gateway/console/files.ts';

export interface ConsoleBuild {
  /** Undefined until it is built. */
  files(): ConsoleFiles | undefined;
  /** Begins; the services do not wait for it. */
  start(): void;
  /** Resolves when the build has ended, also when it has failed. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

export function createConsoleBuild(log: Logger): ConsoleBuild {
  const end = new AbortController();
  let files: ConsoleFiles | undefined;
  let building: Promise<void> | undefined;

  async function build(): Promise<void> {
    try {
      files = await readConsoleFiles(await ensureConsole(end.signal));
      log.info({ event: 'console.ready', files: files.assets.size });
    } catch (error) {
      if (!end.signal.aborted) log.error({ event: 'console.build-failed', err: error });
    }
  }

  return {
    files: () => files,
    start() {
      building = build();
    },
    ended: async () => building,
    async stop() {
      end.abort();
      await building;
    },
  };
}
