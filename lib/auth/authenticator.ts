// Turns a request's credentials into a principal (decision G8): service credentials, an API key, or a Bearer token of
// identity. Bearer tokens are judged locally; the access blob is cached for at most five seconds and dropped as soon as
// the revocation feed says that the user changed. With a stale revocation list identity is asked each time, and when it
// cannot be asked the answer is 503: never trust. A caller who is remembered is admitted without a promise: that is
// what nearly every request is.
import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { AccessBlob } from './access-blob.ts';
import { type Access, createAccessCache, readAccess } from './access-cache.ts';
import { createExpiringCache } from './expiring-cache.ts';
import type { Principal } from './principal.ts';
import type { RevocationList } from './revocation-list.ts';
import {
  createServiceCheck,
  hasServiceCredentials,
  readServiceCredentials,
  type ServiceClient,
  type ServiceCredentials,
} from './service-credentials.ts';
import { type Audience, isFor, TOKEN_AUDIENCE, type TokenClaims, type TokenVerifier } from './token-verifier.ts';

const CACHE_MS = 5_000;
/** What a key stands for, where its source does not say. */
const KEY_CACHE_MS = 2_000;
const MAX_CACHED = 20_000;
const MAX_RIGHT_KEYS = 1_000;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

const BEARER = 'Bearer ';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface AccessBlobSource {
  /**
   * The blob that identity answers for the token now; undefined when identity refuses the token. It tells of every
   * change up to `sequence` of the revocation feed, which the caller has read.
   * @throws ServiceError `upstream_unavailable`
   */
  read(token: string, claims: TokenClaims, sequence: number): Promise<AccessBlob | undefined>;
}

export interface ApiKeySource {
  /** The principal of a live key, undefined for any other. @throws ServiceError `upstream_unavailable` */
  read(key: string): Promise<Principal | undefined>;
  /** For how long it may be remembered what a key stands for, in milliseconds; two seconds when left out. */
  readonly rememberMs?: number;
  /** Calls whenever keys have changed on this node: what is remembered of any is no longer so. */
  onChanged?(listener: () => void): void;
}

/** The services on record (docs/adr/0054), beside those of the configuration. */
export interface ClientSource {
  /**
   * The principal of the service that the credentials prove now; undefined when they prove none. `address` is where the
   * request came from.
   * @throws ServiceError `rate_limited` for too many wrong ones from there, `upstream_unavailable`
   */
  read(credentials: ServiceCredentials, address: string | undefined): Promise<Principal | undefined>;
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
  readonly serviceClients: readonly ServiceClient[];
  readonly clients?: ClientSource;
  readonly clock: Clock;
  readonly apiKeys?: ApiKeySource;
  readonly foreignTokens?: ForeignTokens;
}

export interface Authenticator {
  /**
   * The caller, when it is remembered and nobody needs to be asked; undefined says nothing. With `sequence` what is
   * remembered counts only if this node has read the revocation feed as far.
   */
  recall(headers: Headers, sequence?: number): Principal | undefined;
  /**
   * The caller, or undefined when the request carries no credentials at all. `address` is where the request came from:
   * wrong credentials are counted by it.
   * @throws ServiceError `unauthorized` for credentials that prove nothing, `invalid_service_credentials`,
   * `rate_limited`, `unavailable`
   */
  authenticate(headers: Headers, address?: string): Promise<Principal | undefined>;
}

export interface TokenWanted {
  /** The place in the revocation feed that the answer must be as new as. */
  readonly sequence?: number;
  /** Kedja's when left out. */
  readonly audience?: Audience;
}

export interface TokenAuthenticator extends Authenticator {
  /**
   * The principal of a Bearer token of identity. With `sequence` it is as new as that place in the revocation feed,
   * which a service may have read before this node. Only a token for the audience counts. @throws ServiceError as
   * `authenticate`
   */
  authenticateToken(token: string, wanted?: TokenWanted): Promise<Principal>;
  /** As `recall`, of a token for any audience. */
  recallToken(headers: Headers, wanted: TokenWanted): Principal | undefined;
  /** The access blob that a Bearer token's principal was made of. */
  blobOf(principal: Principal): AccessBlob | undefined;
  /** The audience of the token that the principal was made of. */
  audienceOf(principal: Principal): string | undefined;
}

