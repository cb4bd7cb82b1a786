// Change tables: triggers record which rows were written, and by which transaction. A follower then reads only what has
// changed (docs/adr/0014). A row has the key of the written row and, in `changed_by`, the latest transaction that wrote
// it.
import type { Queryable } from './database.ts';

export interface ChangeTable {
  readonly table: string;
  /** An SQL expression over its row, as text. */
  readonly key: string;
}

export interface Changes {
  /** The position to continue from: writes of earlier transactions have been read. */
  readonly seen: string;
  /** Each once. */
  readonly keys: readonly string[];
}

/** Read it before the initial load. What is committed in between is then read twice, and nothing is missed. */
export async function readMoment(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ seen: string }>('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS seen');
  return rows[0]?.seen ?? '0';
}

/**
 * What those transactions wrote that had not ended when `seen` was read, or began after it. What a restored database
 * brings from another server may bear numbers that are still to come here: it has been loaded with all others.
 */
export async function readChanges(db: Queryable, { table, key }: ChangeTable, seen: string): Promise<Changes> {
  const { rows } = await db.query<Changes>(
    {
      name: `changes_${table}`,
      text: `SELECT pg_snapshot_xmin(now)::text AS seen, ARRAY(SELECT DISTINCT ${key} FROM ${table}
          WHERE changed_by >= $1::xid8 AND changed_by < pg_snapshot_xmax(now)) AS keys
        FROM pg_current_snapshot() AS now`,
    },
    [seen],
  );
  return rows[0] ?? { seen, keys: [] };
}
