// The mail to who asked for something, when it has been decided. Where a language is not known, it is in both.
import type { Transaction } from '#lib/db/database.ts';
import { translator } from '#lib/html/messages.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import { mailText } from '../mails/mail-text.ts';
import messages from './decision-mail.messages.json' with { type: 'json' };

export interface Decided {
  readonly kind: 'access-request' | 'membership' | 'leader-request' | 'group-proposal';
  readonly status: 'approved' | 'rejected';
  readonly email: string;
  /** Of the group or the organisation. */
  readonly name: string;
  /** Why, in the words of who decided. */
  readonly reason: string | undefined;
}

/** Queued with the decision; sent when that has committed. Without a mail server there is none. */
export async function queueDecisionMail(tx: Transaction, mailer: Mailer | undefined, decided: Decided): Promise<void> {
  if (mailer === undefined) return;
  const { kind, status, email: to, name, reason } = decided;
  const mail = mailText(undefined, (language) => {
    const text = translator(messages[kind], language);
    const common = translator(messages.common, language);
    const lines = [text(status, { name }), ...(reason === undefined ? [] : [common('reason', { reason })])];
    return { subject: common(status), text: lines.join('\n\n') };
  });
  await mailer.queue(tx, { kind: `decision-${kind}`, to, ...mail });
}
