// `kedja doctor` on the disk of the database, which may be on another machine: it writes a little, and gives it back.
import type { Database } from '#lib/db/database.ts';
import { type Finding, fail, fine } from './findings.ts';

/** A megabyte in a temporary table, which ends with its transaction. */
const WRITE = `CREATE TEMPORARY TABLE kedja_doctor ON COMMIT DROP AS
  SELECT repeat(md5(n::text), 32) AS text FROM generate_series(1, 1000) AS n`;

/** Whether the database has room for a megabyte. */
export async function roomFinding(database: Database): Promise<Finding> {
  try {
    await database.transaction((tx) => tx.query(WRITE));
    return fine('database.room', 'The database can write to its disk');
  } catch (error) {
    const { message } = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
    const advice = 'Make room on the disk of the database; see docs/operations/runbooks/disk-full.md';
    return fail('database.room', `The database cannot write to its disk: ${message}`, advice);
  }
}
