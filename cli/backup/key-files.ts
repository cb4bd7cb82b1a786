// The files of the key folder in a backup (docs/operations/keys.md).
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { placeFile } from '../../runtime/keys/key-files.ts';
import type { KeyContent } from './records.ts';

const FOLDERS = ['', 'retired'] as const;

/** All keys of the folder, the retired ones too. @throws Error when there is none, or one cannot be read */
export async function readKeyFolder(folder: string): Promise<KeyContent[]> {
  const keys: KeyContent[] = [];
  for (const part of FOLDERS) {
    for (const entry of await entriesOf(path.join(folder, part))) {
      const content = await readFile(path.join(folder, part, entry), 'utf8');
      keys.push({ path: part === '' ? entry : `${part}/${entry}`, content });
    }
  }
  if (keys.length > 0) return keys;
  throw new Error(`There are no keys in ${folder}: KEDJA_DATA_DIR must be the data folder that the nodes use`);
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
