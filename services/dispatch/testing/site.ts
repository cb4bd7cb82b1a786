// Dispatch for black-box tests: its own database, real routes and permissions, and fakes of the plan and contract
// services.
import assert from 'node:assert/strict';
import { validateResource } from '#fhir/validation/validate.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { servicePrincipal } from '#lib/auth/service-credentials.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { requireDocumentedResponses } from '#test/support/documented-responses.ts';
import { makePrincipal, makeTestApp, makeTestLogger } from '#test/support/http-app.ts';
import { migrations } from '../migrations.ts';
import { createDispatchService, type DispatchDeps } from '../plugin.ts';

export const ORGANISATION = '019a0000-0000-7000-8000-00000000000a';
export const OTHER_ORGANISATION = '019a0000-0000-7000-8000-00000000000b';
export const ENGINE = 'http://127.0.0.1:8083';
export const MASTER_KEYS = fixedKeys(Buffer.alloc(32, 7));
export const BASE = 'https://kedja.example/dispatch/api/v1';

type Json = Record<string, unknown>;

/** The data of the fake plan and contract services and of the engine; `is…Down` makes them unavailable. */
export interface World {
  readonly resources: Json[];
  contracts: Json[];
  isPlanDown: boolean;
  isContractDown: boolean;
  /** Whether the engine is away for results. */
  isResultsDown: boolean;
  /** The resources that the engine was sent as results, as JSON texts. */
  readonly results: string[];
  /** Paths requested from the plan service, and bodies sent to the contract service. */
  readonly asked: string[];
  readonly matched: unknown[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: Json;
}

export interface Site {
  readonly app: HttpApp;
  readonly database: Database;
  readonly world: World;
  readonly clock: Clock & { move(milliseconds: number): void };
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  readonly as?: string;
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const planner = { organisationGuids: [ORGANISATION], phases: new Set(['planning']), professionalGuid: 'anna' };

const DISPATCH = { clientId: 'dispatch', clientSecret: 'a-secret-of-some-length' };

/** Callers by name. */
export const CALLERS: Readonly<Record<string, Principal>> = {
  anna: makePrincipal(['professional', 'clinician'], planner),
  bo: makePrincipal(['professional', 'clinician'], {
    ...planner,
    id: '01900000-0000-7000-8000-00000000b000',
    organisationGuids: [OTHER_ORGANISATION],
  }),
  reader: makePrincipal(['professional', 'clinician'], { ...planner, phases: new Set(['analysis']) }),
  admin: makePrincipal(['professional', 'clinician', 'admin'], { organisationGuids: [ORGANISATION] }),
  patient: makePrincipal(['patient'], { patientGuid: 'p1' }),
  provider: makePrincipal(['provider'], { kind: 'api_key', providerGuid: 'provider-1' }),
  key: makePrincipal(['api_key'], { kind: 'api_key', scopes: ['system/Patient.crs', 'system/CarePlan.r'] }),
  service: servicePrincipal('engine'),
};

export async function makeSite(
  hooks: { after(cleanUp: () => Promise<void>): void },
  more: Readonly<Record<string, Principal>> = {},
  deps: Partial<DispatchDeps> = {},
): Promise<Site> {
  const test = await createTestDatabase(hooks, { schemas: [{ schema: 'dispatch', migrations }] });
  const database = test.database('dispatch');
  const world = makeWorld();
  let now = Date.parse('2026-03-01T08:00:00Z');
  const clock = {
    now: () => now,
    move: (milliseconds: number) => {
      now += milliseconds;
    },
  };
  const service = await createDispatchService({
    database,
    clock,
    log: makeTestLogger(),
    metrics: createMetrics('dispatch'),
    version: '0.0.0',
    config: {
      consentPolicy: 'required',
      timeZone: 'Europe/Stockholm',
      webhookAllowPrivate: false,
      webhookRetrySeconds: [5],
      webhookTimeoutSeconds: 15,
    },
    masterKeys: MASTER_KEYS,
    baseUrl: BASE,
    planService: { fetch: fakePlanService(world), credentials: DISPATCH },
    contractService: { fetch: fakeContractService(world), credentials: DISPATCH },
    engineFetch: fakeEngine(world),
    engineUrl: ENGINE,
    engineFhirUrl: 'https://engine.example.org/api/v1',
    serviceCredentials: DISPATCH,
    ...deps,
  });
  const app = await makeTestApp(
    { ...CALLERS, ...more },
    { wireFormOf: service.wireFormOf, examples: service.examples },
  );
  requireDocumentedResponses(app);
  await service.plugin(app);
  await app.ready();
  hooks.after(() => app.close().then(() => {}));
  return { app, database, world, clock, call: makeCall(app) };
}

function makeCall(app: HttpApp): Site['call'] {
  return async (method, path, { as = 'anna', body, text, headers = {} } = {}) => {
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await app.inject({
      method,
      url: path.startsWith('/') ? path : `/api/v1/${path}`,
      headers: {
        ...(as === 'nobody' ? {} : { authorization: `Bearer ${as}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload }),
    });
    const isJson = String(answer.headers['content-type']).includes('json') && answer.payload !== '';
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.payload,
      body: isJson ? answer.json() : {},
    };
  };
}

function makeWorld(): World {
  const down = { isPlanDown: false, isContractDown: false, isResultsDown: false };
  return { resources: [], contracts: [], ...down, results: [], asked: [], matched: [] };
}

/** Fakes the engine: it stores results, and is the contract service. */
function fakeEngine(world: World): ServiceFetch {
  const contracts = fakeContractService(world);
  return async (path, request = {}) => {
    if (path !== '/api/v1/results') return contracts(path, request);
    if (world.isResultsDown) return { status: 503, headers: {}, text: '' };
    world.results.push(...(request.json as { resources: string[] }).resources);
    return { status: 204, headers: {}, text: '' };
  };
}

/** Fakes FHIR read and search by address, as far as dispatch uses them. */
function fakePlanService(world: World): ServiceFetch {
  return async (path) => {
    if (world.isPlanDown)
      throw new ServiceError('upstream_unavailable', 'A service that this one needs cannot be reached');
    world.asked.push(path);
    const url = new URL(path, 'http://plan.example');
    const [, type = '', id] = url.pathname.split('/');
    const answer = (status: number, body: unknown) => ({ status, headers: {}, text: JSON.stringify(body) });
    const ofType = world.resources.filter((resource) => resource['resourceType'] === type);
    if (id === '$expand') return answer(404, { resourceType: 'OperationOutcome', issue: [] });
    if (id !== undefined) {
      const found = ofType.find((resource) => resource['id'] === id);
      return found === undefined ? answer(404, { resourceType: 'OperationOutcome', issue: [] }) : answer(200, found);
    }
    const wanted = url.searchParams.get('url');
    const version = url.searchParams.get('version');
    const wantedId = url.searchParams.get('_id');
    const found = ofType.filter(
      (resource) =>
        (wanted === null || resource['url'] === wanted) &&
        (version === null || resource['version'] === version) &&
        (wantedId === null || resource['id'] === wantedId),
    );
    return answer(200, { resourceType: 'Bundle', type: 'searchset', entry: found.map((resource) => ({ resource })) });
  };
}

function fakeContractService(world: World): ServiceFetch {
  return async (_path, request = {}) => {
    if (world.isContractDown) {
      throw new ServiceError('upstream_unavailable', 'A service that this one needs cannot be reached');
    }
    world.matched.push(request.json);
    return { status: 200, headers: {}, text: JSON.stringify({ contracts: world.contracts }) };
  };
}

/** Fails with all issues when the resource is not valid R5. */
export function assertValid(resource: unknown): void {
  const errors = validateResource(resource).filter(({ severity }) => severity === undefined || severity === 'error');
  assert.deepEqual(errors, []);
}
