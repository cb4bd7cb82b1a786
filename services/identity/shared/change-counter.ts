// The counter of what other services follow: revoked tokens, and users and patients whose access has changed. Whoever
// adds a change locks it until the commit, so the numbers are in commit order.
import type { Queryable } from '#lib/db/database.ts';

/** The number of the latest change that has been committed: those up to it are all there. */
export async function readLastChange(db: Queryable): Promise<number> {
  return (await db.query<{ last: number }>('SELECT last FROM revocation_counter')).rows[0]?.last ?? 0;
}
