// Invites to groups: SQL only.
import type { Queryable } from '#lib/db/database.ts';

export interface NewInvite {
  readonly inviteGuid: string;
  readonly groupGuid: string;
  readonly tokenHash: Buffer;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function insertInvite(db: Queryable, invite: NewInvite): Promise<void> {
  await db.query(
    `INSERT INTO group_invite (invite_guid, group_guid, token_hash, created_by_guid, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [invite.inviteGuid, invite.groupGuid, invite.tokenHash, invite.createdBy, invite.createdAt, invite.expiresAt],
  );
}

export interface ListedInvite {
  readonly invite_guid: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly created_by: string | null;
}

/** Those of the group that have not expired, the first to expire first. */
export async function listOpen(db: Queryable, groupGuid: string, now: Date): Promise<ListedInvite[]> {
  const { rows } = await db.query<ListedInvite>(
    `SELECT i.invite_guid, i.created_at, i.expires_at, nullif(concat_ws(' ', u.first_name, u.last_name), '') AS created_by
     FROM group_invite i LEFT JOIN app_user u ON u.user_guid = i.created_by_guid
     WHERE i.group_guid = $1 AND i.expires_at > $2 ORDER BY i.expires_at, i.invite_guid LIMIT 200`,
    [groupGuid, now],
  );
  return rows;
}

/** False when the group has no such invite. */
export async function deleteInvite(db: Queryable, groupGuid: string, inviteGuid: string): Promise<boolean> {
  const text = 'DELETE FROM group_invite WHERE group_guid = $1 AND invite_guid = $2';
  return (await db.query(text, [groupGuid, inviteGuid])).rowCount === 1;
}

export async function deleteExpired(db: Queryable, before: Date): Promise<void> {
  await db.query('DELETE FROM group_invite WHERE expires_at <= $1', [before]);
}

export async function findInvite(
  db: Queryable,
  tokenHash: Buffer,
): Promise<{ groupGuid: string; expiresAt: Date } | null> {
  const { rows } = await db.query<{ group_guid: string; expires_at: Date }>(
    'SELECT group_guid, expires_at FROM group_invite WHERE token_hash = $1',
    [tokenHash],
  );
  const [row] = rows;
  return row === undefined ? null : { groupGuid: row.group_guid, expiresAt: row.expires_at };
}
