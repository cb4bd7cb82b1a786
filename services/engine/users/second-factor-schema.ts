// Schemas of the second factor of the engine's own users, beside those of lib/second-factor/schema.ts.
import Type, { type Static } from 'typebox';
import { RECOVERY_CODES, SETUP_SECRET } from '#lib/second-factor/schema.ts';
import { Instant } from '../shared/fields.ts';

export const SecondFactorState = Type.Object(
  {
    enabled: Type.Boolean(),
    enabled_at: Type.Optional(Instant),
    recovery_codes_left: Type.Optional(Type.Integer()),
  },
  { title: 'SecondFactorState' },
);
export type SecondFactorState = Static<typeof SecondFactorState>;

export const SecondFactorSetup = Type.Object({ ...SETUP_SECRET, expires_at: Instant }, { title: 'SecondFactorSetup' });
export type SecondFactorSetup = Static<typeof SecondFactorSetup>;

export const RecoveryCodes = Type.Object(RECOVERY_CODES, { title: 'RecoveryCodes' });
