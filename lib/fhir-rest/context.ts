// What every interaction needs at hand: the service's options and the definitions of R5.
import { type Definitions, r5Definitions } from '#lib/fhir/definitions/definitions.ts';
import { type GatheredLookup, gatherLookups } from '#lib/fhir-store/gathered-lookup.ts';
import { createWriteGroups, type WriteGroups } from './interactions/write-groups.ts';
import type { FhirRestOptions } from './options.ts';

export interface RouteContext {
  readonly options: FhirRestOptions;
  readonly definitions: Definitions;
  /** Reads outside of transactions, several requests' together. */
  readonly lookups: GatheredLookup;
  /** Creates and updates, several requests' together. */
  readonly groups: WriteGroups;
}

export function createContext(options: FhirRestOptions): RouteContext {
  const lookups = gatherLookups(options.database, options.store.parameters);
  return { options, definitions: r5Definitions(), lookups, groups: createWriteGroups(options) };
}

/** `https://…/Patient/1`. */
export function urlOf({ options }: RouteContext, { resourceType, id }: { resourceType: string; id: string }): string {
  return `${options.baseUrl}/${resourceType}/${id}`;
}
