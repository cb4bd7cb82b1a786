// The values that identity stores encrypted, for the rotation of its keys (docs/adr/0048).
import { idempotencyColumn } from '#lib/idempotency/idempotency.ts';
import { mailColumn } from '#lib/mail/message.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { SealedValues } from '#lib/secrets/sealed-values.ts';
import { personnummerCipher, secondFactorCipher } from './shared/ciphers.ts';
import { signingKeyCipher } from './signing-keys/key-material.ts';

export function identitySealedValues(keys: KeySet): SealedValues {
  const secondFactor = { key: 'user_guid', keyType: 'uuid', sealer: secondFactorCipher(keys) } as const;
  return {
    columns: [
      {
        table: 'patient',
        column: 'personnummer_sealed',
        key: 'patient_guid',
        keyType: 'uuid',
        sealer: personnummerCipher(keys),
      },
      {
        table: 'patient_record_number',
        column: 'personnummer_sealed',
        key: 'number_guid',
        keyType: 'uuid',
        sealer: personnummerCipher(keys),
      },
      { table: 'app_user', column: 'second_factor_sealed', ...secondFactor },
      { table: 'second_factor_setup', column: 'secret_sealed', ...secondFactor },
      {
        table: 'signing_key',
        column: 'private_sealed',
        key: 'key_id',
        keyType: 'text',
        sealer: signingKeyCipher(keys),
      },
      idempotencyColumn(keys),
      mailColumn(keys),
    ],
    uses: [],
    indexes: ['personnummer', 'second-factor', 'idempotency'],
  };
}
