// Starts the system of an end-to-end test: all services in one process, or each in its own, as operators run them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startReceiver } from '#test/support/dispatch/receiver.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import {
  type CommandOutcome,
  type KedjaProcess,
  startCommand,
  startKedja,
  untilLive,
  untilReady,
} from '#test/support/system/processes.ts';
import type { Addresses } from './context.ts';

const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-1' };

export interface Hooks {
  after(cleanUp: () => Promise<void>): void;
}

export type ServiceName = 'identity' | 'engine' | 'dispatch';

export interface System {
  readonly addresses: Addresses;
  /** The process that runs the service. */
  processOf(service: ServiceName): KedjaProcess;
  /** Runs `kedja <arguments>` with the configuration of the processes. */
  command(...args: string[]): Promise<CommandOutcome>;
  /** Starts the service's process again after it has ended, with the same configuration. */
  restart(service: ServiceName): Promise<void>;
  /** One more process of the service, on a port of its own; with the same configuration, but for the changes. */
  startAnother(
    service: ServiceName,
    changes: Readonly<Record<string, string>>,
  ): Promise<{ readonly kedja: KedjaProcess; readonly origin: string }>;
}

export interface SystemOptions {
  readonly databaseUrl: string;
  readonly isApart: boolean;
  /** More of the environment of all processes. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What is different for dispatch, where it runs apart. */
  readonly dispatch?: Readonly<Record<string, string>>;
}

/** Kedja on the database, in one process or in three (the gateway beside identity). */
export async function startSystem(hooks: Hooks, options: SystemOptions): Promise<System> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-end-to-end-'));
  const [identity, engine, dispatch, console] = await freePorts(4);
  const origins = { identity: origin(identity), engine: origin(engine), dispatch: origin(dispatch) };
  const gateway = origin(console);
  const receiver = await startReceiver();
  const environment = {
    KEDJA_PUBLIC_URL: gateway,
    KEDJA_IDENTITY_PORT: String(identity),
    KEDJA_ENGINE_PORT: String(engine),
    KEDJA_DISPATCH_PORT: String(dispatch),
    KEDJA_CONSOLE_PORT: String(console),
    KEDJA_DATABASE_URL: options.databaseUrl,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
    KEDJA_WEBHOOK_ALLOW_PRIVATE: receiver.address,
    KEDJA_RATE_LIMIT_LOGIN: '1000',
    KEDJA_SERVICE_CLIENTS: ['identity', 'engine', 'dispatch']
      .map((name) => `${name}:between-us-${name}-only`)
      .join(','),
    ...options.environment,
  };
  const shares = options.isApart ? ['identity,console', 'engine', 'dispatch'] : ['identity,engine,dispatch,console'];
  const processes = new Map<string, KedjaProcess>();
  const all: KedjaProcess[] = [];
  const start = (share: string, changes: Readonly<Record<string, string>> = {}): KedjaProcess => {
    const own = share === 'dispatch' ? options.dispatch : {};
    const kedja = startKedja(['start'], { ...environment, ...own, ...changes, KEDJA_SERVICES: share });
    all.push(kedja);
    return kedja;
  };
  const shareOf = (service: ServiceName) => shares.find((share) => share.split(',').includes(service)) ?? service;
  const processOf = (service: ServiceName): KedjaProcess => {
    const found = processes.get(shareOf(service));
    if (found === undefined) throw new Error(`${service} has not been started`);
    return found;
  };
  // The gateway listens a moment after the services of its process.
  const ready = async (service: ServiceName) => {
    await untilReady(processOf(service), [origins[service]]);
    if (shareOf(service).split(',').includes('console')) await untilLive(processOf(service), gateway);
  };
  hooks.after(async () => {
    await Promise.all(all.map((kedja) => kedja.end('SIGKILL')));
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  for (const share of shares) processes.set(share, start(share));
  await Promise.all((['identity', 'engine', 'dispatch'] as const).map(ready));
  const addresses: Addresses = {
    gateway,
    identity: origins.identity,
    engine: `${origins.engine}/api/v1`,
    dispatch: `${origins.dispatch}/api/v1`,
    admin: ADMIN,
    receiver,
  };
  return {
    addresses,
    processOf,
    command: (...args) => startCommand(args, environment).ended,
    restart: async (service) => {
      processes.set(shareOf(service), start(shareOf(service)));
      await ready(service);
    },
    async startAnother(service, changes) {
      const [port] = await freePorts(1);
      const kedja = start(shareOf(service), { ...changes, [`KEDJA_${service.toUpperCase()}_PORT`]: String(port) });
      await untilReady(kedja, [origin(port)]);
      return { kedja, origin: origin(port) };
    },
  };
}

function origin(port: number | undefined): string {
  return `http://127.0.0.1:${port}`;
}
