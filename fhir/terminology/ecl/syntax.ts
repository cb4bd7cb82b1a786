// The syntax tree of an expression constraint of SNOMED CT (ECL 2.2, docs.snomed.org/snomed-ct-specifications/
// snomed-ct-expression-constraint-language). Both forms of the syntax, brief and long, become the same tree.

export type HierarchyOperator =
  | 'childOf'
  | 'childOrSelfOf'
  | 'descendantOf'
  | 'descendantOrSelfOf'
  | 'parentOf'
  | 'parentOrSelfOf'
  | 'ancestorOf'
  | 'ancestorOrSelfOf'
  | 'top'
  | 'bottom';

export interface ConceptReference {
  readonly kind: 'concept';
  readonly id: string;
  /** The character at which it begins, from 1. */
  readonly at: number;
}

export type Expression =
  | ConceptReference
  | { readonly kind: 'any' }
  | { readonly kind: 'alternate'; readonly scheme: string; readonly code: string; readonly at: number }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Expression[] }
  | { readonly kind: 'minus'; readonly from: Expression; readonly without: Expression }
  | { readonly kind: 'related'; readonly operator: HierarchyOperator; readonly of: Expression }
  | MembersOf
  | { readonly kind: 'refined'; readonly of: Expression; readonly refinement: Refinement }
  /** The values of the attributes. */
  | { readonly kind: 'dotted'; readonly of: Expression; readonly attribute: Expression }
  | { readonly kind: 'descriptions'; readonly of: Expression; readonly filters: readonly DescriptionFilter[] }
  | { readonly kind: 'concepts'; readonly of: Expression; readonly filters: readonly ConceptFilter[] }
  | { readonly kind: 'history'; readonly of: Expression; readonly profile: HistoryProfile };

export interface MembersOf {
  readonly kind: 'members';
  readonly of: Expression;
  /** The field that is answered; `*` for all. */
  readonly fields: readonly string[];
  readonly filters: readonly MemberFilter[];
  readonly at: number;
}

/** The sets of historical associations of a supplement, by name or as an expression. */
export type HistoryProfile = 'minimum' | 'moderate' | 'maximum' | Expression;

export interface Cardinality {
  readonly min: number;
  /** `Infinity` for many. */
  readonly max: number;
}

/** Within a group there are no further groups. */
export type Refinement =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Refinement[] }
  | { readonly kind: 'group'; readonly cardinality: Cardinality; readonly of: Refinement }
  | Attribute;

export interface Attribute {
  readonly kind: 'attribute';
  readonly cardinality: Cardinality;
  readonly isReverse: boolean;
  readonly name: Expression;
  readonly value: ComparedValue;
  readonly at: number;
}

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** A comparison with a value: of an attribute, or of a field of a reference set. */
export type ComparedValue =
  | { readonly kind: 'expression'; readonly isNot: boolean; readonly of: Expression }
  | { readonly kind: 'number'; readonly comparison: Comparison; readonly value: number }
  | { readonly kind: 'text'; readonly isNot: boolean; readonly terms: readonly SearchTerm[] }
  | { readonly kind: 'boolean'; readonly isNot: boolean; readonly value: boolean }
  | TimeFilter;

export type SearchTerm =
  /** Each begins a word, in any order. */
  | { readonly kind: 'match'; readonly words: readonly string[] }
  /** The parts of the whole text around `*`, as they are written. */
  | { readonly kind: 'wild'; readonly parts: readonly string[] };

export interface TimeFilter {
  readonly kind: 'time';
  readonly comparison: Comparison;
  /** `YYYYMMDD`, or `''` for none. */
  readonly values: readonly string[];
}

interface IdentifierFilter<K extends string> {
  readonly kind: K;
  readonly isNot: boolean;
  readonly of: Expression;
}

/** `isActive` is undefined for both. */
interface ActiveFilter {
  readonly kind: 'active';
  readonly isActive: boolean | undefined;
}

export type ModuleFilter = IdentifierFilter<'module'>;

export interface Dialect {
  /** An alias in lower case, or the reference sets. */
  readonly refset: string | Expression;
  /** SCTIDs; empty for any. */
  readonly acceptabilities: readonly string[];
  readonly at: number;
}

export type DescriptionFilter =
  | { readonly kind: 'term'; readonly isNot: boolean; readonly terms: readonly SearchTerm[] }
  | { readonly kind: 'language'; readonly isNot: boolean; readonly codes: readonly string[] }
  | IdentifierFilter<'type'>
  | { readonly kind: 'dialect'; readonly isNot: boolean; readonly dialects: readonly Dialect[] }
  | { readonly kind: 'id'; readonly isNot: boolean; readonly ids: readonly string[] }
  | ModuleFilter
  | TimeFilter
  | ActiveFilter;

export type ConceptFilter = IdentifierFilter<'definitionStatus'> | ModuleFilter | TimeFilter | ActiveFilter;

export type MemberFilter =
  | ModuleFilter
  | TimeFilter
  | ActiveFilter
  | { readonly kind: 'field'; readonly name: string; readonly value: ComparedValue; readonly at: number };
