// The page on which users change their password (decision I13). There is no browser session, so it asks for the address
// and the current password, which may be a temporary one.
import { emailField } from '#lib/html/account-fields.ts';
import { type Bilingual, speak } from '#lib/html/bilingual.ts';
import { hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Page } from '#lib/html/html.ts';
import { framed } from '#lib/html/layout.ts';
import { PASSWORD_MIN_LENGTH } from '#lib/passwords/policy.ts';
import type { PasswordChangeReason } from '../../shared/credentials.ts';
import { donePage } from '../../shared/done-page.ts';
import {
  EMAIL_TEXTS,
  type FieldTexts,
  type FormProblem,
  NEW_PASSWORD_TEXTS,
  problemSummary,
  REPEATED_PASSWORD_TEXTS,
  WRONG_CREDENTIALS,
} from '../../shared/form-problem.ts';
import { formTargets, inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../../shared/journey.ts';

const TEXTS = {
  title: { sv: 'Byt lösenord', en: 'Change your password' },
  lead: {
    sv: 'När lösenordet är bytt loggas du ut överallt där du är inloggad.',
    en: 'When it is changed, you are signed out everywhere you are signed in.',
  },
  temporaryTitle: { sv: 'Välj ett eget lösenord', en: 'Choose a password of your own' },
  temporaryLead: {
    sv: 'Lösenordet du loggade in med är tillfälligt. Byt det, så loggas du in.',
    en: 'The password you signed in with is temporary. Change it, and you will be signed in.',
  },
  tooShortTitle: { sv: 'Välj ett längre lösenord', en: 'Choose a longer password' },
  tooShortLead: {
    sv: 'Ditt lösenord stämmer, men lösenord ska nu ha minst {n} tecken. Välj ett längre, så loggas du in.',
    en: 'Your password is right, but passwords must have at least {n} characters now. Choose a longer one, and you will be signed in.',
  },
  current: { sv: 'Nuvarande lösenord', en: 'Current password' },
  temporary: { sv: 'Det tillfälliga lösenordet', en: 'The temporary password' },
  next: { sv: 'Nytt lösenord', en: 'New password' },
  nextHint: {
    sv: 'Minst 8 tecken. Flera ord är lätta att minnas.',
    en: 'At least 8 characters. Several words are easy to remember.',
  },
  nextHintStaff: {
    sv: 'Minst 8 tecken, minst {n} för personal utan tvåstegsverifiering. Flera ord är lätta att minnas.',
    en: 'At least 8 characters, at least {n} for staff without two-step verification. Several words are easy to remember.',
  },
  again: { sv: 'Nytt lösenord en gång till', en: 'New password once more' },
  code: { sv: 'Kod för tvåstegsverifiering', en: 'Code for two-step verification' },
  codeHint: { sv: 'Från din app, eller en återställningskod.', en: 'From your app, or a recovery code.' },
  submit: { sv: 'Byt lösenord', en: 'Change password' },
  doneTitle: { sv: 'Lösenordet är bytt', en: 'The password is changed' },
  done: { sv: 'Logga in med det nya från och med nu.', en: 'From now on, sign in with the new one.' },
} as const satisfies Record<string, Bilingual>;

const HEADS = {
  own: { title: 'title', lead: 'lead' },
  temporary: { title: 'temporaryTitle', lead: 'temporaryLead' },
  too_short: { title: 'tooShortTitle', lead: 'tooShortLead' },
} as const;

/** The error texts of the fields, in the order of the page. */
export const CHANGE_FIELDS = {
  email: EMAIL_TEXTS,
  current_password: {
    missing: { sv: 'Fyll i lösenordet du har nu.', en: 'Enter the password you have now.' },
    invalid: WRONG_CREDENTIALS,
  },
  new_password: {
    ...NEW_PASSWORD_TEXTS,
    missing: { sv: 'Välj ett nytt lösenord.', en: 'Choose a new password.' },
  },
  new_password_again: REPEATED_PASSWORD_TEXTS,
  code: {
    missing: {
      sv: 'Ditt konto har tvåstegsverifiering. Fyll i lösenorden igen, och koden.',
      en: 'Your account has two-step verification. Enter the passwords again, and the code.',
    },
    invalid: {
      sv: 'Koden stämmer inte eller är redan använd. Fyll i lösenorden igen, och en ny kod.',
      en: 'The code is wrong or was used before. Enter the passwords again, and a new code.',
    },
  },
} as const satisfies Record<string, FieldTexts>;

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
  const text = speak(TEXTS, language);
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
  return framed({
    language,
    title,
    content,
    otherLanguage: journeyHref(`${root}change-password`, inOtherLanguage(journey)),
    hasErrors: problem !== undefined,
    formTargets: formTargets(journey),
  });
}

export function passwordChangedPage(journey: Journey): Page {
  const text = speak(TEXTS, journey.language);
  return donePage(journey, { title: text('doneTitle'), text: text('done') });
}
