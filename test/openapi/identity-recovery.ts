// Calls of identity about forgotten passwords: a link by mail, and a code from an administrator.
import type { MailMessage } from '#lib/mail/message.ts';
import { eventually } from '#test/support/http.ts';
import type { Identity } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { type SignedIn, varies } from './identity.ts';
import type { Recorder } from './recorder.ts';

const LINK_TOKEN = 'c2luZ2xlLXVzZSB0b2tlbiBvZiBhIG1haWxlZCBsaW5r';
const CODE = 'QKMX-7DTA-ZP4W-H3BN';
const UNTIL = '2026-03-02T08:30:00.000+00:00';

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

const EMAIL_CODE = 'N6XA-ZH4P-2MKD-UV7S';

/** The name and the e-mail address of one's own account. */
export async function ownAccount(
  { example, show }: Recorder,
  { site, mails }: { site: Identity; mails: readonly MailMessage[] },
): Promise<void> {
  const { headers } = await makeProfessional(site);
  const path = '//api/auth/account';
  const call = { headers, varies: { ...varies, email: 'anna.berg@example.org' } };
  await example(`PATCH ${path}`, { ...call, body: { first_name: 'Anna-Karin' } });
  const body = { new_email: 'anna-karin.berg@example.org', current_password: PASSWORD, lang: 'en' };
  await example(`POST ${path}/email`, { ...call, body, status: 202, varies: { ...varies, expires_at: UNTIL } });
  await example(`GET ${path}`, call);
  const code = await eventually('the mail arrives', async () => {
    const mail = mails.findLast(({ to }) => to === body.new_email);
    return /[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}/.exec(mail?.text ?? '')?.[0];
  });
  show(code, EMAIL_CODE);
  await example(`POST ${path}/email/confirm`, { ...call, body: { email_code: code } });
}
