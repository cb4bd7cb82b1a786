// The mail to who is invited to be a proxy, and to who is set as a guardian. It does not say whose, as others may read
// it: that is shown to who has signed in. Who has no account gets none, and the patient learns of neither.
import { DAY_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { translator } from '#lib/html/messages.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import { mailText } from '../shared/mails/mail-text.ts';
import { entranceOf, pageRootOf, type SignInHostDeps } from '../shared/tenants/sign-in-host.ts';
import type { Memberships } from '../tenants/service.ts';
import messages from './invitation-mail.messages.json' with { type: 'json' };
import * as store from './store.ts';

/** What is ended and made again is mailed once within this time. */
const ONCE_WITHIN_MS = DAY_MS;
const CONSOLE_PAGE = '/my/proxies';
/** Of the mails, by what was made. */
const KINDS = { proxy: 'proxy-invitation', guardian: 'guardian-set' } as const;

export interface InvitationMails {
  /** Queued with what was made: an invitation, or the right of a guardian. Without a mail server there is none. */
  queue(tx: Transaction, made: store.PatientProxy): Promise<void>;
}

export interface InvitationMailsDeps extends SignInHostDeps {
  readonly mailer: Mailer | undefined;
  readonly memberships: Pick<Memberships, 'tenantFor'>;
}

export function createInvitationMails({ mailer, memberships, ...site }: InvitationMailsDeps): InvitationMails {
  /** The page where it is shown. Other tenants than the default one have no console. */
  async function pageFor(tx: Transaction, userGuid: string) {
    const tenant = await memberships.tenantFor(tx, userGuid, currentTenant());
    const { isDefault, href } = entranceOf(site, tenant);
    return (language: 'sv' | 'en') =>
      isDefault ? href(language, CONSOLE_PAGE) : `${pageRootOf(site, tenant)}/proxies?lang=${language}`;
  }

  return {
    async queue(tx, made) {
      const { delegateUser, createdAt, kind } = made;
      if (mailer === undefined || delegateUser === undefined) return;
      if (await store.wasMadeSince(tx, made, new Date(createdAt.getTime() - ONCE_WITHIN_MS))) return;
      const to = await store.readDelegateAddress(tx, delegateUser);
      if (to === undefined) return;
      const page = await pageFor(tx, delegateUser);
      const mail = mailText(undefined, (language) => {
        const text = translator(messages[kind], language);
        return { subject: text('subject'), text: text('text', { link: page(language) }) };
      });
      await mailer.queue(tx, { kind: KINDS[kind], to, ...mail });
    },
  };
}
