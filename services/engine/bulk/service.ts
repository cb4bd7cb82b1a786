// The service of bulk exports and imports: start a job, read its progress and result, and delete it (docs/adr/0015).

import { countForExport } from '#fhir/bulk/export-page.ts';
import type { IdGuard } from '#fhir/rest/id-guard.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Transaction } from '#lib/db/database.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { ReadReplicas } from '#lib/replicas/read-replicas.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { CurrentRights } from '../shared/current-rights.ts';
import { accessOf } from '../shared/policies.ts';
import { ownerKey, restorePrincipal, storePrincipal } from '../shared/principal-json.ts';
import { lookUpFilters } from './export-job.ts';
import { type ExportInput, maySeeExport, readExportRequest, requestOf } from './export-request.ts';
import { type BulkFile, listFiles } from './files.ts';
import { receiveInput } from './import-upload.ts';
import { jobEntry } from './job-audit.ts';
import { requireExporter, requireImporter } from './job-rights.ts';
import {
  cancelJob,
  completeUpload,
  countUnfinished,
  deleteJob,
  findJob,
  insertJob,
  type JobKind,
  type JobRow,
  listJobs,
} from './jobs.ts';

export interface BulkDependencies extends WriteDependencies {
  readonly store: FhirStore;
  readonly rights: CurrentRights;
  /** Where exports read; from the database when left out. */
  readonly replicas?: ReadReplicas | undefined;
  /** Every id is free when left out. */
  readonly guardIds?: IdGuard | undefined;
  /** For long lines and for users' profiles. All work is done on the event loop when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
}

/** The caller and the origin of a request, for the audit record. */
interface Origin {
  readonly address?: string;
  readonly requestId?: string;
}

export interface Caller {
  readonly principal: Principal;
  readonly origin: Origin;
}

export interface JobView {
  readonly job: JobRow;
  readonly files: readonly BulkFile[];
}

export interface JobList {
  readonly jobs: readonly JobRow[];
  readonly total: number;
  readonly owner: string;
}

export interface BulkService {
  /**
   * Starts an export, and returns the guid of the job.
   * @throws ServiceError `validation_error`, `forbidden`, `rate_limited`
   */
  startExport(caller: Caller, ask: ExportInput): Promise<string>;
  /**
   * Starts an import. Resolves when the whole body is stored.
   * @throws ServiceError `forbidden`, `rate_limited`, `invalid_request` …
   */
  startImport(caller: Caller, url: string, body: AsyncIterable<Buffer>): Promise<string>;
  /**
   * @throws ServiceError `not_found` for a job of another caller, unless an admin asks; `forbidden` when the caller may
   * no longer read all of the export
   */
  find(principal: Principal, kind: JobKind, guid: string): Promise<JobView>;
  /** The caller's jobs, or everybody's for an admin; `owner` is the caller as jobs name it. */
  list(principal: Principal, page: { readonly limit: number; readonly offset: number }): Promise<JobList>;
  /**
   * Cancels a running job and deletes its files: it stays in the list alone. Any other is deleted with its files.
   * @throws ServiceError `not_found`
   */
  remove(caller: Caller, kind: JobKind, guid: string): Promise<void>;
}

/** How many unfinished jobs a caller may have. */
const MAX_UNFINISHED = 3;
const RETRY_SECONDS = 60;

export function createBulkService(deps: BulkDependencies & { readonly wake: () => void }): BulkService {
  const { database, clock, wake } = deps;
  return {
    startExport: async (caller, ask) => {
      const guid = await startExport(caller, ask, deps);
      wake();
      return guid;
    },
    startImport: async (caller, url, body) => {
      requireImporter(caller.principal);
      const guid = await database.transaction((tx) =>
        startJob(tx, caller, { kind: 'import', request: { url }, total: 0 }, deps),
      );
      try {
        await completeUpload(database, guid, await receiveInput(database, guid, body), new Date(clock.now()));
      } catch (error) {
        await deleteJob(database, guid);
        throw error;
      }
      wake();
      return guid;
    },
    find: async (principal, kind, guid) => {
      const view = await findOwn(principal, { kind, guid }, deps);
      if (view.job.state === 'cancelled') throw notFound(`$${kind}/${guid}`);
      if (kind === 'export') requireStillAllowed(principal, view);
      return view;
    },
    list: async (principal, page) => {
      const owner = ownerKey(principal);
      const whose = principal.roles.has('admin') ? undefined : owner;
      return { ...(await listJobs(database, { owner: whose, ...page })), owner };
    },
    remove: async (caller, kind, guid) => {
      const { principal } = caller;
      const { job } = await findOwn(principal, { kind, guid }, deps);
      if (job.state !== 'running') return void (await deleteJob(database, guid));
      if (await database.transaction((tx) => cancel(tx, job, caller, deps))) return;
      // It has ended meanwhile. Cancelled by another call it stays in the list.
      const ended = await findJob(database, guid, kind);
      if (ended?.state !== 'cancelled') await deleteJob(database, guid);
    },
  };
}

/** False for a job that does not run any more. */
async function cancel(
  tx: Transaction,
  job: JobRow,
  { principal, origin }: Caller,
  { audit, clock }: BulkDependencies,
): Promise<boolean> {
  const by = { by: ownerKey(principal), name: principal.name, at: new Date(clock.now()) };
  if (!(await cancelJob(tx, job.job_guid, by))) return false;
  await audit.record(tx, { ...jobEntry(job), action: 'D', event: 'bulk.cancel', principal, ...origin });
  return true;
}

async function startExport(caller: Caller, ask: ExportInput, deps: BulkDependencies): Promise<string> {
  const { principal } = caller;
  requireExporter(principal);
  const { database, store, clock } = deps;
  const request = readExportRequest(ask, { principal, store, now: clock.now() });
  // Wrong filters are refused here, and not by a job that fails later.
  const access = accessOf(principal);
  for (const resourceType of request.types) await lookUpFilters(database, { request, resourceType, access }, store);
  const counts = await countForExport(store.from(database, request.types), request.types);
  const types = request.types.filter((type) => (counts.get(type) ?? 0) > 0);
  const total = types.reduce((sum, type) => sum + (counts.get(type) ?? 0), 0);
  return database.transaction((tx) =>
    startJob(tx, caller, { kind: 'export', request: { ...request, types }, total, types: request.types }, deps),
  );
}

interface JobInput {
  readonly kind: 'export' | 'import';
  readonly request: unknown;
  readonly total: number;
  readonly types?: readonly string[];
}

/** @throws ServiceError `rate_limited` when the caller has too many unfinished jobs */
async function startJob(
  tx: Transaction,
  { principal, origin }: Caller,
  { kind, request, total, types = [] }: JobInput,
  { audit, clock }: BulkDependencies,
): Promise<string> {
  const owner = ownerKey(principal);
  if ((await countUnfinished(tx, owner)) >= MAX_UNFINISHED) {
    const message = `You have ${MAX_UNFINISHED} exports or imports under way; wait until one is done, or delete it`;
    throw new ServiceError('rate_limited', message, { retryAfterSeconds: RETRY_SECONDS });
  }
  const job = { kind, owner, principal: storePrincipal(principal), request, total };
  const state = kind === 'import' ? 'receiving' : 'running';
  const guid = await insertJob(tx, { ...job, state, at: new Date(clock.now()) });
  const entry = jobEntry({ ...job, job_guid: guid });
  await audit.record(tx, { ...entry, ...origin, entities: [...(entry.entities ?? []), ...types] });
  return guid;
}

/** @throws ServiceError `forbidden` when the caller may no longer read all that the export may contain */
function requireStillAllowed(principal: Principal, { job }: JobView): void {
  if (maySeeExport(requestOf(job), { principal, asked: restorePrincipal(job.principal) })) return;
  throw new ServiceError('forbidden', 'You may no longer read all that this export holds; ask for another one');
}

async function findOwn(
  principal: Principal,
  { kind, guid }: { readonly kind: JobKind; readonly guid: string },
  { database }: BulkDependencies,
): Promise<JobView> {
  const job = isGuid(guid) ? await findJob(database, guid, kind) : undefined;
  const isOwn = job?.owner === ownerKey(principal) || principal.roles.has('admin');
  if (job === undefined || !isOwn || job.state === 'receiving') throw notFound(`$${kind}/${guid}`);
  return { job, files: await listFiles(database, job.job_guid) };
}
