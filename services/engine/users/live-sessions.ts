// Reads the principal of a session token (decisions E8, G8). Sessions are cached for a second. The end of a session
// takes effect at once on this node, and within that second on the others.
import type { ForeignTokens } from '#lib/auth/authenticator.ts';
import { createExpiringCache } from '#lib/auth/expiring-cache.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { AddressClaims } from './address-claims.ts';
import { findLiveSession, type LiveSession } from './session-store.ts';
import type { SessionTokens } from './session-token.ts';

const CACHE_MS = 1_000;
const MAX_CACHED = 20_000;

export interface LiveSessions {
  /** Reads tokens for the engine's authenticator. */
  readonly source: ForeignTokens;
  /** Empties the cache. Call it after the commit of a change of sessions or users. */
  clearCache(): void;
}

export interface LiveSessionDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly tokens: SessionTokens;
  /** An account whose address is now identity's has no access any more. */
  readonly claims: Pick<AddressClaims, 'claim'>;
  /** Called for each token: whether its session was in the cache. */
  readonly onAccess?: (isHit: boolean) => void;
}

export function createLiveSessions({
  database,
  clock,
  tokens,
  claims,
  onAccess,
}: LiveSessionDependencies): LiveSessions {
  const known = createExpiringCache<Principal | undefined>({
    ttlMs: CACHE_MS,
    maxEntries: MAX_CACHED,
    clock,
    ...(onAccess === undefined ? {} : { onAccess }),
  });

  async function load(sessionGuid: string): Promise<Principal | undefined> {
    const session = await findLiveSession(database, sessionGuid, new Date(clock.now()));
    if (session === undefined || (await claims.claim(session))) return undefined;
    return principalOf(sessionGuid, session);
  }

  return {
    source: {
      accepts: tokens.isOwn,
      async read(token) {
        const named = tokens.read(token, clock.now());
        return named && known.get(named.sessionGuid, () => load(named.sessionGuid));
      },
    },
    // The whole cache is emptied: changes are rare, and each entry is read again within a second anyway.
    clearCache: () => known.deleteWhere(() => true),
  };
}

function principalOf(sessionGuid: string, session: LiveSession): Principal {
  return { ...principalOfUser(session), mustChangePassword: session.must_change_password, tokenId: sessionGuid };
}

/** Returns the principal of a user. */
export function principalOfUser({
  user_guid: id,
  role,
  provider_guid: providerGuid,
}: Pick<LiveSession, 'user_guid' | 'role' | 'provider_guid'>): Principal {
  return {
    kind: 'engine_user',
    id,
    roles: new Set([role]),
    organisationGuids: [],
    phases: new Set(),
    scopes: [],
    mustChangePassword: false,
    ...(providerGuid === null ? {} : { providerGuid }),
  };
}
