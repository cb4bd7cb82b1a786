// What every interaction needs at hand: the service's options and the definitions of R5.
import type { Queryable } from '#lib/db/database.ts';
import { gatherStatements } from '#lib/db/gathered-statements.ts';
import { type Definitions, r5Definitions } from '#lib/fhir/definitions/definitions.ts';
import { type GatheredLookup, gatherLookups } from '#lib/fhir-store/gathered-lookup.ts';
import { createTurns, type Turns } from '#lib/jobs/turns.ts';
import type { WriteGroups } from './interactions/call.ts';
import { createWriteGroups } from './interactions/write-groups.ts';
import type { FhirRestOptions } from './options.ts';

export interface RouteContext {
  readonly options: FhirRestOptions;
  readonly definitions: Definitions;
  /** Reads outside of transactions, several requests' together. */
  readonly lookups: GatheredLookup;
  /** Searches from few resources outside of transactions, several requests' together. */
  readonly searches: Queryable;
  /** Creates and updates, several requests' together. */
  readonly groups: WriteGroups;
  /** Transaction bundles take turns: each holds a connection for all of its work, and others want some too. */
  readonly bundleTurns: Turns;
}

/** So many of a service's connections transaction bundles hold at once. */
const BUNDLES_AT_ONCE = 4;

export function createContext(options: FhirRestOptions): RouteContext {
  const lookups = gatherLookups(options.database, options.store.parameters);
  return {
    options,
    definitions: r5Definitions(),
    lookups,
    searches: gatherStatements(options.database),
    groups: createWriteGroups(options),
    bundleTurns: createTurns(BUNDLES_AT_ONCE),
  };
}

/** `https://…/Patient/1`. */
export function urlOf({ options }: RouteContext, { resourceType, id }: { resourceType: string; id: string }): string {
  return `${options.baseUrl}/${resourceType}/${id}`;
}
