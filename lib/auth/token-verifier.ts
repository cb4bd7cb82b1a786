// Verifies identity's tokens locally (decisions G8 and I1; RFC 7519, RFC 7515). It does a strict format check, then
// signature and claims by jose, with public keys in memory. Revocation is checked in ./revocation-list.ts.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, jwtVerify } from 'jose';
import { type Clock, elapsedOf } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { isStrictToken } from './token-form.ts';

/** The signing algorithm. RSA verifies fastest on Node.js, and every request pays for verification. */
export const TOKEN_ALGORITHM = 'RS256';
export const TOKEN_ISSUER = 'kedja-identity';
export const TOKEN_AUDIENCE = 'kedja';
/** The longest lifetime of a token that can be configured. */
export const LONGEST_TOKEN_SECONDS = 86_400;

const MAX_CACHED_TOKENS = 20_000;
const KEY_REFRESH_COOLDOWN_MS = 1_000;
/** A token from a node whose clock is ahead is valid at once (`nbf`, `iat`). No token is valid after `exp`. */
const CLOCK_LEEWAY_SECONDS = 5;

const REQUIRED = {
  algorithms: [TOKEN_ALGORITHM],
  issuer: TOKEN_ISSUER,
  requiredClaims: ['aud', 'sub', 'jti', 'iat', 'nbf', 'exp', 'user_type'],
};