export function createAuthenticator(options: AuthenticatorOptions): TokenAuthenticator {
  const { clock, apiKeys, foreignTokens, clients } = options;
  const bearers = createBearerCheck(options);
  const keys = apiKeys && createKeyCheck(apiKeys, clock);
  const serviceOf = createServiceCheck(options.serviceClients);

  async function serviceIn(headers: Headers, address: string | undefined): Promise<Principal> {
    const configured = serviceOf(headers);
    if (configured !== undefined) return configured;
    const credentials = readServiceCredentials(headers);
    const onRecord = credentials && (await clients?.read(credentials, address));
    if (onRecord !== undefined) return onRecord;
    throw new ServiceError('invalid_service_credentials', 'The service credentials are missing or wrong');
  }

  async function authenticate(headers: Headers, address?: string): Promise<Principal | undefined> {
    const { authorization } = headers;
    if (authorization !== undefined) {
      const token = readBearer(authorization);
      if (foreignTokens?.accepts(token) === true) return foreignTokens.read(token).then(orUnauthorized);
      return bearers.authenticateToken(token);
    }
    const apiKey = headers['x-api-key'];
    if (apiKey !== undefined && keys !== undefined) {
      if (typeof apiKey !== 'string') throw unauthorized();
      return keys.authenticate(apiKey).then(orUnauthorized);
    }
    return hasServiceCredentials(headers) ? serviceIn(headers, address) : undefined;
  }

  function recallToken({ authorization }: Headers, wanted: TokenWanted): Principal | undefined {
    if (typeof authorization !== 'string' || !authorization.startsWith(BEARER)) return undefined;
    return bearers.recall(authorization.slice(BEARER.length), wanted);
  }

  return {
    recall: (headers, sequence) => {
      const { authorization, 'x-api-key': apiKey } = headers;
      if (authorization === undefined) return typeof apiKey === 'string' ? keys?.recall(apiKey) : undefined;
      return recallToken(headers, sequence === undefined ? {} : { sequence });
    },
    recallToken,
    authenticate,
    authenticateToken: bearers.authenticateToken,
    blobOf: bearers.blobOf,
    audienceOf: bearers.audienceOf,
  };
}

interface KeyCheck {
  recall(apiKey: string): Principal | undefined;
  authenticate(apiKey: string): Promise<Principal | undefined>;
}

interface KnownKey {
  readonly principal: Principal | undefined;
  readonly until: number;
}

function createKeyCheck(apiKeys: ApiKeySource, clock: Clock): KeyCheck {
  const { rememberMs = KEY_CACHE_MS } = apiKeys;
  const known = createExpiringCache<KnownKey>({ ttlMs: rememberMs, maxEntries: MAX_CACHED, clock });
  // Keys that are right, and so short and few, by their own text: those that come again and again cost no digest.
  const right = new Map<string, KnownKey>();
  let changes = 0;
  apiKeys.onChanged?.(() => {
    changes += 1;
    known.deleteWhere(() => true);
    right.clear();
  });
  return {
    recall(apiKey) {
      const key = right.get(apiKey);
      if (key === undefined || key.until > clock.now()) return key?.principal;
      right.delete(apiKey);
      return undefined;
    },
    async authenticate(apiKey) {
      const before = changes;
      const key = await known.get(digestOf(apiKey), async () => {
        const until = clock.now() + rememberMs;
        return { principal: await apiKeys.read(apiKey), until };
      });
      // What was read while keys changed may be what was before.
      if (key.principal === undefined || changes !== before) return key.principal;
      if (right.size >= MAX_RIGHT_KEYS) right.clear();
      right.set(apiKey, key);
      return key.principal;
    },
  };
}

interface BearerCheck extends Pick<TokenAuthenticator, 'authenticateToken' | 'blobOf' | 'audienceOf'> {
  recall(token: string, wanted: TokenWanted): Principal | undefined;
}

function createBearerCheck({ tokens, revocations, blobs: source, clock }: AuthenticatorOptions): BearerCheck {
  const bounds = { ttlMs: CACHE_MS, maxEntries: MAX_CACHED, maxBytes: MAX_CACHED_BYTES };
  const accesses = createAccessCache({ ...bounds, clock });
  const known = new WeakMap<Principal, Access>();
  let removedKeys = 0;
  revocations.onUserChanged(accesses.forgetUser);
  tokens.onKeyRemoved(() => {
    removedKeys += 1;
    accesses.forgetAll();
  });

  function recall(token: string, { sequence = 0, audience = TOKEN_AUDIENCE }: TokenWanted): Principal | undefined {
    const access = accesses.recall(token);
    if (access === undefined || !isFor(access.claims, audience)) return undefined;
    if (!revocations.isFresh() || sequence > revocations.sequence()) return undefined;
    return revocations.isRevoked(access.claims.tokenId) ? undefined : access.principal;
  }

  async function authenticateToken(token: string, wanted: TokenWanted = {}): Promise<Principal> {
    const { sequence = 0, audience } = wanted;
    const keysBefore = removedKeys;
    const claims = await tokens.verify(token, audience);
    if (claims === undefined || revocations.isRevoked(claims.tokenId)) throw unauthorized();
    const read = revocations.sequence();
    const load = () => source.read(token, claims, Math.max(read, sequence));
    // A stale list vouches for nobody, a service may know of changes that this node has not read, a key that is gone
    // vouches no more.
    const mayRemember = revocations.isFresh() && sequence <= read && keysBefore === removedKeys;
    const access = await (mayRemember ? accesses.get(token, claims, load) : readAccess(claims, load));
    // A revocation may have arrived while the blob was fetched.
    if (access === undefined || revocations.isRevoked(claims.tokenId)) throw unauthorized();
    known.set(access.principal, access);
    return access.principal;
  }

  return {
    recall,
    authenticateToken,
    blobOf: (principal) => known.get(principal)?.blob,
    audienceOf: (principal) => known.get(principal)?.claims.audience,
  };
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
