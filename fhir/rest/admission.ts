// Authorises a caller for an interaction with a type (decisions G7, E8): by the type's permission and, for API keys, by
// their scopes. A route's permission is checked before its handler; that of a bundle's entry is checked only here.
import { authorise, decide, type Permission } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { ScopeAction } from '#lib/auth/scopes.ts';
import { ServiceError } from '#lib/errors.ts';
import type { RouteContext } from './context.ts';
import type { FhirTypeOptions, Interaction, ServedOperation } from './options.ts';

/**
 * What each interaction is to a scope. The history of a whole type shows all of it, as a search does (SMART App Launch
 * 2.0, "s").
 */
export const SCOPE_ACTIONS: Readonly<Record<Interaction, ScopeAction>> = {
  read: 'r',
  vread: 'r',
  create: 'c',
  update: 'u',
  patch: 'u',
  delete: 'd',
  'history-instance': 'r',
  'history-type': 's',
  'search-type': 's',
};

const WRITES: ReadonlySet<Interaction> = new Set(['create', 'update', 'patch', 'delete']);

/** The permission that an interaction with the type needs. */
export function permissionFor({ read, write, permissions }: FhirTypeOptions, interaction: Interaction): Permission {
  return permissions?.[interaction] ?? (WRITES.has(interaction) ? write : read);
}

/** Whether the caller may have the interaction with the type. */
export function hasRight(
  principal: Principal,
  { type, interaction }: { readonly type: FhirTypeOptions; readonly interaction: Interaction },
  { options }: RouteContext,
): boolean {
  if (decide(permissionFor(type, interaction), principal) !== 'allowed') return false;
  return options.hasRight(principal, type.type, SCOPE_ACTIONS[interaction]);
}

/** @throws ServiceError `forbidden` (for a key with the scope that it lacks), `password_change_required` … */
export function requireRight(
  principal: Principal,
  { type, interaction }: { readonly type: FhirTypeOptions; readonly interaction: Interaction },
  context: RouteContext,
): void {
  authorise(permissionFor(type, interaction), principal);
  requireScope(principal, { type, interaction }, context);
}

/** @throws ServiceError `forbidden` for an API key without the scope */
function requireScope(
  principal: Principal,
  { type, interaction }: { readonly type: FhirTypeOptions; readonly interaction: Interaction },
  { options }: RouteContext,
): void {
  const action = SCOPE_ACTIONS[interaction];
  if (options.hasRight(principal, type.type, action)) return;
  throw new ServiceError('forbidden', `The API key has no scope system/${type.type}.${action}`);
}

/** @throws ServiceError as `requireRight` */
export function requireOperation(
  principal: Principal,
  { permission, type, interaction, isOwnPermission = false }: ServedOperation,
  context: RouteContext,
): void {
  authorise(permission, principal);
  if (type === undefined || interaction === undefined) return;
  if (isOwnPermission) requireScope(principal, { type, interaction }, context);
  else requireRight(principal, { type, interaction }, context);
}
