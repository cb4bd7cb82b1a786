// An HttpApp for tests of single plugins: every permission rule is real, the callers are handed in by a header.
import type { Authenticator } from '#lib/auth/authenticator.ts';
import type { Principal, Role } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { createHttpApp, type HttpAppOptions } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createLogger, type Logger } from '#lib/log/logger.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';

/** A logger whose lines are kept. */
export function makeTestLogger(lines: string[] = []): Logger {
  const destination = { write: (line: string) => void lines.push(line) };
  return createLogger({ level: 'info', format: 'json', destination });
}

/** A principal with the given roles; everything else is empty unless said. */
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

/** Authenticates `Authorization: Bearer <name>` as the principal of that name. */
export function makeTestAuthenticator(callers: Readonly<Record<string, Principal>>): Authenticator {
  const authenticateToken = async (token: string): Promise<Principal> => {
    const principal = callers[token];
    if (principal === undefined) throw new ServiceError('unauthorized', 'No such caller in this test');
    return principal;
  };
  return {
    recall: () => undefined,
    authenticate: async ({ authorization }) =>
      typeof authorization === 'string' ? authenticateToken(authorization.replace(/^Bearer /, '')) : undefined,
  };
}

/** An application with test doubles for what the test does not name. */
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
    trustProxy: [],
    ...changes,
  });
}
