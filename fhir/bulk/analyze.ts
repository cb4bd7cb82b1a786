// Refreshes PostgreSQL's statistics (ANALYZE) of the store's tables after a bulk write. The counters by which nodes see
// that a table has grown (docs/adr/0164) come up to ten seconds after a write, and a command has no such node.
import type { Queryable } from '#lib/db/database.ts';
import { isTimedOut } from '#lib/db/failure.ts';
import { INDEX_TABLES } from '../store/index/index-tables.ts';

/** From this number of written resources on, the statistics are refreshed, however much is stored. */
const MANY = 10_000;
/** With fewer they are where the store has grown much by them. */
const LEAST = 500;
const GROWN_SHARE = 0.1;

export async function analyzeAfter(db: Queryable, written: number): Promise<void> {
  if (written < LEAST || (written < MANY && written < GROWN_SHARE * (await expectedRows(db)))) return;
  for (const table of ['fhir_resource', 'fhir_history', ...INDEX_TABLES.map((each) => each.table)]) {
    await analyze(db, table);
  }
}

/** How many resources the planner expects; 0 before the first statistics. */
async function expectedRows(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT greatest(reltuples, 0)::float8 AS count FROM pg_class WHERE oid = 'fhir_resource'::regclass`,
  );
  return rows[0]?.count ?? 0;
}

/** A table that vacuum has is left: PostgreSQL would end vacuum for that. What was written stays written either way. */
async function analyze(db: Queryable, table: string): Promise<void> {
  try {
    await db.query(`ANALYZE (SKIP_LOCKED) ${table}`);
  } catch (error) {
    if (!isTimedOut(error)) throw error;
  }
}
