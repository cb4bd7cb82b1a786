// Kedja as its operators start it: `kedja start` in processes of its own, on free ports, ended with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { call, eventually } from '../http.ts';
import { freePorts } from './free-ports.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
/** The limit of a start, which takes half a minute beside many other tests on few cores. */
const READY_WITHIN_MS = 90_000;

export interface KedjaProcess {
  readonly child: ChildProcess;
  /** Everything it has written to standard output and error. */
  output(): string;
  /** Sends the signal and resolves with the exit code (or the signal's name) when the process has ended. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

type Environment = Readonly<Record<string, string>>;

/**
 * `kedja <arguments>` with exactly this environment besides PATH, HOME and where Node.js keeps what it has compiled.
 */
function spawnKedja(args: readonly string[], environment: Environment, cwd?: string) {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  return spawn(process.execPath, [path.join(ROOT, 'kedja.mjs'), ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export interface CommandOutcome {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a command that ends by itself. */
export function startCommand(
  args: readonly string[],
  environment: Environment,
  cwd?: string,
): { readonly child: ChildProcess; readonly ended: Promise<CommandOutcome> } {
  const child = spawnKedja(args, environment, cwd);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<CommandOutcome>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}

/**
 * Starts `kedja <arguments>` with exactly this environment, as services that run until they are ended. On an overbooked
 * machine the end takes longer than operators allow it.
 */
export function startKedja(args: readonly string[], environment: Environment): KedjaProcess {
  const child = spawnKedja(args, { KEDJA_STOP_SECONDS: '120', ...environment });
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

/** Waits until every address is ready; fails at once when the process ends before. */
export async function untilReady(kedja: KedjaProcess, origins: readonly string[]): Promise<void> {
  for (const origin of origins) await untilOk(kedja, `${origin}/readyz`);
}

/** The same for one that listens and need not be ready, as a gateway without the services behind it. */
export async function untilLive(kedja: KedjaProcess, origin: string): Promise<void> {
  await untilOk(kedja, `${origin}/livez`);
}

async function untilOk(kedja: KedjaProcess, address: string): Promise<void> {
  await eventually(
    () => `${address} answered 200:\n${kedja.output()}`,
    async () => {
      if (kedja.child.exitCode !== null) throw new Error(`the process ended early:\n${kedja.output()}`);
      return isOk(address);
    },
    READY_WITHIN_MS,
  );
}

export interface SystemPorts {
  readonly ports: Readonly<Record<'identity' | 'engine' | 'dispatch' | 'gateway', number>>;
  /** The variables that name them. */
  readonly environment: Environment;
}

/** Free ports for the gateway and the three services behind it. */
export async function systemPorts(): Promise<SystemPorts> {
  const [identity = 0, engine = 0, dispatch = 0, gateway = 0] = await freePorts(4);
  return {
    ports: { identity, engine, dispatch, gateway },
    environment: {
      KEDJA_IDENTITY_PORT: String(identity),
      KEDJA_ENGINE_PORT: String(engine),
      KEDJA_DISPATCH_PORT: String(dispatch),
      KEDJA_CONSOLE_PORT: String(gateway),
    },
  };
}

async function isOk(address: string): Promise<true | undefined> {
  try {
    await call(address, { expect: 200 });
    return true;
  } catch {
    return undefined;
  }
}
