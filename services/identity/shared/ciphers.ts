// The ciphers and keyed indexes of identity. Their keys are derived from the sealing keys (docs/adr/0048).
import type { FieldCipher } from '#lib/crypto/field-cipher.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { createReindexedCipher, createRotatingCipher, type Sealer, type VersionedIndex } from '#lib/secrets/sealer.ts';

/** The purpose of the keyed index on personnummer. */
export const NUMBER_INDEX = 'personnummer';

export type NumberCipher = Pick<FieldCipher, 'seal' | 'open'> & VersionedIndex;

/** Encrypts the personnummer of patients; its index finds the patient of a number. */
export function personnummerCipher(keys: KeySet): NumberCipher & Sealer {
  return createReindexedCipher({ keys, purpose: NUMBER_INDEX, place: 'patient.personnummer_sealed' });
}

/** Encrypts the second factors of professionals; its index is that of recovery codes. */
export function secondFactorCipher(keys: KeySet): FieldCipher & Sealer {
  const place = 'app_user.second_factor_sealed or second_factor_setup.secret_sealed';
  return createRotatingCipher({ keys, purpose: 'second-factor', place });
}
