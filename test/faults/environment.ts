// The environment of fault injection. It has dispatch's real processes on a durable database, and TCP proxies between
// dispatch and the database and between its worker and the receivers. It has patients with and without consent, and
// requests that are ready to be pushed.
import assert from 'node:assert/strict';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { newGuid } from '#lib/guid.ts';
import { type DurableDatabase, startDurableDatabase } from '#test/support/database/durable-database.ts';
import type { Hooks } from '#test/support/hooks.ts';
import { type CallOptions, call, eventually, type TestResponse } from '#test/support/http.ts';
import type { Scenario } from '../end-to-end/context.ts';
import { createProvider } from '../end-to-end/library.ts';
import { admitPatient, giveConsent } from '../end-to-end/request.ts';
import { type System, startSystem } from '../end-to-end/system.ts';
import { prepareScenario } from '../end-to-end/workflow.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { startWebhookRecorder, type WebhookRecorder } from './webhook-recorder.ts';

const PROVIDERS = 12;
/** KEDJA_WEBHOOK_TIMEOUT_SECONDS; a lease is four of them. */
const TIMEOUT_SECONDS = 1;
export const LEASE_MS = TIMEOUT_SECONDS * 4000;

export interface FaultEnvironment extends Scenario {
  readonly system: System;
  /** Without a proxy. */
  readonly databaseUrl: string;
  /** Dispatch's schema, without a proxy. */
  readonly database: Database;
  readonly databaseProxy: TcpProxy;
  readonly receiverProxy: TcpProxy;
  readonly recorder: WebhookRecorder;
  /** Their endpoints are behind `receiverProxy`. */
  readonly providers: readonly string[];
  /** Immediate shutdown of PostgreSQL; resolves when it has been started again. */
  crashDatabase(): Promise<void>;
  /** Sends a provider's webhooks through another proxy. */
  moveEndpoint(providerGuid: string, proxy: TcpProxy): Promise<void>;
  /** Ends dispatch with SIGKILL, releases what the proxies hold, and starts it again. */
  killDispatch(): Promise<void>;
  /**
   * Calls as the planner until dispatch is available; fails on a status that is not expected.
   */
  callUntilAvailable(
    method: 'GET' | 'POST' | 'PUT',
    address: string,
    expect: readonly number[],
    json?: unknown,
  ): Promise<TestResponse>;
}

export async function startFaultEnvironment(hooks: Hooks): Promise<FaultEnvironment> {
  const postgres = await startDurableDatabase(hooks);
  const { hostname: host, port } = new URL(postgres.url);
  const databaseProxy = await startTcpProxy(hooks, { host, port: Number(port) });
  const recorder = await startWebhookRecorder(hooks);
  const system = await startSystem(hooks, {
    databaseUrl: postgres.url,
    isApart: true,
    dispatch: {
      KEDJA_DATABASE_URL: through(postgres.url, databaseProxy),
      KEDJA_WEBHOOK_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
      KEDJA_WEBHOOK_RETRY_SECONDS: Array.from({ length: 200 }, () => 1).join(','),
    },
  });
  // At the one address that is open to webhooks.
  const receiverHost = system.addresses.receiver.address;
  const receiverProxy = await startTcpProxy(hooks, { host: '127.0.0.1', port: recorder.port }, receiverHost);
  const scenario = await prepareScenario(system.addresses);
  await giveConsent(scenario.addresses, scenario.accounts);
  const providers: string[] = [];
  for (let n = 0; n < PROVIDERS; n += 1) {
    providers.push(
      await createProvider(scenario.addresses, scenario.accounts, {
        name: `Provider ${n}`,
        code: scenario.library.concept,
      }),
    );
  }
  const database = createDatabase({ url: postgres.url, schema: 'dispatch' });
  hooks.after(() => database.close());
  const moveEndpoint = createEndpointMover(scenario, recorder);
  for (const provider of providers) await moveEndpoint(provider, receiverProxy);
  return {
    ...scenario,
    system,
    databaseUrl: postgres.url,
    database,
    databaseProxy,
    receiverProxy,
    recorder,
    providers,
    crashDatabase: () => crashAndAwaitRestart(postgres),
    moveEndpoint,
    async killDispatch() {
      await system.processOf('dispatch').end('SIGKILL');
      for (const proxy of [databaseProxy, receiverProxy]) {
        proxy.cut();
        proxy.release();
      }
      await system.restart('dispatch');
    },
    callUntilAvailable: (method, address, expect, json) =>
      callUntilAvailable(
        { method, token: scenario.accounts.planner, json },
        scenario.addresses.dispatch + address,
        expect,
      ),
  };
}

