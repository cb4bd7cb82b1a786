// Authenticates a request (decision G8) by service credentials, an API key, or a Bearer token of identity. Bearer
// tokens are verified locally. The access blob is cached for at most five seconds, and dropped as soon as the
// revocation feed says that the user changed. With a stale revocation list identity is asked each time; when identity
// cannot be reached the response is 503, never trust. A cached caller is admitted without a promise, because nearly
// every request has one.
import type { Clock } from '../clock.ts';
import { sha256 } from '../crypto/secret.ts';
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
/** How long an API key's principal is cached, where its source does not say. */
const KEY_CACHE_MS = 2_000;
const MAX_CACHED = 20_000;
const MAX_RIGHT_KEYS = 1_000;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

const BEARER = 'Bearer ';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface AccessBlobSource {
  /**
   * The blob that identity returns for the token now; undefined when identity refuses the token. It includes every
   * change up to `sequence` of the revocation feed, which the caller has read.
   * @throws ServiceError `upstream_unavailable`
   */
  read(token: string, claims: TokenClaims, sequence: number): Promise<AccessBlob | undefined>;
}

export interface ApiKeySource {
  /** The principal of a live key, undefined for any other. @throws ServiceError `upstream_unavailable` */
  read(key: string): Promise<Principal | undefined>;
  /** How long a key's principal may be cached, in milliseconds; two seconds when left out. */
  readonly cacheMs?: number;
  /** Adds a listener that is called when keys have changed on this node: cached keys are dropped then. */
  onChanged?(listener: () => void): void;
}

/** The registered services (docs/adr/0054), besides those of the configuration. */
export interface ClientSource {
  /**
   * The principal of the service with these credentials; undefined when they are wrong. `address` is the client's.
   * @throws ServiceError `rate_limited` for too many wrong ones from there, `upstream_unavailable`
   */
  read(credentials: ServiceCredentials, address: string | undefined): Promise<Principal | undefined>;
}

/** Tokens of another issuer that one service accepts too (the engine's own login, decision E8). */
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
  /** Accepts tokens of every tenant, as identity does; of the default tenant alone when left out. */
  readonly everyTenant?: boolean;
}

export interface Authenticator {
  /**
   * The caller, when it is cached and no lookup is needed; undefined otherwise. With `sequence` the cache counts only
   * if this node has read the revocation feed that far.
   */
  findCached(headers: Headers, sequence?: number): Principal | undefined;
  /**
   * The caller, or undefined when the request carries no credentials. `address` is the client's: wrong credentials are
   * counted by it.
   * @throws ServiceError `unauthorized` for invalid credentials, `invalid_service_credentials`, `rate_limited`,
   * `unavailable`
   */
  authenticate(headers: Headers, address?: string): Promise<Principal | undefined>;
}

export interface TokenRequirements {
  /** The position in the revocation feed that the result must include. */
  readonly sequence?: number;
  /** Kedja's own when left out. */
  readonly audience?: Audience;
}

export interface TokenAuthenticator extends Authenticator {
  /**
   * The principal of a Bearer token of identity. With `sequence` it includes all changes up to that position of the
   * revocation feed, which a service may have read before this node. The token must be for the audience.
   * @throws ServiceError as `authenticate`
   */
  authenticateToken(token: string, requirements?: TokenRequirements): Promise<Principal>;
  /** As `findCached`, of a token for any audience. */
  findCachedByToken(headers: Headers, requirements: TokenRequirements): Principal | undefined;
  /** The access blob of a principal of a Bearer token. */
  blobOf(principal: Principal): AccessBlob | undefined;
  /** The audience of the token of a principal. */
  audienceOf(principal: Principal): string | undefined;
  /**
   * The authenticator of one tenant: it takes tokens for that tenant alone, and keys of its own. It shares what is
   * known of tokens, since a token is for one tenant.
   */
  forTenant(tenant: string, own: Pick<AuthenticatorOptions, 'apiKeys' | 'foreignTokens'>): Authenticator;
}

