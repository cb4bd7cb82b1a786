// `kedja fhir import`: imports files, and prints errors of lines and the progress.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ImportCounts } from '#services/engine/bulk/import-batch.ts';
import type { FileReport } from '#services/engine/bulk/import-file.ts';
import type { BulkCommands } from '#services/engine/bulk/standalone.ts';
import { operator } from './operator.ts';
import { count, printable } from './printable.ts';
import { createProgress, type Progress } from './progress.ts';

const STOPPED = 130;
const IMPORTED = /\.ndjson(?:\.gz)?$/;

export interface ImportCommand {
  readonly kind: 'import';
  readonly paths: readonly string[];
  readonly isDryRun: boolean;
  readonly isAgain: boolean;
}

/** Returns the exit code. */
export async function importFiles(bulk: BulkCommands, command: ImportCommand, signal: AbortSignal): Promise<number> {
  const files = await filesOf(command.paths);
  const progress = createProgress(process.stderr);
  let refused = 0;
  try {
    for (const [index, file] of files.entries()) {
      const report = await importOne(bulk, { file, index, of: files.length }, { command, progress, signal });
      progress.clear();
      for (const line of summary(file, report, command)) console.error(line);
      if (report.isStopped) return STOPPED;
      refused += report.counts.faults;
    }
  } finally {
    progress.clear();
  }
  return refused > 0 ? 1 : 0;
}

/** The given files, and the importable files of given folders, by name. @throws Error for a missing path */
async function filesOf(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const each of paths) {
    const found = await stat(each).catch((error: Error) => {
      throw new Error(`The file cannot be read: ${error.message}`);
    });
    const names = found.isDirectory() ? (await readdir(each)).filter((name) => IMPORTED.test(name)).sort() : undefined;
    if (names?.length === 0) throw new Error(`${each} holds no file whose name ends in .ndjson or .ndjson.gz`);
    files.push(...(names?.map((name) => path.join(each, name)) ?? [each]));
  }
  return files;
}

interface FileOfMany {
  readonly file: string;
  readonly index: number;
  readonly of: number;
}

function importOne(
  bulk: BulkCommands,
  { file, index, of }: FileOfMany,
  { command, progress, signal }: { command: ImportCommand; progress: Progress; signal: AbortSignal },
): Promise<FileReport> {
  const { isDryRun, isAgain } = command;
  return bulk.importFile({
    path: file,
    principal: operator(),
    isDryRun,
    isAgain,
    signal,
    onIssue: ({ line, resource, issues }) => {
      progress.clear();
      for (const { message } of issues) {
        console.log(
          `${printable(file)}:${line}: ${resource === '' ? '' : `${printable(resource)}: `}${printable(message)}`,
        );
      }
    },
    onProgress: ({ lines, share }) => progress.show(lines, (index + share) / of),
  });
}

function summary(file: string, report: FileReport, { isDryRun }: ImportCommand): string[] {
  const name = printable(file);
  if (report.doneAt !== undefined) {
    return [`${name}: imported already, on ${report.doneAt.toISOString()}; --again does it anew.`];
  }
  const counted = `${name}: ${isDryRun ? checked(report.counts) : written(report.counts)}.`;
  const from = report.before === 0 ? [] : [`${name}: went on after line ${count(report.before)}.`];
  if (!report.isStopped) return [...from, counted];
  const rest = isDryRun ? '' : ' What was written so far is kept; the same command goes on from there.';
  return [...from, counted, `Stopped after line ${count(report.lastLine)}.${rest}`];
}

function written({ created, updated, unchanged, faults: refused }: ImportCounts): string {
  return `${count(created)} created, ${count(updated)} updated, ${count(unchanged)} unchanged, ${lines(refused)} with errors`;
}

function checked({ created, faults: refused }: ImportCounts): string {
  return `${count(created)} would be imported, ${lines(refused)} with errors`;
}

function lines(number: number): string {
  return `${count(number)} line${number === 1 ? '' : 's'}`;
}
