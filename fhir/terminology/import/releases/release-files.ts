// The files of a release: of a folder, of a ZIP archive, or a single file, compressed or not.
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { openZip } from '#lib/zip/zip-reader.ts';
import { bytesOfFile } from '../file-bytes.ts';

export interface ReleaseFiles {
  /** The name of the folder, archive or file. */
  readonly name: string;
  /** Paths within the release, with `/` between folders. */
  readonly names: readonly string[];
  /** The bytes of a file; each piece is valid until the next one. */
  read(name: string): AsyncGenerator<Buffer>;
  /** The share of the named files that has been read, from 0 to 1. */
  share(names: readonly string[]): number;
  close(): Promise<void>;
}

const MAX_FILES = 5_000;
const MAX_LEVELS = 8;

/** @throws Error when it cannot be opened */
export async function openRelease(place: string): Promise<ReleaseFiles> {
  const files = await filesOf(place);
  return { ...files, name: path.basename(path.resolve(place)) };
}

type UnnamedFiles = Omit<ReleaseFiles, 'name'>;

async function filesOf(place: string): Promise<UnnamedFiles> {
  if (!existsSync(place)) throw new Error(`${place}: there is no such folder or file`);
  if ((await stat(place)).isDirectory()) return inFolder(place);
  return place.toLowerCase().endsWith('.zip') ? inZip(place) : single(place);
}

async function inFolder(folder: string): Promise<UnnamedFiles> {
  const names = await filesBelow(folder);
  const sizes = new Map<string, number>();
  for (const name of names) sizes.set(name, (await stat(path.join(folder, name))).size);
  return counted({ sizes, read: (name) => bytesOf(path.join(folder, name)), close: async () => undefined });
}

/** @throws Error for more files than a release has */
async function filesBelow(folder: string, within = '', level = 0): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(path.join(folder, within), { withFileTypes: true })) {
    const name = within === '' ? entry.name : `${within}/${entry.name}`;
    if (entry.isDirectory() && level < MAX_LEVELS) found.push(...(await filesBelow(folder, name, level + 1)));
    else if (entry.isFile()) found.push(name);
    if (found.length > MAX_FILES) throw new Error(`${folder}: there are more than ${MAX_FILES} files`);
  }
  return found.sort();
}

async function inZip(place: string): Promise<UnnamedFiles> {
  const zip = await openZip(place);
  const sizes = new Map(zip.entries.map(({ name, bytes }) => [name, bytes]));
  return counted({ sizes, read: (name) => zip.read(name), close: () => zip.close() });
}

async function single(place: string): Promise<UnnamedFiles> {
  const { size } = await stat(place);
  const sizes = new Map([[path.basename(place), size]]);
  return counted({ sizes, read: () => bytesOf(place), close: async () => undefined });
}

async function* bytesOf(place: string): AsyncGenerator<Buffer> {
  for await (const { bytes } of bytesOfFile(place)) yield bytes;
}

interface Sized extends Pick<ReleaseFiles, 'read' | 'close'> {
  readonly sizes: ReadonlyMap<string, number>;
}

function counted({ sizes, read, close }: Sized): UnnamedFiles {
  const done = new Map<string, number>();
  return {
    names: [...sizes.keys()],
    async *read(name) {
      for await (const piece of read(name)) {
        done.set(name, (done.get(name) ?? 0) + piece.length);
        yield piece;
      }
      done.set(name, sizes.get(name) ?? 0);
    },
    share(names) {
      const sum = (of: ReadonlyMap<string, number>) => names.reduce((total, name) => total + (of.get(name) ?? 0), 0);
      return Math.min(1, sum(done) / Math.max(1, sum(sizes)));
    },
    close,
  };
}
