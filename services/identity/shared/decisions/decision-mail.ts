// The mail to who asked for something, when it has been decided. An approval has a link to where it is of use. As the
// language is not known, it is in both.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { translator } from '#lib/html/messages.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import { mailText } from '../mails/mail-text.ts';
import { entranceOf, type SignInHostDeps } from '../tenants/sign-in-host.ts';
import messages from './decision-mail.messages.json' with { type: 'json' };

export interface Decided {
  readonly kind: 'access-request' | 'membership' | 'leader-request' | 'group-proposal';
  readonly status: 'approved' | 'rejected';
  /** Who asked; null for one whose access request was rejected. */
  readonly userGuid: string | null;
  /** The tenant at whose address it was asked for; null for the default one. */
  readonly tenant: string | null;
  readonly email: string;
  /** Of the group or the organisation. */
  readonly name: string;
  /** Why, in the words of who decided. */
  readonly reason: string | undefined;
}

export interface DecisionMails {
  /** Queued with the decision; sent when that has committed. Without a mail server there is none. */
  queue(tx: Transaction, decided: Decided): Promise<void>;
}

export interface DecisionMailsDeps extends SignInHostDeps {
  /** Undefined without a mail server. */
  readonly mailer: Mailer | undefined;
  readonly memberships: {
    /** The tenant to whose address a mail leads the user: this one, or another that the user may use. */
    tenantFor(db: Queryable, userGuid: string, tenant: string | undefined): Promise<string | undefined>;
  };
}

/** The page of the console where what was approved is of use. */
const PAGES = {
  'access-request': undefined,
  membership: '/account',
  'leader-request': '/admin/groups',
  'group-proposal': '/admin/groups',
} as const satisfies Record<Decided['kind'], string | undefined>;

export function createDecisionMails({ mailer, memberships, ...site }: DecisionMailsDeps): DecisionMails {
  /** Where the user signs in. Other tenants than the default one have no console. */
  async function entranceFor(tx: Transaction, { userGuid, tenant, status }: Decided) {
    if (status === 'rejected' || userGuid === null) return undefined;
    return entranceOf(site, await memberships.tenantFor(tx, userGuid, tenant ?? undefined));
  }

  return {
    async queue(tx, decided) {
      if (mailer === undefined) return;
      const { kind, status, email: to, name, reason } = decided;
      const entrance = await entranceFor(tx, decided);
      const page = entrance?.isDefault === true ? PAGES[kind] : undefined;
      const mail = mailText(undefined, (language) => {
        const text = translator(messages[kind], language);
        const common = translator(messages.common, language);
        const lines = [
          text(status, { name }),
          ...(reason === undefined ? [] : [common('reason', { reason })]),
          ...(entrance === undefined ? [] : [common('link', { link: entrance.href(language, page) })]),
        ];
        return { subject: common(status), text: lines.join('\n\n') };
      });
      await mailer.queue(tx, { kind: `decision-${kind}`, to, ...mail });
    },
  };
}
