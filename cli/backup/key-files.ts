// The files of the key folder in a backup (docs/operations/keys.md).
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
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
