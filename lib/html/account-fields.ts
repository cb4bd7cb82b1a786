// Form fields of accounts that several pages share: the e-mail address, and a new password with its repetition.
import { type Bilingual, speak } from './bilingual.ts';
import { type FieldErrors, textField } from './form.ts';
import { html, type Language, type Markup } from './html.ts';

const TEXTS = {
  email: { sv: 'E-postadress', en: 'E-mail address' },
  newEmailHint: { sv: 'Den loggar du in med.', en: 'You sign in with it.' },
  password: { sv: 'Välj ett lösenord', en: 'Choose a password' },
  passwordHint: {
    sv: 'Minst {n} tecken. Flera ord är lätta att minnas.',
    en: 'At least {n} characters. Several words are easy to remember.',
  },
  again: { sv: 'Lösenordet en gång till', en: 'The password once more' },
} as const satisfies Record<string, Bilingual>;

interface FieldContext {
  readonly language: Language;
  /** The errors of the page, by field. */
  readonly errors: FieldErrors;
}

/** The field `email` of somebody who has an account. */
export function emailField(field: FieldContext & { value: string | undefined; isFocused?: boolean }): Markup {
  const { language, errors, value, isFocused = false } = field;
  const label = TEXTS.email[language];
  return textField({
    name: 'email',
    type: 'email',
    label,
    autocomplete: 'username',
    value,
    error: errors['email'],
    isFocused,
  });
}

/** The field `email` of a new account. */
export function newEmailField({ language, errors, value }: FieldContext & { value: string | undefined }): Markup {
  const text = speak(TEXTS, language);
  const texts = { label: text('email'), hint: text('newEmailHint') };
  return textField({ name: 'email', type: 'email', ...texts, autocomplete: 'email', value, error: errors['email'] });
}

/** The fields `password` and `password_again` of a new account; `minLength` is in characters. */
export function newPasswordFields({ language, errors, minLength }: FieldContext & { minLength: number }): Markup {
  const text = speak(TEXTS, language);
  const field = { type: 'password', autocomplete: 'new-password' } as const;
  const hint = text('passwordHint', { n: minLength });
  return html`${textField({ ...field, name: 'password', label: text('password'), hint, error: errors['password'] })}
${textField({ ...field, name: 'password_again', label: text('again'), error: errors['password_again'] })}`;
}
