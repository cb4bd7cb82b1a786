// `kedja users export`: to a file that appears complete or not at all, or to standard output.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Requester, UserCsv } from '#services/identity/user-csv/service.ts';
import { createProgress, type Progress } from '../progress.ts';
import { writeWhole } from '../whole-file.ts';

const STOPPED = 130;

/** Returns the exit code. */
export async function exportToFile(
  users: UserCsv,
  file: string,
  { requester, signal }: { requester: Requester; signal: AbortSignal },
): Promise<number> {
  const { decidedBy: _, ...who } = requester;
  const progress = createProgress(process.stderr);
  const count = { users: 0 };
  const text = Readable.from(texts(users.exportAll(who), progress, count));
  try {
    if (file === '-') await pipeline(text, process.stdout, { signal, end: false });
    else await writeWhole(text, file, signal);
  } catch (error) {
    progress.clear();
    if (!signal.aborted) throw error;
    console.error(file === '-' ? 'Stopped: the output is not complete.' : 'Stopped: no file was written.');
    return STOPPED;
  }
  progress.clear();
  console.error(`${count.users.toLocaleString('en')} user${count.users === 1 ? '' : 's'} exported.`);
  return 0;
}

async function* texts(
  pieces: ReturnType<UserCsv['exportAll']>,
  progress: Progress,
  count: { users: number },
): AsyncGenerator<string> {
  for await (const { text, users } of pieces) {
    yield text;
    count.users += users;
    progress.show(count.users);
  }
}
