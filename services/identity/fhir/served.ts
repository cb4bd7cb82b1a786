// What identity serves of FHIR R5 (contract: identity, Health and capability; decision I15): the one list from which
// the routes, the search and the CapabilityStatement are made. The directory's tables stay the source; nothing is kept
// as a resource.
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
  /** Codes of the search parameters that are answered. */
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

/** The official search parameters, of which only the served ones are known. */
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

/** The served types as the CapabilityStatement lists them. */
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
    conditionalCreate: false,
    updateCreate: false,
  }));
}
