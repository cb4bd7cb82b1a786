// A route as its requests know it.
import type { Permission } from '../auth/permissions.ts';
import type { Caching } from './answer-headers.ts';

export interface ServedRoute {
  readonly url: string;
  readonly permission: Permission;
  /** `unstored` when left out. */
  readonly caching?: Caching;
}
