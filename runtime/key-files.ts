// The files of the key folder (docs/adr/0048): `NAME.key` is the first generation of a key, `NAME.N.key` a later one,
// and `NAME.PURPOSE-index.key` what an index is keyed with once the first generation may go, `NAME.PURPOSE-index.N.key`
// what it is keyed with later (docs/adr/0064). A file is there whole or not at all, and is never replaced.
import { randomBytes } from 'node:crypto';
import { chown, link, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { KEY_BYTES, type MasterKey } from '#lib/secrets/key-set.ts';

const RETIRED = 'retired';
/** Others may do nothing with a key, and the group may not write it. */
const TOO_OPEN = 0o027;

export interface KeyFile extends MasterKey {
  readonly file: string;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly isTooOpen: boolean;
}

export interface IndexKeyFile extends KeyFile {
  readonly purpose: string;
}

export interface KeyFiles {
  /** The newest first. */
  readonly generations: readonly KeyFile[];
  /** The first generation of each index key that is kept, by purpose. */
  readonly indexKeys: ReadonlyMap<string, IndexKeyFile>;
  /** The later ones, the newest first. */
  readonly laterIndexKeys: readonly IndexKeyFile[];
}

/** The keys of indexes, the newest first, then the first of each. */
export function indexKeysOf({
  indexKeys,
  laterIndexKeys,
}: Pick<KeyFiles, 'indexKeys' | 'laterIndexKeys'>): IndexKeyFile[] {
  return [...laterIndexKeys, ...indexKeys.values()];
}

/**
 * What is there of a key; nothing where there is no folder.
 * @throws Error naming a file that cannot be read or holds no key
 */
export async function readKeyFiles(folder: string, name: string): Promise<KeyFiles> {
  const generations = new Map<number, KeyFile>();
  const indexKeys = new Map<string, IndexKeyFile>();
  const laterIndexKeys: IndexKeyFile[] = [];
  for (const entry of await entriesOf(folder)) {
    const part = partOf(entry, name);
    if (part === undefined) continue;
    const file = path.join(folder, entry);
    if (typeof part !== 'number') {
      const { purpose, generation } = part;
      const key = await readKeyFile(file, generation);
      if (key !== undefined && generation === 1) indexKeys.set(purpose, { ...key, purpose });
      else if (key !== undefined) laterIndexKeys.push({ ...key, purpose });
      continue;
    }
    const key = await readKeyFile(file, part);
    const other = generations.get(part);
    if (key !== undefined && other !== undefined && !Buffer.from(other.bytes).equals(key.bytes)) {
      throw new Error(`${file} and ${other.file} are both generation ${part} of one key, and differ`);
    }
    if (key !== undefined) generations.set(part, key);
  }
  const newestFirst = (a: MasterKey, b: MasterKey) => b.generation - a.generation;
  laterIndexKeys.sort(newestFirst);
  return { generations: [...generations.values()].sort(newestFirst), indexKeys, laterIndexKeys };
}

/** Whether a generation of the key was taken out of use. */
export async function hasRetired(folder: string, name: string): Promise<boolean> {
  const entries = await entriesOf(path.join(folder, RETIRED));
  return entries.some((entry) => partOf(entry, name) !== undefined);
}

/** The key of that file; undefined when there is none. @throws Error when it cannot be read or holds no key */
export async function readKeyFile(file: string, generation: number): Promise<KeyFile | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`The key file ${file} cannot be read: ${error.message}`, { cause: error });
  });
  if (text === undefined) return undefined;
  const { mode, mtimeMs } = await stat(file);
  const [secret = '', ...facts] = text.trimEnd().split('\n');
  const bytes = Buffer.from(secret, 'base64');
  const isTooOpen = (mode & TOO_OPEN) !== 0;
  if (bytes.length !== KEY_BYTES) throw new Error(`The key file ${file} is damaged: it must hold 32 bytes in base64`);
  if (generation === 1) return { file, generation, bytes, createdAt: mtimeMs, sealsFrom: 0, isTooOpen };
  const [createdAt, sealsFrom] = ['created ', 'seals '].map((word, line) => timeOf(facts[line], word));
  if (createdAt === undefined || sealsFrom === undefined) {
    throw new Error(`The key file ${file} is damaged: its lines "created" and "seals" must hold times`);
  }
  return { file, generation, bytes, createdAt, sealsFrom, isTooOpen };
}

