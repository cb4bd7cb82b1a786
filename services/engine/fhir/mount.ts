// Registers the engine's FHIR routes (contract: engine, "FHIR resources"; decisions E1, G12): the generic routes for
// every R5 type.

import type { DispatchClient } from '#clients/dispatch-client.ts';
import type { CustomProfiles } from '#fhir/profiles/custom.ts';
import { fillSnapshot, officialDefinition } from '#fhir/profiles/snapshot/snapshot-resource.ts';
import type { IdGuard } from '#fhir/rest/id-guard.ts';
import {
  type FhirRestOptions,
  type FhirTypeOptions,
  INTERACTIONS,
  type Interaction,
  type SnapshotMaker,
} from '#fhir/rest/options.ts';
import { fhirRestPlugin } from '#fhir/rest/plugin.ts';
import { terminologyOperations } from '#fhir/rest/routes/terminology-operations.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { ParameterNode } from '#fhir/store/index/parameter-node.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Catalog } from '#fhir/terminology/catalog/catalog.ts';
import type { TerminologyOperation } from '#fhir/terminology/operations/service.ts';
import type { PublishedDefinitions } from '#fhir/terminology/published.ts';
import type { Validate } from '#fhir/validation/stored-validation.ts';
import type { AccessLog } from '#lib/audit/access-log.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ReadReplicas } from '#lib/replicas/read-replicas.ts';
import type { ReportNotices } from '../results/notice-service.ts';
import type { PatientNotices } from '../results/patient-notice-service.ts';
import { hasRight, OPERATION_PERMISSIONS, ownerOf, policyOf } from '../shared/policies.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { createAnswerCheck } from './answered-forms.ts';
import { closureOperation } from './closure-operation.ts';
import { createPatientReports } from './patient-reports.ts';
import { createProviderReports } from './provider-reports.ts';
import { parameterStatus } from './search-parameter-status.ts';

/** FHIR has no endpoint for Parameters. */
const UNADDRESSED = new Set(['Parameters']);
/** The audit record is append-only. */
const AUDIT_INTERACTIONS: readonly Interaction[] = ['create', 'read', 'search-type'];

export function servedTypes(store: FhirStore): FhirTypeOptions[] {
  return [...store.parameters.resourceTypes]
    .filter((type) => !UNADDRESSED.has(type))
    .sort()
    .map((type) => {
      const { isOpen: _isOpen, ...permissions } = policyOf(type);
      if (type === 'AuditEvent') return { type, interactions: AUDIT_INTERACTIONS, ...permissions };
      return { type, interactions: INTERACTIONS, hasConditional: true, ...permissions };
    });
}

export interface FhirDependencies {
  readonly database: Database;
  readonly replicas: ReadReplicas | undefined;
  readonly store: FhirStore;
  readonly clock: Clock;
  readonly dispatch: DispatchClient;
  /** Notifies dispatch of providers' reports. */
  readonly announce: ReportNotices['announce'];
  /** Has planners notified of patients' reports. */
  readonly announceReport: PatientNotices['announce'];
  readonly accessLog: AccessLog;
  readonly baseUrl: string;
  readonly types: readonly FhirTypeOptions[];
  readonly profiles: CustomProfiles;
  readonly validate: Validate;
  readonly checksReferences: boolean;
  readonly guardIds: IdGuard | undefined;
  readonly node: ParameterNode;
  readonly terminology: readonly TerminologyOperation[];
  readonly catalog: Catalog;
  readonly published: PublishedDefinitions;
  readonly workerThreads: WorkerThreads | undefined;
}

/** Registers the routes, and returns the options by which they decide. */
export async function registerFhir(
  app: HttpApp,
  { profiles, node, terminology, catalog, dispatch, announce, announceReport, ...deps }: FhirDependencies,
): Promise<FhirRestOptions> {
  const snapshots: SnapshotMaker = {
    fill: (definition) => fillSnapshot(definition, profiles),
    official: officialDefinition,
  };
  const ofPatients = createPatientReports({ ...deps, ...dispatch, announceReport });
  const ofProviders = createProviderReports({ ...deps, dispatch, announce, parameters: () => deps.store.parameters });
  const requireAnswers = createAnswerCheck(deps);
  const parameters = deps.types.filter(({ type }) => type === 'SearchParameter');
  const codeSystems = deps.types.filter(({ type }) => type === 'CodeSystem');
  const options: FhirRestOptions = {
    ...deps,
    operations: [
      ...parameters.map((type) => parameterStatus(type, { store: deps.store, node })),
      ...terminologyOperations(deps.types, terminology, OPERATION_PERMISSIONS),
      ...codeSystems.map((type) => closureOperation(type, { catalog, clock: deps.clock })),
    ],
    hasRight,
    system: { permission: 'fhir:operate', validate: deps.validate, snapshots },
    access: ofPatients.access,
    deleted: ofPatients.deleted,
    completeReport: async (db, principal, report) => {
      const placed =
        (await ofPatients.completeReport(db, principal, report)) ?? (await ofProviders.complete(principal, report));
      if (placed !== undefined) await requireAnswers(db, placed.source, principal.id);
      return placed;
    },
    prepareReports: ofProviders.prepare,
    ownerOrganisation: ownerOf,
  };
  await app.register(fhirRestPlugin, { prefix: BASE_PATH, hasPositions: true, ...options });
  return options;
}
