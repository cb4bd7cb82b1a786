// Opens a few sealed values of each column, to find out whether a key folder is that of a database.
import type { Database } from '../db/database.ts';
import { MissingKeyError } from './key-set.ts';
import type { SealedColumn, SealedValues } from './sealed-values.ts';

/** Enough to see that a key is wrong or missing; few, so that it takes milliseconds in a table of any size. */
const SAMPLE = 20;

export interface SealedSample {
  /** `table.column`. */
  readonly place: string;
  readonly opened: number;
  /** Values that name a key which is not there. */
  readonly missing: number;
  /** Values that no key opens: the key is another one, or the value is damaged. */
  readonly unreadable: number;
}

/** A sample of each column that holds sealed values. Nothing of the values leaves this function. */
export async function sampleSealed(database: Database, { columns }: SealedValues): Promise<SealedSample[]> {
  const samples: SealedSample[] = [];
  for (const column of columns) samples.push(await sampleColumn(database, column));
  return samples.filter(({ opened, missing, unreadable }) => opened + missing + unreadable > 0);
}

async function sampleColumn(database: Database, given: SealedColumn): Promise<SealedSample> {
  const { table, column, key, sealer, context = `${key}::text` } = given;
  const { rows } = await database.query<{ context: string; sealed: Buffer }>(
    `SELECT ${context} AS context, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL LIMIT ${SAMPLE}`,
  );
  let [opened, missing, unreadable] = [0, 0, 0];
  for (const row of rows) {
    try {
      sealer.open(row.sealed, row.context);
      opened += 1;
    } catch (error) {
      if (error instanceof MissingKeyError) missing += 1;
      else unreadable += 1;
    }
  }
  return { place: `${table}.${column}`, opened, missing, unreadable };
}