/** A generation, and from when it is used. */
interface NewGeneration {
  readonly generation: number;
  readonly createdAt: number;
  readonly sealsFrom: number;
}

/** Makes a generation after the first; false when it is there already. */
export function placeGeneration(folder: string, name: string, made: NewGeneration): Promise<boolean> {
  return placeOnce(path.join(folder, `${name}.${made.generation}.key`), contentOf(made));
}

/** The same of the key of an index. */
export function placeIndexGeneration(
  folder: string,
  { name, purpose }: { name: string; purpose: string },
  made: NewGeneration,
): Promise<boolean> {
  return placeOnce(indexFile(folder, name, purpose, made.generation), contentOf(made));
}

function contentOf({ createdAt, sealsFrom }: NewGeneration): string {
  return `${newKey()}\ncreated ${new Date(createdAt).toISOString()}\nseals ${new Date(sealsFrom).toISOString()}\n`;
}

/** Makes the first generation, unless it is there. */
export async function placeFirst(folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await placeOnce(firstFile(folder, name), newKey());
}

/** Keeps what an index is keyed with, unless it is kept. */
export async function placeIndexKey(
  folder: string,
  { name, purpose, key }: { name: string; purpose: string; key: Uint8Array },
): Promise<void> {
  await placeOnce(indexFile(folder, name, purpose), Buffer.from(key).toString('base64'));
}

export function firstFile(folder: string, name: string): string {
  return path.join(folder, `${name}.key`);
}

export function indexFile(folder: string, name: string, purpose: string, generation = 1): string {
  return path.join(folder, `${name}.${purpose}-index.${generation === 1 ? '' : `${generation}.`}key`);
}

/**
 * Takes a generation out of use and answers where it is kept; of several who do, one moves it.
 * @throws Error where another key is kept under its name
 */
export async function retireFile(name: string, { file, generation, bytes }: KeyFile): Promise<string> {
  const folder = path.join(path.dirname(file), RETIRED);
  const kept = path.join(folder, `${name}.${generation}.key`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const other = await readKeyFile(kept, generation);
  if (other !== undefined && !Buffer.from(other.bytes).equals(bytes)) {
    throw new Error(`${kept} holds another key than ${file}: nothing was moved`);
  }
  await rename(file, kept).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return kept;
}

function newKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** The generation, or that of an index; undefined for a file of another key. */
function partOf(entry: string, name: string): number | { purpose: string; generation: number } | undefined {
  if (entry === `${name}.key`) return 1;
  if (!entry.startsWith(`${name}.`) || !entry.endsWith('.key')) return undefined;
  const middle = entry.slice(name.length + 1, -'.key'.length);
  if (/^[1-9]\d{0,5}$/.test(middle)) return Number(middle);
  const [, purpose, later] = /^(.+)-index(?:\.([1-9]\d{0,5}))?$/.exec(middle) ?? [];
  return purpose === undefined || later === '1' ? undefined : { purpose, generation: Number(later ?? 1) };
}

function timeOf(line: string | undefined, word: string): number | undefined {
  const text = line?.startsWith(word) === true ? line.slice(word.length) : '';
  const time = Date.parse(text);
  // A text that was cut short may be a time as well, and another.
  return Number.isNaN(time) || new Date(time).toISOString() !== text ? undefined : time;
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Error(`The key folder ${folder} cannot be read: ${error.message}`, { cause: error });
  });
}

/**
 * Of several processes that make the same file at once one wins and is told true, and no reader ever sees half a file,
 * nor does a power cut leave one.
 */
async function placeOnce(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await giveToOwner(draft, path.dirname(file));
    await link(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

/** What root makes is read by the account whose folder it is, as which the nodes run. */
async function giveToOwner(draft: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) await chown(draft, uid, gid);
}
