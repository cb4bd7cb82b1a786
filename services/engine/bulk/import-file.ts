// Imports a file for a command. The progress is stored in the database with the resources. The same file therefore
// continues where the last run ended.

import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { analyzeAfter } from '#fhir/bulk/analyze.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { sha256 } from '#lib/crypto/secret.ts';
import type { Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { unpacked } from '#lib/gzip/unpack.ts';
import { ownerKey, storePrincipal } from '../shared/principal-json.ts';
import {
  addCounts,
  type ImportCounts,
  type LineIssue,
  NO_COUNTS,
  prepareBatch,
  type WrittenBatch,
} from './import-batch.ts';
import { readCounts } from './import-job.ts';
import { runImport } from './import-run.ts';
import { jobEntry, recordPatients } from './job-audit.ts';
import {
  deleteJob,
  findJobOfSource,
  finishJob,
  holdJob,
  insertJob,
  type JobRow,
  moveJob,
  releaseJobs,
  takeJob,
} from './jobs.ts';
import { batchesOf, type ImportLine, linesOf } from './lines.ts';
import type { BulkDependencies } from './service.ts';

export interface FileImport {
  readonly path: string;
  readonly principal: Principal;
  /** Reads and validates only, without writing. */
  readonly isDryRun: boolean;
  /** Starts again from the beginning, also when the file was imported before. */
  readonly isAgain: boolean;
  readonly signal: AbortSignal;
  readonly onIssue: (refused: LineIssue) => void;
  readonly onProgress: (progress: { readonly lines: number; readonly share: number }) => void;
}

export interface FileReport {
  /** The counts of this run. */
  readonly counts: ImportCounts;
  /** How many lines earlier runs have imported. */
  readonly before: number;
  readonly lastLine: number;
  readonly isStopped: boolean;
  /** When an earlier run finished the import of the file. */
  readonly doneAt?: Date;
}

interface OpenFile {
  readonly batches: AsyncGenerator<{ readonly lines: readonly ImportLine[] }>;
  /** The part of the file that is read, from 0 to 1. */
  readonly share: () => number;
}

/** @throws Error when the file cannot be read, or another command is importing it */
export async function importFile(given: FileImport, deps: BulkDependencies): Promise<FileReport> {
  if (given.isDryRun) return checkFile(given, deps);
  const { database } = deps;
  const source = await sourceOf(given.path);
  if (given.isAgain) await deleteProgress(source, deps);
  const job = (await findJobOfSource(database, source)) ?? (await begin(source, given, deps));
  const before = lineOf(job.checkpoint);
  if (job.finished_at !== null) {
    return { counts: NO_COUNTS, before, lastLine: before, isStopped: false, doneAt: job.finished_at };
  }
  const holder = newGuid();
  if (!(await takeJob(database, job.job_guid, holder))) {
    throw new Error(`${given.path} is being imported by another command; one that was killed is let go after a minute`);
  }
  try {
    return await continueImport({ job, holder, before, given }, deps);
  } finally {
    await releaseJobs(database, holder);
  }
}

interface RunningImport {
  readonly job: JobRow;
  readonly holder: string;
  readonly before: number;
  readonly given: FileImport;
}

async function continueImport(
  { job, holder, before, given }: RunningImport,
  deps: BulkDependencies,
): Promise<FileReport> {
  const { database, clock } = deps;
  const { signal, onIssue, onProgress, principal } = given;
  const { batches, share } = await openLines(given.path, before);
  let [counts, lastLine] = [NO_COUNTS, before];
  await runImport({
    database,
    context: { ...deps, principal },
    batches,
    note: (tx, { lines }, written) => saveProgress(tx, { job, holder, last: lines.at(-1)?.line ?? 0, written }, deps),
    onWritten: ({ lines }, written) => {
      counts = addCounts(counts, written.counts);
      lastLine = lines.at(-1)?.line ?? lastLine;
      for (const line of written.refused) onIssue(line);
      onProgress({ lines: lastLine - before, share: share() });
    },
    signal,
  });
  if (!signal.aborted) await finishJob(database, job.job_guid, { at: new Date(clock.now()) });
  await analyzeAfter(database, counts.created + counts.updated);
  return { counts, before, lastLine, isStopped: signal.aborted };
}

async function checkFile(
  { path, principal, signal, onIssue, onProgress }: FileImport,
  deps: BulkDependencies,
): Promise<FileReport> {
  const { batches, share } = await openLines(path, 0);
  let [counts, lastLine] = [NO_COUNTS, 0];
  for await (const { lines } of batches) {
    if (signal.aborted) break;
    const { valid, refused } = await prepareBatch(lines, { ...deps, principal });
    counts = { ...counts, created: counts.created + valid.length, faults: counts.faults + refused.length };
    lastLine = lines.at(-1)?.line ?? lastLine;
    for (const line of refused) onIssue(line);
    onProgress({ lines: lastLine, share: share() });
    // Lets the signal handler run, so that the command can be stopped.
    await new Promise(setImmediate);
  }
  return { counts, before: 0, lastLine, isStopped: signal.aborted };
}

/** Returns a key that is the same as long as the file does not change. */
async function sourceOf(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file);
  return sha256(JSON.stringify([await realpath(file), size, mtimeMs])).toString('hex');
}

