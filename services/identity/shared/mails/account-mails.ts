// Mails to the owner of an account whose password or e-mail address was changed: whoever else does it is not unnoticed.
// They name neither the new address nor who did it.
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { Language } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import { momentOf, SWEDISH_TIME } from '#lib/html/moment-text.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import { pageRootOf, type SignInHostDeps } from '../tenants/sign-in-host.ts';
import messages from './account-mails.messages.json' with { type: 'json' };
import { mailText } from './mail-text.ts';

/** Queued with the change. Nothing is without a mail server. */
export interface AccountMails {
  passwordChanged(tx: Transaction, to: string, language: Language): Promise<void>;
  /** To the former address. Where an administrator did it, the owner's language is unknown. */
  emailChanged(tx: Transaction, former: string, by: { language: Language } | 'administrator'): Promise<void>;
}

export interface AccountMailsDeps extends SignInHostDeps {
  readonly clock: Clock;
  readonly mailer: Mailer | undefined;
}

export function createAccountMails({ mailer, clock, ...site }: AccountMailsDeps): AccountMails {
  return {
    async passwordChanged(tx, to, language) {
      const text = translator(messages.password, language);
      const link = `${pageRootOf(site, currentTenant())}/forgot-password?lang=${language}`;
      const values = { when: momentOf(clock.now(), { language, timeZone: SWEDISH_TIME }), link };
      const mail = mailText(language, () => ({ subject: text('subject'), text: text('text', values) }));
      await mailer?.queue(tx, { kind: 'password-changed', to, ...mail });
    },
    async emailChanged(tx, former, by) {
      const mail = mailText(by === 'administrator' ? undefined : by.language, (language) => {
        const text = translator(messages.email, language);
        const when = momentOf(clock.now(), { language, timeZone: SWEDISH_TIME });
        return { subject: text('subject'), text: text(by === 'administrator' ? by : 'own', { when }) };
      });
      await mailer?.queue(tx, { kind: 'email-changed', to: former, ...mail });
    },
  };
}
