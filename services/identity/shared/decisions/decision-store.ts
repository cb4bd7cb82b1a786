// What the tables of requests have alike on which somebody decides once: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { readCount } from '#lib/db/rows.ts';

export type RequestStatus = 'pending' | 'approved' | 'rejected';

/** A decision as it is stored. */
export interface DecisionRecord {
  readonly guid: string;
  readonly status: RequestStatus;
  /** The user who decided. */
  readonly by: string;
  readonly at: Date;
}

/** When a request was made, and at which tenant's address; null for the default one. */
export interface Made {
  readonly at: Date;
  readonly tenant: string | null;
}

interface DecisionTable {
  /** Stores the decision, and with it values of further columns. Their names are ours, never a caller's. */
  readonly saveDecision: (
    db: Queryable,
    decision: DecisionRecord,
    further?: Readonly<Record<string, string | null>>,
  ) => Promise<void>;
  /** The tenant at whose address it was asked for; null for the default one. */
  readonly readTenant: (db: Queryable, guid: string) => Promise<string | null>;
  /** How many rows wait for a decision. */
  readonly countPending: (db: Queryable) => Promise<number>;
}

/** The decisions of a table that has `status`, `decided_by_guid` and `decided_at`; `key` is the column of its guid. */
export function decisionTable(table: string, key: string): DecisionTable {
  return {
    async saveDecision(db, { guid, status, by, at }, further = {}) {
      const columns = ['status', 'decided_by_guid', 'decided_at', ...Object.keys(further)];
      const assignments = columns.map((column, index) => `${column} = $${index + 2}`).join(', ');
      await db.query(`UPDATE ${table} SET ${assignments} WHERE ${key} = $1`, [
        guid,
        status,
        by,
        at,
        ...Object.values(further),
      ]);
    },
    async readTenant(db, guid) {
      const { rows } = await db.query<{ tenant: string | null }>(`SELECT tenant FROM ${table} WHERE ${key} = $1`, [
        guid,
      ]);
      return rows[0]?.tenant ?? null;
    },
    countPending: (db) => readCount(db, `SELECT count(*) AS count FROM ${table} WHERE status = 'pending'`),
  };
}
