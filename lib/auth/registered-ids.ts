// Ids that identity has assigned to people and organisations, and who may create a FHIR resource with one of them
// (docs/adr/0051). The guid is also the FHIR id (decision G1), so the first creator of the resource would decide who
// owns it.
import type { Principal } from './principal.ts';

/** The types whose ids identity assigns. */
export const REGISTERED_TYPES = ['Patient', 'Practitioner', 'Organization', 'Group'] as const;

export interface RegisteredId {
  readonly guid: string;
  readonly type: (typeof REGISTERED_TYPES)[number];
  /** Its organisations; for an organisation its own guid. */
  readonly organisationGuids: readonly string[];
}

/** Returns those of the guids that identity has assigned. @throws ServiceError `upstream_unavailable` */
export type RegisteredIdSource = (guids: readonly string[]) => Promise<readonly RegisteredId[]>;

/** Whether the caller may create a resource with the id. */
export function mayTake(principal: Principal, { guid, organisationGuids }: RegisteredId): boolean {
  if (principal.roles.has('admin') || principal.professionalGuid === guid) return true;
  return organisationGuids.some((organisation) => principal.organisationGuids.includes(organisation));
}
