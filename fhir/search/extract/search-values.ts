// What the search index keeps of a resource, as rows of its tables (docs/adr/0004).
import type { CompositeRow } from './composites.ts';

export interface TokenRow {
  readonly param: number;
  readonly system: string;
  readonly code: string;
  /** Of the parameters that share the row: see ./shared-rows.ts. */
  readonly mask: number;
}

export interface ReferenceRow {
  readonly param: number;
  /** Key of the target's type; 0 for an address outside. */
  readonly targetType: number;
  readonly target: string;
}

export interface StringRow {
  readonly param: number;
  readonly value: string;
  /** As written; undefined for the beginnings of later words. */
  readonly exact: string | undefined;
  /** All of the text, where `value` is but its beginning. */
  readonly whole: string | undefined;
  /** What it is sorted by, where that is not `value`. */
  readonly sort: string | undefined;
  readonly mask: number;
}

export interface DateRow {
  readonly param: number;
  /** Milliseconds since 1970 UTC, both included. */
  readonly low: number;
  readonly high: number;
}

export interface QuantityRow {
  readonly param: number;
  readonly low: number;
  readonly high: number;
  readonly system: string;
  readonly code: string | undefined;
  readonly unit: string | undefined;
  readonly mask: number;
}

export interface UriRow {
  readonly param: number;
  readonly value: string;
}

/** The index rows of one resource, without doubles. */
export interface SearchValues {
  readonly tokens: TokenRow[];
  readonly references: ReferenceRow[];
  readonly strings: StringRow[];
  readonly dates: DateRow[];
  readonly quantities: QuantityRow[];
  readonly uris: UriRow[];
  readonly composites: CompositeRow[];
  /** The ids of the patients in whose compartment it lies. */
  readonly patients: string[];
  /** By which definitions: see {@link SearchParameters}. */
  readonly extraction: number;
  /** As whose addresses: see {@link SearchParameters}. */
  readonly baseUrl: string | undefined;
  /** In the order of which language: see {@link SearchParameters}. */
  readonly sortLanguage: string;
  /** The rows of a large resource as a statement takes them; the lists above are then empty (docs/adr/0042). */
  readonly texts?: readonly (readonly string[] | undefined)[];
}
