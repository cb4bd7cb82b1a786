// The sealing keys of a site, for `kedja keys` (docs/adr/0048): each with its service and the sealed values of that
// service. Operators' page: docs/operations/keys.md.
import { createAudit } from '#lib/audit/audit.ts';
import { LONGEST_TOKEN_SECONDS } from '#lib/auth/token-verifier.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { countKeys, type KeyCount, reseal, type SealedValues } from '#lib/secrets/sealed-values.ts';
import { dispatchSealedValues } from '#services/dispatch/sealed-values.ts';
import { engineSealedValues } from '#services/engine/sealed-values.ts';
import { identitySealedValues } from '#services/identity/sealed-values.ts';
import { indexKeysOf, type KeyFile, readKeyFiles } from '../../runtime/keys/key-files.ts';
import { type Retirement, retireGenerations, rotateSealingKey } from '../../runtime/keys/key-rotation.ts';
import { operator } from '../operator.ts';
import { createProgress } from '../progress.ts';
import { MIGRATIONS, type Service } from '../services.ts';
import type { CommandSite } from '../site.ts';

interface SealingKey {
  /** The service whose database has the sealed values; none for a key of cookies. */
  readonly service?: Service;
  readonly valuesOf: (keys: KeySet) => SealedValues;
}

/** A cookie has a token, and is useless once that has expired. */
const ofCookies: SealedValues = { columns: [], uses: [], indexes: [], retentionMs: LONGEST_TOKEN_SECONDS * 1000 };

export const SEALING_KEYS: Readonly<Record<string, SealingKey>> = {
  personnummer: { service: 'identity', valuesOf: identitySealedValues },
  'engine-inbox': { service: 'engine', valuesOf: engineSealedValues },
  'dispatch-delivery': { service: 'dispatch', valuesOf: dispatchSealedValues },
  session: { valuesOf: () => ofCookies },
};

export const SEALING_KEY_NAMES: readonly string[] = Object.keys(SEALING_KEYS);

interface OpenedKey {
  readonly name: string;
  readonly keys: KeySet;
  readonly values: SealedValues;
  readonly service: Service | undefined;
  /** Undefined for a key of cookies. */
  readonly database: Database | undefined;
}

/**
 * A line for each generation, and whether every key that values name is there. Warns about key files that others can
 * access, of index keys too.
 */
export async function listSealingKeys(site: CommandSite): Promise<{ lines: string[][]; isWhole: boolean }> {
  const lines: string[][] = [];
  let isWhole = true;
  for (const opened of await openKeys(site)) {
    const { name, keys } = opened;
    const counts = await countsOf(opened);
    const sealing = keys.sealing().generation;
    const files = await readKeyFiles(site.keys.folder, name);
    for (const key of [...files.generations, ...indexKeysOf(files)]) warnOfMode(key);
    for (const { generation, createdAt, sealsFrom } of files.generations) {
      const state = generation === sealing ? 'seals' : generation > sealing ? 'waits' : 'opens';
      const from = sealsFrom === 0 ? '-' : timeOf(sealsFrom);
      lines.push([name, String(generation), state, timeOf(createdAt), from, String(totalOf(counts, generation))]);
    }
    if (!isKnown(name, counts)) isWhole = false;
  }
  return { lines, isWhole };
}

/** Returns the exit code. @throws Error when there is no such key */
export async function rotateKeys(site: CommandSite, names: readonly string[], waitMs: number): Promise<number> {
  const opened = await openKeys(site, names);
  for (const { name, values, service, database } of opened) {
    const place = { folder: site.keys.folder, name, clock: systemClock };
    const { generation, sealsFrom, isNew } = await rotateSealingKey(place, { indexes: values.indexes, waitMs });
    const from = timeOf(sealsFrom);
    if (!isNew) {
      console.log(
        `${name}: a rotation is under way: generation ${generation} seals from ${from} on. Nothing was changed.`,
      );
      continue;
    }
    await record(database, { service, action: 'C', event: 'sealing-key.rotate', key: `${name}/${generation}` });
    console.log(`${name}: generation ${generation} opens now and seals from ${from} on; then run kedja keys reseal.`);
  }
  return 0;
}

/** Returns the exit code: 1 when values could not be opened, 130 when stopped. */
export async function resealKeys(site: CommandSite, names: readonly string[], signal: AbortSignal): Promise<number> {
  let exitCode = 0;
  for (const opened of await openKeys(site, names)) {
    if (signal.aborted) break;
    if (!(await resealKey(site, opened, signal))) exitCode = 1;
  }
  if (!signal.aborted) return exitCode;
  console.error('Stopped. The same command goes on from there.');
  return 130;
}

