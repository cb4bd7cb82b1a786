// Where the story is played: all services in one process, or each in its own, as operators run them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, type KedjaProcess, startKedja, untilReady } from '#test/support/processes.ts';
import { startReceiver } from '#test/support/receiver.ts';
import type { World } from './world.ts';

const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-1' };

export interface Hooks {
  after(cleanUp: () => Promise<void>): void;
}

export type ServiceName = 'identity' | 'engine' | 'dispatch';

export interface Theatre {
  readonly world: World;
  /** The process that runs the service. */
  processOf(service: ServiceName): KedjaProcess;
  /** Starts the service's process again after it has ended, with the same configuration. */
  restart(service: ServiceName): Promise<void>;
}

/** Kedja on the database, in one process or in three (the gateway beside identity). */
export async function openTheatre(hooks: Hooks, options: { databaseUrl: string; isApart: boolean }): Promise<Theatre> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-story-'));
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
    KEDJA_SSO_CLIENTS: ['identity', 'engine', 'dispatch'].map((name) => `${name}:between-us-${name}-only`).join(','),
  };
  const shares = options.isApart ? ['identity,console', 'engine', 'dispatch'] : ['identity,engine,dispatch,console'];
  const processes = new Map<string, KedjaProcess>();
  const start = (share: string) =>
    processes.set(share, startKedja(['start'], { ...environment, KEDJA_SERVICES: share }));
  const shareOf = (service: ServiceName) => shares.find((share) => share.split(',').includes(service)) ?? service;
  const processOf = (service: ServiceName): KedjaProcess => {
    const found = processes.get(shareOf(service));
    if (found === undefined) throw new Error(`${service} has not been started`);
    return found;
  };
  const ready = (service: ServiceName) => untilReady(processOf(service), [origins[service]]);
  hooks.after(async () => {
    await Promise.all([...processes.values()].map((kedja) => kedja.end('SIGKILL')));
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  for (const share of shares) start(share);
  await Promise.all((['identity', 'engine', 'dispatch'] as const).map(ready));
  const world: World = {
    gateway,
    identity: origins.identity,
    engine: `${origins.engine}/api/v1`,
    dispatch: `${origins.dispatch}/api/v1`,
    admin: ADMIN,
    receiver,
  };
  return {
    world,
    processOf,
    restart: async (service) => {
      start(shareOf(service));
      await ready(service);
    },
  };
}

function origin(port: number | undefined): string {
  return `http://127.0.0.1:${port}`;
}
