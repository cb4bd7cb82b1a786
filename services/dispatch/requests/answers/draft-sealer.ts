// Encrypts the drafts of forms that are filled in by receipt token (docs/adr/0079); a draft is bound to its row.
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { SealedColumn } from '#lib/secrets/sealed-values.ts';
import { createSealer, type Sealer } from '#lib/secrets/sealer.ts';

export function draftSealer(keys: KeySet): Sealer {
  return createSealer({ keys, purpose: 'receipt draft', place: 'receipt_draft.fields_sealed' });
}

/** The sealed column of the drafts, for the rotation of keys. */
export function draftColumn(keys: KeySet): SealedColumn {
  return {
    table: 'receipt_draft',
    column: 'fields_sealed',
    key: 'draft_guid',
    keyType: 'uuid',
    sealer: draftSealer(keys),
  };
}
