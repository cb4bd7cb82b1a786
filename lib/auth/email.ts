// E-mail addresses: their schema, and the form in which they are compared (decision I2: case-insensitive).
import Type from 'typebox';

export const Email = Type.String({ format: 'email', maxLength: 254, description: 'Compared without regard to case' });

/** The form in which addresses are unique and looked up. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
