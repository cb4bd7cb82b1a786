// Whose records a caller of dispatch sees, and what an API key's scopes let it do. Also to which organisation a new
// record belongs (decisions G12, E8).

import { type FhirObject, idOfReference, objectsOf } from '#fhir/json/objects.ts';
import { type Interaction, purposeOf } from '#fhir/rest/options.ts';
import type { Access, AccessFilter } from '#fhir/store/access.ts';
import { unprotectedFor } from '#fhir/store/protected-identity.ts';
import { type DataScope, dataScopeOf, ownerOrganisation } from '#lib/auth/data-scope.ts';
import { decide } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { type AccessPurpose, hasScope, REACHED_BY, type ScopeAction } from '#lib/auth/scopes.ts';

/**
 * Which records the caller sees. A patient sees their own compartment, others the records of their organisations.
 * Callers who may read providers see all organisations. An API key sees only the types of its scopes, in chains and
 * includes too. For a change or a deletion it reaches the types that it may change or delete.
 */
export function accessOf(principal: Principal, purpose: AccessPurpose = 'read'): Access {
  const filterOf = accessWithoutScopes(principal);
  if (!principal.roles.has('api_key')) return filterOf;
  const mayReach = (type: string) => REACHED_BY[purpose].some((action) => hasScope(principal, type, action));
  return (type) => (mayReach(type) ? filterOf(type) : { kind: 'none' });
}

/** The same for a FHIR interaction. */
export function accessFor(principal: Principal, interaction: Interaction): Access {
  return accessOf(principal, purposeOf(interaction));
}

/**
 * Which records belong to the caller's organisations, whatever the scopes of an API key. For references in what is
 * written, which are not shown.
 */
export function accessWithoutScopes(principal: Principal): Access {
  const scope = dataScopeOf(principal, 'dispatch');
  const directory: AccessFilter = decide('provider:read', principal) === 'allowed' ? { kind: 'all' } : { kind: 'none' };
  const patients = scope.kind === 'all' ? unprotectedFor(principal) : scope;
  return (type) => (type === 'Patient' ? patients : type === DIRECTORY ? directory : scope);
}

/** The organisations of a scope as a statement takes them: null for all, and none for patients and others. */
export function organisationsIn(scope: DataScope): readonly string[] | null {
  if (scope.kind === 'all') return null;
  return scope.kind === 'organisations' ? scope.guids : [];
}

/** Whether an API key's scopes allow the action; other callers are checked by permissions. */
export function hasRight(principal: Principal, resourceType: string, action: ScopeAction): boolean {
  return !principal.roles.has('api_key') || hasScope(principal, resourceType, action);
}

const DIRECTORY = 'Organization';

/** The elements that name the organisation to which a resource belongs. */
const OWNER_ELEMENTS = ['managingOrganization', 'custodian', 'manager', 'controller'];

/**
 * The organisation that owns a new resource; null for an Organization, which nobody owns.
 * @throws ServiceError `forbidden` for a caller without an organisation
 */
export function ownerOf(resource: FhirObject, principal: Principal): string | null {
  if (resource['resourceType'] === DIRECTORY) return null;
  const named = OWNER_ELEMENTS.flatMap((element) => {
    const value = resource[element];
    return (Array.isArray(value) ? objectsOf(value) : [value]).map((item) => idOfReference(item, 'Organization'));
  }).find((id) => id !== undefined);
  return ownerOrganisation(principal, named);
}
