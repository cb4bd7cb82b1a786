// The keys of the sending half (docs/adr/0006): receipt tokens are derived with them and webhook secrets are sealed with them, so
// that what the database holds is of no use to one who reads the database alone.
import { createHash, hkdfSync } from 'node:crypto';
import { createFieldCipher, type FieldCipher } from '#lib/crypto/field-cipher.ts';

const KEY_BYTES = 32;
const ID_BYTES = 4;

export interface ReceiptToken {
  /** 256 bits, base64url. */
  readonly token: string;
  readonly hash: Buffer;
  readonly keyId: string;
}

export interface KeyRing {
  /** A new request's token, under the newest key. */
  makeToken(requestGuid: string): ReceiptToken;
  /** The same token again; undefined when the key is no longer on the ring. */
  tokenOf(requestGuid: string, keyId: string): string | undefined;
  /** Encrypts a secret for keeping; `context` (whose secret it is) must be the same when it is opened. */
  seal(secret: string, context: string): Buffer;
  /** @throws Error when the key is not on the ring, or the bytes or the context are not those that were sealed */
  open(sealed: Uint8Array, context: string): string;
}

interface Keys {
  readonly id: string;
  readonly receipts: FieldCipher;
  readonly secrets: FieldCipher;
}

/** A ring of 32-byte keys, the newest first; older ones are kept for what was made with them. @throws Error for another length */
export function createKeyRing(masters: readonly Uint8Array[]): KeyRing {
  const ring = masters.map(keysOf);
  const newest = ring[0];
  if (newest === undefined) throw new Error('A key ring needs at least one key');
  const keysWith = (id: string) => ring.find((keys) => keys.id === id);

  return {
    makeToken(requestGuid) {
      const token = deriveToken(newest, requestGuid);
      return { token, hash: hashToken(token), keyId: newest.id };
    },
    tokenOf(requestGuid, keyId) {
      const keys = keysWith(keyId);
      return keys && deriveToken(keys, requestGuid);
    },
    seal: (secret, context) => Buffer.concat([Buffer.from(newest.id, 'hex'), newest.secrets.seal(secret, context)]),
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      const keys = keysWith(bytes.subarray(0, ID_BYTES).toString('hex'));
      if (keys === undefined) throw new Error('The secret was sealed with a key that is not on the ring');
      return keys.secrets.open(bytes.subarray(ID_BYTES), context);
    },
  };
}

/** What look-ups by token use. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function keysOf(master: Uint8Array): Keys {
  if (master.length !== KEY_BYTES) throw new Error(`A key of the ring must have ${KEY_BYTES} bytes`);
  return {
    id: Buffer.from(hkdfSync('sha256', master, '', 'dispatch key id', ID_BYTES)).toString('hex'),
    receipts: createFieldCipher(master, 'dispatch receipt token'),
    secrets: createFieldCipher(master, 'dispatch webhook secret'),
  };
}

/** HMAC-SHA-256 over the guid: 256 bits. */
function deriveToken(keys: Keys, requestGuid: string): string {
  return keys.receipts.index(requestGuid).toString('base64url');
}
