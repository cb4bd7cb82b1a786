// Waits for the audit record. A round of a benchmark is a burst, and what it leaves to do must not slow down the next.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#lib/db/database.ts';

const POLL_MS = 50;
const LONGEST_BACKLOG_MS = 120_000;

/** Resolves when all that was accessed at the engine is audit events. @throws Error when it is not in time */
export async function auditDone(database: Database): Promise<void> {
  for (let waited = 0; waited < LONGEST_BACKLOG_MS; waited += POLL_MS) {
    const { rows } = await database.query('SELECT FROM audit_look LIMIT 1');
    if (rows.length === 0) return;
    await delay(POLL_MS);
  }
  throw new Error('The audit record does not catch up');
}
