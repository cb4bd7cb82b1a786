// Types of the search index rows of a resource (docs/adr/0004).
import type { CompositeRow } from './composites.ts';

export interface TokenRow {
  readonly param: number;
  readonly system: string;
  readonly code: string;
  /** The bits of the parameters that share the row: see ./shared-rows.ts. */
  readonly mask: number;
}

export interface ReferenceRow {
  readonly param: number;
  /** Key of the target's type; 0 for a URL of another server. */
  readonly targetType: number;
  readonly target: string;
}

export interface StringRow {
  readonly param: number;
  readonly value: string;
  /** The text as written; undefined for a row that begins at a later word. */
  readonly exact: string | undefined;
  /** The whole text, where `value` is only its beginning. */
  readonly whole: string | undefined;
  /** The sort key, where it differs from `value`. */
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

/** The distinct index rows of one resource. */
export interface SearchValues {
  readonly tokens: TokenRow[];
  readonly references: ReferenceRow[];
  readonly strings: StringRow[];
  readonly dates: DateRow[];
  readonly quantities: QuantityRow[];
  readonly uris: UriRow[];
  readonly composites: CompositeRow[];
  /** The ids of the patients to whose compartments it belongs. */
  readonly patients: string[];
  /** The generation of the parameters used: see {@link SearchParameters}. */
  readonly extraction: number;
  /** The base URL used: see {@link SearchParameters}. */
  readonly baseUrl: string | undefined;
  /** The sort language used: see {@link SearchParameters}. */
  readonly sortLanguage: string;
  /** The rows of a large resource, encoded for the statement; the lists above are then empty (docs/adr/0042). */
  readonly texts?: readonly (readonly string[] | undefined)[];
}
