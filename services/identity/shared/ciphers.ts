// What identity seals, and what its keyed indexes are made with. The keys of both are derived from the sealing keys (docs/adr/0048).
import type { FieldCipher } from '#lib/crypto/field-cipher.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { createRotatingCipher, type Sealer } from '#lib/secrets/sealer.ts';

/** Of patients; its index finds the one who has a number. */
export function personnummerCipher(keys: KeySet): FieldCipher & Sealer {
  return createRotatingCipher({ keys, purpose: 'personnummer', place: 'patient.personnummer_sealed' });
}

/** Of professionals; its index is that of recovery codes. */
export function secondFactorCipher(keys: KeySet): FieldCipher & Sealer {
  const place = 'app_user.second_factor_sealed or second_factor_setup.secret_sealed';
  return createRotatingCipher({ keys, purpose: 'second-factor', place });
}
