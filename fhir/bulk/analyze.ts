// Refreshes PostgreSQL's statistics (ANALYZE) of the store's tables after a bulk write.
import type { Queryable } from '#lib/db/database.ts';
import { INDEX_TABLES } from '../store/index/index-tables.ts';

/** From this number of written resources on, the statistics are refreshed. */
const MANY = 10_000;

export async function analyzeAfter(db: Queryable, written: number): Promise<void> {
  if (written < MANY) return;
  for (const table of ['fhir_resource', 'fhir_history', ...INDEX_TABLES.map((each) => each.table)]) {
    await db.query(`ANALYZE ${table}`);
  }
}
