// The mail to who is invited to be a proxy, and to who is set as a guardian. It does not say whose, as others may read
// it: that is shown to who has signed in. Who has no account gets none, and the patient learns of neither. A worker
// makes it, so that the request does the same in both cases.
import { DAY_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { notify } from '#lib/db/listener.ts';
import { translator } from '#lib/html/messages.ts';
import { type WokenLoop, wokenBy } from '#lib/jobs/woken-loop.ts';
import { createWorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { mailText } from '../shared/mails/mail-text.ts';
import { entranceOf, pageRootOf, type SignInHostDeps } from '../shared/tenants/sign-in-host.ts';
import type { Memberships } from '../tenants/service.ts';
import messages from './invitation-mail.messages.json' with { type: 'json' };
import * as store from './store.ts';

/** What is ended and made again is mailed once within this time. */
const ONCE_WITHIN_MS = DAY_MS;
const POLL_MS = 5_000;
const CONSOLE_PAGE = '/my/proxies';
/** Of the mails, by what was made. */
const KINDS = { proxy: 'proxy-invitation', guardian: 'guardian-set' } as const;

export interface InvitationMails {
  /** Whether there is a mail server: invitations, and rights of guardians, then wait for the worker. */
  readonly hasMail: boolean;
  /** Wakes the worker when the transaction has committed. */
  wake(tx: Transaction): Promise<void>;
  /**
   * Takes back the mail of what was answered or is over, if it waits. It is the same work whether there is one or not.
   * Returns whether nobody can have got it.
   */
  cancel(tx: Transaction, proxy: Pick<store.PatientProxy, 'mailGuid'>): Promise<boolean>;
  readonly loop: WokenLoop;
}

export interface InvitationMailsDeps extends SignInHostDeps, WorkDependencies {
  readonly mailer: Mailer | undefined;
  readonly memberships: Pick<Memberships, 'tenantFor'>;
}

export function createInvitationMails(deps: InvitationMailsDeps): InvitationMails {
  const { mailer, memberships, database, clock, log, ...site } = deps;
  const channel = `${database.schema}_proxy_invitation`;

  /** The page where it is shown. Other tenants than the default one have no console. */
  async function pageFor(tx: Transaction, userGuid: string, invitedAt: string | undefined) {
    const tenant = await memberships.tenantFor(tx, userGuid, invitedAt);
    const { isDefault, href } = entranceOf(site, tenant);
    return (language: 'sv' | 'en') =>
      isDefault ? href(language, CONSOLE_PAGE) : `${pageRootOf(site, tenant)}/proxies?lang=${language}`;
  }

  async function sendNext(tx: Transaction, mails: Mailer): Promise<boolean> {
    const due = await store.takeDue(tx);
    if (due === undefined) return false;
    const made = await store.lockProxy(tx, due.proxyGuid);
    if (made?.delegateUser === undefined) return true;
    const { delegateUser, kind, status } = made;
    const now = clock.now();
    // A right that is over, or an invitation that was answered before the mail.
    if (status !== (kind === 'proxy' ? 'invited' : 'active') || made.endsAt.getTime() <= now) return true;
    if (await store.wasMailedSince(tx, made, new Date(now - ONCE_WITHIN_MS))) return true;
    const to = await store.readDelegateAddress(tx, delegateUser);
    if (to === undefined) return true;
    const page = await pageFor(tx, delegateUser, due.tenant);
    const mail = mailText(undefined, (language) => {
      const text = translator(messages[kind], language);
      return { subject: text('subject'), text: text('text', { link: page(language) }) };
    });
    const mailGuid = await mails.queue(tx, { kind: KINDS[kind], to, ...mail });
    await store.markMailed(tx, due.proxyGuid, { mailGuid, now: new Date(now) });
    return true;
  }

  const step = async () => mailer !== undefined && database.transaction((tx) => sendNext(tx, mailer));
  const loop = createWorkerLoop({ name: 'proxy-invitation', intervalMs: POLL_MS, log, step });
  const woken = wokenBy({ database, channel }, loop);

  return {
    hasMail: mailer !== undefined,
    wake: (tx) => notify(tx, channel),
    cancel: async (tx, { mailGuid }) => (await mailer?.cancel(tx, mailGuid)) ?? false,
    loop: {
      ...woken,
      async start() {
        if (mailer !== undefined) await woken.start();
      },
    },
  };
}
