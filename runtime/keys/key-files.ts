// Reads and writes the files of the key folder (docs/adr/0048). `NAME.key` is the first generation of a key,
// `NAME.N.key` a later one. `NAME.PURPOSE-index.key` is the key of an index once the first generation may go,
// `NAME.PURPOSE-index.N.key` a later one (docs/adr/0064). A file appears complete or not at all, and is never replaced.
import { randomBytes } from 'node:crypto';
import { chown, link, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { hasErrorCode } from '#lib/error-code.ts';
import { KEY_BYTES, type MasterKey } from '#lib/secrets/key-set.ts';

const RETIRED = 'retired';
/** The permissions that a key file must not have: any for others, and write for the group. */
const TOO_OPEN = 0o027;

export interface KeyFile extends MasterKey {
  readonly file: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly isTooOpen: boolean;
}

export interface IndexKeyFile extends KeyFile {
  readonly purpose: string;
}

export interface KeyFiles {
  /** Newest first. */
  readonly generations: readonly KeyFile[];
  /** The first generation of each stored index key, by purpose. */
  readonly indexKeys: ReadonlyMap<string, IndexKeyFile>;
  /** Later generations, newest first. */
  readonly laterIndexKeys: readonly IndexKeyFile[];
}

/** All index keys: later generations, newest first, then the first of each. */
export function indexKeysOf({
  indexKeys,
  laterIndexKeys,
}: Pick<KeyFiles, 'indexKeys' | 'laterIndexKeys'>): IndexKeyFile[] {
  return [...laterIndexKeys, ...indexKeys.values()];
}

/**
 * The files of a key; empty without a folder.
 * @param entries what the folder has, where it was listed already
 * @throws Error that names a file that cannot be read or has no key
 */
export async function readKeyFiles(
  folder: string,
  name: string,
  entries: readonly string[] | undefined = undefined,
): Promise<KeyFiles> {
  const generations = new Map<number, KeyFile>();
  const indexKeys = new Map<string, IndexKeyFile>();
  const laterIndexKeys: IndexKeyFile[] = [];
  for (const entry of entries ?? (await entriesOf(folder))) {
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

/** Whether a generation of the key was retired. */
export async function hasRetired(folder: string, name: string): Promise<boolean> {
  const entries = await entriesOf(path.join(folder, RETIRED));
  return entries.some((entry) => partOf(entry, name) !== undefined);
}

/** The key in that file; undefined without the file. @throws Error when it cannot be read or has no key */
export async function readKeyFile(file: string, generation: number): Promise<KeyFile | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`The key file ${file} cannot be read: ${error.message}`, { cause: error });
  });
  if (text === undefined) return undefined;
  const { mode, mtimeMs } = await stat(file);
  const [secret = '', ...facts] = text.trimEnd().split('\n');
  // In memory of its own: in the pool that buffers share, each key would hold 64 KB.
  const bytes = Buffer.from(new Uint8Array(Buffer.from(secret, 'base64')).buffer);
  const isTooOpen = (mode & TOO_OPEN) !== 0;
  if (bytes.length !== KEY_BYTES) throw new Error(`The key file ${file} is damaged: it must hold 32 bytes in base64`);
  if (generation === 1) return { file, generation, bytes, createdAt: mtimeMs, sealsFrom: 0, isTooOpen };
  const [createdAt, sealsFrom] = ['created ', 'seals '].map((word, line) => timeOf(facts[line], word));
  if (createdAt === undefined || sealsFrom === undefined) {
    throw new Error(`The key file ${file} is damaged: its lines "created" and "seals" must hold times`);
  }
  return { file, generation, bytes, createdAt, sealsFrom, isTooOpen };
}

/** A generation, and the time from which it is used. */
interface NewGeneration {
  readonly generation: number;
  readonly createdAt: number;
  readonly sealsFrom: number;
}

/** Creates a generation after the first; false when it exists already. */
export function placeGeneration(folder: string, name: string, made: NewGeneration): Promise<boolean> {
  return placeOnce(path.join(folder, `${name}.${made.generation}.key`), contentOf(made));
}

/** The same for an index key. */
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

/** Creates the first generation, unless it exists. */
export async function placeFirst(folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await placeOnce(firstFile(folder, name), newKey());
}

/** Stores the key of an index, unless it is stored. */
export async function placeIndexKey(
  folder: string,
  { name, purpose, key }: { name: string; purpose: string; key: Uint8Array },
): Promise<void> {
  await placeOnce(indexFile(folder, name, purpose), Buffer.from(key).toString('base64'));
}

/** Places a file of a backup, unless there is one of that name; makes its folder. */
export async function placeFile(file: string, content: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await placeOnce(file, content);
}

export function firstFile(folder: string, name: string): string {
  return path.join(folder, `${name}.key`);
}

export function indexFile(folder: string, name: string, purpose: string, generation = 1): string {
  return path.join(folder, `${name}.${purpose}-index.${generation === 1 ? '' : `${generation}.`}key`);
}

/**
 * Retires a generation and returns the file's new place. Of concurrent callers one moves it.
 * @throws Error when another key has that name there
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

/** The generation of the key or index key; undefined for a file of another key. */
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
  // A truncated text may be another valid time.
  return Number.isNaN(time) || new Date(time).toISOString() !== text ? undefined : time;
}

/**
 * Differs when a file of the key was added, removed, written or given other permissions. It takes a look at each file,
 * and reads none.
 */
export async function versionOfKey(folder: string, name: string, entries: readonly string[]): Promise<string> {
  const versions: string[] = [];
  for (const entry of entries) {
    // Most are of other keys: a folder has three for each tenant.
    if (!entry.startsWith(name) || partOf(entry, name) === undefined) continue;
    const found = await stat(path.join(folder, entry)).catch(() => undefined);
    versions.push(`${entry} ${found?.ino} ${found?.mtimeMs} ${found?.ctimeMs} ${found?.size}`);
  }
  return versions.join('\n');
}

/** The names of all files; none without a folder. @throws Error when it cannot be read */
export async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Error(`The key folder ${folder} cannot be read: ${error.message}`, { cause: error });
  });
}

/**
 * Creates a file atomically: of concurrent processes one creates it and gets true, no reader sees a partial file, and a
 * power failure leaves none.
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
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

/** Gives a file made by root to the owner of the folder, as which the nodes run. */
async function giveToOwner(draft: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) await chown(draft, uid, gid);
}
