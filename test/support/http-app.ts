// An HttpApp for tests of single plugins. The permission rules are real; a header names the caller.

import { fhirWire } from '#fhir/resources/wire.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import type { ApiKeySource, Authenticator, ForeignTokens } from '#lib/auth/authenticator.ts';
import type { Principal, ProxyRight, Role } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { actingFor } from '#lib/http/acting-for.ts';
import { createHttpApp, type HttpAppOptions } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createLogger, type Logger } from '#lib/log/logger.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';

/** A logger that stores its lines. */
export function makeTestLogger(lines: string[] = []): Logger {
  const destination = { write: (line: string) => void lines.push(line) };
  return createLogger({ level: 'info', format: 'json', destination });
}

/** A patient's proxy who has named the patient, as the header makes it (docs/adr/0074). */
export function makeProxy(patientGuid: string, may: ProxyRight): Principal {
  const id = `01900000-0000-7000-8000-0000000000${may === 'act' ? 'd2' : 'd1'}`;
  const own = makePrincipal(['patient'], { id, patientGuid: id, proxyFor: [{ patientGuid, may }] });
  return actingFor(own, { 'kedja-patient': patientGuid });
}

/** A principal with the given roles; other members are empty by default. */
export function makePrincipal(roles: readonly Role[], changes: Partial<Principal> = {}): Principal {
  return {
    kind: 'identity_user',
    id: '01900000-0000-7000-8000-00000000abcd',
    roles: new Set(roles),
    organisationGuids: [],
    phases: new Set(),
    scopes: [],
    mustChangePassword: false,
    ...changes,
  };
}

/** An API key with these scopes, such as `system/Patient.rs`. */
export function makeKey(...scopes: readonly string[]): Principal {
  return principalOfKey({ keyGuid: '01900000-0000-7000-8000-0000000000c1', scopes });
}

/** Reads credentials that the service itself issues. */
interface OwnCredentials {
  readonly apiKeys: ApiKeySource;
  readonly userTokens: ForeignTokens;
}

/**
 * Authenticates `Authorization: Bearer <name>` as the principal of that name, and what the service itself has given
 * out.
 */
export function makeTestAuthenticator(
  callers: Readonly<Record<string, Principal>>,
  own?: OwnCredentials,
): Authenticator {
  const refuse = (): never => {
    throw new ServiceError('unauthorized', 'No such caller in this test');
  };
  return {
    findCached: () => undefined,
    authenticate: async ({ authorization, 'x-api-key': key }) => {
      if (typeof key === 'string' && own !== undefined) return (await own.apiKeys.read(key)) ?? refuse();
      if (typeof authorization !== 'string') return undefined;
      const token = authorization.replace(/^Bearer /, '');
      if (own?.userTokens.accepts(token) === true) return (await own.userTokens.read(token)) ?? refuse();
      return callers[token] ?? refuse();
    },
  };
}

/** An application with test doubles for all options that the test leaves out. */
export async function makeTestApp(
  callers: Readonly<Record<string, Principal>> = {},
  changes: Partial<HttpAppOptions> = {},
): Promise<HttpApp> {
  return createHttpApp({
    service: 'test',
    title: 'Test',
    version: '0.0.0',
    logger: makeTestLogger(),
    metrics: createMetrics('test'),
    authenticator: makeTestAuthenticator(callers),
    readiness: [],
    wireFormOf: () => 'plain',
    fhir: fhirWire,
    trustProxy: [],
    corsOrigins: [],
    ...changes,
  });
}
