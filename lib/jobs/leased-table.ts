// SQL of a table whose calls `leased-calls.ts` sends. A claim is a lease with an attempt number: who has lost the lease
// can settle the call no more. The calls of one request go out in the order of their keys.
//
// The table has the columns `request_guid`, `attempt` (of claims, 0 at first), `next_at`, `leased_until`, `refused_at`
// and `refusal`.
import type { Queryable } from '../db/database.ts';
import type { LeaseTimes } from './leased-calls.ts';

interface Leased<Call extends { readonly attempt: number }> {
  /**
   * Claims the next call that is due, the earliest of its request. With a request, it claims that request's next call,
   * even before it is due. Undefined when there is none.
   */
  claim(db: Queryable, times: LeaseTimes, requestGuid?: string): Promise<Call | undefined>;
  postpone(db: Queryable, call: Call, nextAt: Date): Promise<void>;
  /** Keeps a refused call for the operator; false when the claim has expired. */
  refuse(db: Queryable, call: Call, refusal: string, at: Date): Promise<boolean>;
}

export interface LeasedTableOptions<Call> {
  readonly table: string;
  /** Its primary key, which increases; one of the columns. */
  readonly key: keyof Call & string;
  /** The columns of a call. */
  readonly columns: readonly (keyof Call & string)[];
  /** Whether a row waits still, as SQL about the alias; as in the predicates of the table's indexes. */
  readonly waits: (alias: string) => string;
}

/** Names are ours, never a caller's. */
export function leasedTable<Call extends { readonly attempt: number }>(
  options: LeasedTableOptions<Call>,
): Leased<Call> {
  const { table, key, columns, waits } = options;
  const claim = `UPDATE ${table} SET attempt = attempt + 1, leased_until = $2 WHERE ${key} = (
      SELECT c.${key} FROM ${table} c
      WHERE ${waits('c')} AND (c.leased_until IS NULL OR c.leased_until <= $1)
        AND CASE WHEN $3::uuid IS NULL THEN c.next_at <= $1 ELSE c.request_guid = $3 END
        AND NOT EXISTS (SELECT FROM ${table} e
          WHERE e.request_guid = c.request_guid AND ${waits('e')} AND e.${key} < c.${key})
      ORDER BY c.next_at, c.${key} LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING ${columns.join(', ')}`;
  return {
    async claim(db, { now, leaseEnds }, requestGuid) {
      return (await db.query<Call>(claim, [now, leaseEnds, requestGuid ?? null])).rows[0];
    },
    async postpone(db, call, nextAt) {
      const text = `UPDATE ${table} SET next_at = $3, leased_until = NULL WHERE ${key} = $1 AND attempt = $2`;
      await db.query(text, [call[key], call.attempt, nextAt]);
    },
    async refuse(db, call, refusal, at) {
      const text = `UPDATE ${table} SET refused_at = $3, refusal = $4, leased_until = NULL WHERE ${key} = $1 AND attempt = $2`;
      return (await db.query(text, [call[key], call.attempt, at, refusal])).rowCount === 1;
    },
  };
}
