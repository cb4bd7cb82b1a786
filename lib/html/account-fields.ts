// Form fields of accounts that several pages share: the e-mail address, and a new password with its repetition.
import messages from './account-fields.messages.json' with { type: 'json' };
import { type FieldErrors, textField } from './form.ts';
import { html, type Language, type Markup } from './html.ts';
import { translator } from './messages.ts';

interface FieldContext {
  readonly language: Language;
  /** The errors of the page, by field. */
  readonly errors: FieldErrors;
}

/** The field `email` of somebody who has an account. */
export function emailField(field: FieldContext & { value: string | undefined; isFocused?: boolean }): Markup {
  const { language, errors, value, isFocused = false } = field;
  const label = messages.email[language];
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
  const text = translator(messages, language);
  const texts = { label: text('email'), hint: text('newEmailHint') };
  return textField({ name: 'email', type: 'email', ...texts, autocomplete: 'email', value, error: errors['email'] });
}

/** The fields `password` and `password_again` of a new account; `minLength` is in characters. */
export function newPasswordFields({ language, errors, minLength }: FieldContext & { minLength: number }): Markup {
  const text = translator(messages, language);
  const field = { type: 'password', autocomplete: 'new-password' } as const;
  const hint = text('passwordHint', { n: minLength });
  return html`${textField({ ...field, name: 'password', label: text('password'), hint, error: errors['password'] })}
${textField({ ...field, name: 'password_again', label: text('again'), error: errors['password_again'] })}`;
}
