// The tenants file as commands change it: whole or not at all, readable by its owner alone, and by one command at a
// time.
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { hasErrorCode } from '#lib/error-code.ts';
import type { Tenant } from '#lib/tenants/tenant.ts';
import { tenantsIn, tenantsText } from '#lib/tenants/tenants-file.ts';
import type { CommandSite } from '../site.ts';

const OWNER_ALONE = 0o600;

/** @throws Error where none is configured */
export function tenantsFileOf({ config }: Pick<CommandSite, 'config'>): string {
  const { tenantsFile } = config.shared;
  if (tenantsFile === undefined)
    throw new Error('KEDJA_TENANTS_FILE is not set: name the file in the environment or .env, for every node alike');
  return tenantsFile;
}

/** Empty where there is no file yet. @throws Error that names every error */
export async function readTenants(path: string): Promise<readonly Tenant[]> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
  return tenantsIn(content, path);
}

/** Replaces the list by what `change` makes of it. @throws Error that names every error, or that another changes it */
export async function changeTenants(
  path: string,
  change: (tenants: readonly Tenant[]) => readonly Tenant[],
): Promise<void> {
  const lock = lockOf(path);
  const held = await open(lock, 'wx', OWNER_ALONE).catch(() => undefined);
  if (held === undefined) throw locked(path);
  const draft = `${path}.${randomUUID()}`;
  try {
    const text = tenantsText(change(await readTenants(path)));
    tenantsIn(text, path);
    const file = await open(draft, 'wx', OWNER_ALONE);
    try {
      await file.writeFile(text);
      const before = await stat(path).catch(() => undefined);
      // Nodes may run under another account, which reads it as its group.
      if (before !== undefined) {
        await file.chmod(before.mode & 0o777);
        await file.chown(before.uid, before.gid).catch(() => undefined);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
    await held.close();
    await unlink(lock);
  }
}

/** For who changes the file only after long work. @throws Error when another command changes it */
export async function requireUnlocked(path: string): Promise<void> {
  if ((await stat(lockOf(path)).catch(() => undefined)) !== undefined) throw locked(path);
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

function locked(path: string): Error {
  return new Error(`Another command changes ${path}; if none does, one was killed: remove ${lockOf(path)}`);
}

/** @throws Error when there is none of the name */
export async function requireTenant(path: string, name: string): Promise<Tenant> {
  const found = (await readTenants(path)).find((tenant) => tenant.name === name);
  if (found === undefined) throw new Error(`There is no tenant ${name} in ${path}`);
  return found;
}

/** The content of the file for `@/path`. */
export async function revealed(given: string): Promise<string> {
  return given.startsWith('@') ? (await readFile(given.slice(1), 'utf8')).trim() : given;
}
