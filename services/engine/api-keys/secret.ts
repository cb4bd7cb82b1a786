// Creates and reads the text of an API key: a prefix that people and secret scanners recognise, and 256 random bits.
// Only the hash is stored.
import { createHash, randomBytes } from 'node:crypto';

const FORM = /^kedja_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 14;

export interface NewSecret {
  readonly key: string;
  /** The part that lists show later. */
  readonly prefix: string;
  readonly hash: Buffer;
}

export function newSecret(): NewSecret {
  const key = `kedja_${randomBytes(32).toString('base64url')}`;
  return { key, prefix: key.slice(0, PREFIX_LENGTH), hash: hashOf(key) };
}

/** Returns the hash by which a key is found; undefined for a text that cannot be a key. */
export function readSecret(key: string): Buffer | undefined {
  return FORM.test(key) ? hashOf(key) : undefined;
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
