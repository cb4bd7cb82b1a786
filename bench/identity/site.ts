// The system of the benchmark of identity. It has a durable PostgreSQL, identity alone in one process as in production,
// the bare limits in another, and the load generator in a third.
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { type LoadGenerator, startLoadGenerator } from '../load/load.ts';
import { askBare, spawnKedja, untilReady } from '../load/processes.ts';
import { type Site, startSite } from '../load/site.ts';
import type { BareJob } from './bare-process.ts';

export const SERVICE_HEADERS = {
  'x-sso-client-id': 'engine',
  'x-sso-client-secret': 'a-secret-for-benches-2',
} as const;

export interface BenchSite {
  readonly port: number;
  readonly origin: string;
  readonly database: Database;
  readonly load: LoadGenerator;
  bare(job: BareJob): Promise<number>;
  readonly servicePid: number;
  stop(): Promise<void>;
}

export async function startBenchSite(): Promise<BenchSite> {
  const site = await startSite();
  const { url } = site;
  const [port = 0] = await freePorts(1);
  const service = await startIdentity(site, port);
  const bare = fork(path.join(import.meta.dirname, 'bare-process.ts'));
  const load = startLoadGenerator();
  const database = createDatabase({ url, schema: 'identity', statementTimeoutMs: 300_000 });
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    database,
    load,
    bare: (job) => askBare(bare, job),
    servicePid: service.pid ?? 0,
    async stop() {
      load.stop();
      bare.kill();
      await site.stop(database, [service]);
    },
  };
}

/** Only the limits are raised. */
async function startIdentity({ folder, environment }: Site, port: number): Promise<ChildProcess> {
  const variables = {
    ...environment,
    KEDJA_SERVICES: 'identity',
    KEDJA_PUBLIC_URL: 'http://localhost:8080',
    KEDJA_IDENTITY_PORT: String(port),
    KEDJA_TRUST_PROXY: '127.0.0.1',
    KEDJA_RATE_LIMIT_LOGIN: '1000000',
    KEDJA_RATE_LIMIT_CATALOGUE: '1000000',
  };
  const service = await spawnKedja(variables, path.join(folder, 'identity.log'));
  await untilReady(service, port);
  return service;
}

/** The token of a user. */
export async function signIn(
  { origin }: Pick<BenchSite, 'origin'>,
  credentials: { readonly email: string; readonly password: string },
): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${origin}/api/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify(credentials),
  });
  const body: unknown = await answer.json();
  const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
  if (typeof token !== 'string') throw new Error(`the sign-in of ${credentials.email} answered ${answer.status}`);
  return token;
}
