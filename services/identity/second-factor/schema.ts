// Schemas of /api/auth/second-factor, beside those of lib/second-factor/schema.ts.
import Type from 'typebox';
import { RECOVERY_CODES, SETUP_SECRET } from '#lib/second-factor/schema.ts';

export const StateResponse = Type.Object(
  {
    enabled: Type.Boolean(),
    required: Type.Boolean({ description: 'Whether the caller must have one' }),
    enabled_at: Type.Optional(Type.String({ description: 'UTC, without offset' })),
    recovery_codes_left: Type.Optional(Type.Integer()),
  },
  { title: 'SecondFactorState' },
);

export const SetupResponse = Type.Object(
  {
    ...SETUP_SECRET,
    expires_at: Type.String({ description: 'Until when the first code is awaited; with offset' }),
  },
  { title: 'SecondFactorSetup' },
);

export const RecoveryCodesResponse = Type.Object(
  { message: Type.String(), ...RECOVERY_CODES },
  { title: 'RecoveryCodes' },
);
