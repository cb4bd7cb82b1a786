// Kedja as its operators start it: `kedja start` in processes of its own, on free ports, ended with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { call, eventually } from './http.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

export interface KedjaProcess {
  readonly child: ChildProcess;
  /** Everything it has written to standard output and error. */
  output(): string;
  /** Sends the signal and resolves with the exit code (or the signal's name) when the process has ended. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

/** Starts `kedja <arguments>` with exactly this environment besides PATH and HOME. */
export function startKedja(args: readonly string[], environment: Readonly<Record<string, string>>): KedjaProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [path.join(ROOT, 'kedja.mjs'), ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return {
    child,
    output: () => Buffer.concat(chunks).toString('utf8'),
    end: (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}

/** Waits until every address answers that it is ready; fails at once when the process ends before. */
export async function untilReady(kedja: KedjaProcess, origins: readonly string[]): Promise<void> {
  for (const origin of origins) {
    await eventually(
      () => `${origin} was ready:\n${kedja.output()}`,
      async () => {
        if (kedja.child.exitCode !== null) throw new Error(`the process ended early:\n${kedja.output()}`);
        return isReady(origin);
      },
      30_000,
    );
  }
}

/** Ports that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function isReady(origin: string): Promise<true | undefined> {
  try {
    await call(`${origin}/readyz`, { expect: 200 });
    return true;
  } catch {
    return undefined;
  }
}
