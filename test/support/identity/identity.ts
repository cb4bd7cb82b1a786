// Identity for black-box tests: the real application on a real PostgreSQL, called through `inject`.

import { fhirWire } from '#fhir/resources/wire.ts';
import type { Clock } from '#lib/clock.ts';
import { systemClock } from '#lib/clock.ts';
import { createHttpApp } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import type { IdentityDeps } from '#services/identity/deps.ts';
import { migrations } from '#services/identity/migrations.ts';
import { identityExamples } from '#services/identity/openapi-examples.ts';
import { createIdentityService } from '#services/identity/plugin.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { requireDocumentedResponses } from '../documented-responses.ts';
import { type Hooks, lastFirst } from '../hooks.ts';
import { makeTestLogger } from '../http-app.ts';
import { cheapPasswords } from '../passwords.ts';

export const ADMIN = { email: 'Admin@Example.org', password: 'correct horse battery' } as const;
export const BASE_URL = 'https://kedja.example.org/identity';
export const REDIRECT = 'https://app.example.org/sso/';
/** Of every node of the tests. */
export const SEALING_KEYS = fixedKeys(Buffer.alloc(32, 7));
export const SERVICE = { clientId: 'engine', clientSecret: 'a-secret-of-some-length' } as const;
/** A relying application. */
const APPLICATION = { clientId: 'journal', clientSecret: 'another-secret-of-some-length' } as const;
/** Dispatch follows links; a test that needs it starts identity with both. */
const DISPATCH = { clientId: 'dispatch', clientSecret: 'one-more-secret-of-some-length' } as const;
export const BOTH_SERVICES = [SERVICE, DISPATCH] as const;
export const asDispatch = { 'x-sso-client-id': DISPATCH.clientId, 'x-sso-client-secret': DISPATCH.clientSecret };
export const asService = { 'x-sso-client-id': SERVICE.clientId, 'x-sso-client-secret': SERVICE.clientSecret };

/** A clock that a test moves by hand; it starts at the present. */
export interface HandClock extends Clock {
  advance(ms: number): void;
}

export function handClock(): HandClock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    advance: (ms) => {
      offset += ms;
    },
  };
}

export interface Identity {
  readonly app: HttpApp;
  readonly database: ReturnType<TestDatabase['database']>;
  readonly lines: string[];
  /** A signed-in user's `authorization` header. */
  signIn(email: string, password: string): Promise<{ authorization: string }>;
  asAdmin(): Promise<{ authorization: string }>;
}

const LIMITS = { rateLimitLogin: 100_000, rateLimitRegister: 100_000, rateLimitCatalogue: 100_000 };
const CONFIG: IdentityDeps['config'] = {
  tokenTtlSeconds: 3600,
  sessionIdleMinutes: 30,
  sessionAbsoluteHours: 12,
  rateLimitClient: 100_000,
  secondFactor: 'optional',
  ...LIMITS,
  rateLimitAccessRequest: 100_000,
  rateLimitPasswordReset: 100_000,
  rateLimitLookup: 100_000,
};

/** A database with identity's schema. */
export function identityDatabase(hooks: Hooks): Promise<TestDatabase> {
  return createTestDatabase(hooks, { schemas: [{ schema: 'identity', migrations }] });
}

/** One node of identity on a database; several may share it. */
export async function startIdentity(
  hooks: Hooks,
  changes: Partial<Omit<IdentityDeps, 'database' | 'config'>> & {
    on?: TestDatabase;
    config?: Partial<IdentityDeps['config']>;
  } = {},
): Promise<Identity> {
  const ordered = lastFirst(hooks);
  const database = (changes.on ?? (await identityDatabase(ordered))).database('identity');
  const lines: string[] = [];
  const logger = makeTestLogger(lines);
  const metrics = createMetrics('identity');
  const service = await createIdentityService({
    clock: systemClock,
    log: logger,
    metrics,
    administrator: ADMIN,
    redirects: [REDIRECT, 'http://127.0.0.1:8080/'],
    serviceClients: [SERVICE],
    applications: [APPLICATION],
    onRevoked: async () => undefined,
    version: '1.2.3',
    baseUrl: BASE_URL,
    sealingKeys: SEALING_KEYS,
    passwords: cheapPasswords(),
    ...changes,
    database,
    config: { ...CONFIG, ...changes.config },
  });
  const { authenticator, readiness, wireFormOf } = service;
  const site = { service: 'identity', title: 'Identity', version: '1.2.3', trustProxy: ['127.0.0.1'], corsOrigins: [] };
  const given = { ...site, logger, metrics, examples: identityExamples };
  const app = await createHttpApp({ ...given, authenticator, readiness, wireFormOf, fhir: fhirWire });
  requireDocumentedResponses(app);
  await service.plugin(app);
  await app.ready();
  await service.start();
  // Both are closed even when one fails, because an open one would keep the process running.
  ordered.after(() => service.stop());
  ordered.after(() => app.close());
  await untilReady(app);
  const signIn = async (email: string, password: string) => {
    const answer = await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password } });
    if (answer.statusCode !== 200) throw new Error(`Sign-in answered ${answer.statusCode}: ${answer.body}`);
    return { authorization: `Bearer ${answer.json().token}` };
  };
  return { app, database, lines, signIn, asAdmin: () => signIn(ADMIN.email, ADMIN.password) };
}

async function untilReady(app: HttpApp): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await app.inject('/readyz')).statusCode === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('Identity did not become ready');
}
