// Types of the generated definition files. scripts/compile-fhir-definitions.ts writes these files, definitions.ts reads
// them.

/** One row of an element table, defaults left out: min 0, max 1. */
export interface ElementRow {
  /** As in the specification: `birthDate`, `deceased[x]`. */
  readonly name: string;
  readonly min?: number;
  readonly max?: number | '*';
  /** `HumanName`, `Reference(Patient|Group)`, `canonical(Questionnaire)`, `Quantity{SimpleQuantity}`. */
  readonly types?: readonly string[];
  /** The path of the shape that this element repeats: `Questionnaire.item`. */
  readonly content?: string;
  readonly binding?: readonly [strength: string, valueSet: string];
  readonly modifier?: true;
  readonly summary?: true;
  /** Keys of the type's invariants that are checked here. */
  readonly constraints?: readonly string[];
}

/** The elements that an object may have, without those it inherits from its base. */
export interface ShapeRow {
  readonly constraints?: readonly string[];
  readonly elements: readonly ElementRow[];
}

export interface InvariantRow {
  readonly severity: string;
  readonly human: string;
  readonly expression?: string;
}

/** One resource or data type; its shapes are the type itself and each element with children of its own. */
export interface TypeRow {
  readonly kind: string;
  readonly abstract?: true;
  readonly base?: string;
  /** The invariants that this type sets; keys are unique within a type only. */
  readonly invariants?: Readonly<Record<string, InvariantRow>>;
  readonly shapes: Readonly<Record<string, ShapeRow>>;
}

/** Codes by code system. */
export type CodeList = Readonly<Record<string, readonly string[]>>;

/** A code system whose codes are all known: the codes, one a line; `folded` where the system ignores case. */
export type SystemRow = readonly [version: string, codes: string, folded?: 'folded'];

/** The generated rows that are loaded together. */
export interface DefinitionRows {
  readonly types: Readonly<Record<string, TypeRow>>;
  /** By value set URL without version. */
  readonly valueSets: Readonly<Record<string, CodeList>>;
  /** Search parameters by compartment and resource type; `{def}` stands for the compartment's own resource. */
  readonly compartments: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}
