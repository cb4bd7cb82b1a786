// Local verification of identity's tokens (decisions G8 and I1; RFC 7519, RFC 7515): a strict check of form, then signature and
// claims by jose against public keys held in memory. Revocation is judged elsewhere (./revocation-list.ts).
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, jwtVerify } from 'jose';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';

/** The signing algorithm: RSA verifies fastest on Node.js, and verification is what every request pays for. */
export const TOKEN_ALGORITHM = 'RS256';
export const TOKEN_ISSUER = 'kedja-identity';
export const TOKEN_AUDIENCE = 'kedja';

const MAX_TOKEN_LENGTH = 4096;
const MAX_CACHED_TOKENS = 20_000;
const KEY_REFRESH_COOLDOWN_MS = 1_000;

export interface TokenClaims {
  readonly userGuid: string;
  readonly tokenId: string;
  readonly userType: 'professional' | 'patient';
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export interface KeySource {
  /** The current public keys. @throws ServiceError `upstream_unavailable` */
  load(): Promise<JSONWebKeySet>;
}

export interface TokenVerifier {
  /** Loads the keys; a node is not ready before this has succeeded once. */
  refreshKeys(): Promise<void>;
  /**
   * The claims of a well-formed, rightly signed, unexpired token; undefined for any other.
   * @throws ServiceError `upstream_unavailable` when an unknown key id cannot be looked up
   */
  verify(token: string): Promise<TokenClaims | undefined>;
}

/** Whether the text is a compact JWS in canonical base64url: libraries accept trailing bits and padding that we do not. */
function isStrictCompactJws(token: string): boolean {
  if (token.length > MAX_TOKEN_LENGTH) return false;
  const parts = token.split('.');
  return parts.length === 3 && parts.every(isCanonicalBase64Url);
}

export function createTokenVerifier(options: { keys: KeySource; clock: Clock }): TokenVerifier {
  const { keys, clock } = options;
  const verified = new Map<string, TokenClaims>();
  let keySet: ReturnType<typeof createLocalJWKSet> | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;

  async function loadKeys(): Promise<void> {
    const set = await keys.load();
    keySet = createLocalJWKSet({ keys: set.keys.filter(isSigningKey) });
    loadedAt = clock.now();
  }

  /** Callers that ask at once share one look-up: tokens with invented key ids must not become a flood for identity. */
  function refreshKeys(): Promise<void> {
    loading ??= loadKeys().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function verifySignature(token: string, mayRefresh: boolean): Promise<TokenClaims | undefined> {
    if (keySet === undefined) throw new ServiceError('upstream_unavailable', 'The signing keys are not loaded yet');
    try {
      const { payload } = await jwtVerify(token, keySet, {
        algorithms: [TOKEN_ALGORITHM],
        issuer: TOKEN_ISSUER,
        audience: TOKEN_AUDIENCE,
        currentDate: new Date(clock.now()),
        requiredClaims: ['sub', 'jti', 'iat', 'nbf', 'exp', 'user_type'],
      });
      return readClaims(payload);
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      const isUnknownKey = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknownKey || !mayRefresh || clock.now() - loadedAt < KEY_REFRESH_COOLDOWN_MS) return undefined;
      await refreshKeys();
      return verifySignature(token, false);
    }
  }

  async function verify(token: string): Promise<TokenClaims | undefined> {
    const known = verified.get(token);
    if (known !== undefined) {
      if (known.expiresAt * 1000 > clock.now()) return known;
      verified.delete(token);
      return undefined;
    }
    if (!isStrictCompactJws(token)) return undefined;
    const claims = await verifySignature(token, true);
    if (claims !== undefined) remember(verified, token, claims);
    return claims;
  }

  return { refreshKeys, verify };
}

function isCanonicalBase64Url(part: string): boolean {
  return part.length > 0 && Buffer.from(part, 'base64url').toString('base64url') === part;
}

function isSigningKey(key: JWK): boolean {
  return key.kty === 'RSA' && key.use === 'sig' && key.alg === TOKEN_ALGORITHM && typeof key.kid === 'string';
}

function readClaims(payload: Record<string, unknown>): TokenClaims | undefined {
  const { sub, jti, iat, exp, user_type: userType } = payload;
  if (typeof sub !== 'string' || typeof jti !== 'string') return undefined;
  if (typeof iat !== 'number' || typeof exp !== 'number') return undefined;
  if (userType !== 'professional' && userType !== 'patient') return undefined;
  return { userGuid: sub, tokenId: jti, userType, issuedAt: iat, expiresAt: exp };
}

/** Keeps the newest tokens; a Map iterates in insertion order, so its first key is the oldest. */
function remember(cache: Map<string, TokenClaims>, token: string, claims: TokenClaims): void {
  if (cache.size >= MAX_CACHED_TOKENS) {
    const oldest = cache.keys().next().value;
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(token, claims);
}
