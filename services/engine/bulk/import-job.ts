// Runs an import that was sent to POST /$import. Its input is stored in the database in parts, and each part is one
// batch. The node with the lease continues after the last committed part.

import { analyzeAfter } from '#fhir/bulk/analyze.ts';
import { outcomeOfIssues } from '#fhir/resources/operation-outcome.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { BackPressure } from '#lib/audit/back-pressure.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import type { Issue } from '#lib/errors.ts';
import type { CurrentRights } from '../shared/current-rights.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import { addPart, readPart, removePart, toLines } from './files.ts';
import { addCounts, type ImportCounts, type LineIssue, NO_COUNTS, type WrittenBatch } from './import-batch.ts';
import { runImport } from './import-run.ts';
import { recordPatients } from './job-audit.ts';
import { requireRightsNow } from './job-rights.ts';
import { findJob, finishJob, holdJob, type JobRow, moveJob } from './jobs.ts';
import { type ImportLine, linesOf } from './lines.ts';

export interface ImportJobDependencies {
  readonly database: Database;
  readonly store: FhirStore;
  readonly clock: Clock;
  readonly rights: CurrentRights;
  readonly workerThreads?: WorkerThreads | undefined;
  readonly backlog?: BackPressure;
}

/** The file of a job that holds its input. */
const INPUT_FILE = 1;

interface Place {
  /** The offset of the next part in bytes. */
  readonly start: number;
  /** The number of its first line. */
  readonly line: number;
}

interface PartBatch {
  readonly lines: readonly ImportLine[];
  readonly place: Place;
  readonly next: Place;
}

class LostJob extends Error {}

/** Works on the job until it is done, taken by another node, cancelled, or aborted by the signal. */
export async function workOnImport(
  job: JobRow,
  deps: ImportJobDependencies,
  { holder, signal }: { readonly holder: string; readonly signal: AbortSignal },
): Promise<void> {
  const { database, clock } = deps;
  const guid = job.job_guid;
  const context = { ...deps, principal: restorePrincipal(job.principal) };
  const note = (tx: Transaction, batch: PartBatch, written: WrittenBatch) =>
    saveBatch(tx, { job, holder, batch, written }, deps);
  try {
    await runImport({
      database,
      context,
      batches: partsOf(job, deps, signal),
      note,
      onWritten: () => undefined,
      signal,
    });
  } catch (error) {
    if (error instanceof LostJob) return;
    throw error;
  }
  if (signal.aborted) return;
  const { counts } = (await findJob(database, guid, 'import')) ?? job;
  const { created, updated } = readCounts(counts);
  await analyzeAfter(database, created + updated);
  await finishJob(database, guid, { at: new Date(clock.now()) });
}

async function* partsOf(
  job: JobRow,
  { database, rights, backlog }: ImportJobDependencies,
  signal: AbortSignal,
): AsyncGenerator<PartBatch> {
  const { job_guid, checkpoint } = job;
  let place = readPlace(checkpoint);
  for (;;) {
    const part = await readPart(database, { job: job_guid, file: INPUT_FILE, start: place.start });
    if (part === undefined) return;
    await requireRightsNow(job, rights);
    await backlog?.pause(signal);
    const lines = await Array.fromAsync(linesOf([part.content], place.line));
    const next = { start: place.start + part.content.length, line: place.line + lines.length };
    yield { lines, place, next };
    place = next;
  }
}

function readPlace(checkpoint: unknown): Place {
  const { start, line } = { start: 0, line: 1, ...(checkpoint as Partial<Place>) };
  return { start, line };
}

interface ImportedBatch {
  readonly job: JobRow;
  readonly holder: string;
  readonly batch: PartBatch;
  readonly written: WrittenBatch;
}

async function saveBatch(
  tx: Transaction,
  { job, holder, batch, written }: ImportedBatch,
  { clock }: ImportJobDependencies,
): Promise<void> {
  const guid = job.job_guid;
  const held = await holdJob(tx, guid, holder);
  if (held === undefined || readPlace(held.checkpoint).start !== batch.place.start) throw new LostJob();
  await recordPatients(tx, clock, { job, patients: written.patients });
  const outcomes = written.refused.map((line) => JSON.stringify(outcomeOfLine(line)));
  await addPart(tx, { job: guid, kind: 'error', type: 'OperationOutcome', ...toLines(outcomes) });
  await removePart(tx, { job: guid, file: INPUT_FILE, start: batch.place.start });
  const counts = addCounts(readCounts(held.counts), written.counts);
  await moveJob(tx, guid, { checkpoint: batch.next, counts, done: batch.next.start });
}

export function readCounts(counts: Readonly<Record<string, number>>): ImportCounts {
  return { ...NO_COUNTS, ...counts };
}

/** Returns the issues of one line, each with the line number. */
function outcomeOfLine({ line, resource, issues }: LineIssue): object {
  const place = resource === '' ? `line ${line}` : `line ${line}, ${resource}`;
  const named: Issue[] = issues.map((issue) => ({ ...issue, message: `${place}: ${issue.message}` }));
  return outcomeOfIssues(named);
}
