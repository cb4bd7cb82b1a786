// One process per data folder. The lock is the numbered file `lock.N` with the highest number; its holder is identified
// by pid and start time. So the lock of a killed process is free even when its pid is in use again. Takers of a free
// lock race for the next number, which the file system gives to one of them only.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasErrorCode } from '../../error-code.ts';

const run = promisify(execFile);
const NAME = /^lock\.(\d+)$/;
const RELEASED = 'released';
/** How long a lock file may be empty because its holder is just writing it. */
const WRITING_MS = 200;

export interface FolderLock {
  release(): Promise<void>;
}

/** @throws Error in one line when a living process holds the folder. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  for (;;) {
    const numbers = await lockNumbers(folder);
    const highest = Math.max(0, ...numbers);
    if (highest > 0) await requireFree(folder, highest);
    const mine = lockFile(folder, highest + 1);
    try {
      await writeFile(mine, await identity(process.pid), { flag: 'wx', mode: 0o644 });
    } catch (error) {
      if (hasErrorCode(error, 'EEXIST')) continue;
      throw error;
    }
    await Promise.all(numbers.map((number) => rm(lockFile(folder, number), { force: true })));
    return { release: () => writeFile(mine, RELEASED) };
  }
}

async function requireFree(folder: string, number: number): Promise<void> {
  const holder = await readHolder(lockFile(folder, number));
  const pid = Number(holder.split(' ', 1)[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  if ((await identity(pid)) !== holder) return;
  throw new Error(
    `The data folder ${folder} is in use by process ${pid}; stop it, or give this one another KEDJA_DATA_DIR or a KEDJA_DATABASE_URL`,
  );
}

async function readHolder(file: string): Promise<string> {
  const holder = await readFile(file, 'utf8').catch(() => RELEASED);
  if (holder !== '') return holder;
  await delay(WRITING_MS);
  return readFile(file, 'utf8').catch(() => RELEASED);
}

/** `<pid> <start>`; a start is empty when there is no such process. */
async function identity(pid: number): Promise<string> {
  return `${pid} ${await startOf(pid)}`;
}

async function startOf(pid: number): Promise<string> {
  try {
    if (process.platform === 'linux') {
      // proc(5): field 22, counted after the command's name, which may hold blanks and brackets.
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const isZombie = fields[0] === 'Z';
      return isZombie ? '' : (fields[19] ?? '');
    }
    return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim();
  } catch {
    return '';
  }
}

async function lockNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => {
    const number = NAME.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

function lockFile(folder: string, number: number): string {
  return path.join(folder, `lock.${number}`);
}
