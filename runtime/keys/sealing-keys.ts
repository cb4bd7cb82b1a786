// The sealing key of a service. The first start makes it. A start on a database that has values of a lost key makes
// none. A new key opens nothing, and would hide what is wrong until somebody needs a value.
import { randomBytes } from 'node:crypto';
import type { Database } from '#lib/db/database.ts';
import { KEY_BYTES, type KeySet, type MasterKey } from '#lib/secrets/key-set.ts';
import type { SealedValues } from '#lib/secrets/sealed-values.ts';
import { firstFile, hasRetired, readKeyFiles } from './key-files.ts';
import type { KeyFolder } from './keys.ts';

export interface SealingKey {
  readonly name: string;
  readonly database: Database;
  /** The sealed columns of the service. */
  readonly valuesOf: (keys: KeySet) => SealedValues;
}

/** @throws Error of one line when the key is not in the folder and the database holds values that it sealed */
export async function sealingKeyOf(
  { folder, keySet }: KeyFolder,
  { name, database, valuesOf }: SealingKey,
): Promise<KeySet> {
  const isThere = async () =>
    (await readKeyFiles(folder, name)).generations.length > 0 || (await hasRetired(folder, name));
  if (await isThere()) return keySet(name);
  for (const { table, column } of valuesOf(throwAway(name)).columns) {
    const { rows } = await database.query(`SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`);
    // Another node that starts at the same time may have made the key meanwhile, and sealed the value.
    if (rows.length > 0 && !(await isThere())) {
      const lost = `There is no ${firstFile(folder, name)}, with which values in ${table}.${column} are sealed`;
      throw new Error(
        `${lost}: bring it back from the backup of the key folder (docs/operations/runbooks/key-lost.md)`,
      );
    }
  }
  return keySet(name);
}

/** A key that seals nothing: only the places of the values are asked for. */
function throwAway(name: string): KeySet {
  const key: MasterKey = { generation: 1, sealsFrom: 0, bytes: randomBytes(KEY_BYTES) };
  return { name, all: () => [key], sealing: () => key, indexKey: () => key.bytes };
}