/** Crashes the database, if it runs, and waits until it was started again. */
async function crashAndAwaitRestart({ url, pid, crash }: DurableDatabase): Promise<void> {
  const crashed = await crash();
  if (crashed === undefined) return;
  await eventually('the database was started again', async () => {
    const now = await pid();
    return now !== undefined && now !== crashed && (await answers(url)) ? true : undefined;
  });
}

async function answers(url: string): Promise<boolean> {
  const client = createDatabase({ url, schema: 'public' });
  const found = await client.query('SELECT 1').catch(() => undefined);
  await client.close();
  return found !== undefined;
}

function through(address: string, proxy: TcpProxy): string {
  const url = new URL(address);
  url.hostname = proxy.host;
  url.port = String(proxy.port);
  return url.href;
}

function createEndpointMover(
  { addresses, accounts }: Scenario,
  recorder: WebhookRecorder,
): FaultEnvironment['moveEndpoint'] {
  return async (provider, { host, port }) => {
    const json = { url: `http://${host}:${port}/${provider}`, enabled: true };
    const url = `${addresses.dispatch}/providers/${provider}/endpoint`;
    const { body } = await call(url, { method: 'PUT', token: accounts.admin, json });
    if (body.secret !== undefined) recorder.secrets.set(provider, body.secret);
  };
}

/** Repeats a call, as a client does after a 503 or a lost connection. */
function callUntilAvailable(options: CallOptions, url: string, expect: readonly number[]): Promise<TestResponse> {
  const { method = 'GET', token, json = {} } = options;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = method === 'GET' ? {} : { body: JSON.stringify(json) };
  return eventually(
    `${method} ${url} got through`,
    async () => {
      const response = await fetch(url, { method, headers, ...body }).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      if (response === undefined || text === undefined || response.status === 503) return undefined;
      assert.ok(expect.includes(response.status), `${method} ${url} answered ${response.status}: ${text}`);
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
    },
    60_000,
  );
}

/** A patient of the planner's organisation; one who permits by default. */
export async function createPatient({ addresses, accounts }: Scenario, consent: 'permit' | 'none' = 'permit') {
  const patient = { ...accounts, patientGuid: newGuid() };
  await admitPatient(addresses, patient);
  const consentId = consent === 'permit' ? await giveConsent(addresses, patient) : '';
  return { patientGuid: patient.patientGuid, consentId };
}

/** A draft with one form; answers its id. */
export async function createDraft({ addresses, accounts, library }: Scenario, patientGuid: string): Promise<string> {
  const asPlanner = { token: accounts.planner, expect: 201 };
  const carePlan = {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    subject: { reference: `Patient/${patientGuid}` },
    instantiatesCanonical: [`${library.planUrl}|${library.planVersion}`],
  };
  const { id: careplanGuid } = (await call(`${addresses.dispatch}/CarePlan`, { ...asPlanner, json: carePlan })).body;
  const url = `${addresses.dispatch}/ServiceRequest`;
  const { id } = (await call(url, { ...asPlanner, json: { careplan_guid: careplanGuid } })).body;
  await call(`${url}/${id}/forms`, { ...asPlanner, json: { form_guid: library.formGuid } });
  return id;
}

/** An active request with its matches by provider, all pending. */
export interface ReadyRequest {
  readonly id: string;
  readonly patientGuid: string;
  readonly matches: ReadonlyMap<string, string>;
}

export async function createReady(scenario: Scenario, patientGuid: string): Promise<ReadyRequest> {
  const { addresses, accounts } = scenario;
  const id = await createDraft(scenario, patientGuid);
  const url = `${addresses.dispatch}/ServiceRequest/${id}`;
  await call(`${url}/finalize`, { method: 'POST', token: accounts.planner });
  const { body } = await call(`${url}/match`, { method: 'POST', token: accounts.planner });
  const found = body.matches as { provider_guid: string; match_guid: string }[];
  return { id, patientGuid, matches: new Map(found.map((match) => [match.provider_guid, match.match_guid])) };
}

/** Pushes to one provider until it is done: by this call, or by one whose answer was lost. */
export async function pushOne(
  { callUntilAvailable: ask }: FaultEnvironment,
  { id, matches }: ReadyRequest,
  provider: string,
): Promise<void> {
  await ask('POST', `/ServiceRequest/${id}/push/${matches.get(provider)}`, [202, 409]);
}
