// The keys of the sending half (docs/adr/0006): receipt tokens are derived with them and webhook secrets are sealed
// with them, so that what the database holds is of no use to one who reads the database alone.
import { createHash, createHmac } from 'node:crypto';
import { deriveIndexKey, deriveKeyId, type KeySet, type MasterKey, rememberByKey } from '#lib/secrets/key-set.ts';
import { createSealer, type Sealer } from '#lib/secrets/sealer.ts';

export interface ReceiptToken {
  /** 256 bits, base64url. */
  readonly token: string;
  readonly hash: Buffer;
  readonly keyId: string;
}

export interface KeyRing extends Sealer {
  /** A new request's token, under the key that seals. */
  makeToken(requestGuid: string): ReceiptToken;
  /** The same token again; undefined when the key is no longer on the ring. */
  tokenOf(requestGuid: string, keyId: string): string | undefined;
}

/** A ring of all generations: one makes new tokens, the others say old ones again. */
export function createKeyRing(keys: KeySet): KeyRing {
  const derived = rememberByKey((key) => ({
    id: receiptKeyId(key),
    receipts: deriveIndexKey(key.bytes, 'dispatch receipt token'),
  }));
  const place = 'provider_endpoint.secret or previous_secret';
  return {
    ...createSealer({ keys, purpose: 'dispatch webhook secret', place }),
    makeToken(requestGuid) {
      const { id, receipts } = derived(keys.sealing());
      const token = deriveToken(receipts, requestGuid);
      return { token, hash: hashToken(token), keyId: id };
    },
    tokenOf(requestGuid, keyId) {
      const found = keys.all().find((key) => derived(key).id === keyId);
      return found && deriveToken(derived(found).receipts, requestGuid);
    },
  };
}

/** What look-ups by token use. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** As receipts name the key that their tokens are derived from. */
export function receiptKeyId({ bytes }: MasterKey): string {
  return deriveKeyId(bytes, 'dispatch').toString('hex');
}

/** HMAC-SHA-256 over the guid: 256 bits. */
function deriveToken(key: Buffer, requestGuid: string): string {
  return createHmac('sha256', key).update(requestGuid).digest('base64url');
}
