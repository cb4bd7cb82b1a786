// Creates and reads the text of an API key: a prefix that people and secret scanners recognise, and 256 random bits.
// Only the hash is stored.
import { randomSecret, sha256 } from '#lib/crypto/secret.ts';

const FORM = /^kedja_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 14;

export interface NewSecret {
  readonly key: string;
  /** The part that lists show later. */
  readonly prefix: string;
  readonly hash: Buffer;
}

export function newSecret(): NewSecret {
  const key = `kedja_${randomSecret()}`;
  return { key, prefix: key.slice(0, PREFIX_LENGTH), hash: sha256(key) };
}

/** Returns the hash by which a key is found; undefined for a text that cannot be a key. */
export function readSecret(key: string): Buffer | undefined {
  return FORM.test(key) ? sha256(key) : undefined;
}
