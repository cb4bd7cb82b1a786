// The whole system in a process of its own on an empty database, and what the demo's loader needs to fill it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '#lib/clock.ts';
import type { DemoOptions } from '../../demo/load.ts';
import { startDemoReceiver } from '../../demo/receiver.ts';
import { createTestDatabase } from './database.ts';
import { type Hooks, lastFirst } from './hooks.ts';
import { freePorts, startKedja, untilReady } from './processes.ts';

const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-1' };

export async function startDemoSystem(hooks: Hooks): Promise<DemoOptions> {
  const ordered = lastFirst(hooks);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-demo-'));
  ordered.after(() => rm(dataDir, { recursive: true, force: true }));
  const { url } = await createTestDatabase(ordered);
  const [identity = 0, engine = 0, dispatch = 0, gateway = 0, dead = 0] = await freePorts(5);
  const kedja = startKedja(['start'], {
    KEDJA_PUBLIC_URL: origin(gateway),
    KEDJA_IDENTITY_PORT: String(identity),
    KEDJA_ENGINE_PORT: String(engine),
    KEDJA_DISPATCH_PORT: String(dispatch),
    KEDJA_CONSOLE_PORT: String(gateway),
    KEDJA_DATABASE_URL: url,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
    KEDJA_WEBHOOK_ALLOW_PRIVATE: 'true',
    KEDJA_WEBHOOK_RETRY_SECONDS: '1',
    KEDJA_RATE_LIMIT_LOGIN: '1000',
    KEDJA_RATE_LIMIT_REGISTER: '1000',
    KEDJA_RATE_LIMIT_ACCESS_REQUEST: '1000',
  });
  ordered.after(async () => void (await kedja.end('SIGKILL')));
  await untilReady(kedja, [identity, engine, dispatch, gateway].map(origin));
  const receiver = await startDemoReceiver({ port: 0, dataDir, clock: systemClock });
  ordered.after(() => receiver.close());
  return {
    identity: origin(identity),
    engine: origin(engine),
    dispatch: origin(dispatch),
    admin: ADMIN,
    receiver,
    deadUrl: `${origin(dead)}/webhook`,
    clock: systemClock,
    onProgress: () => undefined,
  };
}

function origin(port: number): string {
  return `http://127.0.0.1:${port}`;
}
