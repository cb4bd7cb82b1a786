// The keys of the sending half (docs/adr/0006): receipt tokens are derived with them and webhook secrets are sealed with them, so
// that what the database holds is of no use to one who reads the database alone.
import { createHash, hkdfSync } from 'node:crypto';
import { createFieldCipher, type FieldCipher } from '#lib/crypto/field-cipher.ts';
import { createSealer, type Sealer } from '#lib/secrets/sealer.ts';

const KEY_BYTES = 32;
const ID_BYTES = 4;

export interface ReceiptToken {
  /** 256 bits, base64url. */
  readonly token: string;
  readonly hash: Buffer;
  readonly keyId: string;
}

export interface KeyRing extends Sealer {
  /** A new request's token, under the newest key. */
  makeToken(requestGuid: string): ReceiptToken;
  /** The same token again; undefined when the key is no longer on the ring. */
  tokenOf(requestGuid: string, keyId: string): string | undefined;
}

interface Keys {
  readonly id: string;
  readonly receipts: FieldCipher;
}

/** A ring of 32-byte keys, the newest first; older ones are kept for what was made with them. @throws Error for another length */
export function createKeyRing(masters: readonly Uint8Array[]): KeyRing {
  const ring = masters.map(keysOf);
  const newest = ring[0];
  if (newest === undefined) throw new Error('A key ring needs at least one key');
  const keysWith = (id: string) => ring.find((keys) => keys.id === id);

  return {
    ...createSealer(masters, 'dispatch webhook secret'),
    makeToken(requestGuid) {
      const token = deriveToken(newest, requestGuid);
      return { token, hash: hashToken(token), keyId: newest.id };
    },
    tokenOf(requestGuid, keyId) {
      const keys = keysWith(keyId);
      return keys && deriveToken(keys, requestGuid);
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
  };
}

/** HMAC-SHA-256 over the guid: 256 bits. */
function deriveToken(keys: Keys, requestGuid: string): string {
  return keys.receipts.index(requestGuid).toString('base64url');
}
