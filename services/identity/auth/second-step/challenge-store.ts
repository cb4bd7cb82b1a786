// Challenges: sign-ins that wait for a code. SQL only; only hashes of challenges are stored.
import type { Queryable } from '#lib/db/database.ts';

export type ChallengeKind = 'code' | 'set_up' | 'continue';

export interface ChallengeRow {
  user_guid: string;
  email: string;
  kind: ChallengeKind;
  next: string | null;
  state: string | null;
  response_mode: 'token' | 'code' | null;
  code_challenge: string | null;
  client_id: string | null;
  expires_at: Date;
}

export interface NewChallenge {
  readonly hash: Buffer;
  readonly userGuid: string;
  readonly kind: ChallengeKind;
  readonly next: string | null;
  readonly state: string | null;
  readonly responseMode: 'token' | 'code' | null;
  readonly codeChallenge: string | null;
  readonly clientId: string | null;
  readonly expiresAt: Date;
}

export async function insertChallenge(db: Queryable, challenge: NewChallenge): Promise<void> {
  await db.query(
    `INSERT INTO sign_in_challenge (challenge_hash, user_guid, kind, next, state, response_mode, expires_at, code_challenge, client_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      challenge.hash,
      challenge.userGuid,
      challenge.kind,
      challenge.next,
      challenge.state,
      challenge.responseMode,
      challenge.expiresAt,
      challenge.codeChallenge,
      challenge.clientId,
    ],
  );
}

export async function readChallenge(db: Queryable, hash: Buffer): Promise<ChallengeRow | null> {
  const { rows } = await db.query<ChallengeRow>(
    `SELECT c.user_guid, u.email, c.kind, c.next, c.state, c.response_mode, c.code_challenge, c.client_id, c.expires_at
     FROM sign_in_challenge c JOIN app_user u USING (user_guid) WHERE c.challenge_hash = $1`,
    [hash],
  );
  return rows[0] ?? null;
}

/** Deletes and returns the challenge: when several requests use it, one gets it. */
export async function deleteChallenge(db: Queryable, hash: Buffer): Promise<boolean> {
  return (await db.query('DELETE FROM sign_in_challenge WHERE challenge_hash = $1', [hash])).rowCount === 1;
}

/** Counts a wrong code; the last permitted one deletes the challenge. False when it was deleted before. */
export async function countWrongCode(db: Queryable, hash: Buffer, allowed: number): Promise<boolean> {
  const { rows } = await db.query<{ wrong_codes: number }>(
    'UPDATE sign_in_challenge SET wrong_codes = wrong_codes + 1 WHERE challenge_hash = $1 RETURNING wrong_codes',
    [hash],
  );
  const [row] = rows;
  if (row !== undefined && row.wrong_codes >= allowed) await deleteChallenge(db, hash);
  return row !== undefined;
}

export async function deleteChallengesOf(db: Queryable, userGuid: string): Promise<void> {
  await db.query('DELETE FROM sign_in_challenge WHERE user_guid = $1', [userGuid]);
}

export async function deleteSetUpsOf(db: Queryable, userGuid: string): Promise<void> {
  await db.query(`DELETE FROM sign_in_challenge WHERE user_guid = $1 AND kind = 'set_up'`, [userGuid]);
}

export async function sweep(db: Queryable, now: Date): Promise<void> {
  await db.query('DELETE FROM sign_in_challenge WHERE expires_at <= $1', [now]);
}
