// Checks the credentials of the engine's users. They are the password or the code of a reset, and a code of the second
// factor (decisions E8 and I2). Failures are counted and recorded. Attempts on one account are serialised.

import type { AccountClient } from '#clients/account-client.ts';
import { lockFailures, saveFailures } from '#lib/auth/failure-store.ts';
import {
  accountOf,
  afterFailure,
  type FailureRow,
  refuseLocked,
  wrongCode,
  wrongCredentials,
} from '#lib/auth/login-failures.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError, validationError } from '#lib/errors.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { SecondFactors } from '#lib/second-factor/second-factors.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Origin } from '../shared/actor.ts';
import { readCode } from './one-time-code.ts';
import { type Credentials, clearFailures, findByGuid, lockCredentials, readLock } from './session-store.ts';
import { userEntity } from './user-entity.ts';

/** A verified password or code of a reset. */
export interface Proof {
  readonly credentials: Credentials;
  readonly isByCode: boolean;
}

interface Attempt {
  readonly email: string;
  readonly password: string;
  /** The account with the address, if there is one. */
  readonly found: Credentials | undefined;
}

interface Refusal {
  readonly found: Credentials | undefined;
  readonly detail: string;
  readonly origin: Origin;
}

interface CodeAttempt {
  readonly email: string;
  /** The code of the second factor. */
  readonly code: string | undefined;
  readonly origin: Origin;
}

export type Confirmation = 'confirmed' | 'code_required' | 'wrong_code';

export interface CredentialCheckDependencies extends WriteDependencies {
  readonly passwords: PasswordHasher;
  readonly secondFactors: SecondFactors;
  readonly identityAccounts: AccountClient;
  readonly log: Logger;
}

export interface CredentialCheck {
  /** Verifies a password or code of a reset. A failure is counted and recorded. @throws ServiceError as `signIn` */
  prove(attempt: Attempt, origin: Origin): Promise<Proof>;
  /** Verifies the password of a signed-in user, and returns the account. @throws ServiceError as `changePassword` */
  proveOwner(userGuid: string, password: string | undefined, origin: Origin): Promise<Credentials>;
  /** Returns a new hash when the parameters of the old one are outdated. */
  rehash(proof: Proof, password: string): Promise<string | undefined>;
  /** Reports to identity how a sign-in ended for an address that is not identity's. */
  reportToIdentity(email: string, outcome: 'success' | 'failure'): void;
  /**
   * Locks the account, checks that the proof is still valid, and checks the code of a second factor. A wrong code is
   * counted and recorded.
   * @throws ServiceError as `signIn`
   */
  confirm(tx: Transaction, proof: Proof, attempt: CodeAttempt): Promise<Confirmation>;
  /**
   * Runs `verify` under the lock of the user's failures. Undefined from it means a wrong code, which is counted and
   * recorded.
   * @throws ServiceError `authentication_failed`, `rate_limited`, and what `verify` throws
   */
  checkCode<T>(
    userGuid: string,
    origin: Origin,
    verify: (tx: Transaction) => Promise<{ result: T } | undefined>,
  ): Promise<T>;
}

