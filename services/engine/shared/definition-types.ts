// Types of resources that are written one by one, as a single client's are.

/** Of these a published version never changes (./published-versions.ts). */
export const PUBLISHED_TYPES: ReadonlySet<string> = new Set(['PlanDefinition', 'ActivityDefinition']);

/** Types whose resources change how the store works, or are judged by what is there: never written in bulk. */
export const DEFINITION_TYPES: ReadonlySet<string> = new Set([
  'SearchParameter',
  'StructureDefinition',
  'ValueSet',
  'CodeSystem',
  ...PUBLISHED_TYPES,
]);

/** Not to be written by clients, or without an address. */
export const UNWRITTEN_TYPES: ReadonlySet<string> = new Set(['AuditEvent', 'Parameters']);
