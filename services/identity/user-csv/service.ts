// Export and import of users as CSV (contract: identity, Admin; decision I13): import accepts what export writes. The
// endpoints and the command `kedja users` both use it.
import type { FileHandle } from 'node:fs/promises';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { requireImportPassword } from '../temporary-password.ts';
import { type ExportChunk, exportUsers } from './export.ts';
import { type ImportDeps, type ImportOptions, type ImportReport, importUsers } from './import.ts';
import type { Requester } from './write-users.ts';

export type { ImportReport, RowIssue } from './import.ts';
export type { Requester } from './write-users.ts';

export interface UserCsv {
  /** @throws ServiceError `conflict` when there is no temporary password, which an import requires */
  requireReady(): void;
  /**
   * Imports the users of an open file, in batches of whole users; the temporary password works for 72 hours.
   * @throws ServiceError `validation_error` when the file is no list of users, `conflict` without a temporary password
   */
  importFile(requester: Requester, file: FileHandle, options: ImportOptions): Promise<ImportReport>;
  /** The file, in pieces. */
  exportAll(requester: Omit<Requester, 'decidedBy'>): AsyncGenerator<ExportChunk>;
}

const NOTHING: ImportReport = {
  rows: 0,
  created: 0,
  skipped: 0,
  issues: 0,
  organisationsMade: 0,
  groupsMade: 0,
  lastLine: 1,
  isStopped: true,
};

export function createUserCsv(deps: ImportDeps): UserCsv {
  const { database, audit } = deps;

  async function importFile(requester: Requester, file: FileHandle, options: ImportOptions): Promise<ImportReport> {
    let latest = NOTHING;
    const record = (report: ImportReport) =>
      database.transaction((tx) => audit.record(tx, entryOf(requester, report, options.isDryRun === true)));
    try {
      const report = await importUsers(deps, file, {
        ...options,
        requester,
        onProgress: (progress) => {
          latest = progress.report;
          options.onProgress?.(progress);
        },
      });
      await record(report);
      return report;
    } catch (error) {
      // The failure itself is reported, whether or not it can be recorded as well.
      await record({ ...latest, isStopped: true }).catch(() => undefined);
      throw error;
    }
  }

  return {
    requireReady: () => void requireImportPassword(deps.importPassword),
    importFile,
    exportAll: (requester) => exportUsers(deps, requester),
  };
}

function entryOf({ decidedBy: _, ...requester }: Requester, report: ImportReport, isDryRun: boolean): AuditEntry {
  const counts = `created ${report.created}, skipped ${report.skipped}, errors ${report.issues}`;
  const detail = [counts, ...(isDryRun ? ['dry run'] : []), ...(report.isStopped ? ['broken off'] : [])].join('; ');
  const outcome = report.isStopped ? 'failure' : 'success';
  return { action: 'E', event: 'users.import', outcome, detail, ...requester };
}
