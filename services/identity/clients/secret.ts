// The secret of a registered client: 256 random bits behind a prefix by which people and secret scanners recognise it.
// Only its hash is stored, and hashes are compared in constant time. So many random bits need no slow hash (NIST SP
// 800-63B-4 §3.1.2.2).
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

export interface NewSecret {
  readonly secret: string;
  readonly hash: Buffer;
}

export function newSecret(): NewSecret {
  const secret = `kedja_client_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { secret, hash: hashOfSecret(secret) };
}

export function hashOfSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
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
