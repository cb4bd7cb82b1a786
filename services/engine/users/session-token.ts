// Writes and reads session tokens: JWTs (RFC 7519) signed by HMAC-SHA256 (RFC 7515), because only the engine creates
// and reads them. A token names the session and expires with it. The user and the rights are read from the session.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { cacheByKey, derive, type KeySet } from '#lib/secrets/key-set.ts';

const ISSUER = 'kedja-engine';
/** The header of every token. Identity's tokens have another algorithm. */
const HEADER = encode({ alg: 'HS256', typ: 'JWT', kid: 'engine' });
const MAX_LENGTH = 1024;

export interface TokenClaims {
  readonly sessionGuid: string;
  readonly userGuid: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

export interface SessionTokens {
  write(claims: TokenClaims & { readonly issuedAt: number }): string;
  /** Whether the text has the form of the engine's tokens. It need not be valid. */
  isOwn(token: string): boolean;
  /** Returns the claims of a token with a valid signature that has not expired; undefined for any other. */
  read(token: string, nowMs: number): TokenClaims | undefined;
}

/** Signs with the current generation of the keys, and verifies with any. */
export function createSessionTokens(keys: KeySet): SessionTokens {
  const signingKey = cacheByKey(({ bytes }) => derive(bytes, 'kedja engine session token'));
  const isOwn = (token: string) => token.startsWith(`${HEADER}.`);
  return {
    write({ sessionGuid, userGuid, issuedAt, expiresAt }) {
      const payload = { iss: ISSUER, sub: userGuid, aud: ISSUER, iat: issuedAt, exp: expiresAt, jti: sessionGuid };
      const signed = `${HEADER}.${encode(payload)}`;
      return `${signed}.${sign(signingKey(keys.sealing()), signed).toString('base64url')}`;
    },
    isOwn,
    read(token, nowMs) {
      if (token.length > MAX_LENGTH || !isOwn(token)) return undefined;
      const end = token.lastIndexOf('.');
      const signed = token.slice(0, end);
      const signature = Buffer.from(token.slice(end + 1), 'base64url');
      // Base64url has several encodings of the same bytes. Only the one that the engine writes is accepted.
      if (signature.toString('base64url') !== token.slice(end + 1)) return undefined;
      if (!keys.all().some((key) => isEqual(sign(signingKey(key), signed), signature))) return undefined;
      const claims = readClaims(signed.slice(HEADER.length + 1));
      return claims !== undefined && claims.expiresAt * 1000 > nowMs ? claims : undefined;
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A signed token was written by the engine, but an older release may have written other claims. */
function readClaims(payload: string): TokenClaims | undefined {
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (typeof claims !== 'object' || claims === null) return undefined;
  const { iss, sub, exp, jti } = Object.fromEntries(Object.entries(claims));
  if (iss !== ISSUER || typeof sub !== 'string' || typeof exp !== 'number' || typeof jti !== 'string') return undefined;
  return { sessionGuid: jti, userGuid: sub, expiresAt: exp };
}
