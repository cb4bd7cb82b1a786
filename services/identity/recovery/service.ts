// Recovery of forgotten passwords (decision L12, docs/adr/0067): by a link in a mail, or by a code of an administrator
// or an operator. Links and codes are single-use, valid for half an hour and stored as hashes. The second factor stays.

import { emailKey } from '#lib/auth/email.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { notify } from '#lib/db/listener.ts';
import { conflict, notFound, ServiceError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { Language } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import { type WokenLoop, wokenBy } from '#lib/jobs/woken-loop.ts';
import { createWorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import type { TenantNames } from '#lib/tenants/named-tenant.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor, Origin } from '../actor.ts';
import type { AuthService } from '../auth/service.ts';
import { endResets, readAddress } from '../shared/account-store.ts';
import type { AccountMails } from '../shared/mails/account-mails.ts';
import { requireFit } from '../shared/new-password.ts';
import { hashOfSecret, newCode, newToken } from '../shared/one-time-secret.ts';
import type { PasswordRulesOf } from '../shared/password-rules.ts';
import { pageRootOf } from '../shared/tenants/sign-in-host.ts';
import type { Users } from '../users/service.ts';
import messages from './mails.messages.json' with { type: 'json' };
import * as store from './store.ts';

const LIFETIME_MS = 30 * MINUTE_MS;
/** Mails to one account within an hour. A further request gets the same response and no mail. */
const LINKS_PER_HOUR = 3;
const POLL_MS = 5_000;
const LINK_REQUESTED = 'user.request-password-reset';
const RESET = 'user.reset-password';
const CODE_ISSUED = 'user.issue-reset-code';

export interface IssuedCode {
  readonly code: string;
  readonly expiresAt: Date;
}

export interface Recovery {
  /** Whether links can be sent. */
  readonly hasMail: boolean;
  /**
   * Stores the request, and nothing else: the work and the response are the same whether the account exists or not. A
   * worker sends the mail. @throws ServiceError `conflict` when no mail server is configured
   */
  requestLink(request: { email: string; language: Language; origin: Origin }): Promise<void>;
  /**
   * Changes the password by a link's token or a code, and ends all sessions.
   * @throws ServiceError `authentication_failed` when it is unknown, used or expired; `invalid_request` for a password
   * that breaks a rule, which does not use it up
   */
  reset(change: { secret: string; next: string; language: Language; origin: Origin }): Promise<void>;
  /** Whether the token of a link can still be used. It is not used up, and nothing is recorded. */
  isLinkOpen(token: string): Promise<boolean>;
  /** A code for a user. It replaces the one before. @throws ServiceError `not_found`, `conflict` for oneself */
  issueCode(actor: Actor, userGuid: string, language: Language): Promise<IssuedCode>;
  /** Sends the links that were asked for. */
  readonly loop: WokenLoop;
  /** Takes one request; false when there is none. For tests. */
  sendNextLink(): Promise<boolean>;
  sweep(): Promise<void>;
}

export interface RecoveryDeps extends WriteDependencies {
  readonly log: Logger;
  readonly mailer: Mailer | undefined;
  readonly accountMails: Pick<AccountMails, 'passwordChanged'>;
  readonly users: Users;
  readonly passwords: PasswordHasher;
  readonly passwordRules: PasswordRulesOf;
  readonly auth: Pick<AuthService, 'endSessions' | 'forgetFailures'>;
  readonly takeEffect: () => Promise<void>;
  /** The absolute address of the service: links lead to its page. */
  readonly baseUrl: string;
  readonly tenants?: TenantNames | undefined;
}

export function createRecovery(deps: RecoveryDeps): Recovery {
  const { database, clock, log, audit, mailer, users, passwords, passwordRules, auth, takeEffect, accountMails } = deps;
  const channel = `${database.schema}_password_reset`;
  const issue = createResetCodes(deps);

  async function sendLink(tx: Transaction, mails: Mailer, request: store.ResetRequest): Promise<void> {
    const { emailKey: key, language, address, requestId, createdAt, tenant } = request;
    const holder = await store.lockByEmail(tx, key);
    const entry = { action: 'E', event: LINK_REQUESTED, principal: undefined, address, requestId } as const;
    const now = clock.now();
    if (holder === null) return audit.record(tx, { ...entry, outcome: 'failure', detail: 'no such account' });
    const { userGuid, email } = holder;
    const about = { ...entry, subjectGuid: userGuid };
    if ((await store.countLinksSince(tx, userGuid, new Date(now - HOUR_MS))) >= LINKS_PER_HOUR) {
      return audit.record(tx, { ...about, outcome: 'failure', detail: 'too many links within an hour' });
    }
    const { text: token, hash: secretHash } = newToken();
    // The mail may have waited: the half hour begins with the request.
    const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS);
    const spoken = language === 'en' ? 'en' : 'sv';
    const link = `${pageRootOf(deps, tenant)}/reset-password?token=${token}&lang=${spoken}`;
    const text = translator(messages.link, spoken);
    const mail = { kind: 'password-reset', to: email, subject: text('subject'), text: text('text', { link }) };
    const mailGuid = await mails.queue(tx, { ...mail, expiresAt });
    await store.insertReset(tx, { secretHash, userGuid, kind: 'link', createdAt, expiresAt, mailGuid });
    await audit.record(tx, about);
  }

  async function sendNextLink(): Promise<boolean> {
    if (mailer === undefined) return false;
    return database.transaction(async (tx) => {
      const request = await store.takeRequest(tx);
      if (request === null) return false;
      await sendLink(tx, mailer, request);
      return true;
    });
  }

  /** @throws ServiceError `authentication_failed` */
  async function refuse(origin: Origin): Promise<never> {
    const details = { principal: undefined, outcome: 'failure', detail: 'unknown, used or expired' } as const;
    await audit.record(database, { action: 'E', event: RESET, ...details, ...origin });
    const message = 'The link or code is unknown, used or expired';
    throw new ServiceError('authentication_failed', message, { issues: [{ field: 'token', message }] });
  }

  async function replacePassword(
    tx: Transaction,
    change: { userGuid: string; secretHash: Buffer; newHash: string; language: Language; origin: Origin },
  ): Promise<boolean> {
    const { userGuid, newHash, language, origin } = change;
    const holder = await store.lockUser(tx, userGuid);
    if (holder === null || !(await store.takeReset(tx, change))) return false;
    await store.setPassword(tx, userGuid, newHash);
    await endResets(tx, userGuid);
    await auth.endSessions(tx, userGuid);
    // Failures were guesses of a password that is gone. Those at a second factor still count.
    if (!holder.hasSecondFactor) await auth.forgetFailures(tx, holder.email);
    await accountMails.passwordChanged(tx, holder.email, language);
    await audit.record(tx, { action: 'U', event: RESET, principal: undefined, subjectGuid: userGuid, ...origin });
    return true;
  }

  const loop = createWorkerLoop({ name: 'password-reset', intervalMs: POLL_MS, log, step: sendNextLink });
  const woken = wokenBy({ database, channel }, loop);

  return {
    hasMail: mailer !== undefined,
    async requestLink({ email, language, origin }) {
      if (mailer === undefined) throw conflict('No mail server is configured: ask an administrator for a code');
      const { address, requestId } = origin;
      const now = clock.now();
      const common = { language, address, requestId, createdAt: new Date(now), tenant: currentTenant() };
      await database.transaction(async (tx) => {
        await store.insertRequest(tx, { requestGuid: newGuid(now), emailKey: emailKey(email), ...common });
        await notify(tx, channel);
      });
    },
    async reset({ secret, next, language, origin }) {
      requireFit(next);
      const secretHash = hashOfSecret(secret);
      const userGuid = secretHash && (await store.findReset(database, secretHash, new Date(clock.now())));
      if (secretHash === undefined || !userGuid) return refuse(origin);
      // Only a holder of the link or code may learn which names the account has.
      const owner = await users.readPasswordHolder(userGuid);
      requireFit(next, owner && passwordRules(owner));
      const newHash = await passwords.hash(next);
      const change = { userGuid, secretHash, newHash, language, origin };
      if (!(await database.transaction((tx) => replacePassword(tx, change)))) return refuse(origin);
      await takeEffect();
    },
    async isLinkOpen(token) {
      const hash = hashOfSecret(token);
      return hash !== undefined && (await store.isLinkOpen(database, hash, new Date(clock.now())));
    },
    async issueCode({ principal, ...origin }, userGuid, language) {
      if (userGuid === principal.id) throw conflict('Change your own password instead');
      const user = isGuid(userGuid) ? await users.readCredentials(userGuid) : null;
      if (user === null) throw notFound('User');
      const email = await readAddress(database, userGuid);
      if (email === undefined)
        throw conflict('Nobody signs in to this account: give it an e-mail address first', 'email');
      return issue({ principal, email, language, origin });
    },
    loop: {
      ...woken,
      async start() {
        if (mailer !== undefined) await woken.start();
      },
    },
    sendNextLink,
    sweep: () => store.sweep(database, new Date(clock.now() - HOUR_MS)),
  };
}

export interface CodeRequest {
  readonly principal: Principal;
  readonly email: string;
  readonly language: Language;
  readonly origin: Partial<Origin>;
}

/** Issues codes; also for a command without a running service. */
export function createResetCodes(
  deps: Pick<RecoveryDeps, 'database' | 'clock' | 'audit' | 'mailer'>,
): (request: CodeRequest) => Promise<IssuedCode> {
  const { database, clock, audit, mailer } = deps;
  /** @throws ServiceError `not_found` when no account has the address */
  return async ({ principal, email, language, origin: { address, requestId } }) => {
    const { text: code, hash: secretHash } = newCode();
    const createdAt = new Date(clock.now());
    const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS);
    await database.transaction(async (tx) => {
      const holder = await store.lockByEmail(tx, emailKey(email));
      if (holder === null) throw notFound('User');
      const { userGuid } = holder;
      await store.insertReset(tx, { secretHash, userGuid, kind: 'code', createdAt, expiresAt });
      const from = { ...(address === undefined ? {} : { address }), ...(requestId === undefined ? {} : { requestId }) };
      await audit.record(tx, { action: 'C', event: CODE_ISSUED, principal, subjectGuid: userGuid, ...from });
      const text = translator(messages.code, language);
      const mail = { kind: 'reset-code-issued', to: holder.email, subject: text('subject'), text: text('text') };
      await mailer?.queue(tx, mail);
    });
    return { code, expiresAt };
  };
}
