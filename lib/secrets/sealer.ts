// Secrets that must be read again (unlike passwords and keys, of which a hash is enough) are kept sealed: AES-256-GCM under a key that is
// not in the database, so that one who reads the database alone learns nothing (NIST SP 800-38D; RFC 5869 for the derivation).
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const MASTER_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
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
  const keys = masters.map((master) => deriveKey(master, purpose));
  const newest = keys[0];
  if (newest === undefined) throw new Error('A sealer needs at least one key');
  return {
    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([newest.id, nonce, cipher.getAuthTag(), text]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      const known = keys.find(({ id }) => id.equals(bytes.subarray(0, ID_BYTES)));
      if (known === undefined) throw new Error('The secret was sealed with a key that is not known any more');
      const [nonceEnd, tagEnd] = [ID_BYTES + NONCE_BYTES, ID_BYTES + NONCE_BYTES + TAG_BYTES];
      const decipher = createDecipheriv('aes-256-gcm', known.key, bytes.subarray(ID_BYTES, nonceEnd))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(nonceEnd, tagEnd));
      return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
    },
  };
}

function deriveKey(master: Uint8Array, purpose: string): { id: Buffer; key: Buffer } {
  if (master.length !== MASTER_BYTES) throw new Error(`A sealing key must have ${MASTER_BYTES} bytes`);
  const derive = (info: string, length: number) => Buffer.from(hkdfSync('sha256', master, '', info, length));
  return { id: derive(`${purpose}: key id`, ID_BYTES), key: derive(`${purpose}: sealing`, MASTER_BYTES) };
}