export function createCredentialCheck({
  database,
  clock,
  audit,
  passwords,
  secondFactors,
  identityAccounts,
  log,
}: CredentialCheckDependencies): CredentialCheck {
  async function checkPassword({ email, password, found }: Attempt, origin: Origin): Promise<Proof> {
    refuseLocked(await readLock(database, accountOf(email)), clock.now());
    // An unknown address, a wrong password and a code take the same work, so that the time does not distinguish them.
    const isPassword = await passwords.verify(found?.password_hash ?? undefined, password);
    const isByCode = !isPassword && found !== undefined && isCodeOf(found, readCode(password), clock.now());
    if (found !== undefined && (isPassword || isByCode)) return { credentials: found, isByCode };
    await database.transaction((tx) => {
      return recordFailure(tx, email, { found, detail: 'wrong address or password', origin });
    });
    reportOutcome(email, 'failure');
    throw wrongCredentials();
  }

  /**
   * Locks the row of the address's failures until the transaction ends.
   * @throws ServiceError `rate_limited` while the address is locked
   */
  async function lockFailuresOf(tx: Transaction, email: string): Promise<FailureRow> {
    const known = await lockFailures(tx, accountOf(email), new Date(clock.now()));
    refuseLocked(known.locked_until, clock.now());
    return known;
  }

  async function recordFailure(tx: Transaction, email: string, refusal: Refusal): Promise<void> {
    const known = await lockFailuresOf(tx, email);
    await saveFailures(tx, accountOf(email), afterFailure(known, clock.now()));
    await recordRefusal(tx, refusal.found, refusal.detail, refusal.origin);
  }

  /**
   * Identity counts failures for addresses that are not its own, too. Otherwise its lock would reveal which addresses
   * are its own. The call is not awaited, so that the response time is the same.
   */
  function reportOutcome(email: string, outcome: 'success' | 'failure'): void {
    identityAccounts.recordOutcome(email, outcome).catch((error: unknown) => {
      log.warn({ event: 'engine.sign-in-not-counted', err: error });
    });
  }

  function recordRefusal(
    tx: Transaction,
    found: Credentials | undefined,
    detail: string,
    origin: Origin,
  ): Promise<void> {
    const entities = found === undefined ? [] : [userEntity(found.user_guid)];
    const recorded = { principal: undefined, outcome: 'failure', detail, entities } as const;
    return audit.record(tx, { action: 'E', event: 'engine-user.sign-in', ...recorded, ...origin });
  }

  return {
    reportToIdentity: reportOutcome,
    async prove(attempt, origin) {
      const proof = await checkPassword(attempt, origin);
      const { status } = proof.credentials;
      if (status === 'active') return proof;
      await database.transaction((tx) => recordRefusal(tx, proof.credentials, `account is ${status}`, origin));
      throw notActive(status);
    },
    async proveOwner(userGuid, password, origin) {
      if (password === undefined) throw fieldIssue('current_password', 'is required');
      const found = await findByGuid(database, userGuid);
      if (found === undefined) throw new ServiceError('unauthorized', 'The account is gone');
      const { credentials, isByCode } = await checkPassword({ email: found.email, password, found }, origin);
      if (isByCode) throw wrongCredentials();
      return credentials;
    },
    async rehash({ credentials: { password_hash: hash }, isByCode }, password) {
      return isByCode || hash === null || !passwords.needsRehash(hash) ? undefined : passwords.hash(password);
    },
    async confirm(tx, { credentials, isByCode }, { email, code, origin }) {
      const { user_guid: userGuid, has_second_factor: isGuarded } = credentials;
      // For a user with a second factor the password alone does not reset the failures.
      if (isGuarded) await lockFailuresOf(tx, email);
      else refuseLocked(await clearFailures(tx, accountOf(email)), clock.now());
      const known = await lockCredentials(tx, userGuid);
      if (known === undefined || known.has_second_factor !== isGuarded) throw wrongCredentials();
      const isProven = isByCode
        ? isCodeOf(known, credentials.reset_hash ?? undefined, clock.now())
        : known.password_hash === credentials.password_hash;
      if (!isProven) throw wrongCredentials();
      if (known.status !== 'active') throw notActive(known.status);
      if (!isGuarded) return 'confirmed';
      if (code === undefined) return 'code_required';
      if (!(await secondFactors.useCode(tx, { userGuid, code, origin }))) {
        await recordFailure(tx, email, { found: credentials, detail: 'wrong code', origin });
        return 'wrong_code';
      }
      await clearFailures(tx, accountOf(email));
      return 'confirmed';
    },
    async checkCode(userGuid, origin, verify) {
      const found = await findByGuid(database, userGuid);
      if (found === undefined) throw new ServiceError('unauthorized', 'The account is gone');
      const { email } = found;
      const verified = await database.transaction(async (tx) => {
        await lockFailuresOf(tx, email);
        const outcome = await verify(tx);
        if (outcome === undefined) await recordFailure(tx, email, { found, detail: 'wrong code', origin });
        return outcome;
      });
      if (verified !== undefined) return verified.result;
      reportOutcome(email, 'failure');
      throw wrongCode();
    },
  };
}

function isCodeOf(
  { reset_hash: hash, reset_until: until }: Credentials,
  given: Buffer | undefined,
  now: number,
): boolean {
  return given !== undefined && hash !== null && until !== null && until.getTime() > now && hash.equals(given);
}

/** @throws ServiceError `forbidden` for a caller who is not signed in at the engine itself */
export function ownSession({ kind, id, tokenId }: Principal): { sessionGuid: string; userGuid: string } {
  if (kind === 'engine_user' && tokenId !== undefined) return { sessionGuid: tokenId, userGuid: id };
  throw new ServiceError(
    'forbidden',
    'Only a token of the engine can be used here; other tokens belong to their issuer',
  );
}

function notActive(status: string): ServiceError {
  const why = status === 'pending' ? 'awaits the approval of an administrator' : 'is disabled';
  return new ServiceError('forbidden', `The account ${why}`);
}

export function fieldIssue(field: string, message: string): ServiceError {
  return validationError([{ field, message: `'${field}' ${message}` }]);
}
