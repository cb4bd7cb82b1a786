// SQL statements for the outbox of calls to dispatch. A claim is a lease with an attempt number. A worker whose lease
// has expired cannot settle the call.

import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { LeaseTimes } from '#lib/jobs/leased-calls.ts';
import { instant } from '../shared/sql.ts';

export type CallKind = 'respond' | 'status';

export interface DispatchCall {
  readonly call_id: number;
  readonly request_guid: string;
  readonly kind: CallKind;
  readonly body: unknown;
  readonly attempt: number;
}

/** Adds a call. The caller holds the lock of the task, which orders the calls of one request. */
export async function insertCall(
  tx: Transaction,
  call: { readonly requestGuid: string; readonly kind: CallKind; readonly body: object; readonly notBefore?: Date },
  at: Date,
): Promise<void> {
  await tx.query(
    'INSERT INTO dispatch_call (request_guid, kind, body, next_at, created_at) VALUES ($1, $2, $3, $4, $5)',
    [call.requestGuid, call.kind, JSON.stringify(call.body), call.notBefore ?? at, at],
  );
}

/**
 * Claims the next due call until `leaseEnds`, the earliest of its request. With a request, it claims that request's
 * next call, even before it is due.
 */
export async function claimCall(
  db: Queryable,
  times: LeaseTimes,
  requestGuid?: string,
): Promise<DispatchCall | undefined> {
  const { rows } = await db.query<DispatchCall>(
    `UPDATE dispatch_call SET attempt = attempt + 1, leased_until = $2 WHERE call_id = (
       SELECT c.call_id FROM dispatch_call c
       WHERE c.refused_at IS NULL AND (c.leased_until IS NULL OR c.leased_until <= $1)
         AND CASE WHEN $3::uuid IS NULL THEN c.next_at <= $1 ELSE c.request_guid = $3 END
         AND NOT EXISTS (SELECT FROM dispatch_call e
           WHERE e.request_guid = c.request_guid AND e.refused_at IS NULL AND e.call_id < c.call_id)
       ORDER BY c.next_at, c.call_id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING call_id, request_guid, kind, body, attempt`,
    [times.now, times.leaseEnds, requestGuid ?? null],
  );
  return rows[0];
}

/** Removes a successful call; false when the claim has expired. */
export async function removeCall(tx: Transaction, call: DispatchCall): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM dispatch_call WHERE call_id = $1 AND attempt = $2', [
    call.call_id,
    call.attempt,
  ]);
  return rowCount === 1;
}

/** Keeps a refused call for the operator; false when the claim has expired. */
export async function refuseCall(tx: Transaction, call: DispatchCall, refusal: string, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE dispatch_call SET refused_at = $3, refusal = $4, leased_until = NULL WHERE call_id = $1 AND attempt = $2`,
    [call.call_id, call.attempt, at, refusal],
  );
  return rowCount === 1;
}

export async function postponeCall(db: Queryable, call: DispatchCall, nextAt: Date): Promise<void> {
  await db.query('UPDATE dispatch_call SET next_at = $3, leased_until = NULL WHERE call_id = $1 AND attempt = $2', [
    call.call_id,
    call.attempt,
    nextAt,
  ]);
}

export interface CallCounts {
  readonly waiting: number;
  readonly refused: number;
  readonly oldest_at: string | null;
  readonly most_attempts: number;
}

export async function countCalls(db: Queryable): Promise<CallCounts> {
  const { rows } = await db.query<CallCounts>(
    `SELECT count(*) FILTER (WHERE refused_at IS NULL) AS waiting, count(*) FILTER (WHERE refused_at IS NOT NULL) AS refused,
       ${instant('min(created_at) FILTER (WHERE refused_at IS NULL)', 'oldest_at')},
       coalesce(max(attempt) FILTER (WHERE refused_at IS NULL), 0) AS most_attempts
     FROM dispatch_call`,
  );
  return rows[0] ?? { waiting: 0, refused: 0, oldest_at: null, most_attempts: 0 };
}
