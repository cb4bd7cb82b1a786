// The import of users from a CSV file (contract: identity, Admin; decision I13): batch by batch, without stopping at a
// error.
import type { FileHandle } from 'node:fs/promises';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Secret } from '#lib/config/secret.ts';
import type { CsvRecord } from '#lib/csv/csv-reader.ts';
import { judgeTemporaryPassword, makeTemporaryPassword, requireImportPassword } from '../temporary-password.ts';
import { type BatchOptions, type ImportMemory, importBatch } from './batch.ts';
import type { Places } from './columns.ts';
import { checkFile, readRecords } from './file.ts';
import type { RowIssue } from './judge.ts';
import { brokenRow, type Row, readRow } from './row.ts';
import type { BatchDeps, Requester } from './write-users.ts';

export type { RowIssue } from './judge.ts';

/** How an import is to be done and who follows it. */
export interface ImportOptions {
  readonly isDryRun?: boolean;
  /** Whether missing organisations and groups are made. */
  readonly mayMake?: boolean;
  /** Ends the import after the batch under way. */
  readonly signal?: AbortSignal;
  onIssue(issue: RowIssue): void;
  /** Told after each batch. */
  onProgress?(progress: ImportProgress): void;
}

export interface ImportProgress {
  /** How much of the file is read. */
  readonly bytes: number;
  readonly totalBytes: number;
  readonly report: ImportReport;
}

export interface ImportReport {
  readonly rows: number;
  readonly created: number;
  readonly skipped: number;
  /** Errors told; a row may have several. */
  readonly issues: number;
  readonly organisationsMade: number;
  readonly groupsMade: number;
  /** The line of the last row that counted. */
  readonly lastLine: number;
  /** Whether it was ended by its signal before the end of the file. */
  readonly isStopped: boolean;
}

export interface ImportDeps extends BatchDeps {
  readonly passwords: PasswordHasher;
  /** The temporary password; without it nobody can be imported. */
  readonly importPassword: Secret | undefined;
}

const BATCH = 1000;
/**
 * Imports the file. @throws ServiceError `validation_error` when it is no list of users, `conflict` without a temporary
 * password; what stops it later leaves the batches before as they are.
 */
export async function importUsers(
  deps: ImportDeps,
  file: FileHandle,
  options: ImportOptions & { readonly requester: Requester },
): Promise<ImportReport> {
  requireImportPassword(deps.importPassword);
  const { places, bytes: totalBytes } = await checkFile(file);
  // One password for all by contract, and so one hash.
  const { passwordHash: hash, expiresAt } = await makeTemporaryPassword(deps);
  const tally = createTally(deps, options, { hash, expiresAt });
  let batch: Row[] = [];
  for await (const { records, bytes } of readRecords(file)) {
    for (const record of records) {
      if (isBlank(record)) continue;
      batch.push(toRow(record, places, deps.clock.now()));
      if (batch.length < BATCH) continue;
      await tally.add(batch);
      batch = [];
      options.onProgress?.({ bytes, totalBytes, report: tally.report(false) });
      if (options.signal?.aborted) return tally.report(true);
    }
  }
  await tally.add(batch);
  options.onProgress?.({ bytes: totalBytes, totalBytes, report: tally.report(false) });
  return tally.report(false);
}

/** Runs batches and adds up what came of them. */
function createTally(
  deps: ImportDeps,
  options: ImportOptions & { readonly requester: Requester },
  password: BatchOptions['password'],
) {
  const { requester, isDryRun = false, mayMake = false, onIssue } = options;
  const passwordIssue = judgeTemporaryPassword(deps.importPassword);
  const memory: ImportMemory = { emails: new Map(), numbers: new Map(), pretended: new Set() };
  const sum = { rows: 0, created: 0, skipped: 0, issues: 0, organisationsMade: 0, groupsMade: 0, lastLine: 1 };
  return {
    async add(rows: readonly Row[]): Promise<void> {
      if (rows.length === 0) return;
      const outcome = await importBatch(deps, rows, memory, { requester, isDryRun, mayMake, password, passwordIssue });
      sum.rows += rows.length;
      sum.created += outcome.created;
      sum.skipped += outcome.skipped;
      sum.issues += outcome.issues.length;
      sum.organisationsMade += outcome.organisationsMade;
      sum.groupsMade += outcome.groupsMade;
      sum.lastLine = rows.at(-1)?.line ?? sum.lastLine;
      outcome.issues.forEach(onIssue);
    },
    report: (isStopped: boolean): ImportReport => ({ ...sum, isStopped }),
  };
}

/** Spreadsheets end with rows of nothing but commas. */
function isBlank({ cells, issue }: CsvRecord): boolean {
  return issue === undefined && cells.every((cell) => cell.trim() === '');
}

function toRow(record: CsvRecord, places: Places, now: number): Row {
  if (record.issue !== undefined) return brokenRow(record, places, record.issue);
  const expected = Object.keys(places).length;
  const { length } = record.cells;
  if (length === expected) return readRow(record, places, now);
  return brokenRow(record, places, `the row has ${length} cells, the header ${expected}`);
}
