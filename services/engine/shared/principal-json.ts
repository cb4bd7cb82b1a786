// Stores a principal as JSON with a job, so that the job runs later with the rights of its caller.
import type { Principal, Role } from '#lib/auth/principal.ts';

/** A principal with lists in place of sets. */
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

/** Returns a key that is the same for all requests of one caller. */
export function ownerKey({ kind, id }: Principal): string {
  return `${kind}:${id}`;
}
