// A route as its requests know it.
import type { Permission } from '../auth/permissions.ts';

export interface ServedRoute {
  readonly url: string;
  readonly permission: Permission;
}
