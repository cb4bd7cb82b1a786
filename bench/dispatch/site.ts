// The system of the benchmark of dispatch. It has a durable PostgreSQL and dispatch in a process of its own, with its
// one worker. Identity and engine are in another, and the receivers in a third.
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createKeyRing, type KeyRing } from '#services/dispatch/shared/key-ring.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { spawnKedja, untilReady } from '../load/processes.ts';
import { ADMIN, type Site, startSite } from '../load/site.ts';
import { type Receivers, startReceivers } from './receiver.ts';

const PUBLIC_URL = 'http://localhost:8080';
/** The address for the responses of providers. */
export const BASE_URL = `${PUBLIC_URL}/dispatch/api/v1`;
const API = '/api/v1';

export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Asks one service as the administrator. @throws Error for an answer of 400 and above */
export type Call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', target: string, body?: object) => Promise<Reply>;

export interface DispatchSite {
  readonly port: number;
  /** What the administrator sends along. */
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatch: Call;
  readonly engine: Call;
  readonly database: Database;
  readonly databaseUrl: string;
  /** Dispatch's own keys: what is filled in must be what pushes write. */
  readonly keys: KeyRing;
  readonly receivers: Receivers;
  readonly servicePid: number;
  /** Of the process of identity and engine. */
  readonly othersPid: number;
  stop(): Promise<void>;
}

export async function startDispatchSite(): Promise<DispatchSite> {
  const site = await startSite();
  const { folder, url } = site;
  const [identityPort = 0, enginePort = 0, port = 0] = await freePorts(3);
  const environment = environmentOf(site, { identityPort, enginePort, port });
  const others = await startServices('identity,engine', environment, folder);
  const receivers = await startReceivers();
  const database = createDatabase({ url, schema: 'dispatch', statementTimeoutMs: 600_000 });
  let service: ChildProcess | undefined;
  const stop = async () => {
    receivers.stop();
    await site.stop(database, [service, others]);
  };
  try {
    await untilReady(others, enginePort);
    service = await startServices('dispatch', environment, folder);
    await untilReady(service, port);
    const headers = { authorization: `Bearer ${await signIn(identityPort)}` };
    const key = await readFile(path.join(folder, 'keys', 'dispatch-delivery.key'), 'utf8');
    return {
      port,
      headers,
      dispatch: callerOf(port, headers),
      engine: callerOf(enginePort, headers),
      database,
      databaseUrl: url,
      keys: createKeyRing(fixedKeys(Buffer.from(key, 'base64'))),
      receivers,
      servicePid: service.pid ?? 0,
      othersPid: others.pid ?? 0,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Ports {
  readonly identityPort: number;
  readonly enginePort: number;
  readonly port: number;
}

function environmentOf({ environment }: Site, ports: Ports): Readonly<Record<string, string>> {
  return {
    ...environment,
    KEDJA_PUBLIC_URL: PUBLIC_URL,
    KEDJA_IDENTITY_PORT: String(ports.identityPort),
    KEDJA_ENGINE_PORT: String(ports.enginePort),
    KEDJA_DISPATCH_PORT: String(ports.port),
    KEDJA_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
  };
}

function startServices(names: string, environment: Readonly<Record<string, string>>, folder: string) {
  return spawnKedja({ ...environment, KEDJA_SERVICES: names }, path.join(folder, `${names}.log`));
}

async function signIn(identityPort: number): Promise<string> {
  const { body } = await callerOf(identityPort, {})('POST', '/api/auth/login', ADMIN);
  return String(body['token']);
}

function callerOf(port: number, headers: Readonly<Record<string, string>>): Call {
  return async (method, target, body) => {
    const path = target.startsWith('/') ? target : `${API}/${target}`;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${target} answered ${answer.status}: ${text.slice(0, 500)}`);
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
  };
}
