// The FHIR R5 types and search parameters that identity supports (contract: identity, Health and capability; decision
// I15). Routes, search and CapabilityStatement are created from this one list. The directory's tables are the source;
// no resource is stored.
import type { ServedType, TypeInteraction } from '#fhir/resources/capability-statement.ts';
import {
  loadSearchParameters,
  type SearchParameter,
  type SearchParameters,
} from '#fhir/search/parameters/definitions.ts';

export type DirectoryType = 'Patient' | 'Practitioner' | 'Organization' | 'Group';

interface Served {
  readonly type: DirectoryType;
  readonly interactions: readonly TypeInteraction[];
  /** The codes of the supported search parameters. */
  readonly search: readonly string[];
}

const SERVED: readonly Served[] = [
  { type: 'Group', interactions: ['read', 'create', 'search-type'], search: ['_id', 'code', 'member', 'name', 'type'] },
  {
    type: 'Organization',
    interactions: ['read', 'create', 'search-type'],
    search: ['_id', '_lastUpdated', 'active', 'name'],
  },
  { type: 'Patient', interactions: ['read', 'create'], search: [] },
  { type: 'Practitioner', interactions: ['read', 'create'], search: [] },
];

/** The official search parameters, reduced to the supported ones. */
export function servedParameters(): SearchParameters {
  const official = loadSearchParameters();
  const known = new Map(
    SERVED.map(({ type, search }) => [
      type as string,
      new Map([...official.forType(type)].filter(([code]) => search.includes(code))),
    ]),
  );
  const none: ReadonlyMap<string, SearchParameter> = new Map();
  return { ...official, forType: (type) => known.get(type) ?? none };
}

/** The supported types as the CapabilityStatement lists them. */
export function servedTypes(parameters: SearchParameters): ServedType[] {
  return SERVED.map(({ type, interactions }) => ({
    type,
    interactions,
    searchParameters: [...parameters.forType(type).values()].map(({ code, type: kind, id }) => ({
      name: code,
      type: kind,
      definition: `http://hl7.org/fhir/SearchParameter/${id}`,
    })),
    versioning: 'no-version' as const,
    conditionalRead: 'full-support' as const,
    conditionalCreate: false,
    updateCreate: false,
  }));
}
