// The turns of an export: each writes pages of resources, one after the other, as parts of files. A part commits
// together with the key where the next page begins. After a crash another node continues, with no line missing or
// repeated.

import { type ExportLines, readExportLines } from '#fhir/bulk/export-lines.ts';
import { hasOlderWrites } from '#fhir/bulk/export-page.ts';
import { newPatientsIn } from '#fhir/bulk/patients-in-lines.ts';
import { r5Definitions } from '#fhir/definitions/definitions.ts';
import { type SubsetRequest, subsetText } from '#fhir/rest/subset.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Access } from '#fhir/store/access.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { isLong } from '#fhir/store/threads.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { readErasureMark } from '#lib/erasure/store.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import { isStandbyFailure, type ReadReplicas } from '#lib/replicas/read-replicas.ts';
import type { CurrentRights } from '../shared/current-rights.ts';
import { accessOf } from '../shared/policies.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import { type ExportRequest, requestOf } from './export-request.ts';
import { addPart, toBytes, toLines } from './files.ts';
import { findNewPatients, recordPatients } from './job-audit.ts';
import { requireRightsNow } from './job-rights.ts';
import { finishJob, holdJob, type JobRow, moveJob, postponeJob, RENEW_EVERY_MS, renewLease } from './jobs.ts';

export interface ExportDependencies {
  readonly database: Database;
  /** Where pages are read; from the database when left out. */
  readonly replicas?: ReadReplicas | undefined;
  readonly store: FhirStore;
  readonly clock: Clock;
  readonly rights: CurrentRights;
  /** For long resources. All are read on the event loop when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
}

/**
 * Longer than a write may wait for its connection. A write with a time before the export has begun its transaction by
 * then, and the export waits for that transaction.
 */
export const SETTLE_MS = 4_000;
const AGAIN_MS = 500;

interface Place {
  /** The index of the type, and the last key of that type that is exported. */
  readonly type: number;
  readonly after: string | null;
  readonly isSettled: boolean;
}

/** So long a job is worked on before another one gets its turn, in milliseconds. */
const TURN_MS = 1_000;

export interface ExportTurn {
  /** Aborted when the turn is to end after the current page. */
  readonly signal: AbortSignal;
  /** Resolves when a page may be read. */
  readonly pause?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** How often the lease is renewed, in milliseconds; {@link RENEW_EVERY_MS} when left out. */
  readonly renewEveryMs?: number;
}

/**
 * Writes some pages of a claimed job, for a second or until the signal is aborted. The next page is read while one is
 * packed and written. It does nothing when another node holds the job by now. The lease is renewed meanwhile: a page
 * may take longer than one, and nodes that take the job from each other would read it again and again.
 */
export async function exportTurn(
  job: JobRow,
  holder: string,
  { signal, pause, renewEveryMs = RENEW_EVERY_MS, ...deps }: ExportDependencies & ExportTurn,
): Promise<void> {
  const { database, clock } = deps;
  if (!placeOf(job).isSettled && !(await isSettled(requestOf(job), deps))) {
    await postponeJob(database, job.job_guid, new Date(clock.now() + AGAIN_MS));
    return;
  }
  const until = performance.now() + TURN_MS;
  let writing: Promise<boolean> | undefined;
  const renewal = setInterval(() => {
    // A later one may succeed. Without the database no other node takes the job.
    renewLease(database, job.job_guid, holder).catch(() => undefined);
  }, renewEveryMs);
  try {
    for (let place = placeOf(job); ; ) {
      await pause?.(signal);
      await requireRightsNow(job, deps.rights);
      const page = await readPageAt(job, place, deps);
      if (writing !== undefined && !(await writing)) return;
      writing = writePage({ job, holder, place, page }, deps);
      // The promise is always awaited later. Until then its rejection must not count as unhandled.
      writing.catch(() => undefined);
      if (page === undefined || signal.aborted || performance.now() >= until) return;
      place = placeAfter(place, page);
    }
  } finally {
    clearInterval(renewal);
    await writing;
  }
}

async function isSettled({ at }: ExportRequest, { database, clock }: ExportDependencies): Promise<boolean> {
  if (clock.now() < at + SETTLE_MS) return false;
  // By the clock of the database, because the transactions are the database's.
  const { rows } = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const waited = Math.max(0, clock.now() - at - SETTLE_MS);
  return !(await hasOlderWrites(database, new Date((rows[0]?.now ?? new Date()).getTime() - waited)));
}

/** Returns undefined when all types are exported. */
async function readPageAt(
  job: JobRow,
  { type, after }: Place,
  deps: ExportDependencies,
): Promise<TypedPage | undefined> {
  const request = requestOf(job);
  const resourceType = request.types[type];
  if (resourceType === undefined) return undefined;
  return { resourceType, ...(await readPageFrom({ job, request, resourceType, after }, deps)) };
}

function placeAfter({ type }: Place, { lines: { last } }: TypedPage): Place {
  const next = last === null ? { type: type + 1, after: null } : { type, after: last };
  return { ...next, isSettled: true };
}

interface PageToWrite {
  readonly job: JobRow;
  readonly holder: string;
  readonly place: Place;
  /** Undefined ends the job. */
  readonly page: TypedPage | undefined;
}

/**
 * Returns whether the job goes on: false when it is done, or no longer held at this place. When something was erased
 * since the page was read, the page is read again later.
 */
function writePage({ job, holder, place, page }: PageToWrite, deps: ExportDependencies): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const held = await holdJob(tx, job.job_guid, holder);
    if (held === undefined || !isAt(held, place)) return false;
    if (page === undefined) {
      await finishJob(tx, job.job_guid, { at: new Date(deps.clock.now()) });
      return false;
    }
    // A later one waits for this transaction, and then removes the job (lib/erasure/settled.ts).
    if ((await readErasureMark(tx)) !== page.erasures) {
      await postponeJob(tx, job.job_guid, new Date(deps.clock.now() + AGAIN_MS));
      return false;
    }
    const added = await addPage(tx, held, page, deps);
    await moveJob(tx, job.job_guid, {
      checkpoint: placeAfter(place, page),
      counts: { resources: (held.counts['resources'] ?? 0) + added },
      done: held.done + page.lines.scanned,
    });
    return true;
  });
}