export function createAuthenticator(options: AuthenticatorOptions): TokenAuthenticator {
  const bearers = createBearerCheck(options);
  const forTenant: TokenAuthenticator['forTenant'] = (tenant, { apiKeys, foreignTokens }) => {
    const { apiKeys: _keys, foreignTokens: _tokens, ...shared } = options;
    const given = {
      ...(apiKeys === undefined ? {} : { apiKeys }),
      ...(foreignTokens === undefined ? {} : { foreignTokens }),
    };
    return authenticatorOn(bearersOf(bearers, tenant), { ...shared, ...given });
  };
  return {
    ...authenticatorOn(options.everyTenant === true ? anyBearers(bearers) : bearersOf(bearers, undefined), options),
    blobOf: bearers.blobOf,
    audienceOf: bearers.audienceOf,
    forTenant,
  };
}

function authenticatorOn(
  bearers: Bearers,
  options: AuthenticatorOptions,
): Omit<TokenAuthenticator, 'blobOf' | 'audienceOf' | 'forTenant'> {
  const { clock, apiKeys, foreignTokens, clients } = options;
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

  function findCachedByToken({ authorization }: Headers, requirements: TokenRequirements): Principal | undefined {
    if (typeof authorization !== 'string' || !authorization.startsWith(BEARER)) return undefined;
    return bearers.findCached(authorization.slice(BEARER.length), requirements);
  }

  return {
    findCached: (headers, sequence) => {
      const { authorization, 'x-api-key': apiKey } = headers;
      if (authorization === undefined) return typeof apiKey === 'string' ? keys?.findCached(apiKey) : undefined;
      return findCachedByToken(headers, sequence === undefined ? {} : { sequence });
    },
    findCachedByToken,
    authenticate,
    authenticateToken: bearers.authenticateToken,
  };
}

interface Bearers {
  findCached(token: string, requirements: TokenRequirements): Principal | undefined;
  readonly authenticateToken: TokenAuthenticator['authenticateToken'];
}

/** Tokens of every tenant. */
function anyBearers(bearers: BearerCheck): Bearers {
  return {
    findCached: (token, requirements) => bearers.findCached(token, requirements)?.principal,
    authenticateToken: async (token, requirements) => (await bearers.read(token, requirements)).principal,
  };
}

/** Tokens for one tenant: any other is refused. */
function bearersOf(bearers: BearerCheck, tenant: string | undefined): Bearers {
  // One object for a caller as long as it is cached, as without tenants.
  const known = new WeakMap<Access, Principal>();
  const principalOf = (access: Access): Principal => {
    if (tenant === undefined) return access.principal;
    const made = known.get(access) ?? principalOfTenant(access.principal);
    known.set(access, made);
    return made;
  };
  return {
    findCached(token, requirements) {
      const access = bearers.findCached(token, requirements);
      return access === undefined || access.claims.tenant !== tenant ? undefined : principalOf(access);
    },
    async authenticateToken(token, requirements) {
      const access = await bearers.read(token, requirements);
      if (access.claims.tenant === tenant) return principalOf(access);
      throw new ServiceError('forbidden', 'The token is for another tenant');
    },
  };
}

/** Identity's links to further records are ids of the default tenant's services, where others may have the same ids. */
function principalOfTenant({ linkedRecords: _linked, proxyFor, ...principal }: Principal): Principal {
  if (proxyFor === undefined) return principal;
  return { ...principal, proxyFor: proxyFor.map(({ patientGuid, may }) => ({ patientGuid, may })) };
}

interface KeyCheck {
  findCached(apiKey: string): Principal | undefined;
  authenticate(apiKey: string): Promise<Principal | undefined>;
}

interface KnownKey {
  readonly principal: Principal | undefined;
  readonly until: number;
}