async function deleteProgress(source: string, { database }: BulkDependencies): Promise<void> {
  const job = await findJobOfSource(database, source);
  if (job !== undefined) await deleteJob(database, job.job_guid);
}

async function begin(source: string, { path, principal }: FileImport, deps: BulkDependencies): Promise<JobRow> {
  const { database, audit, clock } = deps;
  await database.transaction(async (tx) => {
    const owner = { owner: ownerKey(principal), principal: storePrincipal(principal) };
    const { size } = await stat(path);
    const at = new Date(clock.now());
    const job = {
      ...owner,
      kind: 'file-import' as const,
      state: 'running' as const,
      request: { path },
      total: size,
      at,
      source,
    };
    await audit.record(tx, jobEntry({ ...job, job_guid: await insertJob(tx, job) }));
  });
  const job = await findJobOfSource(database, source);
  if (job === undefined) throw new Error('The import that was just begun is gone');
  return job;
}

/** Yields the lines after those that are imported. */
async function openLines(file: string, done: number): Promise<OpenFile> {
  const { size } = await stat(file);
  const raw = createReadStream(file, { highWaterMark: 256 * 1024 });
  const bytes = file.endsWith('.gz') ? unpackedFile(raw) : raw;
  const rest = async function* () {
    for await (const line of linesOf(bytes)) if (line.line > done) yield line;
  };
  const batches = async function* () {
    for await (const lines of batchesOf(rest())) yield { lines };
  };
  return { batches: batches(), share: () => raw.bytesRead / Math.max(1, size) };
}

async function* unpackedFile(raw: Readable): AsyncGenerator<Buffer> {
  try {
    yield* unpacked(raw);
  } finally {
    raw.destroy();
  }
}

function lineOf(checkpoint: unknown): number {
  const { line } = { line: 0, ...(checkpoint as { line?: number }) };
  return line;
}

interface ImportedLines {
  readonly job: JobRow;
  readonly holder: string;
  /** The number of the last line of the batch. */
  readonly last: number;
  readonly written: WrittenBatch;
}

async function saveProgress(
  tx: Transaction,
  { job, holder, last, written }: ImportedLines,
  { clock }: BulkDependencies,
): Promise<void> {
  const held = await holdJob(tx, job.job_guid, holder);
  if (held === undefined) throw new Error('Another command has taken the import over');
  await recordPatients(tx, clock, { job, patients: written.patients });
  const counts = addCounts(readCounts(held.counts), written.counts);
  await moveJob(tx, job.job_guid, { checkpoint: { line: last }, counts, done: last });
}
