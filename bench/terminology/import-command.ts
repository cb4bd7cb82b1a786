// `kedja terminology import`, as an operator runs it: how long it takes, and the memory of the command.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { EngineSite } from '../engine/site.ts';
import { residentMegabytes } from '../load/processes.ts';

export interface MeasuredImport {
  readonly seconds: number;
  /** The largest resident set seen, in MB. */
  readonly megabytes: number;
}

/** @param folder the data folder of the command, and where it runs */
export async function runImport(site: EngineSite, folder: string, location: string): Promise<MeasuredImport> {
  const { PATH = '', HOME = '' } = process.env;
  const environment = { PATH, HOME, KEDJA_DATABASE_URL: site.databaseUrl, KEDJA_DATA_DIR: folder };
  const startedAt = performance.now();
  const command = path.join(import.meta.dirname, '..', '..', 'kedja.mjs');
  const child = spawn(process.execPath, [command, 'terminology', 'import', location], {
    env: environment,
    cwd: folder,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  const peak = watchMemory(child);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the import ended with ${String(code)}: ${errors}`);
  return { seconds: (performance.now() - startedAt) / 1000, megabytes: peak() };
}

const WATCH_MS = 200;

/** The largest resident set seen, in MB. */
function watchMemory(child: ChildProcess): () => number {
  let most = 0;
  const watch = setInterval(() => {
    void residentMegabytes(child.pid ?? 0).then((megabytes) => {
      most = Math.max(most, Number.isNaN(megabytes) ? 0 : megabytes);
    });
  }, WATCH_MS);
  child.once('exit', () => clearInterval(watch));
  return () => most;
}
