// The pages of a forgotten password: asking for a link, and choosing a password by the link or by a code. They work
// without scripts and without a session.
import { emailField } from '#lib/html/account-fields.ts';
import { alertText, hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { PASSWORD_MIN_LENGTH } from '#lib/passwords/policy.ts';
import { donePage } from '../shared/done-page.ts';
import { ACCOUNT_FIELDS, type FieldTexts, type FormProblem, problemSummary } from '../shared/form-problem.ts';
import { inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../shared/journey.ts';
import messages from './forgot-page.messages.json' with { type: 'json' };

export const FORGOT_FIELDS = { email: ACCOUNT_FIELDS.email } satisfies Record<string, FieldTexts>;

/** In the order of the page. */
export const RESET_FIELDS = {
  token: messages.fields.token,
  new_password: { ...ACCOUNT_FIELDS.newPassword, ...messages.fields.new_password },
  new_password_again: ACCOUNT_FIELDS.repeatedPassword,
} satisfies Record<string, FieldTexts>;

export interface ForgotForm {
  readonly journey: Journey;
  /** Whether a link can be sent. */
  readonly hasMail: boolean;
  readonly email?: string;
  readonly problem?: FormProblem | undefined;
}

export function forgotPage({ journey, hasMail, email, problem }: ForgotForm): Page {
  const { language } = journey;
  const text = translator(messages.forgot, language);
  const codeHref = journeyHref('reset-password', journey);
  const form = html`<form method="post" action="forgot-password" novalidate>
${journeyInputs(journey)}
${emailField({ language, errors: problem?.errors ?? {}, value: email, isFocused: problem === undefined })}
${submitButton(text('submit'))}
</form>
<ul class="links"><li><a href="${codeHref}">${text('haveCode')}</a></li></ul>`;
  const way = hasMail
    ? form
    : html`<p class="actions"><a class="button" href="${codeHref}">${text('haveCode')}</a></p>`;
  const content = html`<h1>${text('title')}</h1>
<p>${text(hasMail ? 'lead' : 'leadWithoutMail')}</p>
${problemSummary(language, problem)}${way}`;
  return renderLayout({
    language,
    title: text('title'),
    content,
    otherLanguage: journeyHref('forgot-password', inOtherLanguage(journey)),
    hasErrors: problem !== undefined,
  });
}

export function linkSentPage(journey: Journey): Page {
  const text = translator(messages.forgot, journey.language);
  return donePage(journey, { title: text('doneTitle'), text: text('done') });
}

export interface ResetForm {
  readonly journey: Journey;
  /** Of the link; undefined for a user with a code. */
  readonly token: string | undefined;
  /** The minimum length of the password of professionals without a second factor. */
  readonly staffLength: number;
  readonly problem?: FormProblem | undefined;
}

export function resetPage({ journey, token, staffLength, problem }: ResetForm): Page {
  const { language } = journey;
  const text = translator(messages.reset, language);
  const errors = problem?.errors ?? {};
  const hint = text(staffLength > PASSWORD_MIN_LENGTH ? 'nextHintStaff' : 'nextHint', { n: staffLength });
  const secret =
    token === undefined
      ? textField({
          name: 'token',
          label: text('code'),
          hint: text('codeHint'),
          autocomplete: 'one-time-code',
          error: errors['token'],
        })
      : html`${hiddenField('token', token)}${hiddenField('by_link', 'true')}`;
  const content = html`<h1>${text('title')}</h1>
<p>${text('lead')}</p>
${problemSummary(language, problem)}<form method="post" action="reset-password" novalidate>
${journeyInputs(journey)}
${secret}
${textField({ name: 'new_password', type: 'password', label: text('next'), hint, autocomplete: 'new-password', error: errors['new_password'] })}
${textField({ name: 'new_password_again', type: 'password', label: text('again'), autocomplete: 'new-password', error: errors['new_password_again'] })}
${submitButton(text('submit'))}
</form>`;
  const added = token === undefined ? {} : { token };
  return renderLayout({
    language,
    title: text('title'),
    content,
    otherLanguage: journeyHref('reset-password', inOtherLanguage(journey), added),
    hasErrors: problem !== undefined,
  });
}

/** For a link that works no more. */
export function linkEndedPage(journey: Journey): Page {
  const { language } = journey;
  const text = translator(messages.reset, language);
  const content = html`<h1>${text('title')}</h1>
${alertText(text('ended'))}
<p class="actions"><a class="button" href="${journeyHref('forgot-password', journey)}">${text('askAgain')}</a></p>`;
  const otherLanguage = journeyHref('forgot-password', inOtherLanguage(journey));
  return renderLayout({ language, title: text('title'), content, otherLanguage, hasErrors: true });
}

export function passwordResetPage(journey: Journey, signInHref: string): Page {
  const text = translator(messages.reset, journey.language);
  return donePage(journey, { title: text('doneTitle'), text: text('done'), signInHref });
}
