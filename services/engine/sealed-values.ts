// Lists the sealed columns of the engine, for the rotation of its keys (docs/adr/0048).
import { LONGEST_TOKEN_SECONDS } from '#lib/auth/token-verifier.ts';
import { idempotencyColumn } from '#lib/idempotency/idempotency.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { SealedValues } from '#lib/secrets/sealed-values.ts';
import { secondFactorCipher } from './accounts.ts';
import { inboxSealer } from './provider-inbox.ts';
import { serverSealer } from './servers/service.ts';

export function engineSealedValues(keys: KeySet): SealedValues {
  const secondFactor = { key: 'user_guid', keyType: 'uuid', sealer: secondFactorCipher(keys) } as const;
  const inbox = { keyType: 'uuid', sealer: inboxSealer(keys) } as const;
  return {
    columns: [
      { table: 'provider_inbox', column: 'secret_sealed', key: 'provider_guid', ...inbox },
      { table: 'provider_task', column: 'receipt_sealed', key: 'request_guid', ...inbox },
      { table: 'engine_user', column: 'second_factor_sealed', ...secondFactor },
      { table: 'second_factor_setup', column: 'secret_sealed', ...secondFactor },
      { table: 'external_server', column: 'secret', key: 'name', keyType: 'text', sealer: serverSealer(keys) },
      idempotencyColumn(keys),
    ],
    uses: [],
    indexes: ['idempotency'],
    // The tokens of the engine's own users are signed with these keys.
    retentionMs: LONGEST_TOKEN_SECONDS * 1000,
  };
}
