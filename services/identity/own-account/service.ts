// The user's own account (decision L12, docs/adr/0081): the name is corrected at once. A new e-mail address is proved
// by a code that is sent there, and the former address is notified. No response says whether an address has an account.
import { timingSafeEqual } from 'node:crypto';
import { emailKey } from '#lib/auth/email.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, ServiceError } from '#lib/errors.ts';
import type { Language } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import type { SecondFactors } from '#lib/second-factor/second-factors.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { AuthService } from '../auth/service.ts';
import type { Revocations } from '../revocations/service.ts';
import { setEmail, setNames } from '../shared/account-store.ts';
import type { AccountMails } from '../shared/mails/account-mails.ts';
import { hashOfSecret, newCode } from '../shared/one-time-secret.ts';
import type { Users } from '../users/service.ts';
import messages from './mails.messages.json' with { type: 'json' };
import * as store from './store.ts';

const LIFETIME_MS = 30 * MINUTE_MS;
const REQUESTS_PER_HOUR = 3;
const ALLOWED_WRONG_CODES = 5;
const NAME_CHANGED = 'user.change-own-name';
const EMAIL_REQUESTED = 'user.request-email-change';
const EMAIL_CHANGED = 'user.change-own-email';

export type OwnAccount = store.AccountRow;

export interface EmailRequest {
  readonly email: string;
  readonly password: string;
  /** Of the second factor, for users who have one. */
  readonly code?: string | undefined;
  readonly language: Language;
}

export interface OwnAccounts {
  /** Whether a new address can be proved. */
  readonly hasMail: boolean;
  /** @throws ServiceError `unauthorized` when the account is gone */
  read(actor: Actor): Promise<OwnAccount>;
  /** What is left out stays. @throws ServiceError `unauthorized` */
  changeNames(actor: Actor, names: { first?: string | undefined; last?: string | undefined }): Promise<OwnAccount>;
  /**
   * Sends a code to the new address; to an address that has an account, a notice instead. Returns until when the code
   * is valid. @throws ServiceError `authentication_failed`, `rate_limited`, `conflict` without a mail server
   */
  requestEmail(actor: Actor, request: EmailRequest): Promise<Date>;
  /**
   * Changes the address by its code. @throws ServiceError `authentication_failed` for a wrong or expired code,
   * `conflict` when an account has taken the address meanwhile
   */
  confirmEmail(actor: Actor, code: string, language: Language): Promise<OwnAccount>;
  sweep(): Promise<void>;
}

export interface OwnAccountDeps extends WriteDependencies {
  readonly auth: Pick<AuthService, 'confirmPassword' | 'checkOwnCode'>;
  readonly users: Pick<Users, 'isEmailTaken'>;
  readonly secondFactors: Pick<SecondFactors, 'useCode'>;
  readonly mailer: Mailer | undefined;
  readonly accountMails: Pick<AccountMails, 'emailChanged'>;
  readonly revocations: Pick<Revocations, 'userChanged'>;
  readonly takeEffect: () => Promise<void>;
}

export function createOwnAccounts(deps: OwnAccountDeps): OwnAccounts {
  const { database, clock, audit, mailer, takeEffect } = deps;

  async function read({ principal }: Actor): Promise<OwnAccount> {
    const row = await store.readAccount(database, principal.id, new Date(clock.now()));
    if (row === undefined) throw gone();
    return row;
  }

  return {
    hasMail: mailer !== undefined,
    read,
    async changeNames(actor, names) {
      await database.transaction(async (tx) => {
        const userGuid = actor.principal.id;
        if ((await store.lockUser(tx, userGuid)) === undefined) throw gone();
        await setNames(tx, userGuid, { first: names.first?.trim(), last: names.last?.trim() });
        await audit.record(tx, { action: 'U', event: NAME_CHANGED, subjectGuid: userGuid, ...actor });
        await deps.revocations.userChanged(tx, userGuid);
      });
      await takeEffect();
      return read(actor);
    },
    async requestEmail(actor, request) {
      if (mailer === undefined) throw conflict('No mail server is configured: ask an administrator');
      await prove(deps, actor, request);
      return database.transaction((tx) => sendCode(deps, tx, mailer, { actor, request }));
    },
    async confirmEmail(actor, code, language) {
      const isDone = await database.transaction((tx) => confirm(deps, tx, { actor, code, language }));
      if (!isDone) throw wrongCode();
      await takeEffect();
      return read(actor);
    },
    sweep: () => store.sweep(database, new Date(clock.now() - HOUR_MS)),
  };
}

