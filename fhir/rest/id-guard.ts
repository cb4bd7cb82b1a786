// Guards ids that identity has registered: a caller cannot create a resource under an id that belongs to another
// (docs/adr/0051).

import { createExpiringCache } from '#lib/auth/expiring-cache.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { mayTake, REGISTERED_TYPES, type RegisteredId, type RegisteredIdSource } from '#lib/auth/registered-ids.ts';
import type { Clock } from '#lib/clock.ts';
import type { Queryable } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { createBatcher, GROUPS_OF_READS } from '#lib/jobs/batcher.ts';
import { findTaken } from '../store/read/existence.ts';
import type { ResourceAddress } from '../store/read/lookup.ts';

/** Asked before the transaction of a write that may make resources under ids of the caller's choice. */
export interface IdGuard {
  /** Those that are somebody else's, as `Type/id`. @throws ServiceError `upstream_unavailable` */
  findRefused(principal: Principal, addresses: readonly ResourceAddress[]): Promise<ReadonlySet<string>>;
  /** @throws ServiceError `not_found`, as when somebody else's resource were there already; `upstream_unavailable` */
  require(principal: Principal, addresses: readonly ResourceAddress[]): Promise<void>;
}

export interface IdGuardOptions {
  readonly database: Queryable;
  readonly clock: Clock;
  readonly source: RegisteredIdSource;
}

const TYPES: ReadonlySet<string> = new Set(REGISTERED_TYPES);
const NONE: ReadonlySet<string> = new Set();
const TTL_MS = 30_000;
const MAX_KNOWN = 10_000;
/** So many ids are asked for at once. */
const MAX_ASKED = 500;

export function createIdGuard({ database, clock, source }: IdGuardOptions): IdGuard {
  const cache = createExpiringCache<RegisteredId | undefined>({ ttlMs: TTL_MS, maxEntries: MAX_KNOWN, clock });
  const ask = createBatcher<string, RegisteredId | undefined>({
    together: async (guids) => {
      const found = new Map((await source([...new Set(guids)])).map((each) => [each.guid, each]));
      return guids.map((guid) => ({ value: found.get(guid) }));
    },
    limits: { size: MAX_ASKED, groups: GROUPS_OF_READS },
  });
  // Updates that arrive together ask the store together, as they are written together.
  const isTaken = createBatcher<ResourceAddress, boolean>({
    together: async (addresses) => {
      const taken = await findTaken(database, addresses);
      return addresses.map(({ resourceType, id }) => ({ value: taken.has(`${resourceType}/${id}`) }));
    },
    limits: { size: MAX_ASKED, groups: GROUPS_OF_READS },
  });

  async function findRefused(
    principal: Principal,
    addresses: readonly ResourceAddress[],
  ): Promise<ReadonlySet<string>> {
    const asked = principal.roles.has('admin') ? [] : addresses.filter(isAsked);
    if (asked.length === 0) return NONE;
    // The store knows whose a resource is that was ever there.
    const taken = await Promise.all(asked.map((each) => isTaken(each)));
    const free = asked.filter((_address, place) => !taken[place]);
    const registered = await Promise.all(free.map(({ id }) => cache.get(id, () => ask(id))));
    const refused = free.filter(({ resourceType }, place) => {
      const known = registered[place];
      return known !== undefined && known.type === resourceType && !mayTake(principal, known);
    });
    return new Set(refused.map(({ resourceType, id }) => `${resourceType}/${id}`));
  }

  return {
    findRefused,
    async require(principal, addresses) {
      const [refused] = await findRefused(principal, addresses);
      if (refused !== undefined) throw notFound(refused);
    },
  };
}

/** Identity gives out UUIDs of version 7 alone. */
function isAsked({ resourceType, id }: ResourceAddress): boolean {
  return TYPES.has(resourceType) && isGuid(id) && id[14] === '7';
}
