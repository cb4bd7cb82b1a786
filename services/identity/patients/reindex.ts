// Rebuilds the keyed index of personnummer under a newer generation of its key (docs/adr/0064), while nodes register
// users. A row of the database stores the progress. So a killed run continues from there, and several runs at once do
// no harm.
import type { Database, Transaction } from '#lib/db/database.ts';
import { MissingKeyError } from '#lib/secrets/key-set.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import {
  type IndexGenerations,
  lockGenerations,
  readGenerations,
  shareLockGenerations,
} from '../shared/number-index.ts';

const BATCH = 500;
/** The tables that have the two index columns, each with its key. */
const TABLES = [
  { table: 'patient', key: 'patient_guid' },
  { table: 'patient_record_number', key: 'number_guid' },
] as const;
type IndexedTable = (typeof TABLES)[number];
const MAX_ISSUES = 100;
/** The text whose index value is stored in `personnummer_key.mark`. */
export const KEY_MARK = 'key mark';

export interface Reindexing {
  /** The target generation of the index. A change that has begun is finished first. */
  readonly generation: number;
  readonly onProgress?: (rows: number) => void;
  readonly signal?: AbortSignal;
  /**
   * Called in the transaction that finds the index complete under a generation; more than once when another change was
   * in progress.
   */
  readonly onSwitch?: (tx: Transaction, generation: number) => Promise<void>;
}

export interface ReindexReport {
  /** The number of rows that this run has indexed under a newer generation. */
  readonly reindexed: number;
  /** Rows whose number cannot be decrypted: where, and why. The index stays as it is until they can be. */
  readonly issues: readonly string[];
  /** Whether the index uses this generation alone. */
  readonly isDone: boolean;
}

/**
 * Call it on a database whose key mark was checked.
 * @throws MissingKeyError where the key folder lacks the generation; Error where there is no mark
 */
export async function reindexNumbers(db: Database, cipher: NumberCipher, work: Reindexing): Promise<ReindexReport> {
  const { generation, signal } = work;
  const isStopped = () => signal?.aborted === true;
  let reindexed = 0;
  while (!isStopped()) {
    const state = await readGenerations(db);
    if (state.next === null) {
      await clearNext(db, signal);
      if (state.generation >= generation) return { reindexed, issues: [], isDone: !isStopped() };
      cipher.indexWith(KEY_MARK, generation);
      await move(db, {
        from: state,
        to: { ...state, next: generation },
        unless: 'personnummer_index_next IS NOT NULL',
      });
    } else if (state.next !== state.generation) {
      const { rows, issues } = await fill(db, cipher, { ...work, next: state.next, before: reindexed });
      reindexed += rows;
      if (issues.length > 0) return { reindexed, issues, isDone: false };
      const mark = cipher.indexWith(KEY_MARK, state.next);
      const to = { generation: state.next, next: state.next };
      const unless = 'personnummer_index_next IS NULL';
      if (!isStopped()) await move(db, { from: state, to, unless, mark, onMoved: work.onSwitch });
    } else {
      await bringOver(db, signal);
      const unless = 'personnummer_index IS DISTINCT FROM personnummer_index_next';
      if (!isStopped()) await move(db, { from: state, to: { ...state, next: null }, unless });
    }
  }
  return { reindexed, issues: [], isDone: false };
}

interface Move {
  readonly from: IndexGenerations;
  readonly to: IndexGenerations;
  /** SQL condition on a row: while one matches, the previous step is not done. */
  readonly unless: string;
  readonly mark?: Buffer;
  /** Called with the generation that keys the index from now on. */
  readonly onMoved?: Reindexing['onSwitch'] | undefined;
}

/**
 * Waits for registrations in progress. Does nothing when another run was first, or when the previous step is not done
 * after all.
 */
async function move(db: Database, { from, to, unless, mark, onMoved }: Move): Promise<void> {
  await db.transaction(async (tx) => {
    const now = await lockGenerations(tx);
    if (now.generation !== from.generation || now.next !== from.next) return;
    for (const { table } of TABLES)
      if ((await tx.query(`SELECT FROM ${table} WHERE ${unless} LIMIT 1`)).rowCount !== 0) return;
    await tx.query(
      'UPDATE personnummer_key SET generation = $1, next_generation = $2, mark = coalesce($3::bytea, mark)',
      [to.generation, to.next, mark ?? null],
    );
    await onMoved?.(tx, to.generation);
  });
}

interface SealedRow {
  readonly guid: string;
  readonly sealed: Buffer;
}

/**
 * Indexes under the next generation the rows that lack it; new registrations have it already. Each batch is written
 * only while that generation is still being filled: another run may have completed it and begun the following one.
 * @throws MissingKeyError where the key folder lacks the generation
 */
