// The in-memory directory of clients of this node (docs/adr/0054): those of the configuration and the registered ones.
// It is reloaded within a second of a change. It checks credentials and the redirect URIs of sign-ins. The database
// decides on each grant (./service.ts).
import type { ClientSource } from '#lib/auth/authenticator.ts';
import type { Principal } from '#lib/auth/principal.ts';
import {
  clientPrincipal,
  createClientCheck,
  credentialHeaders,
  readServiceCredentials,
  type ServiceClient,
  type ServiceCredentials,
  servicePrincipal,
} from '#lib/auth/service-credentials.ts';
import { TOKEN_AUDIENCE } from '#lib/auth/token-verifier.ts';
import { createLoadedFollower, type LoadedFollower } from '#lib/jobs/follower.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { parseRedirectTarget, parseRegisteredTarget } from '../shared/redirect-target.ts';
import { callsOfService, type KnownClient } from './client.ts';
import { createGuessLimit } from './guess-limit.ts';
import { hashOfSecret, matchesAny } from './secret.ts';
import * as store from './store.ts';

/** Older data must not be used to accept a client. */
const FRESH_FOR_MS = 2_000;
const MAX_PROVEN = 1_000;

type Headers = Parameters<typeof readServiceCredentials>[0];

export interface ClientDirectory {
  /**
   * The client that recently authenticated with these headers, from the cache. Undefined means that it is not cached.
   */
  findCached(headers: Headers): KnownClient | undefined;
  /**
   * The client that the two headers authenticate; undefined when they do not. `address` is the address of the request.
   * @throws ServiceError `rate_limited` after too many wrong secrets from there
   */
  authenticate(headers: Headers, address: string): Promise<KnownClient | undefined>;
  /** As `authenticate`, for another service that received the credentials. */
  introspect(credentials: ServiceCredentials, address: string): Promise<KnownClient | undefined>;
  /** A public client, by its id. */
  findPublic(clientId: string): KnownClient | undefined;
  /**
   * The parsed redirect URI, if it is allowed. With a client it must equal one of that client's URIs; without one it
   * must match the allow-list.
   */
  targetOf(next: string, clientId: string | undefined): URL | undefined;
  /** Whether the client's sign-ins ask for the password each time. */
  mustAsk(clientId: string | undefined): boolean;
  /** The display name of the client; its id where this node knows no name. */
  nameOf(clientId: string): string;
  /** Whether the client of this id comes from the configuration. */
  isConfigured(clientId: string): boolean;
  /** Services as principals: those of the configuration and the registered ones. */
  readonly source: ClientSource;
  readonly follower: LoadedFollower;
  /** Stores when clients were last used. */
  flushUses(): Promise<void>;
}

export interface DirectoryDeps extends WorkDependencies {
  /** The allow-list for sign-ins that name no client, or one of the configuration: origins with a path prefix. */
  readonly redirects: readonly string[];
  /** What the allow-list has besides at the address of the current request's tenant. */
  readonly tenantRedirects: () => readonly string[];
  readonly serviceClients: readonly ServiceClient[];
  readonly applications: readonly ServiceCredentials[];
  /** The names of the clients of those two kinds. */
  readonly configuredNames: ReadonlyMap<string, string>;
  /** The limit of wrong secrets per address. */
  readonly guesses: RateLimiter;
}

interface CachedClient {
  readonly client: KnownClient;
  readonly generation: number;
  readonly until: number;
}

