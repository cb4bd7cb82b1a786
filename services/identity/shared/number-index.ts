// The keyed index that finds a personnummer and makes it unique (decision I6). Its key has generations (docs/adr/0064).
// A row of the database stores the generations of the two columns; each writer locks that row until its commit.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { NumberCipher } from './ciphers.ts';

/**
 * `generation` belongs to `personnummer_index`, `next` to `personnummer_index_next`; null where that column is not
 * written.
 */
export interface IndexGenerations {
  readonly generation: number;
  readonly next: number | null;
}

/** The values of both columns for one number. */
export interface NumberIndex {
  readonly index: Buffer;
  readonly next: Buffer | null;
}

/** A patient to insert; the personnummer is sealed. */
export interface NewPatient {
  readonly userGuid: string;
  readonly patientGuid: string;
  readonly organisationGuid: string;
  readonly sealed: Buffer;
  readonly index: NumberIndex;
}

const FIRST: IndexGenerations = { generation: 1, next: null };
const STATE = 'SELECT generation, next_generation AS next FROM personnummer_key';

/** The generations, locked against changes until the transaction ends. */
export async function shareLockGenerations(tx: Transaction): Promise<IndexGenerations> {
  return (await tx.query<IndexGenerations>(`${STATE} FOR SHARE`)).rows[0] ?? FIRST;
}

/**
 * The generations, locked to change them: waits for transactions that write numbers.
 * @throws Error where there is no row, which identity creates at its start
 */
export async function lockGenerations(tx: Transaction): Promise<IndexGenerations> {
  const [now] = (await tx.query<IndexGenerations>(`${STATE} FOR UPDATE`)).rows;
  if (now === undefined) throw new Error('personnummer_key has no row: nothing says which key the index is under');
  return now;
}

/** The present generations, without a lock. */
export async function readGenerations(db: Queryable): Promise<IndexGenerations> {
  return (await db.query<IndexGenerations>(STATE)).rows[0] ?? FIRST;
}

/** @throws MissingKeyError where this node lacks the key of a generation */
export function numberIndex(cipher: NumberCipher, { generation, next }: IndexGenerations, number: string): NumberIndex {
  return { index: cipher.indexWith(number, generation), next: next === null ? null : cipher.indexWith(number, next) };
}

/**
 * Those of the numbers that are registered. Each column may hold some of them under either generation.
 * @throws MissingKeyError
 */
export async function findRegistered(
  db: Queryable,
  cipher: NumberCipher,
  { numbers, generations }: { readonly numbers: readonly string[]; readonly generations: IndexGenerations },
): Promise<ReadonlySet<string>> {
  if (numbers.length === 0) return new Set();
  const byIndex = new Map<string, string>();
  for (const number of numbers) {
    const { index, next } = numberIndex(cipher, generations, number);
    byIndex.set(index.toString('hex'), number);
    if (next !== null) byIndex.set(next.toString('hex'), number);
  }
  const { rows } = await db.query<{ first: Buffer; second: Buffer | null }>(
    `SELECT personnummer_index AS first, personnummer_index_next AS second FROM patient
     WHERE personnummer_index = ANY($1::bytea[]) OR personnummer_index_next = ANY($1::bytea[])`,
    [[...byIndex.keys()].map((hex) => Buffer.from(hex, 'hex'))],
  );
  const found = rows.flatMap(({ first, second }) => [first, ...(second === null ? [] : [second])]);
  return new Set(found.flatMap((index) => byIndex.get(index.toString('hex')) ?? []));
}

/**
 * Locks the numbers until the transaction ends. A registration and a report of a record with one number come one after
 * the other, so that the second sees the first. The generations are locked before.
 */
export async function lockNumbers(tx: Transaction, indexes: readonly NumberIndex[]): Promise<void> {
  if (indexes.length === 0) return;
  await tx.query(
    `SELECT pg_advisory_xact_lock(key) FROM (
       SELECT DISTINCT hashtextextended(current_schema() || encode(number, 'hex'), 0) AS key
       FROM unnest($1::bytea[]) AS number ORDER BY key) AS numbers`,
    [indexes.map(({ index }) => index)],
  );
}
