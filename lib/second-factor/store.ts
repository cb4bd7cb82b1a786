// Second factors, set-ups and recovery codes: SQL only. Secrets are passed sealed, recovery codes as keyed indexes. The
// users of identity and those of the engine have the same columns, and tables `second_factor_setup` and `recovery_code`
// beside them.
import type { Queryable } from '../db/database.ts';

/** The table of the users, in the service's own schema. */
export type UserTable = 'app_user' | 'engine_user';

export interface FactorRow {
  readonly sealed: Buffer | null;
  readonly since: Date | null;
  readonly recoveryCodesLeft: number;
}

/** Null when the user is gone. */
export async function readFactor(db: Queryable, users: UserTable, userGuid: string): Promise<FactorRow | null> {
  const { rows } = await db.query<{ sealed: Buffer | null; since: Date | null; codes: number }>(
    `SELECT second_factor_sealed AS sealed, second_factor_since AS since,
       (SELECT count(*)::int FROM recovery_code r WHERE r.user_guid = u.user_guid) AS codes
     FROM ${users} u WHERE user_guid = $1`,
    [userGuid],
  );
  const [row] = rows;
  return row === undefined ? null : { sealed: row.sealed, since: row.since, recoveryCodesLeft: row.codes };
}

/**
 * Takes the step of a code; false when a code of this step or a later one was taken, or the secret replaced meanwhile.
 */
export async function takeStep(
  db: Queryable,
  users: UserTable,
  code: { userGuid: string; sealed: Buffer; step: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE ${users} SET second_factor_step = $3
     WHERE user_guid = $1 AND second_factor_sealed = $2 AND second_factor_step < $3`,
    [code.userGuid, code.sealed, code.step],
  );
  return rowCount === 1;
}

/** False when it is no unused recovery code. */
export async function takeRecoveryCode(db: Queryable, userGuid: string, index: Buffer): Promise<boolean> {
  const statement = 'DELETE FROM recovery_code WHERE user_guid = $1 AND code_index = $2';
  return (await db.query(statement, [userGuid, index])).rowCount === 1;
}

export async function replaceRecoveryCodes(db: Queryable, userGuid: string, indexes: readonly Buffer[]): Promise<void> {
  await db.query('DELETE FROM recovery_code WHERE user_guid = $1', [userGuid]);
  await db.query('INSERT INTO recovery_code (user_guid, code_index) SELECT $1, unnest($2::bytea[])', [
    userGuid,
    indexes,
  ]);
}

export async function saveSetup(
  db: Queryable,
  setup: { userGuid: string; sealed: Buffer; expiresAt: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO second_factor_setup (user_guid, secret_sealed, expires_at) VALUES ($1, $2, $3)
     ON CONFLICT (user_guid) DO UPDATE SET secret_sealed = $2, expires_at = $3`,
    [setup.userGuid, setup.sealed, setup.expiresAt],
  );
}

/** The sealed secret of the pending set-up. */
export async function readSetup(
  db: Queryable,
  userGuid: string,
  now: Date,
): Promise<{ readonly sealed: Buffer; readonly expiresAt: Date } | undefined> {
  const { rows } = await db.query<{ secret_sealed: Buffer; expires_at: Date }>(
    'SELECT secret_sealed, expires_at FROM second_factor_setup WHERE user_guid = $1 AND expires_at > $2',
    [userGuid, now],
  );
  const [row] = rows;
  return row && { sealed: row.secret_sealed, expiresAt: row.expires_at };
}

/** The same; nobody else changes it until the transaction ends. */
export async function lockSetup(db: Queryable, userGuid: string, now: Date): Promise<Buffer | null> {
  const { rows } = await db.query<{ secret_sealed: Buffer }>(
    'SELECT secret_sealed FROM second_factor_setup WHERE user_guid = $1 AND expires_at > $2 FOR UPDATE',
    [userGuid, now],
  );
  return rows[0]?.secret_sealed ?? null;
}

/** Of several calls that finish one set-up, one gets true. */
export async function takeSetup(db: Queryable, userGuid: string, sealed: Buffer): Promise<boolean> {
  const statement = 'DELETE FROM second_factor_setup WHERE user_guid = $1 AND secret_sealed = $2';
  return (await db.query(statement, [userGuid, sealed])).rowCount === 1;
}

export async function saveFactor(
  db: Queryable,
  users: UserTable,
  factor: { userGuid: string; sealed: Buffer; step: number; since: Date },
): Promise<void> {
  await db.query(
    `UPDATE ${users} SET second_factor_sealed = $2, second_factor_step = $3, second_factor_since = $4
     WHERE user_guid = $1`,
    [factor.userGuid, factor.sealed, factor.step, factor.since],
  );
}

/** False when there was none. Set-ups and recovery codes go with it. */
export async function deleteFactor(db: Queryable, users: UserTable, userGuid: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE ${users} SET second_factor_sealed = NULL, second_factor_step = NULL, second_factor_since = NULL
     WHERE user_guid = $1 AND second_factor_sealed IS NOT NULL`,
    [userGuid],
  );
  await db.query('DELETE FROM recovery_code WHERE user_guid = $1', [userGuid]);
  await db.query('DELETE FROM second_factor_setup WHERE user_guid = $1', [userGuid]);
  return rowCount === 1;
}

/** Locks the user's row until the transaction ends. Null when there is no such user. */
export async function lockUser(
  db: Queryable,
  users: UserTable,
  userGuid: string,
): Promise<{ readonly hasFactor: boolean } | null> {
  const { rows } = await db.query<{ has_factor: boolean }>(
    `SELECT second_factor_sealed IS NOT NULL AS has_factor FROM ${users} WHERE user_guid = $1 FOR UPDATE`,
    [userGuid],
  );
  const [row] = rows;
  return row === undefined ? null : { hasFactor: row.has_factor };
}

export async function sweep(db: Queryable, now: Date): Promise<void> {
  await db.query('DELETE FROM second_factor_setup WHERE expires_at <= $1', [now]);
}
