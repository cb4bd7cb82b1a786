// What a profile asks of a resource or data type beyond the type's own definition: the form in which profiles are
// compiled, kept in the generated files and walked. Only what differs from the type is there (docs/adr/0014).

export interface Profile {
  readonly url: string;
  readonly version?: string;
  /** The type it constrains: `Observation`, `Extension`. */
  readonly type: string;
  /** Defined by a user: its expressions may take any time. */
  readonly isCustom?: true;
  readonly root: ProfileNode;
  /** Where an extension may be used; none: anywhere. */
  readonly context?: readonly ExtensionContext[];
  /** Of an extension: whether it belongs into `modifierExtension`. */
  readonly isModifier?: true;
  /** Of an extension: it is for other versions of FHIR than R5. */
  readonly isForOthers?: true;
}

export interface ExtensionContext {
  readonly type: 'element' | 'extension' | 'fhirpath';
  readonly expression: string;
}

/** The rules of one element, or of one of its slices. */
export interface ProfileNode {
  /** Without `[x]`: `value`; of a root the type. */
  readonly name: string;
  readonly slice?: string;
  readonly min?: number;
  readonly max?: number;
  /** The types that are left; none given: those of the definition. */
  readonly types?: readonly ProfileType[];
  readonly fixed?: unknown;
  readonly pattern?: unknown;
  readonly minValue?: unknown;
  readonly maxValue?: unknown;
  readonly maxLength?: number;
  readonly mustHaveValue?: true;
  /** URLs of the extensions that may stand for a value. */
  readonly valueAlternatives?: readonly string[];
  readonly binding?: readonly [strength: 'required' | 'extensible', valueSet: string];
  /** The value set that every code must be of, however weak the binding is. */
  readonly maximum?: string;
  readonly constraints?: readonly ProfileConstraint[];
  readonly slicing?: Slicing;
  readonly slices?: readonly ProfileNode[];
  readonly children?: readonly ProfileNode[];
}

export interface ProfileType {
  readonly code: string;
  /** Canonical URLs, of which a value must follow one. */
  readonly profiles?: readonly string[];
  /** Canonical URLs, of which the target of a reference must follow one. */
  readonly targets?: readonly string[];
  /** Where the target of a reference may be; none given: anywhere. */
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
