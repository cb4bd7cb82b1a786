// Calls of identity about forgotten passwords: a link by mail, and a code from an administrator.
import type { MailMessage } from '#lib/mail/message.ts';
import { eventually } from '#test/support/http.ts';
import type { Identity } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { type SignedIn, varies } from './identity.ts';
import type { Recorder } from './recorder.ts';

const LINK_TOKEN = 'c2luZ2xlLXVzZSB0b2tlbiBvZiBhIG1haWxlZCBsaW5r';
const CODE = 'QKMX-7DTA-ZP4W-H3BN';

export async function passwordRecovery(
  { example, show }: Recorder,
  { su }: SignedIn,
  { site, mails }: { site: Identity; mails: readonly MailMessage[] },
): Promise<void> {
  const { email, userGuid } = await makeProfessional(site);
  await example('POST //api/auth/password-reset', { body: { email, lang: 'en' }, status: 202 });
  const token = await eventually('the mail arrives', async () => {
    const mail = mails.findLast(({ to }) => to === email);
    return /[?&]token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
  });
  show(token, LINK_TOKEN);
  await example('POST //api/auth/password-reset/confirm', { body: { token, new_password: `${PASSWORD} again` } });
  const parameters = { user_guid: userGuid };
  const asked = { as: su, parameters, status: 201, varies: { ...varies, code: CODE } };
  await example('POST //api/admin/users/{user_guid}/password-reset', asked);
}
