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
}