/** A lease may have run out while a page was read: then another node may have written it. */
function isAt(job: JobRow, { type, after }: Place): boolean {
  const place = placeOf(job);
  return place.type === type && place.after === after;
}

interface TypedPage extends MarkedLines {
  readonly resourceType: string;
}

interface MarkedLines {
  readonly lines: ExportLines;
  /** What had been erased on that server before the page was read. */
  readonly erasures: string;
}

interface PageOf {
  readonly job: JobRow;
  readonly request: ExportRequest;
  readonly resourceType: string;
}

interface PageAfter extends PageOf {
  readonly after: string | null;
}

/**
 * Reads the page from a standby, or from the primary where none is up to date or the standby fails. All that was
 * written before the moment of the export must be there.
 */
async function readPageFrom(wanted: PageAfter, deps: ExportDependencies): Promise<MarkedLines> {
  const { database, replicas } = deps;
  const standby = await replicas?.whole();
  if (standby === undefined) return readPage(database, wanted, deps);
  try {
    return await readPage(standby.db, wanted, deps);
  } catch (error) {
    if (!isStandbyFailure(error)) throw error;
    replicas?.repeated('failed');
    return readPage(database, wanted, deps);
  }
}

async function readPage(
  db: Queryable,
  { job, request, resourceType, after }: PageAfter,
  { store, workerThreads }: ExportDependencies,
): Promise<MarkedLines> {
  const erasures = await readErasureMark(db);
  const { at, since, patients } = request;
  const access = accessOf(restorePrincipal(job.principal));
  const query = {
    resourceType,
    at: new Date(at),
    since: since === undefined ? undefined : new Date(since),
    patients,
    filters: await lookUpFilters(db, { request, resourceType, access }, store),
    after,
  };
  const reading = { access, parameters: store.parameters, workerThreads };
  return { lines: await readExportLines(store.from(db, [resourceType]), query, reading), erasures };
}

/**
 * Returns the searches of `_typeFilter` for a type. The value sets and lists that they name are resolved with the
 * caller's access.
 * @throws ServiceError `validation_error` for an unknown one
 */
export async function lookUpFilters(
  db: Queryable,
  { request, resourceType, access }: Pick<PageOf, 'request' | 'resourceType'> & { readonly access: Access },
  store: FhirStore,
): Promise<SearchQuery[]> {
  const found: SearchQuery[] = [];
  for (const text of request.filters[resourceType] ?? []) {
    found.push(await store.lookUp(db, store.parse(resourceType, new URLSearchParams(text)), { access }));
  }
  return found;
}

/** Returns how many resources were written to the files. */
async function addPage(
  tx: Transaction,
  job: JobRow,
  { resourceType, lines: page }: TypedPage,
  { store, clock, workerThreads }: ExportDependencies,
): Promise<number> {
  const file = { job: job.job_guid, type: resourceType };
  const texts = await partsOf(page.texts, requestOf(job).elements, workerThreads);
  await addPart(tx, { ...file, kind: 'output', content: toBytes(texts), resources: page.resources });
  await addPart(tx, { ...file, kind: 'deleted', type: 'Bundle', ...toLines(page.deleted.map(deletionText)) });
  const reading = { parameters: store.parameters, workerThreads };
  const patients = await newPatientsIn(page, (ids) => findNewPatients(tx, job.job_guid, ids), reading);
  await recordPatients(tx, clock, { job, patients });
  return page.resources;
}

/** Returns the lines with the requested elements: of long resources in a thread, of the others in slices. */
async function partsOf(
  texts: readonly string[],
  elements: readonly string[],
  workerThreads: WorkerThreads | undefined,
): Promise<readonly string[]> {
  if (elements.length === 0) return texts;
  const subset: SubsetRequest = { summary: 'false', elements };
  const slices = createSlices();
  const parts: string[] = [];
  for (const text of texts.flatMap((lines) => lines.split('\n').slice(0, -1))) {
    const isInThread = workerThreads !== undefined && isLong({ text });
    const part = isInThread
      ? await workerThreads.subset(text, subset, workerThreads.patientBudget(undefined))
      : subsetText(text, subset, r5Definitions());
    parts.push(`${part}\n`);
    await slices.rest();
  }
  return parts;
}

/** Returns a transaction Bundle that repeats the deletions in a copy. */
function deletionText({ resourceType, id }: StoredVersion): string {
  const request = { method: 'DELETE', url: `${resourceType}/${id}` };
  return JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry: [{ request }] });
}

function placeOf({ checkpoint }: JobRow): Place {
  return { type: 0, after: null, isSettled: false, ...(checkpoint as Partial<Place>) };
}
