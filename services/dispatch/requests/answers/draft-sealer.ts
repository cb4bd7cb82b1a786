// Encrypts the drafts of forms that are filled in by receipt token, and what was sent of them (docs/adr/0079). Each is
// bound to its row.
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

export function answerSealer(keys: KeySet): Sealer {
  return createSealer({ keys, purpose: 'receipt answer', place: 'receipt_answer.answers_sealed' });
}

/** The sealed column of what was sent, for the rotation of keys. */
export function answerColumn(keys: KeySet): SealedColumn {
  return {
    table: 'receipt_answer',
    column: 'answers_sealed',
    key: 'draft_guid',
    keyType: 'uuid',
    sealer: answerSealer(keys),
  };
}
