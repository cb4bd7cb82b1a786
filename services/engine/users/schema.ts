// Schemas of the engine's users and their sessions (contract: engine, "Authentication, users, API keys"; decision E8).
import Type, { type Static } from 'typebox';
import { Email, TypedEmail } from '#lib/auth/email.ts';
import { PageQuery } from '#lib/http/response/page.ts';
import { readOnly } from '#lib/http/response/read-back.ts';
import { Created, Instant, InstantOrNull, Name, SearchText, TextOrNull } from '../shared/fields.ts';
import { Guid, OptionalGuid, OwnGuid } from '../shared/reference-fields.ts';

const closed = { additionalProperties: false };

export const USER_ROLES = ['admin', 'clinician', 'reader', 'provider'] as const;
export type UserRole = (typeof USER_ROLES)[number];
const USER_STATUSES = ['pending', 'active', 'disabled'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

const Role = Type.Enum([...USER_ROLES]);
const Status = Type.Enum([...USER_STATUSES]);
const EnteredPassword = Type.String({ minLength: 1, maxLength: 1024 });
/** The rules are in lib/passwords/policy.ts. */
const NewPassword = Type.String({
  maxLength: 1024,
  description: '8 to 256 characters; not common, not made of the name or address',
});
const Token = Type.String({ description: 'A JWT, for `Authorization: Bearer …`' });

export const User = Type.Object(
  {
    user_guid: OwnGuid,
    email: Type.String(),
    name: Type.String(),
    role: Role,
    status: Status,
    provider_guid: TextOrNull,
    last_login_at: readOnly(InstantOrNull),
    ...Created,
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

export const UserInput = Type.Object(
  { email: Email, name: Name, role: Role, status: Status, provider_guid: OptionalGuid },
  { ...closed, title: 'UserInput' },
);
export type UserInput = Static<typeof UserInput>;

export const UserQuery = Type.Object(
  {
    ...PageQuery,
    search: Type.Optional({ ...SearchText, description: 'Part of a name or an address, whatever its case' }),
    role: Type.Optional(Role),
    status: Type.Optional(Status),
    provider_guid: Type.Optional(Guid),
  },
  closed,
);
export type UserQuery = Static<typeof UserQuery>;

export const Registration = Type.Object(
  { email: Email, password: NewPassword, name: Name },
  { ...closed, title: 'Registration' },
);
export type Registration = Static<typeof Registration>;

export const Login = Type.Object(
  {
    email: TypedEmail,
    password: Type.String({ minLength: 1, maxLength: 1024, description: 'Or the one-time code of a reset' }),
    code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Of the second factor; without it those who have one are asked for it',
      }),
    ),
  },
  { ...closed, title: 'SignIn' },
);
export type Login = Static<typeof Login>;

export const Session = Type.Object(
  {
    token: Token,
    user_guid: Guid,
    expires_at: Instant,
    must_change_password: Type.Optional(Type.Boolean({ description: 'Only when true: nothing but a new password' })),
    password_change_reason: Type.Optional(
      Type.Enum(['temporary', 'too_short'], { description: 'With must_change_password' }),
    ),
    must_set_up_second_factor: Type.Optional(
      Type.Boolean({ description: 'Only when true: nothing but setting one up, at identity' }),
    ),
  },
  { title: 'SignedIn' },
);
export type Session = Static<typeof Session>;

/** The response to a user with a second factor: the client repeats the call with a `code`. */
const CodeRequired = Type.Object({ second_factor_required: Type.Literal(true) }, { title: 'SecondFactorRequired' });
export const SignInResponse = Type.Union([Session, CodeRequired]);
export type SignInResponse = Static<typeof SignInResponse>;

/** The caller: a user of the engine with all its data, or a user of identity with the data of the token. */
export const Me = Type.Object(
  {
    user_guid: Guid,
    issuer: Type.Enum(['engine', 'identity']),
    email: TextOrNull,
    name: TextOrNull,
    role: Type.Enum([...USER_ROLES, 'patient']),
    status: Status,
    provider_guid: TextOrNull,
    created_at: InstantOrNull,
    must_change_password: Type.Boolean(),
  },
  { title: 'OwnAccount' },
);
export type Me = Static<typeof Me>;

export const PasswordChange = Type.Object(
  {
    current_password: Type.Optional({
      ...EnteredPassword,
      description: 'Not needed after signing in by a one-time code',
    }),
    new_password: NewPassword,
  },
  { ...closed, title: 'PasswordChange' },
);
export type PasswordChange = Static<typeof PasswordChange>;

export const ResetCode = Type.Object(
  {
    user_guid: Guid,
    reset_code: Type.String({ description: 'Signs in once, instead of the password' }),
    expires_at: Instant,
  },
  { title: 'ResetCode' },
);
export type ResetCode = Static<typeof ResetCode>;
