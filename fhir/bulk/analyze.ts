// What the planner knows of the store's tables, after they have grown by much at once.
import type { Queryable } from '#lib/db/database.ts';
import { INDEX_TABLES } from '../store/index/index-tables.ts';

/** So many resources at once change what the statistics say. */
const MANY = 10_000;

export async function analyzeAfter(db: Queryable, written: number): Promise<void> {
  if (written < MANY) return;
  for (const table of ['fhir_resource', 'fhir_history', ...INDEX_TABLES.map((each) => each.table)]) {
    await db.query(`ANALYZE ${table}`);
  }
}