function createKeyCheck(apiKeys: ApiKeySource, clock: Clock): KeyCheck {
  const { cacheMs = KEY_CACHE_MS } = apiKeys;
  const known = createExpiringCache<KnownKey>({ ttlMs: cacheMs, maxEntries: MAX_CACHED, clock });
  // Valid keys by their own text: they are few and short, and repeated use then needs no digest.
  const right = new Map<string, KnownKey>();
  let changes = 0;
  apiKeys.onChanged?.(() => {
    changes += 1;
    known.deleteWhere(() => true);
    right.clear();
  });
  return {
    findCached(apiKey) {
      const key = right.get(apiKey);
      if (key === undefined || key.until > clock.now()) return key?.principal;
      right.delete(apiKey);
      return undefined;
    },
    async authenticate(apiKey) {
      const before = changes;
      const key = await known.get(digestOf(apiKey), async () => {
        const until = clock.now() + cacheMs;
        return { principal: await apiKeys.read(apiKey), until };
      });
      // A key that was read while keys changed may be outdated.
      if (key.principal === undefined || changes !== before) return key.principal;
      if (right.size >= MAX_RIGHT_KEYS) right.clear();
      right.set(apiKey, key);
      return key.principal;
    },
  };
}

interface BearerCheck extends Pick<TokenAuthenticator, 'blobOf' | 'audienceOf'> {
  findCached(token: string, requirements: TokenRequirements): Access | undefined;
  /** @throws ServiceError `unauthorized` */
  read(token: string, requirements?: TokenRequirements): Promise<Access>;
}

function createBearerCheck({ tokens, revocations, blobs: source, clock }: AuthenticatorOptions): BearerCheck {
  const bounds = { ttlMs: CACHE_MS, maxEntries: MAX_CACHED, maxBytes: MAX_CACHED_BYTES };
  const accesses = createAccessCache({ ...bounds, clock });
  const known = new WeakMap<Principal, Access>();
  let removedKeys = 0;
  revocations.onUserChanged(accesses.deleteUser);
  tokens.onKeyRemoved(() => {
    removedKeys += 1;
    accesses.deleteAll();
  });

  function findCached(
    token: string,
    { sequence = 0, audience = TOKEN_AUDIENCE }: TokenRequirements,
  ): Access | undefined {
    const access = accesses.findCached(token);
    if (access === undefined || !isFor(access.claims, audience)) return undefined;
    if (!revocations.isFresh() || sequence > revocations.sequence()) return undefined;
    return revocations.isRevoked(access.claims.tokenId) ? undefined : access;
  }

  async function read(token: string, requirements: TokenRequirements = {}): Promise<Access> {
    const { sequence = 0, audience } = requirements;
    const keysBefore = removedKeys;
    const claims = await tokens.verify(token, audience);
    if (claims === undefined || revocations.isRevoked(claims.tokenId)) throw unauthorized();
    const readUpTo = revocations.sequence();
    const load = () => source.read(token, claims, Math.max(readUpTo, sequence));
    // Nothing is cached while the list of revocations is stale, or a service knows of changes that this node has not
    // read. The same holds when a signing key was removed meanwhile.
    const mayCache = revocations.isFresh() && sequence <= readUpTo && keysBefore === removedKeys;
    const access = await (mayCache ? accesses.get(token, claims, load) : readAccess(claims, load));
    // A revocation may have arrived while the blob was fetched.
    if (access === undefined || revocations.isRevoked(claims.tokenId)) throw unauthorized();
    known.set(access.principal, access);
    return access;
  }

  return {
    findCached,
    read,
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

/** A digest of the key: anybody may send keys of any length, and the cache holds 32 bytes of each and no secret. */
function digestOf(apiKey: string): string {
  return sha256(apiKey).toString('base64url');
}

function unauthorized(): ServiceError {
  return new ServiceError('unauthorized', 'The credentials are missing, invalid, expired or revoked');
}

function orUnauthorized(principal: Principal | undefined): Principal {
  if (principal === undefined) throw unauthorized();
  return principal;
}
