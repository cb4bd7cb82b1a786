// The search parameters of FHIR R5 as compiled by scripts/compile-fhir-search.ts: those that the store indexes and that
// a search may use.
import { readFileSync } from 'node:fs';
import { r5Definitions } from '../../definitions/definitions.ts';
import { nameKey } from '../extract/keys.ts';
import { type SharedRows, sharedRows } from '../extract/shared-rows.ts';
import { DEFAULT_SORT_LANGUAGE } from '../extract/sort-text.ts';
import type { Branch } from './compile-expression.ts';

export const SEARCH_TYPES = [
  'number',
  'date',
  'string',
  'token',
  'reference',
  'composite',
  'quantity',
  'uri',
  'special',
] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

export function isSearchType(value: unknown): value is SearchType {
  return SEARCH_TYPES.some((type) => type === value);
}

/** What a parameter of one resource type finds, official or defined by users. */
export interface ParameterDefinition {
  readonly resourceType: string;
  readonly code: string;
  /** The canonical address of the definition. */
  readonly url: string;
  readonly type: SearchType;
  readonly branches: readonly Branch[];
  /** Types a reference may lead to; empty means any. */
  readonly targets: readonly string[];
}

/** One search parameter of one resource type. */
export interface SearchParameter extends ParameterDefinition {
  /** Id of the official definition (`individual-name`). */
  readonly id: string;
  /** Its key in the index, unless its rows are shared. */
  readonly key: number;
  /** The rows that it shares with other parameters; undefined for nearly all. */
  readonly shared?: SharedRows | undefined;
  /** The component groups of a composite parameter; empty for all others. */
  readonly groups: readonly CompositeGroup[];
}

/** Elements whose components are searched together: `Observation.component` with its code and its value. */
export interface CompositeGroup {
  /** From the resource to the elements; empty for the resource itself. */
  readonly steps: readonly string[];
  readonly components: readonly CompositeComponent[];
}

export interface CompositeComponent {
  readonly type: SearchType;
  /** From the element to the component's values. */
  readonly branches: readonly Branch[];
}

export interface SearchParameters {
  /** All concrete resource types. */
  readonly resourceTypes: ReadonlySet<string>;
  /** The parameters of a type, with those that every type has. */
  forType(resourceType: string): ReadonlyMap<string, SearchParameter>;
  /** The parameters that a write indexes: also users' parameters that cannot be searched yet. */
  indexed(resourceType: string): ReadonlyMap<string, SearchParameter>;
  /** Increases with every change of users' parameters; 0 when there are none. */
  readonly version: number;
  /** The same for indexed parameters only. */
  readonly extraction: number;
  /** The server's own FHIR base URL: a URL under it equals the relative one. Undefined when there is none. */
  readonly baseUrl: string | undefined;
  /** The language in whose order texts are sorted, as a BCP 47 tag. */
  readonly sortLanguage: string;
  /**
   * Codes of the reference parameters that define a type's compartment (`Patient`, `Encounter` …); empty when none do.
   */
  compartmentParameters(compartment: string, resourceType: string): readonly string[];
}

/**
 * Types whose resources are mostly kept in a form of their own (docs/adr/0126). They are found by the official
 * parameters. What follows from their texts does not find them: words, and parameters that users define.
 */
export const COMPUTED_TYPES: ReadonlySet<string> = new Set(['AuditEvent']);

/** Parameters that are columns of the resource's own row and need no index row. */
export const COLUMN_PARAMETERS: ReadonlySet<string> = new Set(['_id', '_lastUpdated', '_in']);

type CompiledGroup = readonly [steps: readonly string[], ...components: readonly (readonly [SearchType, Branch[]])[]];
type Compiled = readonly [
  id: string,
  type: SearchType,
  branches: Branch[],
  targets?: readonly string[],
  groups?: readonly CompiledGroup[],
];
type Generated = Readonly<Record<string, Readonly<Record<string, Compiled>>>>;

const GENERATED = new URL('./generated/search-parameters.json', import.meta.url);

/** The same for every server; read once. */
let generated: Generated | undefined;
let resourceTypes: ReadonlySet<string> | undefined;
const prepared = new Map<string, ReadonlyMap<string, SearchParameter>>();

function forType(resourceType: string): ReadonlyMap<string, SearchParameter> {
  const known = prepared.get(resourceType);
  if (known !== undefined) return known;
  generated ??= JSON.parse(readFileSync(GENERATED, 'utf8')) as Generated;
  const parameters = prepare(resourceType, generated);
  prepared.set(resourceType, parameters);
  return parameters;
}

/**
 * The compiled parameters, which are read (≈ 10 ms) and prepared for each type on first use. `baseUrl` is the server's
 * public FHIR base URL, without a slash at the end; `sortLanguage` a BCP 47 tag.
 */
export function loadSearchParameters(baseUrl?: string, sortLanguage: string = DEFAULT_SORT_LANGUAGE): SearchParameters {
  const definitions = r5Definitions();
  resourceTypes ??= new Set(definitions.resourceTypes);
  return {
    resourceTypes,
    forType,
    indexed: forType,
    version: 0,
    extraction: 0,
    baseUrl,
    sortLanguage,
    compartmentParameters: (compartment, resourceType) =>
      definitions.compartmentParams(compartment, resourceType) ?? [],
  };
}

function prepare(resourceType: string, all: Generated): ReadonlyMap<string, SearchParameter> {
  const compiled = { ...all['Resource'], ...all[resourceType] };
  const shared = sharedRows(resourceType, new Set(Object.keys(compiled)));
  return new Map(
    Object.entries(compiled).map(([code, [id, type, branches, targets = [], groups = []]]) => [
      code,
      {
        ...withKey({ resourceType, code, url: `http://hl7.org/fhir/SearchParameter/${id}`, type, branches, targets }),
        id,
        shared: shared.get(code),
        groups: groups.map(([steps, ...components]) => ({
          steps,
          components: components.map(([componentType, each]) => ({ type: componentType, branches: each })),
        })),
      },
    ]),
  );
}

/** The definition with the key of its rows in the index. */
export function withKey(definition: ParameterDefinition): ParameterDefinition & { readonly key: number } {
  return { ...definition, key: nameKey(`${definition.resourceType}.${definition.code}`) };
}
