// Request and response schemas of /api/auth (contract: identity, Auth).
import Type, { type Static } from 'typebox';
import { TypedEmail } from '#lib/auth/email.ts';
import { FactorCode } from '#lib/second-factor/schema.ts';
import { CHALLENGE_FIELDS, VERIFIER_FIELD } from '../shared/code-challenge.ts';
import { PROMPTS } from '../shared/journey.ts';
import { closed } from '../shared/routes/schema.ts';

/** The fields of a sign-in; empty means missing. */
export const LoginBody = Type.Object(
  {
    email: TypedEmail,
    password: Type.String({ minLength: 1, maxLength: 1024 }),
    next: Type.Optional(
      Type.String({
        description:
          'Handshake: where to go with the token; must be on the allow-list, or a redirect address of the client',
      }),
    ),
    client_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Handshake: the client that it is for; `next` must be one of its redirect addresses, and a code with a challenge must be asked for',
      }),
    ),
    state: Type.Optional(
      Type.String({
        maxLength: 1024,
        pattern: '^[^\\u0000\\p{Cs}]*$',
        patternHint: 'must hold no NUL character and no half of a surrogate pair',
        description: 'Handshake: handed back unchanged',
      }),
    ),
    response_mode: Type.Optional(
      Type.Enum(['token', 'code'], {
        description: '`code`: the redirect carries a one-time code instead of the token',
      }),
    ),
    prompt: Type.Optional(
      Type.Enum([...PROMPTS], { description: 'Of a form: what the sign-in page was asked for, as in `GET /login`' }),
    ),
    ...CHALLENGE_FIELDS,
    code: Type.Optional({
      ...FactorCode,
      description: 'Of the second factor; without it those who have one are asked for it',
    }),
    lang: Type.Optional(Type.String({ description: 'Language of the page that answers a form: sv or en' })),
  },
  { ...closed, title: 'SignIn' },
);
export type LoginBody = Static<typeof LoginBody>;

export const LoginResponse = Type.Object(
  {
    token: Type.String(),
    user_guid: Type.String(),
    must_change_password: Type.Optional(Type.Boolean()),
    password_change_reason: Type.Optional(
      Type.Enum(['temporary', 'too_short'], { description: 'With must_change_password' }),
    ),
    must_set_up_second_factor: Type.Optional(Type.Boolean()),
  },
  { title: 'SignedIn' },
);

/** Only for users with a second factor. */
const ChallengeResponse = Type.Object(
  {
    second_factor_required: Type.Literal(true),
    challenge: Type.String({ description: 'For POST /api/auth/login/second-factor' }),
    expires_at: Type.String({ description: 'With offset' }),
  },
  { title: 'SecondFactorChallenge' },
);

/** The response to a handshake. */
export const Redirect = Type.Null({
  description: 'To `next`, with the token or a one-time code, and `state`, in its query',
  headers: { location: { type: 'string' } },
});

export const FirstStepResponse = Type.Union([LoginResponse, ChallengeResponse]);

export const SecondStepBody = Type.Object(
  {
    challenge: Type.String({ minLength: 1, maxLength: 256 }),
    code: FactorCode,
    lang: Type.Optional(Type.String({ description: 'Language of the page that answers a form: sv or en' })),
  },
  { ...closed, title: 'SecondStep' },
);

export const BrowserSessionBody = Type.Object(
  { session: Type.String({ minLength: 1, maxLength: 256, description: 'The value of identity’s session cookie' }) },
  closed,
);

export const CodeBody = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 256 }),
    next: Type.String(),
    client_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Of a public client whose sign-in it was; any other client shows its credentials in the headers',
      }),
    ),
    ...VERIFIER_FIELD,
  },
  closed,
);

export const ChangePasswordBody = Type.Object(
  {
    current_password: Type.String({ minLength: 1, maxLength: 1024 }),
    new_password: Type.String({ minLength: 8, maxLength: 1024 }),
  },
  closed,
);

/** The change of password without a session. */
export const ChangeOwnPasswordBody = Type.Object({ ...ChangePasswordBody.properties, email: TypedEmail }, closed);
