// Parses and formats typed codes: six digits of an authenticator app, or a recovery code. Pure.
import { randomBytes } from 'node:crypto';
import { Secret } from 'otpauth';

const RECOVERY_CODES = 10;
/** 80 bits: 16 characters of base32 (RFC 4648 §6), which has no digits that look like letters. */
const RECOVERY_BYTES = 10;

export type TypedCode =
  | { readonly kind: 'totp'; readonly digits: string }
  | { readonly kind: 'recovery'; readonly letters: string };

/** The code without its spaces and dashes; undefined for a text that is no code. */
export function parseCode(text: string): TypedCode | undefined {
  const plain = text.replaceAll(/[\s-]/g, '').toUpperCase();
  if (/^[0-9]{6}$/.test(plain)) return { kind: 'totp', digits: plain };
  if (/^[A-Z2-7]{16}$/.test(plain)) return { kind: 'recovery', letters: plain };
  return undefined;
}

/** A new set, as it is shown: `ABCD-EFGH-IJKL-MNOP`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => grouped(base32(randomBytes(RECOVERY_BYTES))));
}

/** In groups of four, by which people can copy it. */
function grouped(letters: string): string {
  return letters.replaceAll(/.{4}(?=.)/g, '$&-');
}

function base32(bytes: Buffer): string {
  const buffer = new Uint8Array(bytes).buffer;
  return new Secret({ buffer }).base32;
}
