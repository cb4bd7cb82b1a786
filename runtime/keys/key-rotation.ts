// Rotates sealing keys (docs/adr/0048). A new generation opens at once, and seals once every node has read it. A
// generation that nothing needs any more is moved away, and never deleted.
import { type Clock, MINUTE_MS } from '#lib/clock.ts';
import { deriveIndexKey, type MasterKey } from '#lib/secrets/key-set.ts';
import type { KeyCount, SealedValues } from '#lib/secrets/sealed-values.ts';
import {
  firstFile,
  indexFile,
  type KeyFile,
  placeGeneration,
  placeIndexGeneration,
  placeIndexKey,
  readKeyFiles,
  retireFile,
} from './key-files.ts';

/** Nodes read the folder every five seconds, and their clocks may differ by a minute. */
const LEAST_WAIT_MS = 2 * MINUTE_MS;
/**
 * A node may seal with the previous generation for this long after the next began: clocks differ, and statements were
 * in progress.
 */
const IN_USE_MS = 2 * MINUTE_MS;

export interface KeyPlace {
  readonly folder: string;
  readonly name: string;
  readonly clock: Clock;
}

export interface SealingRotation {
  readonly generation: number;
  readonly sealsFrom: number;
  /** False when a generation was waiting to seal already; that one is returned. */
  readonly isNew: boolean;
}

/**
 * Creates a generation that seals after `waitMs`, at least {@link LEAST_WAIT_MS}. Of concurrent callers one creates it.
 * @throws Error when there is no such key
 */
export async function rotateSealingKey(
  { folder, name, clock }: KeyPlace,
  { indexes, waitMs }: { indexes: readonly string[]; waitMs: number },
): Promise<SealingRotation> {
  const now = clock.now();
  const newest = await newestOf(folder, name);
  if (newest.sealsFrom > now) return { ...newest, isNew: false };
  await copyIndexKeys({ folder, name }, indexes);
  const generation = newest.generation + 1;
  const sealsFrom = now + Math.max(waitMs, LEAST_WAIT_MS);
  if (await placeGeneration(folder, name, { generation, createdAt: now, sealsFrom })) {
    return { generation, sealsFrom, isNew: true };
  }
  return { ...(await newestOf(folder, name)), isNew: false };
}

/** The newest generation of an index key; undefined when there is only the first. */
export async function newestIndexKey(folder: string, name: string, purpose: string): Promise<KeyFile | undefined> {
  return (await readKeyFiles(folder, name)).laterIndexKeys.find((key) => key.purpose === purpose);
}

/**
 * Creates a generation of an index key after `current`, which the whole index uses. Of concurrent callers one creates
 * it. From `sealsFrom` on the index may be rebuilt with it. @throws Error when there is no such key
 */
export async function rotateIndexKey(
  { folder, name, clock }: KeyPlace,
  {
    purpose,
    indexes,
    current,
    waitMs,
  }: { purpose: string; indexes: readonly string[]; current: number; waitMs: number },
): Promise<SealingRotation> {
  await newestOf(folder, name);
  const known = await newestIndexKey(folder, name, purpose);
  if (known !== undefined && known.generation > current) return { ...known, isNew: false };
  await copyIndexKeys({ folder, name }, indexes);
  const now = clock.now();
  const made = { generation: current + 1, createdAt: now, sealsFrom: now + Math.max(waitMs, LEAST_WAIT_MS) };
  const isNew = await placeIndexGeneration(folder, { name, purpose }, made);
  if (isNew) return { ...made, isNew };
  const other = await newestIndexKey(folder, name, purpose);
  if (other === undefined) throw new Error(`${indexFile(folder, name, purpose, made.generation)} cannot be made`);
  return { ...other, isNew };
}

/** The outcome for a generation that seals no more. */
export type Retirement =
  | { readonly kind: 'retired'; readonly generation: number; readonly file: string }
  | { readonly kind: 'needed'; readonly generation: number; readonly by: readonly string[] }
  | { readonly kind: 'kept'; readonly generation: number; readonly until: number };

/** Moves away generations that nothing needs any more. `counts` must be taken after values were sealed again. */
export async function retireGenerations(
  { folder, name, clock }: KeyPlace,
  { values, counts }: { values: SealedValues; counts: readonly KeyCount[] },
): Promise<Retirement[]> {
  const { generations } = await readKeyFiles(folder, name);
  const now = clock.now();
  const results: Retirement[] = [];
  for (const [key, until] of superseded(generations, now, values.retentionMs ?? 0)) {
    const { generation } = key;
    const needs = counts.flatMap(({ what, byGeneration }) => {
      const rows = byGeneration.get(generation) ?? 0;
      return rows > 0 ? [`${rows} ${what}`] : [];
    });
    if (needs.length > 0) results.push({ kind: 'needed', generation, by: needs });
    else if (until > now) results.push({ kind: 'kept', generation, until });
    else {
      if (generation === 1) await copyIndexKeys({ folder, name }, values.indexes);
      results.push({ kind: 'retired', generation, file: await retireFile(name, key) });
    }
  }
  return results;
}

/** The generations before the one that seals, and until when each may be in use. */
function superseded(generations: readonly KeyFile[], now: number, retentionMs: number): [KeyFile, number][] {
  const oldestFirst = generations.toReversed();
  const sealing = oldestFirst.findLastIndex(({ sealsFrom }) => sealsFrom <= now);
  return oldestFirst.flatMap((key, index): [KeyFile, number][] => {
    const next = oldestFirst[index + 1];
    return index < sealing && next !== undefined ? [[key, next.sealsFrom + IN_USE_MS + retentionMs]] : [];
  });
}

/** Stores the index keys that are derived from the first generation, so that indexes no longer need it. */
async function copyIndexKeys({ folder, name }: Omit<KeyPlace, 'clock'>, purposes: readonly string[]): Promise<void> {
  const { generations, indexKeys } = await readKeyFiles(folder, name);
  const first: MasterKey | undefined = generations.find(({ generation }) => generation === 1);
  for (const purpose of purposes) {
    if (indexKeys.has(purpose)) continue;
    if (first === undefined)
      throw new Error(`There is no ${indexFile(folder, name, purpose)}, nor ${firstFile(folder, name)}`);
    await placeIndexKey(folder, { name, purpose, key: deriveIndexKey(first.bytes, purpose) });
  }
}

async function newestOf(folder: string, name: string): Promise<KeyFile> {
  const [newest] = (await readKeyFiles(folder, name)).generations;
  if (newest === undefined) throw new Error(`There is no ${firstFile(folder, name)}`);
  return newest;
}
