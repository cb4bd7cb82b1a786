// `kedja fhir export`: runs the engine's export job and writes its files to a folder, each complete or not at all.
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { BulkFile } from '#services/engine/bulk/files.ts';
import type { BulkCommands } from '#services/engine/bulk/standalone.ts';
import { operator } from './operator.ts';
import { createProgress } from './progress.ts';
import { writeWhole } from './whole-file.ts';

const STOPPED = 130;

export interface ExportCommand {
  readonly kind: 'export';
  readonly folder: string;
  readonly types: readonly string[];
  readonly since: string | undefined;
}

/** Returns the exit code. */
export async function exportToFolder(
  bulk: BulkCommands,
  { folder, types, since }: ExportCommand,
  signal: AbortSignal,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty; name a new or empty folder`);
  const parameters = new URLSearchParams(since === undefined ? {} : { _since: since });
  if (types.length > 0) parameters.set('_type', types.join(','));
  const progress = createProgress(process.stderr);
  const guid = await bulk.startExport(operator(), parameters);
  try {
    await bulk.work(guid, signal, ({ done, total }) => progress.show(done, done / Math.max(1, total)));
    const files = (await bulk.files(guid)).filter(({ kind }) => kind === 'output' || kind === 'deleted');
    for (const file of files) {
      if (signal.aborted) break;
      await writeWhole(Readable.from(bulk.bytes(guid, file)), path.join(folder, nameOf(file, files)), signal);
    }
    progress.clear();
    if (!signal.aborted) return printSummary(files);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    progress.clear();
    await bulk.forget(guid);
  }
  console.error('Stopped: what is in the folder is not complete.');
  return STOPPED;
}

/** `Observation.1.ndjson`; deletions are in `deleted.1.ndjson`. */
function nameOf(file: BulkFile, files: readonly BulkFile[]): string {
  const same = files.filter(({ kind, type }) => kind === file.kind && type === file.type);
  return `${file.kind === 'deleted' ? 'deleted' : file.type}.${same.indexOf(file) + 1}.ndjson`;
}

function printSummary(files: readonly BulkFile[]): number {
  const sum = (kind: BulkFile['kind']) =>
    files.filter((file) => file.kind === kind).reduce((total, { resources }) => total + resources, 0);
  const deleted = sum('deleted');
  const gone = deleted === 0 ? '' : `, ${deleted.toLocaleString('en')} deleted`;
  console.error(`${sum('output').toLocaleString('en')} resources exported${gone}.`);
  return 0;
}
