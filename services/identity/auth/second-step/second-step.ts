// The second step of a sign-in: exchanges a challenge and its code for the grant. Guesses are checked one at a time per
// account and count as failed sign-ins (decision I2).

import type { Audit } from '#lib/audit/audit.ts';
import { principalOfBlob } from '#lib/auth/access-blob.ts';
import { wrongCode } from '#lib/auth/login-failures.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import type { Setup } from '#lib/second-factor/second-factors.ts';
import type { Origin } from '../../actor.ts';
import { queueFactorMail } from '../../shared/mails/factor-mail.ts';
import { type Granted, type SigningBrowser, withEffect } from '../grants.ts';
import type { StepDeps } from '../sign-in.ts';
import type { CreatedChallenge, OpenChallenge } from './challenges.ts';

export interface ChallengeResponse {
  readonly challenge: OpenChallenge;
  readonly code: string;
  readonly origin: Origin;
  /** The browser of a sign-in at identity's own page. */
  readonly browser?: SigningBrowser | undefined;
}

/** The second factor is on. The sign-in continues with another challenge when the user has saved the recovery codes. */
export type SetUpResult = CreatedChallenge & { readonly recoveryCodes: readonly string[] };

export interface SecondStep {
  /** @throws ServiceError `authentication_failed` */
  readChallenge(challenge: string): Promise<OpenChallenge>;
  /** @throws ServiceError `authentication_failed`, `rate_limited` */
  submitCode(answer: ChallengeResponse): Promise<Granted>;
  /**
   * The secret of a sign-in that must set up a second factor: the pending one, or a new one when that has expired.
   * @throws ServiceError `authentication_failed` when the sign-in requires something else
   */
  readSetup(challenge: OpenChallenge): Promise<Setup>;
  /** @throws ServiceError as `submitCode` */
  submitSetup(answer: ChallengeResponse): Promise<SetUpResult>;
  /** Completes a sign-in that requires nothing more. @throws ServiceError `authentication_failed` */
  continueSignIn(answer: Omit<ChallengeResponse, 'code'>): Promise<Granted>;
}

export interface SecondStepDeps extends StepDeps {
  readonly database: Database;
  readonly audit: Audit;
  /** Undefined without a mail server. */
  readonly mailer: Mailer | undefined;
  /** Ends the user's other unfinished sign-ins, in the same transaction. */
  readonly endSessions: (tx: Transaction, userGuid: string) => Promise<number>;
  readonly takeEffect: () => Promise<void>;
}

export function createSecondStep(deps: SecondStepDeps): SecondStep {
  const { database, audit, users, throttle, secondFactors, challenges, check, grant, endSessions, takeEffect } = deps;
  const { mailer } = deps;

  async function complete(tx: Transaction, answer: Omit<ChallengeResponse, 'code'>): Promise<Granted> {
    const { challenge, origin } = answer;
    const browser = answer.browser && { ...answer.browser, hasSecondFactor: true };
    const { hash, userGuid, email, handshake } = challenge;
    await challenges.close(tx, hash);
    await throttle.recordSuccess(tx, email);
    await users.recordSignIn(tx, userGuid);
    return grant(tx, { userGuid, handshake, origin, browser });
  }

  /** Returns undefined for a wrong code. */
  async function finishSetUp(tx: Transaction, answer: ChallengeResponse): Promise<SetUpResult | undefined> {
    const { challenge, code, origin } = answer;
    const { userGuid, email, handshake, hash } = challenge;
    const result = await secondFactors.finish(tx, userGuid, code);
    if (result.kind !== 'finished') return undefined;
    await challenges.close(tx, hash);
    await endSessions(tx, userGuid);
    const blob = await users.readAccessBlob(tx, userGuid, null);
    const principal = blob && principalOfBlob(blob);
    await audit.record(tx, { action: 'U', event: 'second-factor.enable', principal, subjectGuid: userGuid, ...origin });
    if (mailer !== undefined) await queueFactorMail(tx, mailer, { change: 'on', email });
    const made = await challenges.make(tx, { userGuid, kind: 'continue', handshake });
    return { recoveryCodes: result.recoveryCodes, ...made };
  }

  /** Checks a code while the account's guesses are locked; when `verify` returns undefined, the code is wrong. */
  async function checkCode<T>(
    { challenge, origin }: ChallengeResponse,
    kind: OpenChallenge['kind'],
    verify: (tx: Transaction) => Promise<T | undefined>,
  ): Promise<T> {
    // A locked account must not queue for the row lock.
    await throttle.check(challenge.email);
    const outcome = await database.transaction(async (tx) => {
      await throttle.lock(tx, challenge.email);
      const done = challenge.kind === kind ? await verify(tx) : undefined;
      if (done !== undefined) return done;
      await challenges.countWrongCode(tx, challenge.hash);
      await check.recordWrongCode(tx, { account: challenge, origin });
      return undefined;
    });
    if (outcome === undefined) throw wrongCode();
    return outcome;
  }

  return {
    readChallenge: challenges.read,
    async submitCode(answer) {
      const granted = await checkCode(answer, 'code', async (tx) => {
        const { challenge, code, origin } = answer;
        const isRight = await secondFactors.useCode(tx, { userGuid: challenge.userGuid, code, origin });
        return isRight ? complete(tx, answer) : undefined;
      });
      return withEffect(granted, takeEffect);
    },
    async readSetup(challenge) {
      // A sign-in that requires a code has not proved the existing second factor, and must not see its replacement.
      if (challenge.kind !== 'set_up') throw wrongCode();
      return (await secondFactors.readSetup(database, challenge)) ?? secondFactors.begin(database, challenge);
    },
    async submitSetup(answer) {
      const done = await checkCode(answer, 'set_up', (tx) => finishSetUp(tx, answer));
      await takeEffect();
      return done;
    },
    async continueSignIn(answer) {
      if (answer.challenge.kind !== 'continue') throw wrongCode();
      return withEffect(await database.transaction((tx) => complete(tx, answer)), takeEffect);
    },
  };
}
