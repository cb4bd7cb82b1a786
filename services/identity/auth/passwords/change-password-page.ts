// The page on which users change their password (decision I13). It needs no browser session: it asks for the address,
// which a session fills in, and the current password, which may be a temporary one.
import { emailField } from '#lib/html/account-fields.ts';
import { hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { PASSWORD_MIN_LENGTH } from '#lib/passwords/policy.ts';
import type { PasswordChangeReason } from '../../shared/credentials.ts';
import { donePage } from '../../shared/done-page.ts';
import {
  ACCOUNT_FIELDS,
  type FieldTexts,
  type FormProblem,
  problemSummary,
  WRONG_CREDENTIALS,
} from '../../shared/form-problem.ts';
import { formTargets, inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../../shared/journey.ts';
import messages from './change-password-page.messages.json' with { type: 'json' };

const HEADS = {
  own: { title: 'title', lead: 'lead' },
  temporary: { title: 'temporaryTitle', lead: 'temporaryLead' },
  too_short: { title: 'tooShortTitle', lead: 'tooShortLead' },
} as const;

/** The error texts of the fields, in the order of the page. */
export const CHANGE_FIELDS = {
  email: ACCOUNT_FIELDS.email,
  current_password: { ...messages.fields.current_password, invalid: WRONG_CREDENTIALS },
  new_password: { ...ACCOUNT_FIELDS.newPassword, ...messages.fields.new_password },
  new_password_again: ACCOUNT_FIELDS.repeatedPassword,
  code: messages.fields.code,
} satisfies Record<string, FieldTexts>;

export interface ChangePasswordForm {
  readonly journey: Journey;
  /** The relative path to identity's root: empty, or a number of `../`. */
  readonly root: string;
  /** Why the password must be changed, for a user who comes here from a sign-in. */
  readonly reason?: PasswordChangeReason | undefined;
  /** Whether the account has a second factor, as a first attempt has shown. */
  readonly requiresCode?: boolean;
  readonly email?: string;
  /** The minimum length of the password of professionals without a second factor. */
  readonly staffLength: number;
  readonly problem?: FormProblem | undefined;
}

export function changePasswordPage({
  journey,
  root,
  reason,
  requiresCode = false,
  email,
  staffLength,
  problem,
}: ChangePasswordForm): Page {
  const { language } = journey;
  const text = translator(messages.page, language);
  const errors = problem?.errors ?? {};
  const hint = text(staffLength > PASSWORD_MIN_LENGTH ? 'nextHintStaff' : 'nextHint', { n: staffLength });
  const { title: heading, lead } = HEADS[reason ?? 'own'];
  const title = text(heading);
  const content = html`<h1>${title}</h1>
<p>${text(lead, { n: staffLength })}</p>
${problemSummary(language, problem)}<form method="post" action="${root}change-password" novalidate>
${journeyInputs(journey)}${reason && hiddenField(reason, 'true')}
${emailField({ language, errors, value: email })}
${textField({ name: 'current_password', type: 'password', label: text(reason === 'temporary' ? 'temporary' : 'current'), autocomplete: 'current-password', error: errors['current_password'] })}
${textField({ name: 'new_password', type: 'password', label: text('next'), hint, autocomplete: 'new-password', error: errors['new_password'] })}
${textField({ name: 'new_password_again', type: 'password', label: text('again'), autocomplete: 'new-password', error: errors['new_password_again'] })}
${requiresCode && textField({ name: 'code', label: text('code'), hint: text('codeHint'), autocomplete: 'one-time-code', error: errors['code'] })}
${submitButton(text('submit'))}
</form>`;
  return renderLayout({
    language,
    title,
    content,
    otherLanguage: journeyHref(`${root}change-password`, inOtherLanguage(journey)),
    hasErrors: problem !== undefined,
    formTargets: formTargets(journey),
  });
}

export function passwordChangedPage(journey: Journey): Page {
  const text = translator(messages.page, journey.language);
  return donePage(journey, { title: text('doneTitle'), text: text('done') });
}
