// The keys of the sending half (docs/adr/0006): receipt tokens are derived with them and webhook secrets are sealed with them, so
// that what the database holds is of no use to one who reads the database alone.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
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
  readonly receipts: Buffer;
  readonly sealing: Buffer;
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
    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest.sealing, nonce).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from(newest.id, 'hex'), nonce, cipher.getAuthTag(), text]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      const keys = keysWith(bytes.subarray(0, ID_BYTES).toString('hex'));
      if (keys === undefined) throw new Error('The secret was sealed with a key that is not on the ring');
      const [nonceEnd, tagEnd] = [ID_BYTES + NONCE_BYTES, ID_BYTES + NONCE_BYTES + TAG_BYTES];
      const decipher = createDecipheriv('aes-256-gcm', keys.sealing, bytes.subarray(ID_BYTES, nonceEnd))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(nonceEnd, tagEnd));
      return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
    },
  };
}

/** What look-ups by token use. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function keysOf(master: Uint8Array): Keys {
  if (master.length !== KEY_BYTES) throw new Error(`A key of the ring must have ${KEY_BYTES} bytes`);
  const derive = (purpose: string, length: number) => Buffer.from(hkdfSync('sha256', master, '', purpose, length));
  return {
    id: derive('kedja dispatch key id', ID_BYTES).toString('hex'),
    receipts: derive('kedja dispatch receipt tokens', KEY_BYTES),
    sealing: derive('kedja dispatch webhook secrets', KEY_BYTES),
  };
}

function deriveToken(keys: Keys, requestGuid: string): string {
  return createHmac('sha256', keys.receipts).update(requestGuid).digest('base64url');
}
