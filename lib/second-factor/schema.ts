// Schemas of a second factor that identity and the engine share.
import Type from 'typebox';

const closed = { additionalProperties: false };
const CurrentPassword = Type.String({ minLength: 1, maxLength: 1024 });

/** Six digits of the app, or a recovery code, with any separators. */
export const FactorCode = Type.String({ minLength: 1, maxLength: 64, description: 'Six digits, or a recovery code' });

/** Begins the set-up. */
export const SetupBody = Type.Object(
  {
    current_password: CurrentPassword,
    code: Type.Optional({ ...FactorCode, description: 'Of the second factor that is replaced' }),
  },
  closed,
);

/** The members of a set-up's response beside `expires_at`. */
export const SETUP_SECRET = {
  secret: Type.String({ description: 'Base32, for an app that cannot read the QR code' }),
  otpauth_uri: Type.String({ description: 'What a QR code must say' }),
};

export const ConfirmBody = Type.Object({ code: FactorCode }, closed);

/** Proves both factors. */
export const ProofBody = Type.Object(
  { current_password: CurrentPassword, code: FactorCode },
  { ...closed, title: 'SecondFactorProof' },
);

export const RECOVERY_CODES = {
  recovery_codes: Type.Array(Type.String(), { description: 'Each works once; they are not shown again' }),
};
