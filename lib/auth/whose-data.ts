// Whose records a permitted caller sees (decision G12), in the form that the FHIR store puts into its SQL.
import { ServiceError } from '../errors.ts';
import { isGuid } from '../guid.ts';
import type { Principal } from './principal.ts';

/** A filter over records about patients; what it leaves out is absent from searches and 404 when read. */
export type DataScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'organisations'; readonly guids: readonly string[] }
  | { readonly kind: 'patient'; readonly patientGuid: string }
  | { readonly kind: 'none' };

/**
 * The engine's own users and keys work in no organisation of identity; what they write belongs to this one, and they
 * see what belongs to it.
 */
export const LOCAL_ORGANISATION = '00000000-0000-7000-8000-000000000000';

/**
 * An admin sees everything, a clinician what belongs to their organisations, a patient their own compartment, others
 * nothing.
 */
export function dataScopeOf(principal: Principal): DataScope {
  if (principal.roles.has('admin')) return { kind: 'all' };
  if (principal.patientGuid !== undefined) return { kind: 'patient', patientGuid: principal.patientGuid };
  if (principal.kind === 'service') return { kind: 'none' };
  if (principal.kind === 'identity_user') return { kind: 'organisations', guids: principal.organisationGuids };
  return { kind: 'organisations', guids: [localOrganisation(principal)] };
}

/**
 * The organisation that a new record belongs to: the one it names when the caller works there, else the one for which
 * the caller says to act, else the caller's first.
 * @throws ServiceError `forbidden` for a caller who works nowhere
 */
export function ownerOrganisation(principal: Principal, named: string | undefined): string {
  if (principal.kind !== 'identity_user') return localOrganisation(principal);
  // A client may name an organisation by an id of its own, which is none of those that records belong to.
  const isOne = named !== undefined && isGuid(named);
  if (isOne && (principal.organisationGuids.includes(named) || principal.roles.has('admin'))) return named;
  const own = principal.actsFor ?? principal.organisationGuids[0];
  if (own !== undefined) return own;
  if (principal.roles.has('admin')) return LOCAL_ORGANISATION;
  throw new ServiceError('forbidden', 'You belong to no organisation, so the record would belong to nobody');
}

/** Who acts for a provider works in no one else's records: what it writes and sees belongs to that provider alone. */
function localOrganisation({ providerGuid }: Principal): string {
  return providerGuid ?? LOCAL_ORGANISATION;
}
