// Single-use secrets: tokens in links, and codes that people copy (decision L12). The database has their hashes alone.
import { randomBytes } from 'node:crypto';
import { randomSecret, sha256 } from '#lib/crypto/secret.ts';

/** Base32 without letters and digits that are read as others (RFC 4648 §6). */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const CODE_LETTERS = 16;
/** Five bits each. */
const CODE = /^[A-Z2-7]{12,24}$/;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface OneTimeSecret {
  readonly text: string;
  readonly hash: Buffer;
}

/** 256 random bits as base64url. */
export function newToken(): OneTimeSecret {
  const text = randomSecret();
  return { text, hash: sha256(text) };
}

/** A code of 80 random bits: `ABCD-EFGH-IJKL-MNOP`. */
export function newCode(): OneTimeSecret {
  // 256 is a multiple of 32, so each letter is as likely as the others.
  const letters = [...randomBytes(CODE_LETTERS)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return { text: letters.replaceAll(/.{4}(?=.)/g, '$&-'), hash: sha256(letters) };
}

/** SHA-256 of what was typed: a token as it is, a code without its separators; undefined for what is neither. */
export function hashOfSecret(typed: string): Buffer | undefined {
  const trimmed = typed.trim();
  if (TOKEN.test(trimmed)) return sha256(trimmed);
  const letters = trimmed.replaceAll(/[\s-]/g, '').toUpperCase();
  return CODE.test(letters) ? sha256(letters) : undefined;
}
