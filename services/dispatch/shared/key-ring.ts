// Derives receipt tokens and seals webhook secrets (docs/adr/0006). The database alone reveals neither.
import { createHmac } from 'node:crypto';
import { sha256 } from '#lib/crypto/secret.ts';
import { cacheByKey, deriveIndexKey, deriveKeyId, type KeySet, type MasterKey } from '#lib/secrets/key-set.ts';
import { createSealer, type Sealer } from '#lib/secrets/sealer.ts';

export interface ReceiptToken {
  /** 256 bits, base64url. */
  readonly token: string;
  readonly hash: Buffer;
  readonly keyId: string;
}

export interface KeyRing extends Sealer {
  /** The token of a new request, derived from the current key. */
  makeToken(requestGuid: string): ReceiptToken;
  /** The same token again; undefined when its key is no longer on the ring. */
  tokenOf(requestGuid: string, keyId: string): string | undefined;
}

/** A ring of all key generations: the newest derives new tokens, the others repeat old ones. */
export function createKeyRing(keys: KeySet): KeyRing {
  const derived = cacheByKey((key) => ({
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

/** The hash by which a token is looked up. */
export function hashToken(token: string): Buffer {
  return sha256(token);
}

/** The id of a key in receipts. */
export function receiptKeyId({ bytes }: MasterKey): string {
  return deriveKeyId(bytes, 'dispatch').toString('hex');
}

/** HMAC-SHA-256 over the guid: 256 bits. */
function deriveToken(key: Buffer, requestGuid: string): string {
  return createHmac('sha256', key).update(requestGuid).digest('base64url');
}
