// The types of a parsed search: checked, and free of wire syntax (hl7.org/fhir/R5/search.html; decisions G6, E2).
import type { CodeSelection } from '#fhir/terminology/code-selection.ts';
import type { SearchParameter, SearchType } from '../parameters/definitions.ts';

export const PREFIXES = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'sa', 'eb', 'ap'] as const;
export type Prefix = (typeof PREFIXES)[number];

/** `system` undefined: any; `''`: none. `code` undefined: any of the system. */
export interface TokenValue {
  readonly system: string | undefined;
  readonly code: string | undefined;
}
/** `types` empty: a resource of any type with that id. */
export type ReferenceValue =
  | { readonly kind: 'local'; readonly types: readonly string[]; readonly id: string }
  | { readonly kind: 'url'; readonly url: string };
/** `low` and `high` bound the written value: milliseconds, or the number to its last digit. */
export interface RangeValue {
  /** `po`, only in `_filter`: the two overlap. */
  readonly prefix: Prefix | 'po';
  readonly low: number;
  readonly high: number;
}
/** `value` is the number as written; `system` and `code` as in {@link TokenValue}. */
export interface QuantitySearchValue extends RangeValue, TokenValue {
  readonly value: number;
  /** The same in base units, where the unit is one of UCUM that can be converted. */
  readonly canonical?: CanonicalValue;
}
/** `unit` names the base units. */
export interface CanonicalValue extends RangeValue {
  readonly value: number;
  readonly unit: string;
}

/** One value of a composite parameter. */
export type ComponentValue =
  | { readonly type: 'token'; readonly value: TokenValue }
  | { readonly type: 'string' | 'uri'; readonly value: string }
  | { readonly type: 'date'; readonly value: RangeValue }
  | { readonly type: 'quantity'; readonly value: QuantitySearchValue }
  | { readonly type: 'reference'; readonly value: ReferenceValue };

interface OfParameter {
  readonly parameter: SearchParameter;
}

/** One condition; its values are alternatives. */
export type Criterion =
  | { readonly kind: 'id'; readonly ids: readonly string[] }
  | { readonly kind: 'lastUpdated'; readonly values: readonly RangeValue[] }
  | (OfParameter & { readonly kind: 'missing'; readonly keys: readonly number[]; readonly isMissing: boolean })
  | (OfParameter & {
      readonly kind: 'token';
      readonly derived?: 'of-type' | 'identifier';
      readonly isNegated: boolean;
      readonly values: readonly TokenValue[];
    })
  | (OfParameter & {
      readonly kind: 'string';
      readonly derived?: 'text';
      /**
       * `equal`, `begins` and `ends` compare the whole value, without case and accents. `words` finds each word of it
       * anywhere in the text.
       */
      readonly match: 'prefix' | 'exact' | 'contains' | 'words' | 'equal' | 'begins' | 'ends';
      readonly values: readonly string[];
    })
  | (OfParameter & { readonly kind: 'reference'; readonly values: readonly ReferenceValue[] })
  | (OfParameter & { readonly kind: 'date'; readonly values: readonly RangeValue[] })
  | (OfParameter & { readonly kind: 'quantity'; readonly values: readonly QuantitySearchValue[] })
  | (OfParameter & {
      readonly kind: 'uri';
      readonly match: UriMatch;
      readonly values: readonly string[];
    })
  /** Components of the same element; each of `values` holds one value for each of them. */
  | (OfParameter & {
      readonly kind: 'composite';
      /** The index keys of the rows. */
      readonly keys: readonly number[];
      /** The index keys of the rows with quantities in base units. */
      readonly canonicalKeys: readonly number[];
      readonly values: readonly (readonly ComponentValue[])[];
    })
  /** The resource is in the compartment of another, by one of the reference parameters with these keys. */
  | {
      readonly kind: 'compartment';
      readonly compartment: Compartment;
      readonly keys: readonly number[];
    }
  /** Codes that are looked up first: those of a value set, or those that a code subsumes or that subsume it. */
  | (OfParameter & {
      readonly kind: 'codes';
      /** The parameter with its modifier, as given. */
      readonly name: string;
      readonly relation: CodeRelation;
      readonly values: readonly CodesValue[];
    })
  /** One of the codes, after the lookup. */
  | (OfParameter & { readonly kind: 'selection'; readonly isNegated: boolean; readonly selection: CodeSelection })
  /** A media type, or a subtype (`below`: `image` includes `image/png`). */
  | (OfParameter & {
      readonly kind: 'mediaType';
      readonly relation: 'above' | 'below';
      readonly values: readonly TokenValue[];
    })
  /** The resource refers to the named one, or to one below or above it by the parameter `hierarchy` of its type. */
  | (OfParameter & {
      readonly kind: 'hierarchy';
      readonly relation: 'above' | 'below';
      readonly hierarchy: SearchParameter;
      readonly ids: readonly string[];
    })
  /** The members of a List, Group or CareTeam, which are looked up first. */
  | {
      readonly kind: 'members';
      readonly name: string;
      readonly resourceType: string;
      readonly collections: readonly { readonly types: readonly string[]; readonly id: string }[];
    }
  /** Within a distance of a place. */
  | (OfParameter & { readonly kind: 'near'; readonly places: readonly Place[] })
  /** Words in the narrative, or in the whole resource. */
  | {
      readonly kind: 'words';
      readonly resourceType: string;
      readonly isNarrative: boolean;
      readonly texts: readonly string[];
    }
  /** Some value differs from those of the criterion. */
  | {
      readonly kind: 'unequal';
      readonly criterion: Extract<Criterion, { kind: 'token' | 'string' | 'reference' | 'uri' }>;
    }
  | { readonly kind: 'all' | 'any'; readonly criteria: readonly Criterion[] }
  | { readonly kind: 'not'; readonly criterion: Criterion }
  /** The resource refers to one that fulfils the criterion of its type. */
  | (OfParameter & { readonly kind: 'chain'; readonly links: readonly ChainLink[] })
  /** A resource of `parameter.resourceType` that fulfils `criterion` refers to this one, which is a `targetType`. */
  | (OfParameter & { readonly kind: 'has'; readonly targetType: string; readonly criterion: Criterion });

