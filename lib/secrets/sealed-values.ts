// The sealed columns of a service (docs/adr/0048), and the rows that need a key without being sealed. Counts them by
// generation and reseals them in batches. A row is replaced only if it has not changed since it was read. So no write
// is lost and several runs may work at once.
import type { Database } from '../db/database.ts';
import type { KeySet, MasterKey } from './key-set.ts';
import type { Sealer } from './sealer.ts';

/** One column of sealed values. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key, which is one column. */
  readonly key: string;
  readonly keyType: 'uuid' | 'text' | 'bytea';
  /** SQL of the context to which the values are bound; the primary key as text when left out. */
  readonly context?: string;
  readonly sealer: Sealer;
}

/** Rows that need a generation and cannot be resealed; they expire by themselves. */
export interface KeyUse {
  /** In the plural, for operators: `open requests`. */
  readonly what: string;
  /** How many need each of these generations. */
  count(db: Database, keys: readonly MasterKey[]): Promise<ReadonlyMap<number, number>>;
}

export interface SealedValues {
  readonly columns: readonly SealedColumn[];
  readonly uses: readonly KeyUse[];
  /** The purposes of keyed indexes, which stay when the first generation goes. */
  readonly indexes: readonly string[];
  /**
   * How long, in milliseconds, values outside the database may need a generation after the next one has begun to seal.
   */
  readonly retentionMs?: number;
}

export interface KeyCount {
  readonly what: string;
  /** The rows that name each generation. */
  readonly byGeneration: ReadonlyMap<number, number>;
  /** The rows that name a key which is not there. */
  readonly unknown: number;
}

export interface ResealReport {
  readonly resealed: number;
  /** Rows that could not be opened: where, and why. They are left as they are. */
  readonly issues: readonly string[];
}

const BATCH = 500;
const MAX_ISSUES = 100;

/** How many rows name which generation, column by column. */
export async function countKeys(db: Database, values: SealedValues, keys: KeySet): Promise<KeyCount[]> {
  const counts: KeyCount[] = [];
  for (const column of values.columns) counts.push(await countColumn(db, column));
  for (const { what, count } of values.uses) {
    counts.push({ what, byGeneration: await count(db, keys.all()), unknown: 0 });
  }
  return counts;
}

/**
 * Reseals values of older generations under the current one. Ends early when the signal is aborted; another run
 * continues from there.
 */
export async function reseal(
  db: Database,
  values: SealedValues,
  { onProgress, signal }: { onProgress?: (rows: number) => void; signal?: AbortSignal } = {},
): Promise<ResealReport> {
  const issues: string[] = [];
  let resealed = 0;
  for (const column of values.columns) {
    let after: string | null = null;
    while (signal?.aborted !== true) {
      const batch: Batch = await resealBatch(db, column, after);
      resealed += batch.resealed;
      issues.push(...batch.issues);
      onProgress?.(resealed);
      if (batch.last === undefined) break;
      after = batch.last;
    }
  }
  const more = issues.length - MAX_ISSUES;
  return { resealed, issues: more > 0 ? [...issues.slice(0, MAX_ISSUES), `and ${more} more`] : issues };
}

async function countColumn(db: Database, { table, column, sealer }: SealedColumn): Promise<KeyCount> {
  const keys = sealer.keys.all();
  const { rows } = await db.query<{ generation: number | null; rows: number }>(
    `SELECT (SELECT k.generation FROM unnest($1::int[], $2::bytea[]) AS k (generation, mark)
        WHERE substr(${column}, 1, octet_length(k.mark)) = k.mark LIMIT 1) AS generation, count(*)::int AS rows
     FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1`,
    [keys.map(({ generation }) => generation), keys.map((key) => sealer.markOf(key))],
  );
  const byGeneration = new Map(
    rows.flatMap(({ generation, rows: count }) => (generation === null ? [] : [[generation, count]])),
  );
  return {
    what: `${table}.${column}`,
    byGeneration,
    unknown: rows.find(({ generation }) => generation === null)?.rows ?? 0,
  };
}

interface Batch {
  readonly resealed: number;
  readonly issues: readonly string[];
  /** The primary key after which the next batch begins; undefined at the end. */
  readonly last: string | undefined;
}

interface SealedRow {
  readonly key: string;
  readonly context: string;
  readonly sealed: Buffer;
}

async function resealBatch(db: Database, given: SealedColumn, after: string | null): Promise<Batch> {
  const { table, column, key, keyType, sealer, context = `${key}::text` } = given;
  const current = sealer.keys.sealing();
  const older = sealer.keys.all().filter(({ generation }) => generation < current.generation);
  if (older.length === 0) return { resealed: 0, issues: [], last: undefined };
  const { rows } = await db.query<SealedRow>(
    `SELECT ${key}::text AS key, ${context} AS context, ${column} AS sealed FROM ${table}
     WHERE ${column} IS NOT NULL AND ($1::text IS NULL OR ${key} > $1::${keyType})
       AND EXISTS (SELECT FROM unnest($2::bytea[]) AS mark WHERE substr(${column}, 1, octet_length(mark)) = mark)
     ORDER BY ${key} LIMIT ${BATCH}`,
    [after, older.map((each) => sealer.markOf(each))],
  );
  const issues: string[] = [];
  const changes: (SealedRow & { next: Buffer })[] = [];
  for (const row of rows) {
    try {
      changes.push({ ...row, next: sealer.seal(sealer.open(row.sealed, row.context), row.context) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      issues.push(`${table}.${column} of ${row.key} cannot be opened: ${reason}`);
    }
  }
  // In a transaction, since those are tried again after a deadlock.
  const { rowCount } = await db.transaction((tx) =>
    tx.query(
      `UPDATE ${table} t SET ${column} = n.next
       FROM unnest($1::${keyType}[], $2::bytea[], $3::bytea[]) AS n (key, sealed, next)
       WHERE t.${key} = n.key AND t.${column} = n.sealed`,
      [changes.map(({ key: each }) => each), changes.map(({ sealed }) => sealed), changes.map(({ next }) => next)],
    ),
  );
  return { resealed: rowCount ?? 0, issues, last: rows.length < BATCH ? undefined : rows.at(-1)?.key };
}
