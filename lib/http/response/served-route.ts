// The route of a request, as its hooks need it.
import type { Permission } from '../../auth/permissions.ts';

/**
 * Which caches may store the responses of a route. `unstored`: none. `revalidated`: the caller's own cache, which
 * revalidates each time; only for a GET with an entity tag, otherwise like `unstored`. `public`: any cache that
 * revalidates each time. `for-a-minute`: any cache, for a minute.
 */
export type Caching = 'unstored' | 'revalidated' | 'public' | 'for-a-minute';

export interface ServedRoute {
  readonly url: string;
  readonly permission: Permission;
  /** `unstored` when left out. */
  readonly caching?: Caching;
  /** Of a FHIR search (`config.searched`). */
  readonly searched?: SearchedRoute;
}

/**
 * What a FHIR search searches: a type, a compartment (the address names the type), or all types. `interaction`: an
 * operation on the results of a search or on all resources, instead of a search.
 */
export interface SearchedRoute {
  readonly type?: string;
  readonly compartment?: string;
  readonly interaction?: string;
}
