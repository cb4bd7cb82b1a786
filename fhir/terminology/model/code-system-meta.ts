// What a code system says of itself, beside its concepts (hl7.org/fhir/R5/codesystem.html).

/** The definition of a property in the code system. */
export interface PropertyDefinition {
  readonly code: string;
  readonly uri: string | undefined;
  readonly description: string | undefined;
  readonly type: string | undefined;
}

export type CodeSystemContent = 'not-present' | 'example' | 'fragment' | 'complete' | 'supplement';

export interface CodeSystemMeta {
  readonly url: string;
  readonly version: string | undefined;
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly status: string | undefined;
  /** The value of the extension structuredefinition-standards-status: `deprecated`, `withdrawn` … */
  readonly standardsStatus: string | undefined;
  readonly isExperimental: boolean;
  readonly language: string | undefined;
  readonly content: CodeSystemContent;
  readonly isCaseSensitive: boolean;
  /** Whether a code means nothing without a version (`versionNeeded`). */
  readonly isVersionNeeded?: boolean;
  readonly hierarchyMeaning: string | undefined;
  /** The value set of all its codes. */
  readonly valueSet: string | undefined;
  /** The canonical of the system that a supplement extends. */
  readonly supplements: string | undefined;
  readonly properties: readonly PropertyDefinition[];
}
