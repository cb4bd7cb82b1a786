// The types of a compiled profile: its rules for a resource or data type beyond the type's own definition. Generated
// files hold profiles in this form, and check.ts reads it. Only rules that differ from the type are there
// (docs/adr/0014).

export interface Profile {
  readonly url: string;
  readonly version?: string;
  /** The type it constrains: `Observation`, `Extension`. */
  readonly type: string;
  /** Whether a user defined it: its expressions may take any time. */
  readonly isCustom?: true;
  readonly root: ProfileNode;
  /** Where an extension may be used; anywhere if absent. */
  readonly context?: readonly ExtensionContext[];
  /** Whether an extension belongs in `modifierExtension`. */
  readonly isModifier?: true;
  /** Whether an extension is for other versions of FHIR than R5. */
  readonly isForOthers?: true;
}

export interface ExtensionContext {
  readonly type: 'element' | 'extension' | 'fhirpath';
  readonly expression: string;
}

/** The rules of one element, or of one of its slices. */
export interface ProfileNode {
  /** Without `[x]`: `value`; the type for a root. */
  readonly name: string;
  readonly slice?: string;
  readonly min?: number;
  readonly max?: number;
  /** The allowed types; those of the definition if absent. */
  readonly types?: readonly ProfileType[];
  readonly fixed?: unknown;
  readonly pattern?: unknown;
  readonly minValue?: unknown;
  readonly maxValue?: unknown;
  readonly maxLength?: number;
  readonly mustHaveValue?: true;
  /** URLs of the extensions that may replace a value. */
  readonly valueAlternatives?: readonly string[];
  readonly binding?: readonly [strength: 'required' | 'extensible', valueSet: string];
  /** The maximum value set: every code must be in it, however weak the binding is. */
  readonly maximum?: string;
  readonly constraints?: readonly ProfileConstraint[];
  readonly slicing?: Slicing;
  readonly slices?: readonly ProfileNode[];
  readonly children?: readonly ProfileNode[];
}

export interface ProfileType {
  readonly code: string;
  /** Canonical URLs of profiles; a value must conform to one. */
  readonly profiles?: readonly string[];
  /** Canonical URLs of profiles; the target of a reference must conform to one. */
  readonly targets?: readonly string[];
  /** Where the target of a reference may be; anywhere if absent. */
  readonly aggregation?: readonly string[];
}

export interface ProfileConstraint {
  readonly key: string;
  readonly severity: 'error' | 'warning';
  readonly human: string;
  readonly expression: string;
}

export interface Slicing {
  readonly by: readonly Discriminator[];
  readonly rules: 'open' | 'closed' | 'openAtEnd';
  readonly isOrdered?: true;
}

export interface Discriminator {
  readonly type: 'value' | 'exists' | 'type' | 'profile' | 'position';
  readonly path: string;
}
