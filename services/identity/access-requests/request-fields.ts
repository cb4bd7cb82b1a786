// The error texts of the access-request form, per field and in the order of the page.
import { ACCOUNT_FIELDS, type FieldTexts } from '../shared/form-problem.ts';
import messages from './request-fields.messages.json' with { type: 'json' };

export const REQUEST_FIELDS = {
  ...messages,
  email: { ...ACCOUNT_FIELDS.newEmail, ...messages.email },
  password: ACCOUNT_FIELDS.newPassword,
  password_again: ACCOUNT_FIELDS.repeatedPassword,
} satisfies Record<string, FieldTexts>;
