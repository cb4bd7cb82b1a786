// SQL of a service's table `login_failure`, which stores the failures of login-failures.ts.
import type { Queryable } from '../db/database.ts';
import type { FailureRow } from './login-failures.ts';

/** The failures of an account, locked for the transaction; the row is created when there is none. */
export async function lockFailures(db: Queryable, account: Buffer, now: Date): Promise<FailureRow> {
  const { rows } = await db.query<FailureRow>(
    `INSERT INTO login_failure AS known (account, failed_at, last_failed_at) VALUES ($1, '{}', $2)
     ON CONFLICT (account) DO UPDATE SET account = known.account
     RETURNING failed_at, lock_count, locked_until, last_failed_at`,
    [account, now],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The record of failures cannot be made');
  return row;
}

export async function saveFailures(db: Queryable, account: Buffer, row: FailureRow): Promise<void> {
  await db.query(
    `UPDATE login_failure SET failed_at = $2, lock_count = $3, locked_until = $4, last_failed_at = $5 WHERE account = $1`,
    [account, row.failed_at, row.lock_count, row.locked_until, row.last_failed_at],
  );
}
