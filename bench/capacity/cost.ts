// What an act costs: processor time of the services and of the database, bytes of the write-ahead log, and bytes that
// stay on disk. Each is counted until the work that the act leaves behind is done, such as audit events and index rows.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#lib/db/database.ts';
import { processorTimes } from '../load/processor.ts';

export interface Cost {
  /** Milliseconds of the services' processors. */
  readonly services: number;
  /** Milliseconds of the database's processors. */
  readonly database: number;
  /** Bytes of the write-ahead log. */
  readonly log: number;
  /** Bytes that the database grew by. */
  readonly disk: number;
}

/** What is measured: the services and the database that they share. */
export interface Measured {
  readonly database: Database;
  readonly servicePids: readonly number[];
}

/** Services and database rest when they use less than this share of a core for two intervals. */
const IDLE_SHARE = 0.05;
const INTERVAL_MS = 1_000;
const SETTLE_MS = 300_000;

/**
 * Does the acts, of which there are as many as the function returns, and waits until all work is done.
 *
 * @returns the cost of one act
 * @throws Error when the services do not come to rest within five minutes
 */
export async function costOf(measured: Measured, act: () => Promise<number>): Promise<Cost> {
  const before = await settled(measured);
  const count = await act();
  const after = await settled(measured);
  const each = (of: keyof Cost) => (after[of] - before[of]) / count;
  return {
    services: each('services'),
    database: each('database'),
    log: each('log'),
    disk: Math.max(0, each('disk')),
  };
}

async function totals({ database, servicePids }: Measured): Promise<Cost> {
  const { rows } = await database.query<{ log: string; disk: string }>(
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS log, pg_database_size(current_database()) AS disk`,
  );
  const times = await processorTimes(database, servicePids);
  return {
    services: times.services * 1_000,
    database: times.database * 1_000,
    log: Number(rows[0]?.log),
    disk: Number(rows[0]?.disk),
  };
}

async function settled(measured: Measured): Promise<Cost> {
  const from = performance.now();
  let [quiet, before] = [0, await totals(measured)];
  while (quiet < 2) {
    if (performance.now() - from > SETTLE_MS) throw new Error('The services do not come to rest');
    await delay(INTERVAL_MS);
    const now = await totals(measured);
    const used = now.services - before.services + now.database - before.database;
    quiet = used < IDLE_SHARE * INTERVAL_MS ? quiet + 1 : 0;
    before = now;
  }
  return before;
}
