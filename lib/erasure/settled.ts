// Waits until no transaction is left that began before a commit: what such a one writes is seen afterwards.
import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../db/database.ts';

const PAUSE_MS = 100;

/** The id of the transaction, for {@link waitForOlder}. */
export async function transactionId(tx: Queryable): Promise<string> {
  const { rows } = await tx.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  return rows[0]?.id ?? '0';
}

/** Whether all writing transactions from before the given one had ended within `timeoutMs`. */
export async function waitForOlder(db: Queryable, id: string, timeoutMs: number): Promise<boolean> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    const { rows } = await db.query<{ is_settled: boolean }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 AS is_settled',
      [id],
    );
    if (rows[0]?.is_settled === true) return true;
    if (waited >= timeoutMs) return false;
    await delay(PAUSE_MS);
  }
}