/** Whether all values could be opened. */
async function resealKey(site: CommandSite, opened: OpenedKey, signal: AbortSignal): Promise<boolean> {
  const { name, keys, values, service, database } = opened;
  const { generation } = keys.sealing();
  const waiting = keys.all().find((key) => key.generation > generation);
  if (waiting !== undefined) {
    console.log(
      `${name}: generation ${waiting.generation} seals from ${timeOf(waiting.sealsFrom)} on; run kedja keys reseal again then.`,
    );
  }
  if (keys.all().every((key) => key.generation >= generation)) {
    console.log(`${name}: generation ${generation} seals, and there is none before it.`);
    return true;
  }
  const progress = createProgress(process.stderr);
  const report =
    database &&
    (await reseal(database, values, { signal, onProgress: (rows) => progress.show(rows) }).finally(progress.clear));
  if (report !== undefined) {
    console.log(`${name}: ${report.resealed} values sealed anew under generation ${generation}.`);
    for (const issue of report.issues) console.error(`${name}: ${issue}`);
  }
  if (signal.aborted) return true;
  const counts = await countsOf(opened);
  const isWhole = isKnown(name, counts);
  const place = { folder: site.keys.folder, name, clock: systemClock };
  for (const result of await retireGenerations(place, { values, counts })) {
    console.log(`${name}: ${sayRetirement(result)}`);
    const key = `${name}/${result.generation}`;
    if (result.kind === 'retired') await record(database, { service, action: 'D', event: 'sealing-key.retire', key });
  }
  return isWhole && (report?.issues ?? []).length === 0;
}

function sayRetirement(result: Retirement): string {
  switch (result.kind) {
    case 'retired':
      return `generation ${result.generation} is needed no more and lies in ${result.file} now.`;
    case 'needed':
      return `generation ${result.generation} is still needed by ${result.by.join(', ')}.`;
    case 'kept':
      return `generation ${result.generation} may be in use until ${timeOf(result.until)}; run kedja keys reseal again then.`;
    default:
      return result satisfies never;
  }
}

/**
 * The keys of services that run here and use this database, as far as the folder has them.
 * @throws Error for a named key that cannot be opened
 */
async function openKeys(site: CommandSite, names?: readonly string[]): Promise<OpenedKey[]> {
  const opened: OpenedKey[] = [];
  for (const [name, { service, valuesOf }] of Object.entries(SEALING_KEYS)) {
    const isNamed = names?.includes(name) === true;
    if (names !== undefined && names.length > 0 && !isNamed) continue;
    if (!isNamed && !(await isHere(site, name, service))) continue;
    const keys = await site.keys.existingKeySet(name);
    const database = service && (await site.database(service, MIGRATIONS[service]));
    opened.push({ name, keys, values: valuesOf(keys), service, database });
  }
  return opened;
}

async function isHere(site: CommandSite, name: string, service: Service | undefined): Promise<boolean> {
  const { generations } = await readKeyFiles(site.keys.folder, name);
  if (generations.length === 0) return false;
  if (service === undefined) return true;
  return site.config.shared.services.includes(service) && (await site.hasSchema(service));
}

async function countsOf({ database, values, keys }: OpenedKey): Promise<KeyCount[]> {
  return database === undefined ? [] : countKeys(database, values, keys);
}

function totalOf(counts: readonly KeyCount[], generation: number): number {
  return counts.reduce((sum, { byGeneration }) => sum + (byGeneration.get(generation) ?? 0), 0);
}

/** Whether every key that values name is there; prints missing ones. */
function isKnown(name: string, counts: readonly KeyCount[]): boolean {
  const missing = counts.filter(({ unknown }) => unknown > 0);
  for (const { what, unknown } of missing) {
    console.error(`${name}: ${unknown} of ${what} name a key that is not in the key folder; bring it back.`);
  }
  return missing.length === 0;
}

function warnOfMode({ file, isTooOpen }: KeyFile): void {
  if (isTooOpen) console.error(`${file} may be read or changed by other accounts: chmod 600 it.`);
}

interface Recorded {
  readonly service: Service | undefined;
  readonly action: 'C' | 'D';
  readonly event: string;
  readonly key: string;
}

async function record(database: Database | undefined, { service, action, event, key }: Recorded): Promise<void> {
  if (database === undefined || service === undefined) return;
  const audit = createAudit({ database, clock: systemClock, service });
  await database.transaction((tx) =>
    audit.record(tx, { action, event, principal: operator(), entities: [`sealing-key/${key}`] }),
  );
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
