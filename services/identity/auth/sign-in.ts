// Signing in for a token, or for a one-time code that is exchanged for one (contract: identity, Auth; decision I3).
import { createHash, randomBytes } from 'node:crypto';
import type { Audit } from '#lib/audit/audit.ts';
import { principalOfBlob } from '#lib/auth/access-blob.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Origin } from '../actor.ts';
import type { Credentials, Users } from '../users/service.ts';
import type { CredentialCheck, SignInAttempt } from './credential-check.ts';
import * as store from './store.ts';
import type { SignedIn, TokenIssuer } from './token-issuer.ts';

type Grant<T> = (tx: Transaction, account: Credentials) => Promise<T>;

const CODE_BYTES = 32;
const CODE_LIFETIME_MS = 60_000;

export interface SignIn {
  /** @throws ServiceError `authentication_failed`, `rate_limited`, `unavailable`, and at a page `password_change_required` */
  signIn(attempt: SignInAttempt): Promise<SignedIn>;
  /** A one-time code, bound to `next`, instead of the token. @throws as `signIn` */
  signInForCode(attempt: SignInAttempt & { readonly next: string }): Promise<string>;
  /** @throws ServiceError `authentication_failed` when the code is unknown, used, expired or made for another `next` */
  exchangeCode(exchange: { code: string; next: string; origin: Origin }): Promise<SignedIn>;
}

export interface SignInDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: Users;
  readonly audit: Audit;
  readonly check: CredentialCheck;
  readonly issue: TokenIssuer;
}

export function createSignIn({ database, clock, users, audit, check, issue }: SignInDeps): SignIn {
  async function recordSignIn(tx: Transaction, signIn: { userGuid: string; detail: string; origin: Origin }) {
    const { userGuid, detail, origin } = signIn;
    const blob = await users.readAccessBlob(tx, userGuid, null);
    const principal = blob && principalOfBlob(blob);
    await audit.record(tx, { action: 'E', event: 'user.sign-in', principal, subjectGuid: userGuid, detail, ...origin });
  }

  /** What the right password gives; at a page a temporary one gives nothing but the way to change it. */
  async function verify<T>(attempt: SignInAttempt, grant: Grant<T>): Promise<T> {
    const { isAtPage = false, origin } = attempt;
    const outcome = await check.verify(attempt, async (tx, account) => {
      if (!isAtPage || !account.mustChangePassword) return { granted: await grant(tx, account) };
      await recordSignIn(tx, { userGuid: account.userGuid, detail: 'temporary password, to be changed first', origin });
      return undefined;
    });
    if (outcome !== undefined) return outcome.granted;
    throw new ServiceError('password_change_required', 'The temporary password must be changed first');
  }

  return {
    signIn: (attempt) =>
      verify(attempt, (tx, { userGuid }) => issue(tx, { userGuid, event: 'user.sign-in', origin: attempt.origin })),

    async signInForCode(attempt) {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      const { next, origin } = attempt;
      await verify(attempt, async (tx, { userGuid }) => {
        const expiresAt = new Date(clock.now() + CODE_LIFETIME_MS);
        await store.insertCode(tx, { hash: hashOf(code), userGuid, next, expiresAt, from: origin });
        await recordSignIn(tx, { userGuid, detail: 'for a code', origin });
      });
      return code;
    },

    async exchangeCode({ code, next, origin }) {
      // Taken out by a statement of its own: a code that was presented wrongly is gone too.
      const known = await store.takeCode(database, hashOf(code));
      if (known === null || known.next !== next || known.expiresAt.getTime() <= clock.now()) {
        throw new ServiceError('authentication_failed', 'The code is unknown, used, expired or for another address');
      }
      const { userGuid, from } = known;
      return database.transaction((tx) => issue(tx, { userGuid, event: 'user.exchange-code', origin, from }));
    },
  };
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