export function createClientDirectory(deps: DirectoryDeps): ClientDirectory {
  const { database, clock, log, redirects, tenantRedirects } = deps;
  const configured = configuredClients(deps);
  const configuredIn = createClientCheck(configured.map(({ credentials, client }) => ({ ...credentials, client })));
  const servicePrincipals = new Map<string, Principal>(
    deps.serviceClients.map(({ clientId }) => [clientId, servicePrincipal(clientId)]),
  );
  const configuredIds = new Map(configured.map(({ client }) => [client.clientId.toLowerCase(), client]));
  const limit = createGuessLimit(deps.guesses, clock);
  const proven = new Map<string, CachedClient>();
  const uses = new Map<string, Date>();
  let records: ReadonlyMap<string, store.StoredClient> = new Map();
  let version = -1;
  let loadedAt = Number.NEGATIVE_INFINITY;

  async function load(): Promise<void> {
    const startedAt = clock.now();
    const current = await store.readVersion(database);
    if (current !== version) {
      const rows = await store.listClients(database);
      records = new Map(rows.map((row) => [row.clientId, row]));
      version = current;
    }
    loadedAt = startedAt;
  }
  const follower = createLoadedFollower({ name: 'clients', log, load });
  const used = (client: KnownClient) => uses.set(client.clientId, new Date(clock.now()));
  const listed = (next: string) => parseRedirectTarget(next, redirects) ?? parseRedirectTarget(next, tenantRedirects());
  const isFresh = () => clock.now() - loadedAt <= FRESH_FOR_MS;

  /**
   * A client of the configuration takes precedence over a registered one. No client can be registered under its id, but
   * one may have been before the id was configured.
   */
  const recordOf = (clientId: string): store.StoredClient | undefined => {
    const record = configuredIds.has(clientId.toLowerCase()) ? undefined : records.get(clientId);
    return record?.disabledAt === null ? record : undefined;
  };

  function configuredOf(headers: Headers): KnownClient | undefined {
    const client = configuredIn(headers)?.client;
    if (client !== undefined) used(client);
    return client;
  }

  function findCached(headers: Headers): KnownClient | undefined {
    const credentials = readServiceCredentials(headers);
    return credentials && findCachedPair(credentials);
  }

  function findCachedPair(credentials: ServiceCredentials): KnownClient | undefined {
    const known = proven.get(pairOf(credentials));
    if (known === undefined || known.generation !== version || known.until <= clock.now() || !isFresh())
      return undefined;
    used(known.client);
    return known.client;
  }

  /** The client whose secret this is. The comparison takes constant time, whether the client exists or not. */
  function verifySecret({ clientId, clientSecret }: ServiceCredentials): KnownClient | undefined {
    const record = recordOf(clientId);
    const isPreviousGood = (record?.previousSecretUntil?.getTime() ?? 0) > clock.now();
    const hashes = [record?.secretHash, isPreviousGood ? record?.previousSecretHash : null];
    const isRight = matchesAny(
      hashOfSecret(clientSecret),
      hashes.filter((each) => each !== null && each !== undefined),
    );
    if (record === undefined || !isRight) return undefined;
    const client = knownOf(record);
    if (proven.size >= MAX_PROVEN) proven.clear();
    // The entry expires with the previous secret, since it does not say which of the two secrets matched.
    const until = isPreviousGood ? (record.previousSecretUntil?.getTime() ?? 0) : Number.POSITIVE_INFINITY;
    proven.set(pairOf({ clientId, clientSecret }), { client, generation: version, until });
    used(client);
    return client;
  }

  async function authenticatePair(credentials: ServiceCredentials, address: string): Promise<KnownClient | undefined> {
    const known = configuredOf(credentialHeaders(credentials)) ?? findCachedPair(credentials);
    if (known !== undefined) return known;
    // A client that authenticated before is checked even when the address has exceeded its limit.
    if (!proven.delete(pairOf(credentials))) limit.check(address);
    if (!isFresh()) await follower.refresh();
    const client = verifySecret(credentials);
    if (client === undefined) await limit.count(address);
    return client;
  }

  return {
    findCached: (headers) => configuredOf(headers) ?? findCached(headers),
    introspect: authenticatePair,
    async authenticate(headers, address) {
      const credentials = readServiceCredentials(headers);
      return credentials && authenticatePair(credentials, address);
    },
    findPublic(clientId) {
      const record = recordOf(clientId);
      return record?.isPublic === true ? knownOf(record) : undefined;
    },
    targetOf(next, clientId) {
      if (clientId === undefined) return listed(next);
      const known = configuredIds.get(clientId.toLowerCase());
      if (known !== undefined) {
        return known.kind === 'application' && known.clientId === clientId ? listed(next) : undefined;
      }
      const record = recordOf(clientId);
      return record && parseRegisteredTarget(next, record.redirects, { isPublic: record.isPublic });
    },
    mustAsk: (clientId) => clientId !== undefined && recordOf(clientId)?.reauthenticate === true,
    nameOf: (clientId) => deps.configuredNames.get(clientId) ?? records.get(clientId)?.name ?? clientId,
    isConfigured: (clientId) => configuredIds.has(clientId.toLowerCase()),
    source: {
      async read(credentials, address = 'unknown') {
        const client = await authenticatePair(credentials, address);
        if (client?.kind !== 'service') return undefined;
        if (client.managedBy === 'configuration') return servicePrincipals.get(client.clientId);
        return clientPrincipal(client.clientId, client.calls);
      },
    },
    follower,
    async flushUses() {
      if (uses.size === 0) return;
      const now = new Map(uses);
      uses.clear();
      const [ofConfiguration, onRecord] = [new Map<string, Date>(), new Map<string, Date>()];
      for (const [clientId, at] of now) {
        (configuredIds.has(clientId.toLowerCase()) ? ofConfiguration : onRecord).set(clientId, at);
      }
      if (onRecord.size > 0) await store.recordUses(database, onRecord);
      if (ofConfiguration.size > 0) await store.recordConfiguredUses(database, ofConfiguration);
    },
  };
}

function pairOf({ clientId, clientSecret }: ServiceCredentials): string {
  return `${clientId}\n${clientSecret}`;
}

function knownOf({ clientId, kind, isPublic, audience, calls, managedBy }: store.StoredClient): KnownClient {
  return { clientId, kind, isPublic, audience, calls: new Set(calls), managedBy };
}

/** The configured clients that may read the user of a token: applications and services. */
function configuredClients({ serviceClients, applications }: DirectoryDeps) {
  const common = { isPublic: false, audience: TOKEN_AUDIENCE, managedBy: 'configuration' } as const;
  const asker = new Set(['user:read']);
  return [
    ...serviceClients.map((credentials) => {
      const { clientId } = credentials;
      const calls: ReadonlySet<string> = new Set(callsOfService(clientId));
      return { credentials, client: { ...common, clientId, kind: 'service', calls } satisfies KnownClient };
    }),
    ...applications.map((credentials) => {
      const { clientId } = credentials;
      return { credentials, client: { ...common, clientId, kind: 'application', calls: asker } satisfies KnownClient };
    }),
  ];
}
