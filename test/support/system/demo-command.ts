// `kedja demo` as a person starts it, on a database and a data folder of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '../database/database.ts';
import { type Hooks, lastFirst } from '../hooks.ts';
import { eventually } from '../http.ts';
import { type KedjaProcess, startKedja, systemPorts } from './processes.ts';

export interface DemoCommand {
  readonly gateway: string;
  /** Starts it and waits until it has printed that it runs. */
  start(): Promise<KedjaProcess>;
}

const READY_WITHIN_MS = 300_000;

export async function prepareDemoCommand(hooks: Hooks): Promise<DemoCommand> {
  const ordered = lastFirst(hooks);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-demo-'));
  ordered.after(() => rm(dataDir, { recursive: true, force: true }));
  const { url } = await createTestDatabase(ordered);
  const { ports, environment } = await systemPorts();
  return {
    gateway: `http://127.0.0.1:${ports.gateway}`,
    start: async () => {
      const kedja = startKedja(['demo'], { ...environment, KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: dataDir });
      ordered.after(async () => void (await kedja.end('SIGKILL')));
      await eventually(
        'the demo ran',
        async () => {
          if (kedja.child.exitCode !== null) throw new Error(`the demo ended early:\n${kedja.output()}`);
          return kedja.output().includes('Kedja is running') ? true : undefined;
        },
        READY_WITHIN_MS,
      );
      return kedja;
    },
  };
}
