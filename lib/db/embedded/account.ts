// Chooses the account that runs PostgreSQL. PostgreSQL refuses to run as root, so a root process uses an unprivileged
// account.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `undefined` stands for the account of this process. */
export type Account = { readonly uid: number; readonly gid: number } | undefined;

/** Accounts that may serve, the best first; PostgreSQL's own tools refuse an account without a name. */
const CANDIDATES = ['postgres', 'nobody', '65534', '1', '2'];

/** PostgreSQL gets none of our environment: it would obey `PG…`, and other variables may be secrets. */
const CLEAN_ENVIRONMENT = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Chooses the account for a new cluster. @throws Error when this is root and the system knows no other account. */
export async function chooseAccount(): Promise<Account> {
  if (!isRoot()) return undefined;
  for (const name of CANDIDATES) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // The system does not know this one.
    }
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and there is no other account; make one of: ${CANDIDATES.join(', ')}`,
  );
}

/** The options with which `child_process` runs a command as that account, in a folder that everybody may enter. */
export function asAccount(account: Account) {
  return { cwd: '/', env: CLEAN_ENVIRONMENT, ...(account ?? {}) };
}

/** Runs a `test` expression such as `-x` on a path as that account, so that access lists and mounts count. */
export async function mayAccess(account: Account, flag: '-r' | '-w' | '-x', path: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'test "$1" "$2"', 'sh', flag, path], asAccount(account));
    return true;
  } catch {
    return false;
  }
}
