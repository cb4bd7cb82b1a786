// Secrets that must be read again (unlike passwords and keys, of which a hash is enough) are kept sealed under keys that are not in the
// database, so that one who reads the database alone learns nothing. Field ciphers of several keys, told apart by a key id in front.
import { hkdfSync } from 'node:crypto';
import { createFieldCipher, type FieldCipher } from '../crypto/field-cipher.ts';

const MASTER_BYTES = 32;
const ID_BYTES = 4;

export interface Sealer {
  /** `context` says whose secret it is; it must be the same when it is opened. */
  seal(secret: string, context: string): Buffer;
  /** @throws Error when the key is not known any more, or the bytes or the context are not those that were sealed */
  open(sealed: Uint8Array, context: string): string;
}

/**
 * A sealer under 32-byte master keys, the newest first; older ones are kept for what was sealed with them. `purpose` separates
 * what is derived from the same master. @throws Error for no key or one of another length
 */
export function createSealer(masters: readonly Uint8Array[], purpose: string): Sealer {
  const keys = masters.map((master) => sealingKey(master, purpose));
  const newest = keys[0];
  if (newest === undefined) throw new Error('A sealer needs at least one key');
  return {
    seal: (secret, context) => Buffer.concat([newest.id, newest.cipher.seal(secret, context)]),
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      const known = keys.find(({ id }) => id.equals(bytes.subarray(0, ID_BYTES)));
      if (known === undefined) throw new Error('The secret was sealed with a key that is not known any more');
      return known.cipher.open(bytes.subarray(ID_BYTES), context);
    },
  };
}

function sealingKey(master: Uint8Array, purpose: string): { id: Buffer; cipher: FieldCipher } {
  if (master.length !== MASTER_BYTES) throw new Error(`A sealing key must have ${MASTER_BYTES} bytes`);
  return {
    id: Buffer.from(hkdfSync('sha256', master, '', `${purpose} key id`, ID_BYTES)),
    cipher: createFieldCipher(master, purpose),
  };
}
