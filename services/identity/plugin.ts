// Identity as the composition root sees it: everything is made here and handed its dependencies (contract: identity).
import { type Audit, createAudit } from '#lib/audit/audit.ts';
import { type AuditSink, createAuditShipper } from '#lib/audit/audit-shipper.ts';
import { createAuthenticator } from '#lib/auth/authenticator.ts';
import { createIdentityLink } from '#lib/auth/identity-link.ts';
import { createPasswordHasher, type PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { ServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { WireForm } from '#lib/http/error-handler.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { Logger } from '#lib/log/logger.ts';
import { createRateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { createAccountThrottle } from './auth/account-throttle.ts';
import { registerLoginRoutes } from './auth/login-routes.ts';
import { registerAuthRoutes } from './auth/routes.ts';
import { type AuthService, createAuthService } from './auth/service.ts';
import { createMaintenance } from './maintenance.ts';
import { registerRevocationRoutes } from './revocations/routes.ts';
import { createRevocations, createTakeEffect, type Revocations } from './revocations/service.ts';
import { registerKeyRoutes } from './signing-keys/routes.ts';
import { createSigningKeys, type SigningKeys } from './signing-keys/service.ts';
import { createUsers, type Users } from './users/service.ts';

export interface IdentityConfig {
  readonly tokenTtlSeconds: number;
  readonly rateLimitLogin: number;
  readonly rateLimitRegister: number;
  readonly rateLimitCatalogue: number;
  readonly rateLimitAccessRequest: number;
}

export interface IdentityDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly config: IdentityConfig;
  /** The first SU admin, made when there is none. */
  readonly administrator: { readonly email: string; readonly password: string };
  /** Where a sign-in may lead: origins with a path prefix. */
  readonly redirects: readonly string[];
  readonly serviceClients: readonly ServiceCredentials[];
  /** Makes the other services of this process read the revocation feed; resolves when they have. */
  readonly onRevoked: () => Promise<void>;
  /** Where audit events are carried to; without it they wait in the outbox. */
  readonly auditSink?: AuditSink;
}

const MINUTE = 60;

export async function createIdentityService(deps: IdentityDeps) {
  const { database, clock, log } = deps;
  const passwords = createPasswordHasher();
  const users = createUsers({ database, clock, passwords });
  const keys = createSigningKeys({ database, clock });
  const revocations = createRevocations({ database, clock });
  const link = createIdentityLink({ keys, revocationSource: revocations.source, clock, log });
  const blobs = {
    read: (_token: string, claims: { userGuid: string; tokenId: string }) =>
      users.readAccessBlob(database, claims.userGuid, claims.tokenId),
  };
  const { tokens, revocations: list } = link;
  const { serviceClients } = deps;
  const authenticator = createAuthenticator({ tokens, revocations: list, blobs, serviceClients, clock });
  const takeEffect = createTakeEffect(list, deps.onRevoked);
  const audit = createAudit({ database, clock, service: 'identity' });
  const auth = makeAuth(deps, { users, keys, revocations, passwords, audit, takeEffect });
  const maintenance = createMaintenance({ database, clock, log, keys, revocations, auth, onHint: link.loop.wake });
  const shipper = deps.auditSink && createAuditShipper({ database, sink: deps.auditSink, log });

  await keys.ensure();
  await keys.refresh();
  if (await users.ensureSuAdmin(deps.administrator)) log.info({ event: 'identity.first-admin-made' });

  return {
    authenticator,
    readiness: [link.readiness],
    wireFormOf,
    async plugin(app: HttpApp): Promise<void> {
      const { redirects, config } = deps;
      const limiter = makeLimiter(deps, 'login', config.rateLimitLogin);
      await registerLoginRoutes(app, { auth, limiter, redirects });
      const readBlob = ({ id, tokenId = '' }: { id: string; tokenId?: string }) =>
        users.readAccessBlob(database, id, tokenId);
      registerAuthRoutes(app, { auth, authenticator, serviceClients, readBlob });
      registerKeyRoutes(app, keys);
      registerRevocationRoutes(app, revocations);
    },
    async start(): Promise<void> {
      link.loop.start();
      await maintenance.start();
      shipper?.start();
    },
    async stop(): Promise<void> {
      await Promise.all([link.loop.stop(), maintenance.stop(), shipper?.stop()]);
    },
  };
}

/** FHIR lives under /fhir/, everything else answers {error, message}. */
export function wireFormOf(path: string): WireForm {
  return path.startsWith('/fhir/') ? 'fhir' : 'plain';
}

function makeLimiter(deps: IdentityDeps, scope: string, limit: number) {
  return createRateLimiter({ scope, limit, windowSeconds: MINUTE }, deps);
}

function makeAuth(
  deps: IdentityDeps,
  parts: {
    users: Users;
    keys: SigningKeys;
    revocations: Revocations;
    passwords: PasswordHasher;
    audit: Audit;
    takeEffect: () => Promise<void>;
  },
): AuthService {
  const { database, clock } = deps;
  const throttle = createAccountThrottle({ database, clock });
  return createAuthService({ ...parts, database, clock, throttle, tokenTtlSeconds: deps.config.tokenTtlSeconds });
}
