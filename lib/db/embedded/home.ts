// The folder of the embedded cluster: `database/` of the data folder. When the account that runs PostgreSQL cannot
// reach that (a data folder below root's home), it is a folder below /var/lib/kedja. A pointer file names it.
import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasErrorCode } from '../../error-code.ts';
import { type Account, chooseAccount, isRoot, mayAccess } from './account.ts';

export interface Home {
  /** `<data folder>/database`: the secret and the pointer. */
  readonly base: string;
  /** The folder of the cluster, its log and a copy of the programs; `base` itself when that can be reached. */
  readonly folder: string;
  readonly cluster: string;
  readonly account: Account;
}

const POINTER = 'location';
/** Others may traverse the folder, and list nothing. */
const PASSABLE = 0o711;

/** Finds or chooses the folder. @throws Error when it is gone, unreachable, or owned by another account. */
export async function findHome(dataDir: string, onElsewhere: (folder: string, reason: string) => void): Promise<Home> {
  await mkdir(path.dirname(path.resolve(dataDir)), { recursive: true });
  await makePassable(dataDir);
  await makePassable(path.join(dataDir, 'database'));
  const base = await realpath(path.join(dataDir, 'database'));
  const pointer = await readFile(path.join(base, POINTER), 'utf8').catch(() => undefined);
  const folder = pointer === undefined ? base : await pointedTo(base, pointer.trim());
  const cluster = path.join(folder, 'cluster');
  const owner = await stat(cluster).catch(() => undefined);
  if (owner !== undefined) return { base, folder, cluster, account: await ownerAccount(cluster, owner) };
  const account = await chooseAccount();
  if (pointer !== undefined || (await mayAccess(account, '-x', base))) return { base, folder, cluster, account };
  const elsewhere = await makeElsewhere(path.basename(path.dirname(base)), account);
  if (!(await point(base, elsewhere))) {
    await rmdir(elsewhere);
    return findHome(dataDir, onElsewhere);
  }
  onElsewhere(elsewhere, `${base} is closed to the account of PostgreSQL`);
  return { base, folder: elsewhere, cluster: path.join(elsewhere, 'cluster'), account };
}

/** Sets the pointer, whole, unless another process did so at the same moment. */
async function point(base: string, folder: string): Promise<boolean> {
  const draft = path.join(base, `${POINTER}.${process.pid}`);
  await writeFile(draft, `${folder}\n`);
  try {
    await link(draft, path.join(base, POINTER));
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft);
  }
}

/** Makes a folder, whatever the umask is; one that is there keeps its mode. */
async function makePassable(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return;
    throw error;
  }
  await chmod(folder, PASSABLE);
}

async function pointedTo(base: string, folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    const pointer = path.join(base, POINTER);
    throw new Error(
      `The database of ${base} was kept in ${folder}, which is gone; bring it back, or delete ${pointer} to begin with an empty one`,
    );
  }
}

/** An existing cluster runs under the account that owns it. */
async function ownerAccount(cluster: string, owner: { uid: number; gid: number }): Promise<Account> {
  if (!isRoot()) {
    if (owner.uid === process.getuid?.()) return undefined;
    throw new Error(`The database in ${cluster} belongs to user ${owner.uid}; start as that user or as root`);
  }
  if (owner.uid === 0)
    throw new Error(`The database in ${cluster} belongs to root, as which PostgreSQL refuses to run; chown -R it`);
  const account = { uid: owner.uid, gid: owner.gid };
  if (await mayAccess(account, '-x', cluster)) return account;
  throw new Error(
    `The database in ${cluster} cannot be reached by its owner, user ${owner.uid}; open the folders above (chmod o+x)`,
  );
}

async function makeElsewhere(name: string, account: Account): Promise<string> {
  for (const parent of ['/var/lib/kedja', '/var/tmp/kedja', path.join(tmpdir(), 'kedja')]) {
    if (!(await isOurs(parent))) continue;
    const folder = path.join(
      parent,
      `${name.replaceAll(/[^A-Za-z0-9_-]/g, '') || 'data'}-${randomBytes(4).toString('hex')}`,
    );
    await makePassable(folder);
    if (await mayAccess(account, '-x', folder)) return folder;
    await rmdir(folder);
  }
  throw new Error(
    'No folder can be reached by the account that runs PostgreSQL; set KEDJA_DATA_DIR to one that is open to it',
  );
}

/** Makes the folder if it can; one that somebody else prepared (in a world-writable place) is not trusted. */
async function isOurs(folder: string): Promise<boolean> {
  try {
    await makePassable(folder);
    const found = await lstat(folder);
    return found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** Gives the folders of a throwaway data folder to the account that is to remove it. */
export async function chownTree(folder: string, account: Account): Promise<void> {
  if (account === undefined) return;
  await chown(folder, account.uid, account.gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await chown(path.join(entry.parentPath, entry.name), account.uid, account.gid);
  }
}
