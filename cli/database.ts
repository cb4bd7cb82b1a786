// `kedja database`: runs only the embedded database, so that an operator can restore a dump or inspect it while no
// service runs.
import { join } from 'node:path';
import { withEnvFile } from '#lib/config/environment.ts';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { nextStopSignal } from '../runtime/shutdown.ts';
import { printable } from './printable.ts';

const USAGE = `usage: kedja database [data folder]

Runs the embedded database of the data folder (default: KEDJA_DATA_DIR, else ./data) until Ctrl-C.`;

/** Returns the exit code. */
export async function runDatabase(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  if (args.length > 1 || args[0]?.startsWith('-')) {
    console.error(`"${printable(args.join(' '))}" is not one data folder.\n\n${USAGE}`);
    return 1;
  }
  const dataDir = args[0] ?? withEnvFile(process.env, '.env')['KEDJA_DATA_DIR'] ?? './data';
  const stopped = nextStopSignal();
  // Neither a signal handler nor the database keeps the process alive.
  const stay = setInterval(() => {}, 2 ** 30);
  try {
    const server = await startEmbeddedPostgres({
      dataDir,
      log: () => {},
      onProgress: (message) => console.error(message),
    });
    console.log(
      `The database runs on port ${server.port} until Ctrl-C. Its address, with the password: ${urlFile(dataDir)}`,
    );
    await stopped;
    await server.stop();
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    clearInterval(stay);
  }
}

function urlFile(dataDir: string): string {
  return join(dataDir, 'database', 'url');
}