export interface TokenClaims {
  readonly userGuid: string;
  readonly tokenId: string;
  readonly userType: 'professional' | 'patient';
  /** The audience: all of Kedja (`TOKEN_AUDIENCE`), or one relying application (docs/adr/0054). */
  readonly audience: string;
  /** The name of the tenant that it is for; left out for the default tenant (docs/adr/0137). */
  readonly tenant?: string;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** The required audience; `any` is for callers that check the audience themselves. */
export type Audience = typeof TOKEN_AUDIENCE | 'any';

/** Whether the token is for the audience. */
export function isFor({ audience }: TokenClaims, required: Audience): boolean {
  return required === 'any' || audience === required;
}

export interface KeySource {
  /** The current public keys. @throws ServiceError `upstream_unavailable` */
  load(): Promise<JSONWebKeySet>;
}

export interface TokenVerifier {
  /** Loads the keys. A node is not ready before this has succeeded once. */
  refreshKeys(): Promise<void>;
  /**
   * The claims of a well-formed, unexpired token with a valid signature for the audience (Kedja's when left out);
   * undefined for any other.
   * @throws ServiceError `upstream_unavailable` when an unknown key id cannot be looked up
   */
  verify(token: string, audience?: Audience): Promise<TokenClaims | undefined>;
  /**
   * The claims of a well-formed token with a valid signature by a key that is still published, expired or not;
   * undefined for any other. It proves who had the token, and opens nothing.
   */
  verifyPast(token: string): Promise<TokenClaims | undefined>;
  /** Adds a listener that is called when a key was removed: tokens that it signed are invalid. */
  onKeyRemoved(listener: () => void): void;
}

export function createTokenVerifier(options: { keys: KeySource; clock: Clock }): TokenVerifier {
  const { keys, clock } = options;
  const verified = new Map<string, TokenClaims>();
  let keySet: LoadedKeys | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let loading: Promise<void> | undefined;
  const keyListeners: Array<() => void> = [];

  function forgetVerified(): void {
    verified.clear();
    for (const listener of keyListeners) listener();
  }

  async function loadKeys(): Promise<void> {
    askedAt = elapsedOf(clock);
    try {
      const loaded = toLoadedKeys(await keys.load());
      // Tokens signed by a removed key are invalid.
      const isKeyGone = keySet !== undefined && !keySet.keyIds.isSubsetOf(loaded.keyIds);
      keySet = loaded;
      if (isKeyGone) forgetVerified();
      failure = undefined;
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  /** Concurrent calls share one lookup, so that tokens with invented key ids do not flood identity. */
  function refreshKeys(): Promise<void> {
    loading ??= loadKeys().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  /**
   * A second lookup waits. Meanwhile a token with an unknown key id is refused, or gets the error of a failed lookup.
   */
  async function refreshForUnknown(): Promise<boolean> {
    if (loading === undefined && elapsedOf(clock) - askedAt < KEY_REFRESH_COOLDOWN_MS) {
      if (failure !== undefined) throw failure;
      return false;
    }
    await refreshKeys();
    return true;
  }

  async function verifySignature(token: string, mayRefresh: boolean): Promise<TokenClaims | undefined> {
    const used = keySet;
    if (used === undefined) throw new ServiceError('upstream_unavailable', 'The signing keys are not loaded yet');
    try {
      const { payload } = await jwtVerify(token, used.find, {
        ...REQUIRED,
        currentDate: new Date(clock.now()),
        clockTolerance: CLOCK_LEEWAY_SECONDS,
      });
      // The keys may have changed while the signature was checked.
      if (used !== keySet) return verifySignature(token, mayRefresh);
      const claims = readClaims(payload);
      if (claims === undefined || !isInForce(claims, clock.now())) return undefined;
      remember(verified, token, claims);
      return claims;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayRefresh || !(await refreshForUnknown())) return undefined;
      return verifySignature(token, false);
    }
  }

  async function read(token: string): Promise<TokenClaims | undefined> {
    const known = verified.get(token);
    if (known !== undefined) {
      if (isInForce(known, clock.now())) return known;
      verified.delete(token);
      return undefined;
    }
    return isStrictToken(token) ? verifySignature(token, true) : undefined;
  }

  async function verify(token: string, audience: Audience = TOKEN_AUDIENCE): Promise<TokenClaims | undefined> {
    const claims = await read(token);
    return claims !== undefined && isFor(claims, audience) ? claims : undefined;
  }

  async function verifyPast(token: string): Promise<TokenClaims | undefined> {
    if (keySet === undefined || !isStrictToken(token)) return undefined;
    try {
      const { payload } = await jwtVerify(token, keySet.find, { ...REQUIRED, clockTolerance: Number.MAX_SAFE_INTEGER });
      return readClaims(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  return { refreshKeys, verify, verifyPast, onKeyRemoved: (listener) => keyListeners.push(listener) };
}

interface LoadedKeys {
  readonly keyIds: ReadonlySet<string>;
  readonly find: ReturnType<typeof createLocalJWKSet>;
}

function toLoadedKeys(set: JSONWebKeySet): LoadedKeys {
  const usable = set.keys.filter(isSigningKey);
  return { keyIds: new Set(usable.map((key) => String(key.kid))), find: createLocalJWKSet({ keys: usable }) };
}

/** Whether the token is in force: from its issue, less the clock tolerance, until its expiry. */
function isInForce({ issuedAt, expiresAt }: TokenClaims, nowMs: number): boolean {
  return expiresAt * 1000 > nowMs && (issuedAt - CLOCK_LEEWAY_SECONDS) * 1000 <= nowMs;
}

function isSigningKey(key: JWK): boolean {
  return key.kty === 'RSA' && key.use === 'sig' && key.alg === TOKEN_ALGORITHM && typeof key.kid === 'string';
}

function readClaims(payload: Record<string, unknown>): TokenClaims | undefined {
  const { aud, sub, jti, iat, exp, user_type: userType, tenant } = payload;
  if (typeof aud !== 'string' || typeof sub !== 'string' || typeof jti !== 'string') return undefined;
  if (typeof iat !== 'number' || typeof exp !== 'number') return undefined;
  if (userType !== 'professional' && userType !== 'patient') return undefined;
  if (tenant !== undefined && typeof tenant !== 'string') return undefined;
  const ofTenant = tenant === undefined ? {} : { tenant };
  return { userGuid: sub, tokenId: jti, userType, audience: aud, issuedAt: iat, expiresAt: exp, ...ofTenant };
}

/** Caches the newest tokens. A Map iterates in insertion order, so its first key is the oldest. */
function remember(cache: Map<string, TokenClaims>, token: string, claims: TokenClaims): void {
  if (cache.size >= MAX_CACHED_TOKENS) {
    const oldest = cache.keys().next().value;
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(token, claims);
}
