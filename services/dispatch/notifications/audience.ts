// Whose notifications a caller reads (docs/adr/0070): those of its organisations and of the provider that it acts for;
// a patient those of the own records.

import { dataScopeOf, LOCAL_ORGANISATION } from '#lib/auth/data-scope.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { providersOf } from '#lib/auth/provider-staff.ts';

/** The reader of notifications: asked again at every reading, as organisations are gained and lost. */
export interface Reader {
  /** Under which read marks are kept: a person, also of a provider's staff; or a provider, for all its keys. */
  readonly id: string;
  /** The lists that the reader sees, sorted. */
  readonly feedKeys: readonly string[];
}

function organisationFeed(organisationGuid: string): string {
  return `organisation/${organisationGuid}`;
}

function providerFeed(providerGuid: string): string {
  return `provider/${providerGuid}`;
}

function patientFeed(patientGuid: string): string {
  return `patient/${patientGuid}`;
}

export function readerOf(principal: Principal): Reader {
  const { kind, id, providerGuid } = principal;
  const keys = [
    ...providersOf(principal).map(providerFeed),
    ...organisationsOf(principal).map(organisationFeed),
    ...patientsOf(principal).map(patientFeed),
  ];
  const isProviderKey = kind === 'api_key' && providerGuid !== undefined;
  return { id: isProviderKey ? providerFeed(providerGuid) : id, feedKeys: [...new Set(keys)].sort() };
}

/**
 * The reader of what happens to the requests of the caller's organisations, for who reads the worklist: without a
 * provider and without a record of one's own, which have nothing to do with it.
 */
export function followerOf({ id, kind, organisationGuids }: Principal): Reader {
  const organisations = kind === 'engine_user' ? [LOCAL_ORGANISATION] : organisationGuids;
  return { id, feedKeys: [...new Set(organisations.map(organisationFeed))].sort() };
}

/** Whether the caller works in the organisation, so that notifications of it reach them. */
export function worksIn(principal: Principal, organisationGuid: string): boolean {
  return organisationsOf(principal).includes(organisationGuid);
}

/**
 * Planners read the notifications of their organisations; an administrator of their own, too, and no others. Staff of a
 * provider who do not plan read those of the provider alone.
 */
function organisationsOf({ kind, roles, organisationGuids, phases }: Principal): readonly string[] {
  if (kind === 'identity_user') return roles.has('admin') || phases.has('planning') ? organisationGuids : [];
  const isStaff = kind === 'engine_user' && (roles.has('clinician') || roles.has('admin'));
  return isStaff ? [LOCAL_ORGANISATION] : [];
}

/** The Patients who are the caller. */
function patientsOf(principal: Principal): readonly string[] {
  if (principal.patientGuid === undefined) return [];
  const scope = dataScopeOf(principal, 'dispatch');
  return scope.kind === 'patient' ? [scope.patientGuid, ...(scope.linked ?? [])] : [];
}
