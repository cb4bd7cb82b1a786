// Creates the services and routes of the engine's own users (decision E8): accounts, sign-in, sessions, and the loop
// that deletes expired rows.
import type { AccountClient } from '#clients/account-client.ts';
import type { ForeignTokens } from '#lib/auth/authenticator.ts';
import { createPasswordHasher, type PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { FieldCipher } from '#lib/crypto/field-cipher.ts';
import { sha256 } from '#lib/crypto/secret.ts';
import { ServiceError } from '#lib/errors.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createPeriodicLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { createRateLimiter, sweepRateLimits } from '#lib/rate-limit/rate-limiter.ts';
import { createSecondFactors } from '#lib/second-factor/second-factors.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { createSealer, type Sealer } from '#lib/secrets/sealer.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import { createAddressClaims } from './users/address-claims.ts';
import { registerAuth } from './users/auth-routes.ts';
import { createCredentialCheck } from './users/credential-check.ts';
import { createLiveSessions } from './users/live-sessions.ts';
import { createUserPasswordRules } from './users/password-rules.ts';
import { registerRecoveryPage } from './users/recovery-codes-routes.ts';
import { registerSecondFactor } from './users/second-factor-routes.ts';
import { createSecondFactorService } from './users/second-factor-service.ts';
import { createSessionService } from './users/session-service.ts';
import { createSessionTokens } from './users/session-token.ts';
import { userEntity } from './users/user-entity.ts';
import { registerUsers } from './users/user-routes.ts';
import { createUserService } from './users/user-service.ts';

export interface AccountSettings {
  /** Whether people may register themselves, at once or after approval. */
  readonly registration: 'open' | 'approval' | 'closed';
  readonly tokenTtlSeconds: number;
  /** Requests per minute and address. */
  readonly rateLimitLogin: number;
  readonly rateLimitRegister: number;
  /** The least length of a new password without a second factor; the contract's when left out. */
  readonly passwordLength?: number;
  /** Whether a user with a shorter password must choose a new one at sign-in. */
  readonly renewsShortPasswords?: boolean;
  /** Created at the start when there is no administrator. */
  readonly administrator?: { readonly email: string; readonly password: string };
}

export interface AccountDependencies extends WriteDependencies {
  readonly log: Logger;
  /** Keys that seal values. They are not in the database. */
  readonly sealingKeys: KeySet;
  readonly accounts: AccountSettings;
  /** Identity's accounts: an address is looked up there first. */
  readonly identityAccounts: AccountClient;
  /** The public absolute URL of the FHIR base. */
  readonly baseUrl: string;
  /** Hashes passwords; with the parameters of decision I2 when left out. */
  readonly passwords?: PasswordHasher;
  /** Called for each token: whether its session was in the cache. */
  readonly onAccess?: (isHit: boolean) => void;
}

export interface Accounts {
  /** How the engine's authenticator reads the tokens of its users. */
  readonly userTokens: ForeignTokens;
  readonly loop: WorkerLoop;
  /** Returns the current principal of a user; undefined for a user who is deleted or not active. */
  principalOf(guid: string): Promise<Principal | undefined>;
  register(app: HttpApp): Promise<void>;
  /** Creates the first administrator when there is none, and disables accounts whose addresses belong to identity. */
  prepare(): Promise<void>;
}

const MINUTE_SECONDS = 60;
const SWEEP_EVERY_MS = 60_000;

/** Recovery codes have 80 random bits. A hash without a key is therefore safe. */
export function secondFactorCipher(keys: KeySet): FieldCipher & Sealer {
  const place = 'engine_user.second_factor_sealed or second_factor_setup.secret_sealed';
  return { ...createSealer({ keys, purpose: 'kedja engine second factor', place }), index: sha256 };
}

export function createAccounts(deps: AccountDependencies): Accounts {
  const { database, clock, log, accounts } = deps;
  const passwords = deps.passwords ?? createPasswordHasher();
  const tokens = createSessionTokens(deps.sealingKeys);
  const onAccess = deps.onAccess === undefined ? {} : { onAccess: deps.onAccess };
  const claims = createAddressClaims(deps);
  const live = createLiveSessions({ database, clock, tokens, claims, ...onAccess });
  const users = createUserService({ ...deps, passwords, live, claims, registration: accounts.registration });
  const rules = createUserPasswordRules({ ...accounts, baseUrl: deps.baseUrl });
  const secondFactors = createSecondFactors({
    ...deps,
    cipher: secondFactorCipher(deps.sealingKeys),
    users: 'engine_user',
    subjectOf: (guid) => ({ entities: [userEntity(guid)] }),
  });
  const check = createCredentialCheck({ ...deps, passwords, secondFactors });
  const secondFactor = createSecondFactorService({ ...deps, check, secondFactors, rules, live });
  const sessions = createSessionService({
    ...deps,
    check,
    rules,
    passwords,
    tokens,
    live,
    claims,
    tokenTtlSeconds: accounts.tokenTtlSeconds,
  });
  const limiter = (scope: string, limit: number) =>
    createRateLimiter({ scope, limit, windowSeconds: MINUTE_SECONDS }, { database, clock });
  const limits = {
    login: limiter('login', accounts.rateLimitLogin),
    register: limiter('register', accounts.rateLimitRegister),
  };
  /** Work that needs identity is skipped while identity is away. The next sweep repeats it. */
  async function settle(): Promise<void> {
    try {
      const { administrator } = accounts;
      if (administrator !== undefined && (await users.ensureAdmin(administrator))) {
        log.info({ event: 'engine.first-admin-made' });
      }
      await claims.claimAll();
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'upstream_unavailable')) throw error;
      log.warn({ event: 'engine.identity-not-asked', err: error });
    }
  }

  const loop = createPeriodicLoop({
    name: 'account-sweep',
    intervalMs: SWEEP_EVERY_MS,
    log,
    run: async () => {
      await sessions.sweep();
      await secondFactors.sweep();
      await settle();
      await sweepRateLimits(database, clock);
    },
  });
  return {
    userTokens: live.source,
    loop,
    principalOf: users.principalOf,
    async register(app) {
      registerAuth(app, { users, sessions, rules, limits, identityAccounts: deps.identityAccounts });
      registerUsers(app, users, sessions);
      registerSecondFactor(app, secondFactor);
      await registerRecoveryPage(app, { secondFactor, limiter: limits.login });
    },
    prepare: settle,
  };
}
