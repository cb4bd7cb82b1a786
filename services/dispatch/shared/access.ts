// Whose records a caller of dispatch sees, what an API key's scopes let it do, and to which organisation a new record belongs
// (decisions G12, E8).
import { decide } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { hasScope, type ScopeAction } from '#lib/auth/scopes.ts';
import { dataScopeOf, ownerOrganisation } from '#lib/auth/whose-data.ts';
import type { Access, AccessFilter } from '#lib/fhir-store/access.ts';
import { type FhirObject, idOfReference, objectsOf } from './json.ts';

/**
 * A patient sees their compartment, others what belongs to their organisations; who may see providers sees all organisations. An API key sees only types
 * that its scopes let it read, also through chains and includes.
 */
export function accessOf(principal: Principal): Access {
  const scope = dataScopeOf(principal);
  const directory: AccessFilter = decide('provider:read', principal) === 'allowed' ? { kind: 'all' } : { kind: 'none' };
  const filterOf = (type: string): AccessFilter => (type === DIRECTORY ? directory : scope);
  if (!principal.roles.has('api_key')) return filterOf;
  const mayRead = (type: string) => hasScope(principal, type, 'r') || hasScope(principal, type, 's');
  return (type) => (mayRead(type) ? filterOf(type) : { kind: 'none' });
}

/** Whether an API key's scopes allow the action; everybody else is judged by permissions. */
export function hasRight(principal: Principal, resourceType: string, action: ScopeAction): boolean {
  return !principal.roles.has('api_key') || hasScope(principal, resourceType, action);
}

const DIRECTORY = 'Organization';

/** The elements in which a resource names the organisation it belongs to. */
const OWNER_ELEMENTS = ['managingOrganization', 'custodian', 'manager', 'controller'];

/** Null for an organisation, which is nobody's record. @throws ServiceError `forbidden` for a caller who works nowhere */
export function ownerOf(resource: FhirObject, principal: Principal): string | null {
  if (resource['resourceType'] === DIRECTORY) return null;
  const named = OWNER_ELEMENTS.flatMap((element) => {
    const value = resource[element];
    return (Array.isArray(value) ? objectsOf(value) : [value]).map((item) => idOfReference(item, 'Organization'));
  }).find((id) => id !== undefined);
  return ownerOrganisation(principal, named);
}
