// Single-use secrets: tokens in links, and codes that people copy (decision L12). The database has their hashes alone.
import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
/** Base32 without letters and digits that are read as others (RFC 4648 §6). */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Five bits each. */
const CODE = /^[A-Z2-7]{12,24}$/;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits as base64url. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** A code of `groups` times four letters, five random bits each: `ABCD-EFGH-IJKL`. */
export function newCode(groups: number): string {
  // 256 is a multiple of 32, so each letter is as likely as the others.
  const letters = [...randomBytes(groups * 4)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return letters.replaceAll(/.{4}(?=.)/g, '$&-');
}

/** SHA-256 of what was typed: a token as it is, a code without its separators; undefined for what is neither. */
export function hashOfSecret(typed: string): Buffer | undefined {
  const trimmed = typed.trim();
  if (TOKEN.test(trimmed)) return sha256(trimmed);
  const letters = trimmed.replaceAll(/[\s-]/g, '').toUpperCase();
  return CODE.test(letters) ? sha256(letters) : undefined;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
