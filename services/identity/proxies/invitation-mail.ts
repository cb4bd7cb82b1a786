// The mail to who is invited to be a proxy. It does not say who invites, as others may read it: that is shown to who
// has signed in. Who has no account gets none, and the patient learns of neither.
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

/** Invitations that are withdrawn and made again are mailed once within this time. */
const ONCE_WITHIN_MS = DAY_MS;
const CONSOLE_PAGE = '/my/proxies';

export interface InvitationMails {
  /** Queued with the invitation. Without a mail server there is none. */
  queue(tx: Transaction, invitation: store.PatientProxy): Promise<void>;
}

export interface InvitationMailsDeps extends SignInHostDeps {
  readonly mailer: Mailer | undefined;
  readonly memberships: Pick<Memberships, 'tenantFor'>;
}

export function createInvitationMails({ mailer, memberships, ...site }: InvitationMailsDeps): InvitationMails {
  /** The page where the invitation is. Other tenants than the default one have no console. */
  async function pageFor(tx: Transaction, userGuid: string) {
    const tenant = await memberships.tenantFor(tx, userGuid, currentTenant());
    const { isDefault, href } = entranceOf(site, tenant);
    return (language: 'sv' | 'en') =>
      isDefault ? href(language, CONSOLE_PAGE) : `${pageRootOf(site, tenant)}/proxies?lang=${language}`;
  }

  return {
    async queue(tx, invitation) {
      const { delegateUser, createdAt } = invitation;
      if (mailer === undefined || delegateUser === undefined) return;
      if (await store.wasInvitedSince(tx, invitation, new Date(createdAt.getTime() - ONCE_WITHIN_MS))) return;
      const to = await store.readDelegateAddress(tx, delegateUser);
      if (to === undefined) return;
      const page = await pageFor(tx, delegateUser);
      const mail = mailText(undefined, (language) => {
        const text = translator(messages, language);
        return { subject: text('subject'), text: text('text', { link: page(language) }) };
      });
      await mailer.queue(tx, { kind: 'proxy-invitation', to, ...mail });
    },
  };
}
