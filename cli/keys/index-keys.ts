// The key of the personnummer index, for `kedja keys` (docs/adr/0064): creates a new generation, and rebuilds the index
// with it while nodes run. Operators' page: docs/operations/keys.md.
import { createAudit } from '#lib/audit/audit.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { MissingKeyError } from '#lib/secrets/key-set.ts';
import { migrations } from '#services/identity/migrations.ts';
import { reindexNumbers } from '#services/identity/patients/reindex.ts';
import { requirePersonnummerKey } from '#services/identity/patients/service.ts';
import { identitySealedValues } from '#services/identity/sealed-values.ts';
import { NUMBER_INDEX, personnummerCipher } from '#services/identity/shared/ciphers.ts';
import { type IndexGenerations, readGenerations } from '#services/identity/shared/number-index.ts';
import { indexFile, type KeyFile } from '../../runtime/keys/key-files.ts';
import { newestIndexKey, rotateIndexKey } from '../../runtime/keys/key-rotation.ts';
import { operator } from '../operator.ts';
import { createProgress } from '../progress.ts';
import type { CommandSite } from '../site.ts';

/** The key whose folder has the files. */
const KEY = 'personnummer';
/** The name for operators. */
export const INDEX_KEY_NAME = `${NUMBER_INDEX}-index`;

/** Returns the exit code. @throws Error when there is no such key */
export async function rotateIndex(site: CommandSite, waitMs: number): Promise<number> {
  const { database, keys, newest, state } = await open(site);
  const place = { folder: site.keys.folder, name: KEY, clock: systemClock };
  const current = Math.max(state.generation, state.next ?? 0);
  requireNewest(site, newest?.generation, current);
  const { indexes } = identitySealedValues(keys);
  const { generation, sealsFrom, isNew } = await rotateIndexKey(place, {
    purpose: NUMBER_INDEX,
    indexes,
    current,
    waitMs,
  });
  const from = new Date(sealsFrom).toISOString();
  if (!isNew) {
    console.log(
      `${INDEX_KEY_NAME}: a rotation is under way: generation ${generation} may be used from ${from} on. Nothing was changed.`,
    );
    return 0;
  }
  await database.transaction((tx) => recordEvent(database, tx, { event: 'index-key.rotate', generation }));
  console.log(`${INDEX_KEY_NAME}: generation ${generation} may be used from ${from} on; then run kedja keys reindex.`);
  return 0;
}

/** Returns the exit code: 1 when values could not be opened, 130 when stopped. @throws Error when a key is missing */
export async function reindex(site: CommandSite, signal: AbortSignal): Promise<number> {
  const { database, keys, newest, state } = await open(site);
  const named = Math.max(state.generation, state.next ?? 0);
  requireNewest(site, newest?.generation, named);
  // Finishes a rebuild in progress. Begins a newer one only when every node is expected to have its key.
  const isEarly = newest !== undefined && newest.generation > named && newest.sealsFrom > systemClock.now();
  const generation = isEarly ? named : (newest?.generation ?? named);
  if (isEarly && state.next === null) {
    printSealsFrom(newest);
    return 0;
  }
  const cipher = personnummerCipher(keys);
  await requirePersonnummerKey(database, cipher);
  const progress = createProgress(process.stderr);
  const report = await reindexNumbers(database, cipher, {
    generation,
    signal,
    onProgress: (rows) => progress.show(rows),
    onSwitch: (tx, reached) => recordEvent(database, tx, { event: 'index-key.reindex', generation: reached }),
  })
    .catch(asPrintable)
    .finally(progress.clear);
  console.log(`${INDEX_KEY_NAME}: ${report.reindexed} rows indexed anew under generation ${generation}.`);
  for (const issue of report.issues) console.error(`${INDEX_KEY_NAME}: ${issue}`);
  if (report.issues.length > 0) {
    console.error(
      `${INDEX_KEY_NAME}: the index stays as it was until these can be opened; then run kedja keys reindex again.`,
    );
    return 1;
  }
  if (report.isDone) {
    console.log(`${INDEX_KEY_NAME}: generation ${generation} keys the index; no other is needed but by backups.`);
    if (isEarly) printSealsFrom(newest);
    return 0;
  }
  console.error('Stopped. The same command goes on from there.');
  return 130;
}

function printSealsFrom({ generation, sealsFrom }: KeyFile): void {
  const from = new Date(sealsFrom).toISOString();
  console.log(
    `${INDEX_KEY_NAME}: generation ${generation} may be used from ${from} on; run kedja keys reindex again then.`,
  );
}

/** A line for each generation in the folder or in the database, newest first. */
export async function listIndexKey(site: CommandSite): Promise<string[][]> {
  if (!site.config.shared.services.includes('identity') || !(await site.hasSchema('identity'))) return [];
  const database = await site.database('identity', migrations);
  const { generation, next } = await readGenerations(database);
  const newest = await newestIndexKey(site.keys.folder, KEY, NUMBER_INDEX);
  if (newest === undefined && generation === 1) return [];
  const shown = new Set([newest?.generation ?? 0, next ?? 0, generation].filter((each) => each > 0));
  return [...shown]
    .sort((a, b) => b - a)
    .map((each) => {
      const state = each === generation ? 'indexes' : each === next ? 'next' : 'waits';
      const isNewest = each === newest?.generation;
      const times = isNewest
        ? [newest.createdAt, newest.sealsFrom].map((ms) => new Date(ms).toISOString())
        : ['-', '-'];
      return [INDEX_KEY_NAME, String(each), state, ...times, '-'];
    });
}

async function open(site: CommandSite) {
  const keys = await site.keys.existingKeySet(KEY);
  const database = await site.database('identity', migrations);
  const newest = await newestIndexKey(site.keys.folder, KEY, NUMBER_INDEX);
  return { keys, database, newest, state: await readGenerations(database) };
}

/** @throws Error that names the file of a newer generation that the folder lacks */
function requireNewest(site: CommandSite, newest: number | undefined, named: IndexGenerations['generation']): void {
  if (named === 1 || (newest !== undefined && newest >= named)) return;
  const file = indexFile(site.keys.folder, KEY, NUMBER_INDEX, named);
  throw new Error(`There is no ${file}, which the index is keyed with: bring it back from the copy of the key folder`);
}

/** @throws Error with what is missing, which an operator may know */
function asPrintable(error: unknown): never {
  throw error instanceof MissingKeyError ? new Error(error.detail, { cause: error }) : error;
}

function recordEvent(
  database: Database,
  tx: Transaction,
  { event, generation }: { event: string; generation: number },
): Promise<void> {
  const audit = createAudit({ database, clock: systemClock, service: 'identity' });
  const entities = [`index-key/${NUMBER_INDEX}/${generation}`];
  return audit.record(tx, { action: 'U', event, principal: operator(), entities });
}
