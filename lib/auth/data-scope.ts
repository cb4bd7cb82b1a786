// The data scope of a caller: whose records a permitted caller sees (decision G12), in the form that the FHIR store
// adds to its SQL.
import { ServiceError } from '../errors.ts';
import { isGuid } from '../guid.ts';
import type { Principal, RecordService } from './principal.ts';

/** A filter over patients' records. Excluded records are absent from searches and 404 when read. */
export type DataScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'organisations'; readonly guids: readonly string[] }
  /** `linked`: the ids of the patient's further records at this service (docs/adr/0068). */
  | { readonly kind: 'patient'; readonly patientGuid: string; readonly linked?: readonly string[] }
  | { readonly kind: 'none' };

/**
 * The organisation of the engine's own users and keys, who work in no organisation of identity. What they write belongs
 * to it, and they see what belongs to it.
 */
export const LOCAL_ORGANISATION = '00000000-0000-7000-8000-000000000000';

/**
 * An admin sees everything, and a clinician the records of their organisations. A patient sees their own compartment,
 * with those of the records at this service that are linked to them. Others see nothing.
 */
export function dataScopeOf(principal: Principal, service: RecordService): DataScope {
  if (principal.roles.has('admin')) return { kind: 'all' };
  if (principal.patientGuid !== undefined) return scopeOfPatient(principal.patientGuid, principal, service);
  if (principal.kind === 'service') return { kind: 'none' };
  if (principal.kind === 'identity_user') return { kind: 'organisations', guids: principal.organisationGuids };
  return { kind: 'organisations', guids: [localOrganisation(principal)] };
}

function scopeOfPatient(patientGuid: string, { linkedRecords }: Principal, service: RecordService): DataScope {
  const linked = linkedRecords?.[service] ?? [];
  return linked.length === 0 ? { kind: 'patient', patientGuid } : { kind: 'patient', patientGuid, linked };
}

/**
 * The organisation that owns a new record. It is the one that the record names, when the caller works there; else the
 * one that the caller acts for; else the caller's first.
 * @throws ServiceError `forbidden` for a caller without an organisation
 */
export function ownerOrganisation(principal: Principal, named: string | undefined): string {
  if (principal.kind !== 'identity_user') return localOrganisation(principal);
  // A client may reference an organisation by another id, which owns no records.
  const isOne = named !== undefined && isGuid(named);
  if (isOne && (principal.organisationGuids.includes(named) || principal.roles.has('admin'))) return named;
  const own = principal.actsFor ?? principal.organisationGuids[0];
  if (own !== undefined) return own;
  if (principal.roles.has('admin')) return LOCAL_ORGANISATION;
  throw new ServiceError('forbidden', 'You belong to no organisation, so the record would belong to nobody');
}

/** A caller who acts for a provider or, as a key may, for an organisation, writes and sees its records only. */
function localOrganisation({ providerGuid, organisationGuids }: Principal): string {
  return providerGuid ?? organisationGuids[0] ?? LOCAL_ORGANISATION;
}