/** The password, and the code of users who have a second factor. */
async function prove(
  { auth, secondFactors }: OwnAccountDeps,
  actor: Actor,
  { password, code }: EmailRequest,
): Promise<void> {
  const account = await auth.confirmPassword(actor, password, EMAIL_REQUESTED);
  if (!account.hasSecondFactor) return;
  if (code === undefined) {
    const message = 'The account asks for a code of its second factor';
    throw new ServiceError('authentication_failed', message, { issues: [{ field: 'code', message }] });
  }
  await auth.checkOwnCode(actor, EMAIL_REQUESTED, async (tx) => {
    const isRight = await secondFactors.useCode(tx, { userGuid: account.userGuid, code, origin: actor });
    return isRight ? { result: true } : undefined;
  });
}

/** The work is the same whether the address has an account or not: a row and a mail to it. */
async function sendCode(
  { clock, audit, users }: OwnAccountDeps,
  tx: Transaction,
  mailer: Mailer,
  { actor, request }: { readonly actor: Actor; readonly request: EmailRequest },
): Promise<Date> {
  const userGuid = actor.principal.id;
  if ((await store.lockUser(tx, userGuid)) === undefined) throw gone();
  const now = clock.now();
  const before = await store.requestsSince(tx, userGuid, new Date(now - HOUR_MS));
  if (before.length >= REQUESTS_PER_HOUR) throw tooMany((before[0]?.getTime() ?? now) + HOUR_MS - now);
  const { email, language } = request;
  const { text: code, hash: codeHash } = newCode();
  const expiresAt = new Date(now + LIFETIME_MS);
  await mailer.cancel(tx, await store.mailOfChange(tx, userGuid));
  // Somebody else's address: its owner is notified, and the code that would prove it reaches nobody.
  const isTaken = await users.isEmailTaken(tx, email);
  const text = translator(isTaken ? messages.taken : messages.code, language);
  const kind = isTaken ? 'email-change-taken' : 'email-change-code';
  const mail = { kind, to: email, subject: text('subject'), text: text('text', { code }), expiresAt };
  const mailGuid = await mailer.queue(tx, mail);
  const change = { userGuid, codeHash, email, emailKey: emailKey(email), expiresAt, mailGuid };
  await store.putChange(tx, { ...change, requestedAt: [...before, new Date(now)] });
  await audit.record(tx, { action: 'E', event: EMAIL_REQUESTED, subjectGuid: userGuid, ...actor });
  return expiresAt;
}

/** False for a wrong or expired code, which is then recorded. */
async function confirm(
  { clock, audit, accountMails, revocations }: OwnAccountDeps,
  tx: Transaction,
  { actor, code, language }: { readonly actor: Actor; readonly code: string; readonly language: Language },
): Promise<boolean> {
  const userGuid = actor.principal.id;
  const former = await store.lockUser(tx, userGuid);
  if (former === undefined) throw gone();
  const change = await store.lockChange(tx, userGuid, new Date(clock.now()));
  const typed = hashOfSecret(code);
  if (change === undefined || typed === undefined || !timingSafeEqual(change.codeHash, typed)) {
    await store.countWrongCode(tx, userGuid, ALLOWED_WRONG_CODES);
    const details = { outcome: 'failure', detail: 'wrong or expired code' } as const;
    await audit.record(tx, { action: 'U', event: EMAIL_CHANGED, subjectGuid: userGuid, ...details, ...actor });
    return false;
  }
  // Where somebody registered with it since, that is said: the caller has proved to control it.
  await setEmail(tx, userGuid, change, 'new_email');
  await store.deleteChange(tx, userGuid);
  await accountMails.emailChanged(tx, former, { language });
  await audit.record(tx, { action: 'U', event: EMAIL_CHANGED, subjectGuid: userGuid, ...actor });
  await revocations.userChanged(tx, userGuid);
  return true;
}

function gone(): ServiceError {
  return new ServiceError('unauthorized', 'Your account is gone');
}

function tooMany(waitMs: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ServiceError('rate_limited', `An account changes its address ${REQUESTS_PER_HOUR} times an hour at most`, {
    retryAfterSeconds,
  });
}

function wrongCode(): ServiceError {
  const message = 'The code is wrong, used or expired';
  return new ServiceError('authentication_failed', message, { issues: [{ field: 'email_code', message }] });
}
