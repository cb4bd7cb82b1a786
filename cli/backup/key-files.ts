// The files of the key folder in a backup (docs/operations/keys.md).
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { placeFile } from '../../runtime/keys/key-files.ts';
import { keyOfTenant, TENANT_KEYS } from '../../runtime/tenants/tenant-context.ts';
import type { KeyContent, TenantFacts } from './records.ts';

const FOLDERS = ['', 'retired'] as const;

/** All keys of the folder, the retired ones too. @throws Error when there is none, or one cannot be read */
export async function readKeyFolder(folder: string): Promise<KeyContent[]> {
  const keys = await readKeys(folder);
  if (keys.length > 0) return keys;
  throw new Error(`There are no keys in ${folder}: KEDJA_DATA_DIR must be the data folder that the nodes use`);
}

/** The keys of one tenant, the retired ones too, and the names of those that are not there. */
export async function readTenantKeys(
  folder: string,
  tenant: string,
): Promise<{ readonly keys: KeyContent[]; readonly missing: readonly string[] }> {
  const names = TENANT_KEYS.map((key) => keyOfTenant(tenant, key));
  const keys = await readKeys(folder, (entry) => names.some((name) => entry.startsWith(`${name}.`)));
  const missing = names.map((name) => `${name}.key`).filter((file) => keys.every(({ path: found }) => found !== file));
  return { keys, missing };
}

async function readKeys(folder: string, isWanted: (entry: string) => boolean = () => true): Promise<KeyContent[]> {
  const keys: KeyContent[] = [];
  for (const part of FOLDERS) {
    for (const entry of (await entriesOf(path.join(folder, part))).filter(isWanted)) {
      const content = await readFile(path.join(folder, part, entry), 'utf8');
      keys.push({ path: part === '' ? entry : `${part}/${entry}`, content });
    }
  }
  return keys;
}

/** By which a key is known again, and not learned. */
export function digestOfKey(content: string): string {
  return hash('sha256', `kedja key ${content.trim()}`);
}

/**
 * Names of the tenant's keys that the folder does not have.
 * @throws Error that names each key that is another than the tenant had when the backup was made
 */
export async function missingTenantKeys(folder: string, { name, keys }: TenantFacts): Promise<string[]> {
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const { path: key, digest } of keys) {
    const content = await readFile(path.join(folder, key), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (content === undefined) missing.push(key);
    else if (digestOfKey(content) !== digest) wrong.push(path.join(folder, key));
  }
  if (wrong.length === 0) return missing;
  throw new Error(`${wrong.join(', ')}: not the keys of tenant ${name} in this backup. Nothing was restored`);
}

async function entriesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Error(`The key folder ${folder} cannot be read: ${error.message}`, { cause: error });
  });
  return entries.filter((entry) => entry.endsWith('.key')).sort();
}

/** @throws Error when the folder has another key under a name of the backup's keys; nothing is changed */
export async function checkKeys(folder: string, keys: readonly KeyContent[]): Promise<void> {
  for (const { path: name, content } of keys) {
    const there = await readFile(path.join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return content;
      throw error;
    });
    if (there !== content)
      throw new Error(`${path.join(folder, name)} holds another key than the backup: nothing was restored`);
  }
}

/** Puts the keys that are not there into the folder, readable by its owner alone. */
export async function placeKeys(folder: string, keys: readonly KeyContent[]): Promise<void> {
  for (const { path: name, content } of keys) await placeFile(path.join(folder, name), content);
}
