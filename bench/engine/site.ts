// The system of the benchmark of the engine: a durable PostgreSQL filled with generated patients. Engine and identity
// run in one process as in production, the bare limits in another, and the load generator in a third.
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { ensureConsole } from '../../console/build/ensure.ts';
import { type LoadGenerator, startLoadGenerator } from '../load/load.ts';
import { askBare, ended, spawnKedja, untilReady } from '../load/processes.ts';
import { ADMIN, type Site, startSite } from '../load/site.ts';
import type { BareServerJob } from './bare-process.ts';
import { BARE_TEXTS } from './cases/case.ts';
import { fill, PUBLIC_URL } from './fill.ts';
import { patientOf } from './people.ts';
import { guidOf } from './random.ts';

export interface EngineSite {
  readonly port: number;
  /** Of the gateway in the same process. */
  readonly gatewayPort: number;
  readonly barePort: number;
  readonly load: LoadGenerator;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly servicePid: number;
  /** What a caller with all scopes sends along: an API key. */
  readonly headers: Readonly<Record<string, string>>;
  /** What an administrator sends along who has signed in at identity: a token. */
  readonly tokenHeaders: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** A filled system; the service gets `variables` besides its own. */
export async function startEngineSite(
  patients: number,
  variables: Readonly<Record<string, string>> = {},
): Promise<EngineSite> {
  const site = await startSite(variables);
  const { url } = site;
  const [identityPort = 0, port = 0, gatewayPort = 0] = await freePorts(3);
  const ports = { identityPort, port, gatewayPort };
  // Otherwise the service would build it while it is measured.
  await ensureConsole(new AbortController().signal);
  const load = startLoadGenerator();
  const bare = fork(path.join(import.meta.dirname, 'bare-process.ts'));
  await ended(await startedOnce(site, ports));
  const service = await startService(site, ports);
  const database = createDatabase({ url, schema: 'engine', statementTimeoutMs: 600_000 });
  const stop = async () => {
    load.stop();
    bare.kill();
    await site.stop(database, [service]);
  };
  try {
    await untilReady(service, port);
    await fill(database, patients);
    const barePort = await askBare(bare, { url, texts: bareTexts(patients) } satisfies BareServerJob);
    const tokenHeaders = { authorization: `Bearer ${await signIn(identityPort)}` };
    const headers = { 'x-api-key': await makeKey(port, tokenHeaders) };
    const servicePid = service.pid ?? 0;
    return { port, gatewayPort, barePort, load, database, databaseUrl: url, servicePid, headers, tokenHeaders, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The patients' texts as the bare server keeps them, under the same ids. */
function bareTexts(patients: number): [string, string][] {
  return Array.from({ length: Math.min(patients, BARE_TEXTS) }, (_, index) => {
    const id = guidOf('patient', index);
    const meta = { versionId: '1', lastUpdated: '2026-01-01T00:00:00.000Z' };
    return [id, JSON.stringify({ ...patientOf(index), id, meta })];
  });
}

interface Ports {
  readonly identityPort: number;
  readonly port: number;
  readonly gatewayPort: number;
}

function startService(
  { folder, environment }: Site,
  { identityPort, port, gatewayPort }: Ports,
): Promise<ChildProcess> {
  const variables = {
    ...environment,
    KEDJA_SERVICES: 'identity,engine,console',
    KEDJA_PUBLIC_URL: PUBLIC_URL,
    KEDJA_IDENTITY_PORT: String(identityPort),
    KEDJA_ENGINE_PORT: String(port),
    KEDJA_CONSOLE_PORT: String(gatewayPort),
  };
  return spawnKedja(variables, path.join(folder, 'engine.log'));
}

/**
 * A start before the one that is measured. The first start of a version strips the types of each module. The process
 * keeps the parser for that in memory (20 MB) as long as it runs. Later starts find the compiled modules in the compile
 * cache.
 */
async function startedOnce(site: Site, ports: Ports): Promise<ChildProcess> {
  const service = await startService(site, ports);
  await untilReady(service, ports.port);
  return service;
}

async function signIn(identityPort: number): Promise<string> {
  const { token } = await post(`http://127.0.0.1:${identityPort}/api/auth/login`, ADMIN, {});
  return String(token);
}

/** An API key that may do everything with every type. */
async function makeKey(port: number, headers: Record<string, string>): Promise<string> {
  const body = { name: 'bench', scopes: ['system/*.cruds'] };
  const { key } = await post(`http://127.0.0.1:${port}/api/v1/api-keys`, body, headers);
  if (typeof key !== 'string') throw new Error('The engine made no API key');
  return key;
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
