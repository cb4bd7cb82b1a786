// Secrets of random bits, and the hash by which a database recognises one. A secret of so many random bits needs no
// slow hash (NIST SP 800-63B-4 §3.1.2.2).
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

/** 256 random bits as base64url: 43 characters. */
export function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** SHA-256 of a text in UTF-8, or of bytes: 32 bytes. */
export function sha256(content: string | Uint8Array): Buffer {
  return hash('sha256', content, 'buffer');
}

/** Whether two texts are the same. It takes as long however much of the given one is right. */
export function isSameSecret(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