/** `version-…`: canonicals are compared by version, not by the path of the URL. */
export type UriMatch = 'exact' | 'contains' | 'above' | 'below' | 'version-above' | 'version-below';

export type CodeRelation = 'in' | 'not-in' | 'above' | 'below';
/** A value set by its address, or a code. */
export type CodesValue =
  | { readonly kind: 'valueSet'; readonly address: string }
  | { readonly kind: 'coding'; readonly system: string; readonly code: string };

/** Degrees and metres. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly distance: number;
}

/**
 * The compartment of one Patient, Encounter, Practitioner, Device or RelatedPerson
 * (hl7.org/fhir/R5/compartmentdefinition.html).
 */
export interface Compartment {
  readonly type: string;
  readonly id: string;
}

export interface ChainLink {
  readonly resourceType: string;
  readonly criterion: Criterion;
}

/** The types that can be sorted by: composite and special parameters have no order. */
export type SortType = Exclude<SearchType, 'composite' | 'special'>;
export type SortParameter = SearchParameter & { readonly type: SortType };

export interface SortKey {
  /** `_id` and `_lastUpdated` are columns of the resource's own row. */
  readonly parameter: SortParameter;
  readonly isDescending: boolean;
}

export interface Include {
  readonly direction: 'include' | 'revinclude';
  /** Undefined for `*`: every reference. */
  readonly parameter: SearchParameter | undefined;
  /** For `_revinclude=*`: the index keys of references to the searched type. */
  readonly keys?: readonly number[];
  /** Only targets of this type. */
  readonly targetType: string | undefined;
  readonly isIterated: boolean;
}

export type TotalMode = 'accurate' | 'estimate' | 'none';
export type SummaryMode = 'true' | 'text' | 'data' | 'count' | 'false';

export interface SearchQuery {
  readonly resourceType: string;
  readonly criteria: readonly Criterion[];
  readonly includes: readonly Include[];
  readonly sort: readonly SortKey[];
  readonly count: number;
  readonly offset: number;
  readonly cursor: string | undefined;
  /** The language in whose order texts are sorted. */
  readonly sortLanguage: string;
  readonly total: TotalMode | undefined;
  readonly summary: SummaryMode;
  readonly elements: readonly string[];
  /** The understood parameters, as given: the self link. */
  readonly understood: readonly (readonly [name: string, value: string])[];
}
