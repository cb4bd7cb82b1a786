// Imports users from a CSV file (contract: identity, Admin; decision I13), batch by batch. An error in a row does not
// stop it.
import type { FileHandle } from 'node:fs/promises';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Secret } from '#lib/config/secret.ts';
import type { CsvRecord } from '#lib/csv/csv-reader.ts';
import { checkTemporaryPassword, createTemporaryPassword, requireImportPassword } from '../temporary-password.ts';
import { type BatchOptions, type ImportState, importBatch } from './batch.ts';
import type { ColumnIndexes } from './columns.ts';
import { checkFile, readRecords } from './file.ts';
import { brokenRow, type Row, readRow } from './row.ts';
import type { RowIssue } from './validate-rows.ts';
import type { BatchDeps, Requester } from './write-users.ts';

export type { RowIssue } from './validate-rows.ts';

/** The options of an import. */
export interface ImportOptions {
  readonly isDryRun?: boolean;
  /** Whether missing organisations and groups are created. */
  readonly mayCreate?: boolean;
  /** Stops the import after the present batch. */
  readonly signal?: AbortSignal;
  onIssue(issue: RowIssue): void;
  /** Called with the line of each row whose address has an account or comes again. */
  onSkipped?(line: number): void;
  /** Called after each batch. */
  onProgress?(progress: ImportProgress): void;
}

export interface ImportProgress {
  /** The number of bytes that were read. */
  readonly bytes: number;
  readonly totalBytes: number;
  readonly report: ImportReport;
}

export interface ImportReport {
  readonly rows: number;
  readonly created: number;
  readonly skipped: number;
  /** The number of reported errors; a row may have several. */
  readonly issues: number;
  readonly organisationsMade: number;
  readonly groupsMade: number;
  /** The line of the last committed row. */
  readonly lastLine: number;
  /** Whether the signal stopped it before the end of the file. */
  readonly isStopped: boolean;
}

export interface ImportDeps extends BatchDeps {
  readonly passwords: PasswordHasher;
  /** The temporary password; without it no import is possible. */
  readonly importPassword: Secret | undefined;
}

const BATCH = 1000;
/**
 * Imports the file. Batches that are committed stay when a later error ends the import.
 * @throws ServiceError `validation_error` when the file is not a list of users, `conflict` without a temporary password
 */
export async function importUsers(
  deps: ImportDeps,
  file: FileHandle,
  options: ImportOptions & { readonly requester: Requester },
): Promise<ImportReport> {
  requireImportPassword(deps.importPassword);
  const { places, bytes: totalBytes } = await checkFile(file);
  // The contract has one password for all, so one hash is enough.
  const { passwordHash: hash, expiresAt } = await createTemporaryPassword(deps);
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

/** Runs batches and adds up their outcomes. */
function createTally(
  deps: ImportDeps,
  options: ImportOptions & { readonly requester: Requester },
  password: BatchOptions['password'],
) {
  const { requester, isDryRun = false, mayCreate = false, onIssue, onSkipped } = options;
  const passwordIssue = checkTemporaryPassword(deps.importPassword);
  const state: ImportState = { emails: new Map(), numbers: new Map(), wouldExist: new Set() };
  const sum = { rows: 0, created: 0, skipped: 0, issues: 0, organisationsMade: 0, groupsMade: 0, lastLine: 1 };
  return {
    async add(rows: readonly Row[]): Promise<void> {
      if (rows.length === 0) return;
      const outcome = await importBatch(deps, rows, state, {
        requester,
        isDryRun,
        mayCreate,
        password,
        passwordIssue,
      });
      sum.rows += rows.length;
      sum.created += outcome.created;
      sum.skipped += outcome.skipped;
      sum.issues += outcome.issues.length;
      sum.organisationsMade += outcome.organisationsMade;
      sum.groupsMade += outcome.groupsMade;
      sum.lastLine = rows.at(-1)?.line ?? sum.lastLine;
      outcome.issues.forEach(onIssue);
      for (const line of outcome.skippedLines) onSkipped?.(line);
    },
    report: (isStopped: boolean): ImportReport => ({ ...sum, isStopped }),
  };
}

/** Spreadsheets often end with rows of commas only. */
function isBlank({ cells, issue }: CsvRecord): boolean {
  return issue === undefined && cells.every((cell) => cell.trim() === '');
}

function toRow(record: CsvRecord, places: ColumnIndexes, now: number): Row {
  if (record.issue !== undefined) return brokenRow(record, places, record.issue);
  const expected = Object.keys(places).length;
  const { length } = record.cells;
  if (length === expected) return readRow(record, places, now);
  return brokenRow(record, places, `the row has ${length} cells, the header ${expected}`);
}
