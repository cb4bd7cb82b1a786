// Creates the engine's store of FHIR resources for the service and its commands. It validates, and it knows the search
// parameters and profiles of users.

import { type CustomProfiles, createCustomProfiles } from '#fhir/profiles/custom.ts';
import { createWorkerThreads, type WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { withComputedRows } from '#fhir/store/computed-rows.ts';
import { createBoundValueSets } from '#fhir/store/definitions/bound-codes.ts';
import { createProfileNode } from '#fhir/store/definitions/profile-node.ts';
import { createTerminologyNode } from '#fhir/store/definitions/terminology-node.ts';
import { createIndexUpgrade } from '#fhir/store/index/index-upgrade.ts';
import { createParameterNode, type ParameterNode } from '#fhir/store/index/parameter-node.ts';
import { parameterChannel } from '#fhir/store/index/parameter-overlay.ts';
import { withCustomParameters } from '#fhir/store/index/parameter-registry.ts';
import { createFhirStore, type FhirStore } from '#fhir/store/store.ts';
import { type Catalog, layered } from '#fhir/terminology/catalog/catalog.ts';
import { laterOfficialCatalog } from '#fhir/terminology/catalog/official.ts';
import { createPublishedDefinitions, type PublishedDefinitions } from '#fhir/terminology/published.ts';
import { catalogTerminology } from '#fhir/terminology/terminology.ts';
import { createValidate, type Validate } from '#fhir/validation/stored-validation.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { LoadedFollower } from '#lib/jobs/follower.ts';
import type { ThreadLimit } from '#lib/jobs/thread-limit.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { createEventParts } from './audit-events/event-parts.ts';
import { createConceptNode } from './concepts/code-system-node.ts';
import { clientIssues } from './fhir/client-rules.ts';
import { withOwnedUrls } from './shared/owned-definitions.ts';
import { withPublishedVersions } from './shared/published-versions.ts';

/** For large bodies and users' profiles. */
const THREADS = 2;
const MODULE = new URL('./thread.ts', import.meta.url);

export interface EngineStore {
  readonly store: FhirStore;
  /** The same store for the services' own audit events, which no client may write. */
  readonly auditStore: Pick<FhirStore, 'createMany' | 'parameters'>;
  /** Start them before the store is used, and stop them afterwards. */
  readonly node: ParameterNode;
  readonly profileNode: LoadedFollower;
  readonly terminologyNode: LoadedFollower;
  readonly conceptNode: LoadedFollower;
  /** All terminology: the concepts of libraries, then definitions stored by users, then those that HL7 publishes. */
  readonly catalog: Catalog;
  /** Definitions that are served without being stored. */
  readonly published: PublishedDefinitions;
  readonly profiles: CustomProfiles;
  readonly validate: Validate;
  /** Migrates the index to the form of this release. */
  readonly indexUpgrade: WorkerLoop;
  /** Undefined when all work is done on the event loop. */
  readonly workerThreads: WorkerThreads | undefined;
}

export function createEngineStore(deps: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** The engine's public FHIR base URL. */
  readonly baseUrl: string;
  /** The language of the sort order; the default when left out. */
  readonly sortLanguage?: string;
  /** Processor time of one request in threads, in milliseconds; no threads when left out. */
  readonly requestMs?: number;
  /** The most threads of several stores together. */
  readonly threadLimit?: ThreadLimit | undefined;
}): EngineStore {
  const { database, clock, log, baseUrl, sortLanguage, requestMs, threadLimit: limit } = deps;
  const official = loadSearchParameters(baseUrl, sortLanguage);
  const node = createParameterNode({ database, official, log, workerThreads: () => workerThreads });
  const profiles = createCustomProfiles();
  const profileNode = createProfileNode({ database, profiles, log });
  const terminologyNode = createTerminologyNode({ database, log });
  const conceptNode = createConceptNode({ database, log });
  const unstored = layered([conceptNode.catalog, laterOfficialCatalog]);
  const published = createPublishedDefinitions(unstored, terminologyNode.catalog);
  const catalog = layered([conceptNode.catalog, terminologyNode.catalog, laterOfficialCatalog]);
  const valueSets = createBoundValueSets(catalog);
  const validate = createValidate(official, { profiles, valueSets });
  const terminologyGeneration = () => catalog.generation;
  const defined = { official, profiles, valueSets, terminologyGeneration, parameters: node.content };
  const workerThreads =
    requestMs === undefined
      ? undefined
      : createWorkerThreads({ baseUrl, sortLanguage, size: THREADS, limit, url: MODULE, budgetMs: requestMs, defined });
  const indexUpgrade = createIndexUpgrade({ database, parameters: official, log, workerThreads });
  const terminology = catalogTerminology(catalog);
  const { parameters } = node;
  const tables = createFhirStore({ parameters, clock, validate, refuse: clientIssues, workerThreads, terminology });
  const store = withComputedRows(tables, {
    type: 'AuditEvent',
    timeCode: 'date',
    tables: createEventParts(),
  });
  const auditStore = createFhirStore({ parameters, clock, validate });
  const whole = withOwnedUrls(withPublishedVersions(withCustomParameters(store, official, parameterChannel(database))));
  const nodes = { node, profileNode, terminologyNode, conceptNode };
  return { store: whole, auditStore, ...nodes, catalog, published, profiles, validate, indexUpgrade, workerThreads };
}
