// Types whose resources change how the store works: each is written as any other client's write is, never in bulk.
export const DEFINITION_TYPES: ReadonlySet<string> = new Set([
  'SearchParameter',
  'StructureDefinition',
  'ValueSet',
  'CodeSystem',
]);

/** Not to be written by clients, or without an address. */
export const UNWRITTEN_TYPES: ReadonlySet<string> = new Set(['AuditEvent', 'Parameters']);
