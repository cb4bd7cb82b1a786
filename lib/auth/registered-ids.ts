// Ids that identity has given to people and organisations, and who may make a FHIR resource under one of them
// (docs/adr/0051): the same value is the FHIR id of the same thing (decision G1), so whoever makes the resource first
// would decide whose it is.
import type { Principal } from './principal.ts';

/** The types whose ids identity gives out. */
export const REGISTERED_TYPES = ['Patient', 'Practitioner', 'Organization', 'Group'] as const;

export interface RegisteredId {
  readonly guid: string;
  readonly type: (typeof REGISTERED_TYPES)[number];
  /** The organisations that it belongs to; an organisation's own guid. */
  readonly organisationGuids: readonly string[];
}

/** Those of the guids that identity has given out. @throws ServiceError `upstream_unavailable` */
export type RegisteredIdSource = (guids: readonly string[]) => Promise<readonly RegisteredId[]>;

/** Whether the caller may make a resource under the id. */
export function mayTake(principal: Principal, { guid, organisationGuids }: RegisteredId): boolean {
  if (principal.roles.has('admin') || principal.professionalGuid === guid) return true;
  return organisationGuids.some((organisation) => principal.organisationGuids.includes(organisation));
}
