// Creates and reads the one-time code of a password reset (decision E8): 100 random bits in a form that can be read
// aloud. Only its hash is stored.
import { randomBytes } from 'node:crypto';
import { sha256 } from '#lib/crypto/secret.ts';

/** Crockford's base 32: no I, L, O and U. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 20;
const GROUP = /.{5}/g;

export interface NewCode {
  /** `XXXXX-XXXXX-XXXXX-XXXXX` */
  readonly code: string;
  readonly hash: Buffer;
}

export function newCode(): NewCode {
  const text = Array.from(randomBytes(LENGTH), (byte) => LETTERS.charAt(byte & 31)).join('');
  return { code: (text.match(GROUP) ?? []).join('-'), hash: sha256(text) };
}

/** Returns the hash of a typed code; undefined for a text that cannot be a code. */
export function readCode(typed: string): Buffer | undefined {
  const text = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return text.length === LENGTH && [...text].every((letter) => LETTERS.includes(letter)) ? sha256(text) : undefined;
}
