// Keys that no configuration sets: created at first need in the data folder, readable only by its owner. Nodes of one
// service share the folder or a copy of it. Sealing keys have generations, which are read again every few seconds
// (docs/adr/0048).
import path from 'node:path';
import type { ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { type Clock, systemClock } from '#lib/clock.ts';
import { createPeriodicLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { deriveIndexKey, type KeySet, MissingKeyError } from '#lib/secrets/key-set.ts';
import {
  entriesOf,
  firstFile,
  hasRetired,
  type IndexKeyFile,
  indexFile,
  indexKeysOf,
  type KeyFile,
  type KeyFiles,
  placeFirst,
  readKeyFile,
  readKeyFiles,
  versionOfKey,
} from './key-files.ts';

/** A key seals two minutes after its creation (./key-rotation.ts); every node has read it long before. */
const READ_EVERY_MS = 5_000;
const LOG_AGAIN_MS = 60_000;

export interface KeyFolder {
  /** The folder of the files. */
  readonly folder: string;
  /** The 32-byte key of that name, created when there is none; the same for every process that uses the folder. */
  key(name: string): Promise<Buffer>;
  /**
   * A sealing key with all its generations; creates the first when there is none.
   * @throws Error that names a damaged file
   */
  keySet(name: string): Promise<KeySet>;
  /** The same without creating it, for commands on existing data. @throws Error when there is none */
  existingKeySet(name: string): Promise<KeySet>;
  /** A loop that reads the requested key sets again. While files cannot be read, it keeps the keys that it has. */
  follow(log: Logger): WorkerLoop;
  /** The credentials of a client of this folder: one of Kedja's services, or a relying application. */
  clientCredentials<Id extends string>(
    kind: 'service' | 'client',
    clientId: Id,
  ): Promise<ServiceCredentials & { readonly clientId: Id }>;
}

interface FollowedSet extends KeySet {
  /**
   * Reads the files again if they have changed. `entries` is what the folder has.
   * @throws Error that names a file that cannot be read; the keys stay as they were
   */
  reload(entries: readonly string[]): Promise<void>;
  readonly files: () => readonly KeyFile[];
  /** The files of index keys. */
  readonly indexFiles: () => readonly IndexKeyFile[];
  missing: MissingKeyError | undefined;
}

export function openKeyFolder(dataDir: string, clock: Clock = systemClock): KeyFolder {
  const folder = path.join(dataDir, 'keys');
  const followed = new Map<string, FollowedSet>();

  async function key(name: string): Promise<Buffer> {
    const file = firstFile(folder, name);
    const known = await readKeyFile(file, 1);
    if (known !== undefined) return Buffer.from(known.bytes);
    await placeFirst(folder, name);
    const placed = await readKeyFile(file, 1);
    if (placed === undefined) throw new Error(`The key file ${file} cannot be made`);
    return Buffer.from(placed.bytes);
  }

  async function load(name: string): Promise<KeySet> {
    const set = followed.get(name) ?? makeSet(folder, name, { clock, files: await requireFiles(folder, name) });
    followed.set(name, set);
    return set;
  }

  return {
    folder,
    key,
    async keySet(name) {
      const { generations } = await readKeyFiles(folder, name);
      if (generations.length === 0 && !(await hasRetired(folder, name))) await key(name);
      return load(name);
    },
    existingKeySet: load,
    follow: (log) => followSets({ folder, followed }, log, clock),
    clientCredentials: async (kind, clientId) => ({
      clientId,
      clientSecret: (await key(`${kind}-${clientId}`)).toString('base64url'),
    }),
  };
}

/** @throws Error when the key has no generation */
async function requireFiles(folder: string, name: string, entries?: readonly string[]): Promise<KeyFiles> {
  const files = await readKeyFiles(folder, name, entries);
  if (files.generations.length > 0) return files;
  const hint = 'KEDJA_DATA_DIR must be the data folder that the nodes use, or a copy of its keys';
  throw new Error(`There is no ${firstFile(folder, name)}; ${hint}`);
}

function makeSet(folder: string, name: string, { clock, files }: { clock: Clock; files: KeyFiles }): FollowedSet {
  let { generations, indexKeys, laterIndexKeys } = files;
  let version: string | undefined;
  const set: FollowedSet = {
    name,
    missing: undefined,
    files: () => generations,
    indexFiles: () => indexKeysOf({ indexKeys, laterIndexKeys }),
    all: () => generations,
    sealing() {
      const now = clock.now();
      const found = generations.find(({ sealsFrom }) => sealsFrom <= now) ?? generations.at(-1);
      if (found === undefined) throw new Error(`There is no key ${name}`);
      return found;
    },
    indexKey(purpose, generation = 1) {
      if (generation !== 1) {
        const later = laterIndexKeys.find((key) => key.purpose === purpose && key.generation === generation);
        if (later !== undefined) return later.bytes;
        const missing = indexFile(folder, name, purpose, generation);
        const error = new MissingKeyError({
          detail: `There is no ${missing}: bring it back from the copy of the key folder`,
        });
        set.missing = error;
        throw error;
      }
      const kept = indexKeys.get(purpose);
      if (kept !== undefined) return kept.bytes;
      const first = generations.find(({ generation }) => generation === 1);
      if (first !== undefined) return deriveIndexKey(first.bytes, purpose);
      throw new Error(`There is no ${indexFile(folder, name, purpose)}: bring it back from the copy of the key folder`);
    },
    onMissing(error) {
      set.missing = error;
    },
    async reload(entries) {
      // Before the reading: what changes during it is read the next time.
      const now = await versionOfKey(folder, name, entries);
      if (now === version) return;
      const read = await requireFiles(folder, name, entries);
      indexKeys = read.indexKeys;
      laterIndexKeys = read.laterIndexKeys;
      generations = read.generations.map((key) => sameKey(generations, key) ?? key);
      version = now;
    },
  };
  return set;
}

/** Returns the key object that exists already, as caches of derived values use it as their key. */
function sameKey(known: readonly KeyFile[], key: KeyFile): KeyFile | undefined {
  return known.find(({ bytes, file, sealsFrom, isTooOpen }) => {
    const isSame = file === key.file && sealsFrom === key.sealsFrom && isTooOpen === key.isTooOpen;
    return isSame && Buffer.from(bytes).equals(key.bytes);
  });
}

/** The generations and indexes for the log. */
function namesOf({ files, indexFiles }: FollowedSet): { generations: number[]; indexes: string[] } {
  const generations = files().map(({ generation }) => generation);
  return { generations, indexes: indexFiles().map(({ purpose, generation }) => `${purpose} ${generation}`) };
}

function followSets(
  { folder, followed }: { readonly folder: string; readonly followed: ReadonlyMap<string, FollowedSet> },
  log: Logger,
  clock: Clock,
): WorkerLoop {
  const lastLogged = new Map<string, number>();

  /** Logs each error once a minute, as it lasts until an operator acts. */
  function logOnce(event: string, text: string): void {
    const last = lastLogged.get(text);
    if (last !== undefined && clock.now() - last < LOG_AGAIN_MS) return;
    lastLogged.set(text, clock.now());
    log.error({ event, detail: text });
  }

  function notRead(error: unknown): undefined {
    logOnce('keys.not-read', error instanceof Error ? error.message : String(error));
  }

  async function follow(name: string, set: FollowedSet, entries: readonly string[] | undefined): Promise<void> {
    const before = namesOf(set);
    if (entries !== undefined) await set.reload(entries).catch(notRead);
    const now = namesOf(set);
    if (JSON.stringify(before) !== JSON.stringify(now)) log.info({ event: 'keys.read', key: name, ...now });
    for (const { file, isTooOpen } of [...set.files(), ...set.indexFiles()]) {
      if (isTooOpen && !lastLogged.has(file)) log.warn({ event: 'keys.open-to-others', file });
      if (isTooOpen) lastLogged.set(file, clock.now());
    }
    if (set.missing !== undefined) logOnce('keys.missing', set.missing.detail);
    set.missing = undefined;
  }

  return createPeriodicLoop({
    name: 'keys',
    intervalMs: READ_EVERY_MS,
    log,
    run: async () => {
      // Once for all keys: those of a hundred tenants are three hundred.
      const entries = await entriesOf(folder).catch(notRead);
      for (const [name, set] of followed) await follow(name, set, entries);
    },
  });
}
