// The engine in process on its own database. All rules are real; callers are given by name, and dispatch is a mock.
import { randomBytes } from 'node:crypto';
import type { AccountClient } from '#clients/account-client.ts';
import { createDispatchClient } from '#clients/dispatch-client.ts';
import type { Authenticator } from '#lib/auth/authenticator.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { servicePrincipal } from '#lib/auth/service-credentials.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { migrations } from '#services/engine/migrations.ts';
import { engineExamples } from '#services/engine/openapi-examples.ts';
import { createEngineService, type EngineDependencies, type EngineService } from '#services/engine/plugin.ts';
import { wireFormOf } from '#services/engine/wire-form.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { requireDocumentedResponses } from '../documented-responses.ts';
import { type Hooks, lastFirst } from '../hooks.ts';
import { makePrincipal, makeTestApp, makeTestAuthenticator, makeTestLogger } from '../http-app.ts';
import { cheapPasswords } from '../passwords.ts';

export const ORGANISATION = '01900000-0000-7000-8000-0000000000a1';
export const OTHER_ORGANISATION = '01900000-0000-7000-8000-0000000000a2';
export const PATIENT = '01900000-0000-7000-8000-0000000000b1';

const planning = new Set(['planning', 'analysis']);

/** Callers that every engine test can name as `Authorization: Bearer <name>`. */
export const CALLERS: Readonly<Record<string, Principal>> = {
  admin: makePrincipal(['professional', 'clinician', 'admin'], { id: '01900000-0000-7000-8000-000000000001' }),
  planner: makePrincipal(['professional', 'clinician'], { organisationGuids: [ORGANISATION], phases: planning }),
  stranger: makePrincipal(['professional', 'clinician'], { organisationGuids: [OTHER_ORGANISATION], phases: planning }),
  idle: makePrincipal(['professional', 'clinician'], { organisationGuids: [ORGANISATION] }),
  providerStaff: makePrincipal(['professional', 'clinician', 'provider'], {
    organisationGuids: [OTHER_ORGANISATION],
    phases: new Set(['execution']),
    staffOf: [{ organisationGuid: OTHER_ORGANISATION, providerGuid: '01900000-0000-7000-8000-0000000000c1' }],
  }),
  patient: makePrincipal(['patient'], { patientGuid: PATIENT }),
  service: servicePrincipal('dispatch'),
};

export interface TestEngine {
  readonly app: HttpApp;
  readonly engine: EngineService;
  readonly database: Database;
  readonly clock: { time: number; now(): number };
  readonly logLines: string[];
  /** Sends a JSON request as a named caller, or with an API key or a token of the engine. */
  call(caller: string | undefined, method: Method, path: string, body?: unknown): Promise<EngineResponse>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface EngineResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without a type
  readonly body: any;
}

export const BASE_URL = 'http://engine.test/api/v1';

const NO_ADDRESSES: AccountClient = {
  signIn: async () => ({ outcome: 'unknown_address' }),
  knownAmong: async () => new Set(),
  signOut: async () => undefined,
  recordOutcome: async () => undefined,
};

const absentDispatch: ServiceFetch = async () => {
  throw new ServiceError('upstream_unavailable', 'There is no dispatch in this test');
};

interface EngineChanges {
  readonly callers?: Readonly<Record<string, Principal>>;
  /** Replaces the authenticator of the named callers. */
  readonly authenticatorOf?: (
    named: Authenticator,
    site: { readonly engine: EngineService; readonly clock: Clock },
  ) => Authenticator;
  /** Wraps the engine's database, for instance in a proxy or a counter. */
  readonly connect?: (test: TestDatabase) => Promise<Database>;
}

export async function startTestEngine(
  hooks: Hooks,
  changes: EngineChanges & Partial<EngineDependencies> = {},
): Promise<TestEngine> {
  const ordered = lastFirst(hooks);
  const test = await createTestDatabase(ordered, { schemas: [{ schema: 'engine', migrations }] });
  const { connect, ...more } = changes;
  return startEngineOn(ordered, connect === undefined ? test.database('engine') : await connect(test), more);
}

/** Two nodes on one database. What is registered at `hooks` later runs earlier: the database ends last. */
export async function startTwoEngines(given: Hooks) {
  const hooks = lastFirst(given);
  const one = await startTestEngine(hooks);
  const two = await startTestEngine(hooks, { database: one.database });
  return { one, two, hooks };
}

/** On an existing database with all migrations applied. */
export async function startEngineOn(
  ordered: Hooks,
  database: Database,
  { callers, authenticatorOf, ...deps }: Omit<EngineChanges, 'connect'> & Partial<EngineDependencies> = {},
): Promise<TestEngine> {
  const clock = { time: Date.parse('2026-03-02T08:00:00Z'), now: () => clock.time };
  const logLines: string[] = [];
  const log = makeTestLogger(logLines);
  const engine = await createEngineService({
    database,
    clock,
    log,
    metrics: createMetrics('engine'),
    baseUrl: BASE_URL,
    webhookBaseUrl: BASE_URL,
    version: '0.0.0',
    sealingKeys: fixedKeys(randomBytes(32)),
    passwords: cheapPasswords(),
    accounts: { registration: 'open', tokenTtlSeconds: 3600, rateLimitLogin: 10_000, rateLimitRegister: 10_000 },
    dispatch: createDispatchClient({
      fetch: absentDispatch,
      credentials: { clientId: 'engine', clientSecret: 'secret' },
    }),
    // No address has an account at identity, unless a test says so.
    identityAccounts: NO_ADDRESSES,
    // Identity still grants every permission, unless a test changes that.
    readAccess: async (id) => ({ ...CALLERS['admin']!, id, organisationGuids: [ORGANISATION, OTHER_ORGANISATION] }),
    ...deps,
  });
  await storeKeys(database, Object.values(callers ?? {}));
  const named = makeTestAuthenticator({ ...CALLERS, ...callers }, engine);
  const authenticator = authenticatorOf?.(named, { engine, clock }) ?? named;
  const app = await makeTestApp({}, { wireFormOf, examples: engineExamples, logger: log, authenticator });
  requireDocumentedResponses(app);
  await engine.plugin(app);
  ordered.after(() => app.close());
  ordered.after(() => engine.stop());
  const call: TestEngine['call'] = async (caller, method, path, body) => {
    const answer = await app.inject({
      method,
      url: `/api/v1${path}`,
      headers: {
        ...credentialsOf(caller),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { payload } = answer;
    const isJson = /json/.test(String(answer.headers['content-type']));
    const parsed: unknown = isJson ? JSON.parse(payload) : undefined;
    return { status: answer.statusCode, headers: answer.headers, text: payload, body: parsed };
  };
  return { app, engine, database, clock, logLines, call };
}

/** Creates the rows of callers that are API keys, because background work looks them up. */
async function storeKeys(database: Database, callers: readonly Principal[]): Promise<void> {
  for (const { kind, id, scopes, providerGuid } of callers) {
    if (kind !== 'api_key' || providerGuid !== undefined) continue;
    const text = `INSERT INTO api_key (key_guid, name, prefix, key_hash, scopes, created_at, updated_at)
      VALUES ($1, 'test', 'test', $2, $3, now(), now()) ON CONFLICT DO NOTHING`;
    await database.query(text, [id, randomBytes(32), scopes]);
  }
}

function credentialsOf(caller: string | undefined): Record<string, string> {
  if (caller === undefined) return {};
  return caller.startsWith('kedja_') ? { 'x-api-key': caller } : { authorization: `Bearer ${caller}` };
}
