// Bulk exports and imports for commands. They work directly on the engine's database, and the engine need not run.
import { createAudit } from '#lib/audit/audit.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { EngineStore } from '../engine-store.ts';
import { exportTurn } from './export-job.ts';
import { type BulkFile, listFiles, readBytes } from './files.ts';
import { type FileImport, type FileReport, importFile } from './import-file.ts';
import { claimJob, deleteJob, findJob, type JobRow, releaseJobs } from './jobs.ts';
import { createBulkService } from './service.ts';

export interface BulkCommands {
  importFile(given: FileImport): Promise<FileReport>;
  /** Starts an export of everything, or of some types or of changes since a time. Returns its guid. */
  startExport(principal: Principal, given: URLSearchParams): Promise<string>;
  /** Works on the export until it is done. A running engine may work on it at the same time. */
  work(guid: string, signal: AbortSignal, onProgress: (job: JobRow) => void): Promise<void>;
  files(guid: string): Promise<readonly BulkFile[]>;
  bytes(guid: string, file: BulkFile): AsyncGenerator<Buffer>;
  forget(guid: string): Promise<void>;
  close(): Promise<void>;
}

const WAIT_MS = 200;

export async function openBulk(
  { store, node, profileNode, terminologyNode, conceptNode }: EngineStore,
  given: { readonly database: Database; readonly clock: Clock; readonly log: Logger },
): Promise<BulkCommands> {
  const { database, clock } = given;
  const followers = [node, profileNode, terminologyNode, conceptNode];
  await Promise.all(followers.map((each) => each.start()));
  // Only jobs of commands run here. Rights are not checked again, because an operator of the machine started them.
  const rights = async (principal: Principal) => principal;
  const deps = { ...given, store, rights, audit: createAudit({ database, clock, service: 'engine' }) };
  const bulk = createBulkService({ ...deps, wake: () => undefined });
  const holder = newGuid();
  return {
    importFile: (file) => importFile(file, deps),
    startExport: (principal, parameters) =>
      bulk.startExport(
        { principal, origin: {} },
        { url: 'kedja fhir export', given: parameters, isStrict: true, level: 'system' },
      ),
    work: async (guid, signal, onProgress) => {
      while (!signal.aborted) {
        const claimed = await claimJob(database, { kind: 'export', holder, now: new Date(clock.now()), only: guid });
        if (claimed !== undefined) await exportTurn(claimed, holder, { ...deps, signal });
        const job = await findJob(database, guid, 'export');
        if (job === undefined) throw new Error('The export was deleted');
        if (job.state === 'cancelled') throw new Error('The export was cancelled');
        if (job.state === 'failed') throw new Error(job.fault ?? 'The export failed');
        if (job.state === 'done') return;
        onProgress(job);
        if (claimed === undefined) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      }
    },
    files: (guid) => listFiles(database, guid),
    bytes: (guid, { file, bytes }) => readBytes(database, { job: guid, file, start: 0, end: bytes }),
    forget: async (guid) => {
      await deleteJob(database, guid);
    },
    close: async () => {
      await releaseJobs(database, holder);
      await Promise.all(followers.map((each) => each.stop()));
    },
  };
}
