// The sessions of a user: browser sessions that are alive, and issued tokens that belong to none and have neither
// expired nor been revoked. SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { readCount } from '#lib/db/rows.ts';
import type { ListRange } from '../list-page.ts';
import type { LiveBounds } from '../session-limits.ts';

export interface UseRow {
  readonly client_id: string | null;
  /** Where the sign-in led, without the query. */
  readonly destination: string | null;
  /** The tenant that was signed in to, where it is known. */
  readonly tenant: string | null;
}

export interface SessionRow {
  readonly session_guid: string;
  readonly began_at: Date;
  /** At the latest. */
  readonly ends_at: Date;
  /** Null for a token of its own. */
  readonly last_used_at: Date | null;
  readonly address: string | null;
  readonly user_agent: string | null;
  /** Its valid tokens. */
  readonly token_ids: readonly string[];
  /** Those that its valid tokens open, as far as they are known. */
  readonly tenants: readonly string[];
  readonly uses: readonly UseRow[];
}

interface Active {
  readonly userGuid: string;
  readonly now: Date;
  readonly live: LiveBounds;
}

const VALID = `expires_at > $2 AND NOT EXISTS (SELECT FROM revoked_token r WHERE r.token_id = i.token_id)`;
const OWN_TOKENS = `FROM issued_token i WHERE user_guid = $1 AND session_guid IS NULL AND ${VALID}`;
const BROWSERS = 'FROM browser_session s WHERE user_guid = $1 AND last_used_at > $3 AND created_at > $4';

/** The most uses of a session that are shown. */
const MOST_USES = 50;

/** Newest first. */
export async function listActive(
  db: Queryable,
  { userGuid, now, live, limit, offset }: Active & ListRange,
): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `SELECT * FROM (
       SELECT token_id AS session_guid, issued_at AS began_at, expires_at AS ends_at, NULL::timestamptz AS last_used_at,
         address, user_agent, ARRAY[token_id::text] AS token_ids, array_remove(ARRAY[tenant], NULL) AS tenants,
         json_build_array(json_build_object('client_id', client_id, 'destination', destination, 'tenant', tenant)) AS uses ${OWN_TOKENS}
       UNION ALL
       SELECT session_guid, created_at, created_at + ($2 - $4), last_used_at, address, user_agent,
         ARRAY(SELECT i.token_id::text FROM issued_token i WHERE i.session_guid = s.session_guid AND ${VALID}),
         ARRAY(SELECT DISTINCT i.tenant FROM issued_token i
           WHERE i.session_guid = s.session_guid AND i.tenant IS NOT NULL AND ${VALID} ORDER BY 1),
         coalesce((SELECT json_agg(used) FROM (SELECT DISTINCT client_id, destination, tenant FROM issued_token i
           WHERE i.session_guid = s.session_guid AND ${VALID} ORDER BY destination, client_id, tenant LIMIT ${MOST_USES}) used), '[]') ${BROWSERS}
     ) AS session ORDER BY session_guid DESC LIMIT $5 OFFSET $6`,
    [userGuid, now, live.usedAfter, live.begunAfter, limit, offset],
  );
  return rows;
}

export interface LifeRow {
  /** The end of the token. */
  readonly expires_at: Date;
  /** When its browser session began; null for a token of its own. */
  readonly began_at: Date | null;
}

/** What decides when the session of a token ends; undefined for an unknown token. */
export async function findLife(db: Queryable, tokenId: string): Promise<LifeRow | undefined> {
  const { rows } = await db.query<LifeRow>(
    `SELECT i.expires_at, s.created_at AS began_at FROM issued_token i
     LEFT JOIN browser_session s ON s.session_guid = i.session_guid WHERE i.token_id = $1`,
    [tokenId],
  );
  return rows[0];
}

export async function countActive(db: Queryable, { userGuid, now, live }: Active): Promise<number> {
  return readCount(db, `SELECT ((SELECT count(*) ${OWN_TOKENS}) + (SELECT count(*) ${BROWSERS}))::int AS count`, [
    userGuid,
    now,
    live.usedAfter,
    live.begunAfter,
  ]);
}

/** Locks the user until the transaction ends, so that changes of the account wait; false when there is none. */
export async function lockUser(db: Queryable, userGuid: string): Promise<boolean> {
  return (await db.query('SELECT FROM app_user WHERE user_guid = $1 FOR NO KEY UPDATE', [userGuid])).rowCount === 1;
}

/** Whether it is a valid token of the user that belongs to no browser session. */
export async function isActive(
  db: Queryable,
  session: { tokenId: string; userGuid: string; now: Date },
): Promise<boolean> {
  const { tokenId, userGuid, now } = session;
  return (await db.query(`SELECT ${OWN_TOKENS} AND token_id = $3`, [userGuid, now, tokenId])).rowCount === 1;
}
