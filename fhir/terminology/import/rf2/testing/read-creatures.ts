// Test support: a release on the disk, and the columns of what was read.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Columns, ColumnsHead } from '../../../model/code-system-model.ts';
import { unpack } from '../../../model/columns/columns.ts';
import type { ReadFile } from '../../code-system-file.ts';
import { readSnapshot } from '../snapshot.ts';
import { creatureFiles } from './creatures.ts';

/** Writes the files of a release, by their names, into the folder. */
export async function writeRelease(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, text] of files) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

export function columnsOf({ columns }: ReadFile): Columns {
  const unpacking = unpack<ColumnsHead>(columns.packed);
  for (const piece of columns.pieces(1 << 12)) unpacking.add(piece);
  return unpacking.finish();
}

/** The CodeSystem of the creatures, with its columns. */
export async function readCreatures(folder: string): Promise<{ resource: ReadFile['head']; columns: Columns }> {
  await writeRelease(folder, creatureFiles());
  const read = await readSnapshot({
    path: folder,
    options: {},
    checkHead: () => [],
    onIssue: ({ message }) => {
      throw new Error(message);
    },
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  if (read === undefined) throw new Error('The creatures cannot be read');
  const columns = columnsOf(read);
  read.close();
  return { resource: read.head, columns };
}
