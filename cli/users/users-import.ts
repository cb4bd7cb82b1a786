// `kedja users import`: imports a file, and prints its errors and the progress.
import { type FileHandle, open } from 'node:fs/promises';
import type { ImportReport, Requester, UserCsv } from '#services/identity/user-csv/service.ts';
import { printable } from '../printable.ts';
import { createProgress } from '../progress.ts';

const STOPPED = 130;

/** Returns the exit code. */
export async function importFromFile(
  users: UserCsv,
  command: { readonly file: string; readonly isDryRun: boolean; readonly mayCreate: boolean },
  { requester, signal }: { requester: Requester; signal: AbortSignal },
): Promise<number> {
  const { isDryRun, mayCreate } = command;
  const file = await openFile(command.file);
  const progress = createProgress(process.stderr);
  try {
    const report = await users.importFile(requester, file, {
      isDryRun,
      mayCreate,
      signal,
      onIssue: ({ line, email, message }) => {
        progress.clear();
        console.log(`line ${line}${email === '' ? '' : ` (${printable(email)})`}: ${printable(message)}`);
      },
      onProgress: ({ bytes, totalBytes, report: { rows } }) => progress.show(rows, bytes / Math.max(1, totalBytes)),
    });
    progress.clear();
    for (const line of summary(report, command)) console.error(line);
    if (report.isStopped) return STOPPED;
    return report.issues > 0 ? 1 : 0;
  } finally {
    progress.clear();
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'r').catch((error: Error) => {
    throw new Error(`The file cannot be read: ${error.message}`);
  });
  if (!(await file.stat()).isDirectory()) return file;
  await file.close();
  throw new Error(`The file cannot be read: ${path} is a folder`);
}

function summary(report: ImportReport, { isDryRun, mayCreate }: { isDryRun: boolean; mayCreate: boolean }): string[] {
  const would = isDryRun ? 'would be ' : '';
  const count = (n: number, one: string) => `${n.toLocaleString('en')} ${one}${n === 1 ? '' : 's'}`;
  const made = `${count(report.organisationsMade, 'organisation')} and ${count(report.groupsMade, 'group')} ${would}made`;
  const parts = [
    `${count(report.created, 'user')} ${would}created`,
    `${count(report.skipped, 'row')} skipped`,
    ...(mayCreate ? [made] : []),
    count(report.issues, 'error'),
  ];
  const stopped = `Stopped after line ${report.lastLine}. Every user so far is whole; the same command goes on from there.`;
  return [...(report.isStopped ? [stopped] : []), `${parts.join(', ')}.`];
}
