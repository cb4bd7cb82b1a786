// The secret of a client on record: 256 random bits behind a name by which people and secret scanners know it. Only its
// hash is kept, and hashes are compared in constant time; so many random bits need no slow hash (NIST SP 800-63B-4
// §3.1.2.2).
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
 * What no secret has the hash of: compared with where there is no client, so that this takes the time that it takes
 * where there is one.
 */
const NOBODYS = Buffer.alloc(32);

/** Whether the hash is one of those, all of which are compared. */
export function isOneOf(given: Buffer, known: readonly Buffer[]): boolean {
  let isKnown = false;
  for (const each of known.length === 0 ? [NOBODYS] : known) if (timingSafeEqual(given, each)) isKnown = true;
  return isKnown && known.length > 0;
}
