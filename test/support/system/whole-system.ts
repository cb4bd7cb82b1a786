// The whole system as in production, in a separate process behind its gateway, on an empty database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Hooks } from '../hooks.ts';
import { type KedjaProcess, startKedja, systemPorts, untilReady } from './processes.ts';
import { createSystemDatabase } from './system-database.ts';

export const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-1' };

export interface Origins {
  readonly gateway: string;
  readonly identity: string;
  readonly engine: string;
  readonly dispatch: string;
}

export interface WholeSystem extends Origins {
  readonly dataDir: string;
  readonly databaseUrl: string;
}

/** Further variables, or others than in production. */
export async function startWholeSystem(
  hooks: Hooks,
  environment: Readonly<Record<string, string>> = {},
): Promise<WholeSystem> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-system-'));
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  const { url } = await createSystemDatabase(hooks);
  const ports = await systemPorts();
  const { origins } = await startServices(hooks, ports.ports, {
    KEDJA_PUBLIC_URL: originOf(ports.ports.gateway),
    ...ports.environment,
    KEDJA_DATABASE_URL: url,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
    ...environment,
  });
  return { ...origins, dataDir, databaseUrl: url };
}

/** Starts all services in one process, and ends it with the tests. Resolves when they are ready. */
export async function startServices(
  hooks: Hooks,
  { gateway, identity, engine, dispatch }: Awaited<ReturnType<typeof systemPorts>>['ports'],
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly kedja: KedjaProcess; readonly origins: Origins }> {
  const kedja = startKedja(['start'], environment);
  hooks.after(async () => void (await kedja.end('SIGKILL')));
  const origins = {
    gateway: originOf(gateway),
    identity: originOf(identity),
    engine: originOf(engine),
    dispatch: originOf(dispatch),
  };
  await untilReady(kedja, Object.values(origins));
  return { kedja, origins };
}

/** The `authorization` of the first administrator. */
export async function signInAsAdmin({ identity }: Pick<WholeSystem, 'identity'>): Promise<{ authorization: string }> {
  const answer = await fetch(`${identity}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  });
  const { token } = (await answer.json()) as { token: string };
  return { authorization: `Bearer ${token}` };
}

export function originOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}
