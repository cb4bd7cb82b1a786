// Browser sessions, and the tokens that belong to them: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import type { SignInPlace } from '../actor.ts';
import type { LiveBounds } from '../session-limits.ts';

export interface SessionRow {
  session_guid: string;
  user_guid: string;
  has_second_factor: boolean;
  created_at: Date;
}

const LIVE = 'last_used_at > $2 AND created_at > $3';
const COLUMNS = 'session_guid, user_guid, has_second_factor, created_at';

export interface NewSession {
  readonly sessionGuid: string;
  readonly secretHash: Buffer;
  readonly userGuid: string;
  readonly hasSecondFactor: boolean;
  readonly at: Date;
  readonly from: SignInPlace;
}

export async function insert(db: Queryable, session: NewSession): Promise<void> {
  const { sessionGuid, secretHash, userGuid, hasSecondFactor, at, from } = session;
  await db.query(
    `INSERT INTO browser_session (session_guid, secret_hash, user_guid, has_second_factor, created_at, last_used_at, address, user_agent)
     VALUES ($1, $2, $3, $4, $5, $5, $6, $7)`,
    [sessionGuid, secretHash, userGuid, hasSecondFactor, at, from.address, from.userAgent],
  );
}

/** The live session of the secret. */
export async function find(db: Queryable, hash: Buffer, bounds: LiveBounds): Promise<SessionRow | undefined> {
  const statement = {
    name: 'identity-browser-session',
    text: `SELECT ${COLUMNS} FROM browser_session WHERE secret_hash = $1 AND ${LIVE}`,
  };
  return (await db.query<SessionRow>(statement, [hash, bounds.usedAfter, bounds.begunAfter])).rows[0];
}

/** As `find`. The session does not end until the transaction does. */
export async function hold(db: Queryable, hash: Buffer, bounds: LiveBounds): Promise<SessionRow | undefined> {
  const text = `SELECT ${COLUMNS} FROM browser_session WHERE secret_hash = $1 AND ${LIVE} FOR KEY SHARE`;
  return (await db.query<SessionRow>(text, [hash, bounds.usedAfter, bounds.begunAfter])).rows[0];
}

/** Holds the session of a one-time code, before the code itself is locked: ending a session locks in that order. */
export async function holdOfCode(db: Queryable, codeHash: Buffer): Promise<SessionRow | undefined> {
  const text = `SELECT ${COLUMNS} FROM browser_session
    WHERE session_guid = (SELECT session_guid FROM sign_in_code WHERE code_hash = $1) FOR KEY SHARE`;
  return (await db.query<SessionRow>(text, [codeHash])).rows[0];
}

/** Locks the session of the secret, live or not, to end it. */
export async function lock(db: Queryable, hash: Buffer): Promise<SessionRow | undefined> {
  const text = `SELECT ${COLUMNS} FROM browser_session WHERE secret_hash = $1 FOR UPDATE`;
  return (await db.query<SessionRow>(text, [hash])).rows[0];
}

export async function lockOne(db: Queryable, sessionGuid: string, userGuid: string): Promise<boolean> {
  const text = 'SELECT FROM browser_session WHERE session_guid = $1 AND user_guid = $2 FOR UPDATE';
  return (await db.query(text, [sessionGuid, userGuid])).rowCount === 1;
}

/** Locks the session of the token, to end it. */
export async function lockOfToken(db: Queryable, tokenId: string): Promise<SessionRow | undefined> {
  const text = `SELECT ${COLUMNS} FROM browser_session
    WHERE session_guid = (SELECT session_guid FROM issued_token WHERE token_id = $1) FOR UPDATE`;
  return (await db.query<SessionRow>(text, [tokenId])).rows[0];
}

/** Locks all sessions of the user but the one to keep, to end them. Returns their guids. */
export async function lockOf(db: Queryable, userGuid: string, keep: string | null): Promise<string[]> {
  const { rows } = await db.query<{ session_guid: string }>(
    `SELECT session_guid FROM browser_session WHERE user_guid = $1 AND session_guid IS DISTINCT FROM $2::uuid
     ORDER BY session_guid FOR UPDATE`,
    [userGuid, keep],
  );
  return rows.map(({ session_guid }) => session_guid);
}

/** Locks sessions that are no longer alive; others that end at the same time are passed by. */
export async function lockDead(db: Queryable, bounds: LiveBounds, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ session_guid: string }>(
    `SELECT session_guid FROM browser_session WHERE last_used_at <= $1 OR created_at <= $2
     ORDER BY session_guid LIMIT $3 FOR UPDATE SKIP LOCKED`,
    [bounds.usedAfter, bounds.begunAfter, limit],
  );
  return rows.map(({ session_guid }) => session_guid);
}

export async function remove(db: Queryable, sessionGuids: readonly string[]): Promise<void> {
  await db.query('DELETE FROM browser_session WHERE session_guid = ANY($1::uuid[])', [sessionGuids]);
}

/** The session that a token belongs to. */
export async function sessionOfToken(db: Queryable, tokenId: string): Promise<string | null> {
  const text = 'SELECT session_guid FROM issued_token WHERE token_id = $1';
  return (await db.query<{ session_guid: string | null }>(text, [tokenId])).rows[0]?.session_guid ?? null;
}

/** Gives the tokens, codes and known targets of one session to another, of the same user. */
export async function move(db: Queryable, from: string, to: string): Promise<void> {
  await db.query('UPDATE issued_token SET session_guid = $2 WHERE session_guid = $1', [from, to]);
  await db.query('UPDATE sign_in_code SET session_guid = $2 WHERE session_guid = $1', [from, to]);
  await db.query('UPDATE browser_session_target SET session_guid = $2 WHERE session_guid = $1', [from, to]);
}

export async function touch(db: Queryable, sessionGuid: string, at: Date): Promise<void> {
  await db.query('UPDATE browser_session SET last_used_at = $2 WHERE session_guid = $1 AND last_used_at < $2', [
    sessionGuid,
    at,
  ]);
}

/** Records the use of the sessions of these tokens, where the last recorded use is older than `before`. */
export async function touchByTokens(
  db: Queryable,
  use: { tokenIds: readonly string[]; at: Date; before: Date },
): Promise<void> {
  await db.query(
    `UPDATE browser_session SET last_used_at = $2 WHERE last_used_at < $3 AND session_guid IN
       (SELECT session_guid FROM issued_token WHERE token_id = ANY($1::uuid[]))`,
    [use.tokenIds, use.at, use.before],
  );
}

export async function isTarget(db: Queryable, sessionGuid: string, target: string): Promise<boolean> {
  const text = 'SELECT FROM browser_session_target WHERE session_guid = $1 AND target = $2';
  return (await db.query(text, [sessionGuid, target])).rowCount === 1;
}

export async function insertTarget(db: Queryable, sessionGuid: string, target: string): Promise<void> {
  const text = 'INSERT INTO browser_session_target (session_guid, target) VALUES ($1, $2) ON CONFLICT DO NOTHING';
  await db.query(text, [sessionGuid, target]);
}

/** Adds the token to its session. */
export async function attach(
  db: Queryable,
  token: { tokenId: string; sessionGuid: string; destination: string },
): Promise<void> {
  const text = 'UPDATE issued_token SET session_guid = $2, destination = $3 WHERE token_id = $1';
  await db.query(text, [token.tokenId, token.sessionGuid, token.destination]);
}
