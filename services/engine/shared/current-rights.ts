// Reads the current rights of a caller for background work, which runs on without credentials. A key may have been
// revoked, or a user deleted or given another role (decision G8).
import type { Principal } from '#lib/auth/principal.ts';

/**
 * Returns the current principal; undefined when the caller has no rights any more.
 * @throws ServiceError `upstream_unavailable` when identity cannot be reached
 */
export type CurrentRights = (principal: Principal) => Promise<Principal | undefined>;

type ById = (guid: string) => Promise<Principal | undefined>;

export function createCurrentRights(sources: {
  readonly keys: { readonly principalOf: ById };
  readonly users: { readonly principalOf: ById };
  /** Reads the users of identity. */
  readonly readAccess: ById;
}): CurrentRights {
  return async (principal) => {
    switch (principal.kind) {
      case 'api_key':
        return sources.keys.principalOf(principal.id);
      case 'engine_user':
        return sources.users.principalOf(principal.id);
      case 'identity_user':
        return sources.readAccess(principal.id);
      // The rights of services and operators follow from the configuration and the machine, those of receipt holders
      // from their tokens.
      case 'service':
      case 'operator':
      case 'receipt':
        return principal;
      default:
        return principal.kind satisfies never;
    }
  };
}
