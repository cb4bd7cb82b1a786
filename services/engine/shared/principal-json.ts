// A caller as it is kept with a job, so that what runs later does what that caller may, and no more.
import type { Principal, Role } from '#lib/auth/principal.ts';

/** A principal whose sets are lists. */
export interface StoredPrincipal extends Omit<Principal, 'roles' | 'phases' | 'tokenId'> {
  readonly roles: readonly Role[];
  readonly phases: readonly string[];
}

export function storePrincipal({ tokenId: _, ...principal }: Principal): StoredPrincipal {
  return { ...principal, roles: [...principal.roles], phases: [...principal.phases] };
}

export function restorePrincipal(stored: StoredPrincipal): Principal {
  return { ...stored, roles: new Set(stored.roles), phases: new Set(stored.phases) };
}

/** The same for all requests of one caller. */
export function ownerKey({ kind, id }: Principal): string {
  return `${kind}:${id}`;
}
