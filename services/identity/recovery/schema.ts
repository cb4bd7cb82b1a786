// Request and response schemas of password recovery.
import Type from 'typebox';
import { closed } from '../shared/routes/schema.ts';

const Lang = Type.Optional(Type.Enum(['sv', 'en'], { description: 'Language of the mail; otherwise Accept-Language' }));

export const RequestBody = Type.Object(
  {
    email: Type.String({
      minLength: 1,
      maxLength: 254,
      pattern: '^[^\\u0000]*$',
      patternHint: 'must hold no NUL character',
    }),
    lang: Lang,
  },
  closed,
);

export const ConfirmBody = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 128, description: 'The token of the link, or a code' }),
    new_password: Type.String({ minLength: 8, maxLength: 1024 }),
    lang: Lang,
  },
  closed,
);

export const CodeResponse = Type.Object(
  {
    message: Type.String(),
    user_guid: Type.String(),
    code: Type.String({ description: 'Works once, and is not shown again' }),
    expires_at: Type.String({ description: 'With offset' }),
  },
  { title: 'ResetCode' },
);
