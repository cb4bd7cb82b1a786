// A mail and its sealed form in the outbox. Texts are plain: no pictures, no scripts, nothing that reports a reader.
import type { KeySet } from '../secrets/key-set.ts';
import type { SealedColumn } from '../secrets/sealed-values.ts';
import { createSealer, type Sealer } from '../secrets/sealer.ts';

export interface MailMessage {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text with `\n`. */
  readonly text: string;
}

/** Encrypts the messages of the outbox; a message is bound to its row. */
export function mailSealer(keys: KeySet): Sealer {
  return createSealer({ keys, purpose: 'mail', place: 'mail_outbox.message_sealed' });
}

/** The sealed column of the outbox, for the rotation of keys. */
export function mailColumn(keys: KeySet): SealedColumn {
  return {
    table: 'mail_outbox',
    column: 'message_sealed',
    key: 'mail_guid',
    keyType: 'uuid',
    sealer: mailSealer(keys),
  };
}
