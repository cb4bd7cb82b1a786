// Schemas of the second factor of the engine's own users.
import Type, { type Static } from 'typebox';
import { Instant } from '../shared/fields.ts';

const closed = { additionalProperties: false };
const CurrentPassword = Type.String({ minLength: 1, maxLength: 1024 });
/** Six digits of the app, or a recovery code with any grouping. */
const FactorCode = Type.String({ minLength: 1, maxLength: 64, description: 'Six digits, or a recovery code' });

export const SecondFactorState = Type.Object({
  enabled: Type.Boolean(),
  enabled_at: Type.Optional(Instant),
  recovery_codes_left: Type.Optional(Type.Integer()),
});
export type SecondFactorState = Static<typeof SecondFactorState>;

export const SetupBody = Type.Object(
  {
    current_password: CurrentPassword,
    code: Type.Optional({ ...FactorCode, description: 'Of the second factor that is replaced' }),
  },
  closed,
);

export const SecondFactorSetup = Type.Object({
  secret: Type.String({ description: 'Base32, for an app that cannot read the QR code' }),
  otpauth_uri: Type.String({ description: 'What a QR code must say' }),
  expires_at: Instant,
});
export type SecondFactorSetup = Static<typeof SecondFactorSetup>;

export const ConfirmBody = Type.Object({ code: FactorCode }, closed);
export const ProofBody = Type.Object({ current_password: CurrentPassword, code: FactorCode }, closed);
export const RecoveryCodes = Type.Object({
  recovery_codes: Type.Array(Type.String(), { description: 'Each works once; they are not shown again' }),
});
