// The sign-in page (decision I3): a plain form in Swedish or English that works without scripts and shows errors at
// their fields.
import { emailField } from '#lib/html/account-fields.ts';
import { alertText, submitButton, textField } from '#lib/html/form.ts';
import { html, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import {
  ACCOUNT_FIELDS,
  type FieldTexts,
  type FormProblem,
  problemSummary,
  WRONG_CREDENTIALS,
} from '../shared/form-problem.ts';
import { formTargets, inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../shared/journey.ts';
import messages from './sign-in-page.messages.json' with { type: 'json' };

export interface SignInForm {
  readonly journey: Journey;
  /** The relative path from the page's URL to identity's root: empty, or a number of `../`. */
  readonly root: string;
  readonly isRegistrationOpen: boolean;
  /** The address that was typed before, to be shown again. */
  readonly email?: string | undefined;
  /** Who has a session in this browser that is not enough for this sign-in. */
  readonly again?: { readonly email: string } | undefined;
  /** Who has a session in this browser, and may not go where this sign-in leads: to `place`. */
  readonly refused?: { readonly email: string; readonly place: string } | undefined;
  readonly problem?: FormProblem | undefined;
}

export const SIGN_IN_TEXTS = {
  email: ACCOUNT_FIELDS.email,
  password: {
    missing: messages.fields.password.missing,
    invalid: WRONG_CREDENTIALS,
  },
} as const satisfies Record<string, FieldTexts>;

/** The same at the password of an account that was merged into another one (docs/adr/0076). */
export const MERGED_TEXTS = {
  ...SIGN_IN_TEXTS,
  password: { ...SIGN_IN_TEXTS.password, invalid: messages.merged },
} as const satisfies Record<string, FieldTexts>;

/** The form, and links for users who cannot sign in yet. */
export function signInPage(form: SignInForm): Page {
  const { journey, root, isRegistrationOpen, email, again, refused, problem } = form;
  const { language } = journey;
  const text = translator(messages.page, language);
  const errors = problem?.errors ?? {};
  const hint: Record<string, string> = email === undefined || problem !== undefined ? {} : { login_hint: email };
  const content = html`<h1>${text('title')}</h1>
${
  again &&
  html`<p>${text('again', again)}</p>
`
}${
  refused &&
  html`${alertText(text('refused', refused))}
`
}${problemSummary(language, problem)}<form method="post" action="${root}api/auth/login" novalidate>
${journeyInputs(journey)}
${emailField({ language, errors, value: email ?? again?.email, isFocused: problem === undefined })}
${textField({ name: 'password', type: 'password', label: text('password'), autocomplete: 'current-password', error: errors['password'] })}
${submitButton(text('submit'))}
</form>
<ul class="links">${
    refused &&
    html`<li><a href="${root}session?lang=${language}">${text('session')}</a></li>
`
  }<li><a href="${journeyHref(`${root}forgot-password`, journey)}">${text('forgot')}</a></li>
${
  isRegistrationOpen &&
  html`<li><a href="${journeyHref(`${root}register`, journey)}">${text('register')}</a></li>
`
}<li><a href="${journeyHref(`${root}access-request`, journey)}">${text('access')}</a></li>
<li><a href="${journeyHref(`${root}change-password`, journey)}">${text('change')}</a></li></ul>`;
  return renderLayout({
    language,
    title: text('title'),
    content,
    otherLanguage: journeyHref(`${root}login`, inOtherLanguage(journey), hint),
    hasErrors: problem !== undefined || refused !== undefined,
    formTargets: formTargets(journey),
  });
}
