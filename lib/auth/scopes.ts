// SMART App Launch 2.0 scopes of API keys (hl7.org/fhir/smart-app-launch, "Scopes for requesting FHIR Resources";
// decision E8), of the system level only: `system/Patient.rs`, `system/*.cruds`.
import type { Principal } from './principal.ts';

/** create, read, update, delete, search. */
export type ScopeAction = 'c' | 'r' | 'u' | 'd' | 's';

/** What a caller does to a record that exists. */
export type AccessPurpose = 'read' | 'change' | 'delete';

/** A key reaches an existing record by one of these. It may change or delete without a right to read. */
export const REACHED_BY: Readonly<Record<AccessPurpose, readonly ScopeAction[]>> = {
  read: ['r', 's'],
  change: ['r', 's', 'u'],
  delete: ['r', 's', 'd'],
};

/** The form of a scope: the actions in SMART's order, at least one. */
export const SCOPE_PATTERN = '^system/(\\*|[A-Z][A-Za-z]+)\\.(?=[cruds])c?r?u?d?s?$';

const LEVEL = 'system/';

/**
 * Whether one of the caller's scopes allows the action. It allocates nothing, because every request calls it several
 * times.
 */
export function hasScope(principal: Principal, resourceType: string, action: ScopeAction): boolean {
  return principal.scopes.some((scope) => {
    const dot = scope.indexOf('.');
    if (dot === -1 || !scope.startsWith(LEVEL) || !scope.includes(action, dot + 1)) return false;
    const isAny = dot === LEVEL.length + 1 && scope[LEVEL.length] === '*';
    return isAny || (dot === LEVEL.length + resourceType.length && scope.startsWith(resourceType, LEVEL.length));
  });
}
