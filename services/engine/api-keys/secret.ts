// The text of an API key: 256 random bits behind a name by which people and secret scanners know it. Only its hash is
// kept.
import { createHash, randomBytes } from 'node:crypto';

const FORM = /^kedja_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 14;

export interface NewSecret {
  readonly key: string;
  /** What is shown of it later. */
  readonly prefix: string;
  readonly hash: Buffer;
}

export function newSecret(): NewSecret {
  const key = `kedja_${randomBytes(32).toString('base64url')}`;
  return { key, prefix: key.slice(0, PREFIX_LENGTH), hash: hashOf(key) };
}

/** The hash by which a key is found; undefined for what can be no key. */
export function readSecret(key: string): Buffer | undefined {
  return FORM.test(key) ? hashOf(key) : undefined;
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
