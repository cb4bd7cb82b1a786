// Request and response schemas of /api/auth/second-factor.
import Type from 'typebox';
import { closed } from '../shared/routes/schema.ts';

/** Six digits of the app, or a recovery code, with any separators. */
export const CodeText = Type.String({ minLength: 1, maxLength: 64, description: 'Six digits, or a recovery code' });
const CurrentPassword = Type.String({ minLength: 1, maxLength: 1024 });

export const StateResponse = Type.Object({
  enabled: Type.Boolean(),
  required: Type.Boolean({ description: 'Whether the caller must have one' }),
  enabled_at: Type.Optional(Type.String({ description: 'UTC, without offset' })),
  recovery_codes_left: Type.Optional(Type.Integer()),
});

export const BeginBody = Type.Object(
  {
    current_password: CurrentPassword,
    code: Type.Optional({ ...CodeText, description: 'Of the second factor that is replaced' }),
  },
  closed,
);

export const SetupResponse = Type.Object({
  secret: Type.String({ description: 'Base32, for an app that cannot read the QR code' }),
  otpauth_uri: Type.String({ description: 'What a QR code must say' }),
  expires_at: Type.String({ description: 'Until when the first code is awaited; with offset' }),
});

export const ConfirmBody = Type.Object({ code: CodeText }, closed);

export const BothBody = Type.Object({ current_password: CurrentPassword, code: CodeText }, closed);

export const RecoveryCodesResponse = Type.Object({
  message: Type.String(),
  recovery_codes: Type.Array(Type.String(), { description: 'Each works once; they are not shown again' }),
});

export const MessageResponse = Type.Object({ message: Type.String() });

export const ResetResponse = Type.Object({ message: Type.String(), user_guid: Type.String() });
