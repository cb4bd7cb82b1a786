// Whose records a caller of dispatch sees, what an API key's scopes let it do, and to which organisation a new record
// belongs (decisions G12, E8).

import type { Interaction } from '#fhir/rest/options.ts';
import type { Access, AccessFilter } from '#fhir/store/access.ts';
import { decide } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { hasScope, type ScopeAction } from '#lib/auth/scopes.ts';
import { dataScopeOf, ownerOrganisation } from '#lib/auth/whose-data.ts';
import { type FhirObject, idOfReference, objectsOf } from './json.ts';

/** The scopes of SMART by which a key reaches what is there: what it may change or delete it need not see. */
const REACHED_BY = {
  look: ['r', 's'],
  change: ['r', 's', 'u'],
  delete: ['r', 's', 'd'],
} as const satisfies Record<string, readonly ScopeAction[]>;

/**
 * A patient sees their compartment, others what belongs to their organisations; who may see providers sees all
 * organisations. An API key sees only types that its scopes let it read, also through chains and includes; or reaches
 * those that they let it change or delete, as far as there is a right to that.
 */
export function accessOf(principal: Principal, purpose: keyof typeof REACHED_BY = 'look'): Access {
  const filterOf = accessWithoutScopes(principal);
  if (!principal.roles.has('api_key')) return filterOf;
  const mayReach = (type: string) => REACHED_BY[purpose].some((action) => hasScope(principal, type, action));
  return (type) => (mayReach(type) ? filterOf(type) : { kind: 'none' });
}

/** The same for an interaction of FHIR. */
export function accessFor(principal: Principal, interaction: Interaction): Access {
  if (interaction === 'update' || interaction === 'patch') return accessOf(principal, 'change');
  return accessOf(principal, interaction === 'delete' ? 'delete' : 'look');
}

/**
 * Whose records they are to whom the caller belongs, whatever an API key's scopes say: what may be written about, and
 * need not be shown.
 */
export function accessWithoutScopes(principal: Principal): Access {
  const scope = dataScopeOf(principal);
  const directory: AccessFilter = decide('provider:read', principal) === 'allowed' ? { kind: 'all' } : { kind: 'none' };
  return (type) => (type === DIRECTORY ? directory : scope);
}

/** Whether an API key's scopes allow the action; everybody else is judged by permissions. */
export function hasRight(principal: Principal, resourceType: string, action: ScopeAction): boolean {
  return !principal.roles.has('api_key') || hasScope(principal, resourceType, action);
}

const DIRECTORY = 'Organization';

/** The elements in which a resource names the organisation it belongs to. */
const OWNER_ELEMENTS = ['managingOrganization', 'custodian', 'manager', 'controller'];

/**
 * Null for an organisation, which is nobody's record.
 * @throws ServiceError `forbidden` for a caller who works nowhere
 */
export function ownerOf(resource: FhirObject, principal: Principal): string | null {
  if (resource['resourceType'] === DIRECTORY) return null;
  const named = OWNER_ELEMENTS.flatMap((element) => {
    const value = resource[element];
    return (Array.isArray(value) ? objectsOf(value) : [value]).map((item) => idOfReference(item, 'Organization'));
  }).find((id) => id !== undefined);
  return ownerOrganisation(principal, named);
}
