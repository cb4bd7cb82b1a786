// A route as its requests know it.
import type { Permission } from '../../auth/permissions.ts';

/**
 * Who may keep the answers of a route. `unstored`: nobody. `revalidated`: the caller's own cache, which asks again each
 * time; only a GET with an entity tag, else as `unstored`. `public`: anybody who asks again each time. `for-a-minute`:
 * anybody, for a minute.
 */
export type Caching = 'unstored' | 'revalidated' | 'public' | 'for-a-minute';

export interface ServedRoute {
  readonly url: string;
  readonly permission: Permission;
  /** `unstored` when left out. */
  readonly caching?: Caching;
}
