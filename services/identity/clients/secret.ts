// The secret of a registered client: 256 random bits behind a prefix by which people and secret scanners recognise it.
// Only its hash is stored, and hashes are compared in constant time. So many random bits need no slow hash (NIST SP
// 800-63B-4 §3.1.2.2).
import { timingSafeEqual } from 'node:crypto';
import { randomSecret, sha256 } from '#lib/crypto/secret.ts';

export interface NewSecret {
  readonly secret: string;
  readonly hash: Buffer;
}

export function newSecret(): NewSecret {
  const secret = `kedja_client_${randomSecret()}`;
  return { secret, hash: hashOfSecret(secret) };
}

export function hashOfSecret(secret: string): Buffer {
  return sha256(secret);
}

/**
 * A hash that no secret has. It is compared when there is no client, so that the response takes as long as for a known
 * one.
 */
const NOBODYS = Buffer.alloc(32);

/** Whether the hash equals one of those; all of them are compared. */
export function matchesAny(given: Buffer, known: readonly Buffer[]): boolean {
  let isKnown = false;
  for (const each of known.length === 0 ? [NOBODYS] : known) if (timingSafeEqual(given, each)) isKnown = true;
  return isKnown && known.length > 0;
}
