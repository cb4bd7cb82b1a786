// E-mail addresses: their schema, and the form in which they are compared (decision I2: case-insensitive).
import Type from 'typebox';

export const Email = Type.String({ format: 'email', maxLength: 254, description: 'Compared without regard to case' });

/** An address as typed, valid or not. No address holds a NUL character. */
export const TypedEmail = Type.String({
  minLength: 1,
  maxLength: 254,
  pattern: '^[^\\u0000]*$',
  patternHint: 'must hold no NUL character',
});

/** The form in which addresses are unique and looked up. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