async function fill(
  db: Database,
  cipher: NumberCipher,
  filling: Reindexing & { readonly next: number; readonly before: number },
): Promise<{ rows: number; issues: string[] }> {
  cipher.indexWith(KEY_MARK, filling.next);
  const total: { rows: number; issues: string[] } = { rows: 0, issues: [] };
  for (const of of TABLES) {
    const { rows, issues } = await fillTable(db, cipher, { ...filling, before: filling.before + total.rows, of });
    total.rows += rows;
    total.issues.push(...issues);
  }
  return total;
}

async function fillTable(
  db: Database,
  cipher: NumberCipher,
  {
    next,
    before,
    onProgress,
    signal,
    of: { table, key },
  }: Reindexing & { readonly next: number; readonly before: number; readonly of: IndexedTable },
): Promise<{ rows: number; issues: string[] }> {
  const issues: string[] = [];
  let [done, after]: [number, string | null] = [0, null];
  while (signal?.aborted !== true) {
    const { rows }: { rows: SealedRow[] } = await db.query<SealedRow>(
      `SELECT ${key} AS guid, personnummer_sealed AS sealed FROM ${table}
       WHERE personnummer_index_next IS NULL AND ($1::uuid IS NULL OR ${key} > $1::uuid)
       ORDER BY ${key} LIMIT ${BATCH}`,
      [after],
    );
    const indexes = rows.flatMap(({ guid, sealed }) => {
      try {
        return [{ guid, index: cipher.indexWith(cipher.open(sealed, guid), next) }];
      } catch (error) {
        if (issues.length < MAX_ISSUES)
          issues.push(`${table}.personnummer_sealed of ${guid} cannot be opened: ${reasonOf(error)}`);
        return [];
      }
    });
    const written = await db.transaction(async (tx) => {
      const now = await shareLockGenerations(tx);
      if (now.next !== next || now.generation === next) return undefined;
      const { rowCount } = await tx.query(
        `UPDATE ${table} p SET personnummer_index_next = n.index FROM unnest($1::uuid[], $2::bytea[]) AS n (guid, index)
         WHERE p.${key} = n.guid AND p.personnummer_index_next IS NULL`,
        [indexes.map(({ guid }) => guid), indexes.map(({ index }) => index)],
      );
      return rowCount ?? 0;
    });
    // The run that completed it found every number readable.
    if (written === undefined) return { rows: done, issues: [] };
    done += written;
    onProgress?.(before + done);
    if (rows.length < BATCH) break;
    after = rows.at(-1)?.guid ?? null;
  }
  return { rows: done, issues };
}

/** The message for an operator, who may know which key is missing. */
function reasonOf(error: unknown): string {
  if (error instanceof MissingKeyError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}

function bringOver(db: Database, signal: AbortSignal | undefined): Promise<void> {
  return inBatches(db, signal, {
    change: 'personnummer_index = personnummer_index_next',
    where: 'personnummer_index IS DISTINCT FROM personnummer_index_next',
    during: 'next_generation = generation',
  });
}

function clearNext(db: Database, signal: AbortSignal | undefined): Promise<void> {
  return inBatches(db, signal, {
    change: 'personnummer_index_next = NULL',
    where: 'personnummer_index_next IS NOT NULL',
    during: 'next_generation IS NULL',
  });
}

interface BatchedChange {
  readonly change: string;
  /** SQL on a row. */
  readonly where: string;
  /** SQL on the row of generations. */
  readonly during: string;
}

/** Updates the tables in batches, as long as the generations permit the change: their row is locked with each batch. */
async function inBatches(db: Database, signal: AbortSignal | undefined, change: BatchedChange): Promise<void> {
  for (const of of TABLES) await changeTable(db, signal, { ...change, of });
}

async function changeTable(
  db: Database,
  signal: AbortSignal | undefined,
  { change, where, during, of: { table, key } }: BatchedChange & { readonly of: IndexedTable },
): Promise<void> {
  let after: string | undefined;
  do {
    const { rows }: { rows: { guid: string }[] } = await db.transaction((tx) =>
      tx.query<{ guid: string }>(
        `WITH state AS (SELECT FROM personnummer_key WHERE ${during} FOR SHARE),
         chosen AS (SELECT ${key} FROM ${table}, state
           WHERE ${where} AND ($1::uuid IS NULL OR ${key} > $1::uuid) ORDER BY ${key} LIMIT ${BATCH}),
         changed AS (UPDATE ${table} p SET ${change} FROM chosen WHERE p.${key} = chosen.${key})
         SELECT ${key} AS guid FROM chosen ORDER BY ${key} DESC LIMIT 1`,
        [after ?? null],
      ),
    );
    after = rows[0]?.guid;
  } while (after !== undefined && signal?.aborted !== true);
}
