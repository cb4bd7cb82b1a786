// Sessions are issued tokens that have neither expired nor been revoked: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import type { ListRange } from '../list-page.ts';

export interface SessionRow {
  readonly token_id: string;
  readonly issued_at: Date;
  readonly expires_at: Date;
  readonly address: string | null;
  readonly user_agent: string | null;
  /** The client that the token was issued to. */
  readonly client_id: string | null;
}

const LIVING = `FROM issued_token i WHERE user_guid = $1 AND expires_at > $2
  AND NOT EXISTS (SELECT FROM revoked_token r WHERE r.token_id = i.token_id)`;

/** Newest first. */
export async function listActive(
  db: Queryable,
  { userGuid, now, limit, offset }: { userGuid: string; now: Date } & ListRange,
): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `SELECT token_id, issued_at, expires_at, address, user_agent, client_id ${LIVING}
     ORDER BY token_id DESC LIMIT $3 OFFSET $4`,
    [userGuid, now, limit, offset],
  );
  return rows;
}

export async function countActive(db: Queryable, userGuid: string, now: Date): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`SELECT count(*)::int AS count ${LIVING}`, [userGuid, now]);
  return rows[0]?.count ?? 0;
}

/** Locks the user until the transaction ends, so that changes of the account wait; false when there is none. */
export async function lockUser(db: Queryable, userGuid: string): Promise<boolean> {
  return (await db.query('SELECT FROM app_user WHERE user_guid = $1 FOR NO KEY UPDATE', [userGuid])).rowCount === 1;
}

export async function isActive(
  db: Queryable,
  session: { tokenId: string; userGuid: string; now: Date },
): Promise<boolean> {
  const { tokenId, userGuid, now } = session;
  return (await db.query(`SELECT ${LIVING} AND token_id = $3`, [userGuid, now, tokenId])).rowCount === 1;
}
