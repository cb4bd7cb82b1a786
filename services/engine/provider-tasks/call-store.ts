// SQL statements for the outbox of calls to dispatch. A worker whose lease has expired cannot settle the call.

import type { Queryable, Transaction } from '#lib/db/database.ts';
import { leasedTable } from '#lib/jobs/leased-table.ts';
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

export const {
  claim: claimCall,
  postpone: postponeCall,
  refuse: refuseCall,
} = leasedTable<DispatchCall>({
  table: 'dispatch_call',
  key: 'call_id',
  columns: ['call_id', 'request_guid', 'kind', 'body', 'attempt'],
  waits: (alias) => `${alias}.refused_at IS NULL`,
});

/** Removes a successful call; false when the claim has expired. */
export async function removeCall(tx: Transaction, call: DispatchCall): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM dispatch_call WHERE call_id = $1 AND attempt = $2', [
    call.call_id,
    call.attempt,
  ]);
  return rowCount === 1;
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
