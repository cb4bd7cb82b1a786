// The mail to the owner of an account whose second factor was turned on, replaced, turned off, or taken away. Who has
// the password alone, or an administrator by mistake, does not do it unnoticed. It is in both languages, as the owner's
// is unknown.
import type { Transaction } from '#lib/db/database.ts';
import { translator } from '#lib/html/messages.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import messages from './factor-mail.messages.json' with { type: 'json' };
import { mailText } from './mail-text.ts';

export type FactorChange = Exclude<keyof typeof messages, 'common'>;

/** Queued with the change. */
export async function queueFactorMail(
  tx: Transaction,
  mailer: Mailer,
  { change, email: to }: { readonly change: FactorChange; readonly email: string },
): Promise<void> {
  const mail = mailText(undefined, (language) => {
    const text = translator(messages[change], language);
    const common = translator(messages.common, language);
    return { subject: text('subject'), text: `${text('text')}\n\n${common('warning')}` };
  });
  await mailer.queue(tx, { kind: `second-factor-${change}`, to, ...mail });
}
