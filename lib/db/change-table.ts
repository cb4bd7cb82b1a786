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
  readonly position: string;
  /** Each once. */
  readonly keys: readonly string[];
}

/**
 * Read it before the initial load. What is committed in between is then read twice, and nothing is missed. The
 * statement names the table, as Citus asks the server that has it: its transactions have the numbers of the rows.
 */
export async function readPosition(db: Queryable, { table }: Pick<ChangeTable, 'table'>): Promise<string> {
  const { rows } = await db.query<{ position: string }>(
    `SELECT pg_snapshot_xmin(now)::text AS position, EXISTS (SELECT FROM ${table}) FROM pg_current_snapshot() AS now`,
  );
  return rows[0]?.position ?? '0';
}

/**
 * The keys that transactions wrote that had not ended when `position` was read, or began later. Rows of a restored
 * database may have transaction numbers above those of this server; the initial load has read them.
 */
export async function readChanges(db: Queryable, { table, key }: ChangeTable, position: string): Promise<Changes> {
  const { rows } = await db.query<Changes>(
    {
      name: `changes_${table}`,
      text: `SELECT pg_snapshot_xmin(now)::text AS position, ARRAY(SELECT DISTINCT ${key} FROM ${table}
          WHERE changed_by >= $1::xid8 AND changed_by < pg_snapshot_xmax(now)) AS keys
        FROM pg_current_snapshot() AS now`,
    },
    [position],
  );
  const [changes = { position, keys: [] }] = rows;
  return BigInt(changes.position) < BigInt(position) ? readMoved(db, { table, key }) : changes;
}

/**
 * The numbers of a server never fall: the schema has moved to another one. What was written before that counts, too.
 */
async function readMoved(db: Queryable, { table, key }: ChangeTable): Promise<Changes> {
  const position = await readPosition(db, { table });
  const { rows } = await db.query<{ key: string }>(`SELECT DISTINCT ${key} AS key FROM ${table}`);
  return { position, keys: rows.map((row) => row.key) };
}
