// Types of resources that have special rules when they are written.

/** Types whose published versions never change (./published-versions.ts). */
export const PUBLISHED_TYPES: ReadonlySet<string> = new Set(['PlanDefinition', 'ActivityDefinition']);

/**
 * Types that change how the store works, or whose check reads stored resources. They are written one by one, never in
 * bulk.
 */
export const DEFINITION_TYPES: ReadonlySet<string> = new Set([
  'SearchParameter',
  'StructureDefinition',
  'ValueSet',
  'CodeSystem',
  ...PUBLISHED_TYPES,
]);

/** Types that clients may not write, or that have no endpoint. */
export const UNWRITTEN_TYPES: ReadonlySet<string> = new Set(['AuditEvent', 'Parameters']);
