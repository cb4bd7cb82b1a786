// Turns a request's credentials into a principal (decision G8): service credentials, an API key, or a Bearer token of identity.
// Bearer tokens are judged locally; the access blob is cached for at most five seconds and dropped as soon as the revocation
// feed says that the user changed. With a stale revocation list identity is asked each time, and when it cannot be asked the
// answer is 503: never trust.
import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { type AccessBlob, principalOfBlob } from './access-blob.ts';
import { createExpiringCache } from './expiring-cache.ts';
import type { Principal } from './principal.ts';
import type { RevocationList } from './revocation-list.ts';
import { authenticateService, hasServiceCredentials, type ServiceCredentials } from './service-credentials.ts';
import type { TokenClaims, TokenVerifier } from './token-verifier.ts';

const CACHE_MS = 5_000;
const MAX_CACHED = 20_000;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface AccessBlobSource {
  /**
   * The blob that identity answers for the token now; undefined when identity refuses the token.
   * @throws ServiceError `upstream_unavailable`
   */
  read(token: string, claims: TokenClaims): Promise<AccessBlob | undefined>;
}

export interface ApiKeySource {
  /** The principal of a live key, undefined for any other. @throws ServiceError `upstream_unavailable` */
  read(key: string): Promise<Principal | undefined>;
}

/** Tokens of another issuer that one service accepts too (the engine's own log-in, decision E8). */
export interface ForeignTokens {
  accepts(token: string): boolean;
  read(token: string): Promise<Principal | undefined>;
}

export interface AuthenticatorOptions {
  readonly tokens: TokenVerifier;
  readonly revocations: RevocationList;
  readonly blobs: AccessBlobSource;
  readonly serviceClients: readonly ServiceCredentials[];
  readonly clock: Clock;
  readonly apiKeys?: ApiKeySource;
  readonly foreignTokens?: ForeignTokens;
}

export interface Authenticator {
  /**
   * The caller, or undefined when the request carries no credentials at all.
   * @throws ServiceError `unauthorized` for credentials that prove nothing, `invalid_service_credentials`, `unavailable`
   */
  authenticate(headers: Headers): Promise<Principal | undefined>;
  /** The principal of a Bearer token. @throws ServiceError as `authenticate` */
  authenticateToken(token: string): Promise<Principal>;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, revocations, blobs, clock, apiKeys } = options;
  const blobCache = createExpiringCache<AccessBlob | undefined>({ ttlMs: CACHE_MS, maxEntries: MAX_CACHED, clock });
  const keyCache = createExpiringCache<Principal | undefined>({ ttlMs: CACHE_MS, maxEntries: MAX_CACHED, clock });
  revocations.onUserChanged((userGuid) => blobCache.deleteWhere((key) => key.startsWith(`${userGuid} `)));

  async function readBlob(token: string, claims: TokenClaims): Promise<AccessBlob | undefined> {
    if (!revocations.isFresh()) return blobs.read(token, claims);
    return blobCache.get(`${claims.userGuid} ${claims.tokenId}`, () => blobs.read(token, claims));
  }

  async function authenticateToken(token: string): Promise<Principal> {
    if (options.foreignTokens?.accepts(token) === true) {
      return options.foreignTokens.read(token).then(orUnauthorized);
    }
    const claims = await tokens.verify(token);
    if (claims === undefined || revocations.isRevoked(claims.tokenId)) throw unauthorized();
    const blob = await readBlob(token, claims);
    // A revocation may have arrived while the blob was fetched.
    if (blob === undefined || revocations.isRevoked(claims.tokenId)) throw unauthorized();
    return principalOfBlob(blob, claims.tokenId);
  }

  async function authenticate(headers: Headers): Promise<Principal | undefined> {
    const { authorization } = headers;
    if (authorization !== undefined) return authenticateToken(readBearer(authorization));
    const apiKey = headers['x-api-key'];
    if (apiKey !== undefined && apiKeys !== undefined) {
      if (typeof apiKey !== 'string') throw unauthorized();
      return keyCache.get(digestOf(apiKey), () => apiKeys.read(apiKey)).then(orUnauthorized);
    }
    if (!hasServiceCredentials(headers)) return undefined;
    const service = authenticateService(headers, options.serviceClients);
    if (service === undefined) {
      throw new ServiceError('invalid_service_credentials', 'The service credentials are missing or wrong');
    }
    return service;
  }

  return { authenticate, authenticateToken };
}

/** The token of an `Authorization: Bearer` header (RFC 6750 §2.1). @throws ServiceError `unauthorized` */
export function readBearer(authorization: string | string[] | undefined): string {
  const match = typeof authorization === 'string' ? /^Bearer +(\S+)$/i.exec(authorization) : null;
  if (match?.[1] === undefined) throw unauthorized();
  return match[1];
}

/** Anybody may send keys, and long ones: what is remembered of each is small and tells nothing. */
function digestOf(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('base64url');
}

function unauthorized(): ServiceError {
  return new ServiceError('unauthorized', 'The credentials are missing, invalid, expired or revoked');
}

function orUnauthorized(principal: Principal | undefined): Principal {
  if (principal === undefined) throw unauthorized();
  return principal;
}
