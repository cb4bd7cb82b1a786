// What a caller may do now, for what goes on when they show no credentials any more: a key may have been revoked, a
// user removed or given another role (decision G8).
import type { Principal } from '#lib/auth/principal.ts';

/**
 * Undefined when the caller may do nothing any more.
 * @throws ServiceError `upstream_unavailable` when identity cannot be asked
 */
export type CurrentRights = (principal: Principal) => Promise<Principal | undefined>;

type ById = (guid: string) => Promise<Principal | undefined>;

export function createCurrentRights(sources: {
  readonly keys: { readonly principalOf: ById };
  readonly users: { readonly principalOf: ById };
  /** Of identity's users. */
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
      // Services and operators are known by the configuration and the machine, holders of receipts by their tokens.
      case 'service':
      case 'operator':
      case 'receipt':
        return principal;
      default:
        return principal.kind satisfies never;
    }
  };
}
