// The generated passwords of the two roles, stored in the data folder and readable by its owner only.
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { randomSecret } from '../../crypto/secret.ts';

export interface Secrets {
  /** Of the superuser `kedja_admin`: creating databases, upgrades. */
  readonly admin: string;
  /** Of `kedja`, which owns the databases and is all that the services use. */
  readonly owner: string;
}

export const ADMIN_ROLE = 'kedja_admin';
export const OWNER_ROLE = 'kedja';

function secretFile(base: string): string {
  return path.join(base, 'secret.json');
}

/** @throws Error when the cluster exists and its secret does not. */
export async function readSecrets(base: string): Promise<Secrets> {
  const file = secretFile(base);
  try {
    const { admin, owner } = Object(JSON.parse(await readFile(file, 'utf8')));
    if (typeof admin === 'string' && typeof owner === 'string') return { admin, owner };
  } catch (cause) {
    throw new Error(`${file}, the passwords of the database, cannot be read; bring it back from a backup`, { cause });
  }
  throw new Error(`${file} does not hold the passwords of the database; bring it back from a backup`);
}

/** Makes new passwords and writes them to disk atomically, before anything uses them. */
export async function makeSecrets(base: string): Promise<Secrets> {
  const secrets = { admin: randomSecret(), owner: randomSecret() };
  await writePrivate(secretFile(base), `${JSON.stringify(secrets)}\n`);
  return secrets;
}

/** Leaves the running database's address in the file `url`, for an operator's `pg_dump "$(cat url)"`. */
export async function publishUrl(base: string, url: string): Promise<void> {
  await writePrivate(path.join(base, 'url'), `${url}\n`);
}

/** Removes the file `url` when the database has stopped. */
export async function withdrawUrl(base: string): Promise<void> {
  await rm(path.join(base, 'url'), { force: true });
}

/** Writes a file that only its owner can read, whole or not at all. */
async function writePrivate(file: string, text: string): Promise<void> {
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}
