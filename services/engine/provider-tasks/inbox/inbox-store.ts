// SQL statements for inboxes, and for the ids of received webhooks.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { readCount } from '#lib/db/rows.ts';
import { instant, showingWritten } from '../../shared/sql.ts';
import type { Inbox } from '../schema.ts';

export interface InboxRow {
  readonly enabled: boolean;
  readonly secret_sealed: Buffer | null;
}

export async function findInbox(db: Queryable, providerGuid: string): Promise<InboxRow | undefined> {
  const { rows } = await db.query<InboxRow>(
    'SELECT enabled, secret_sealed FROM provider_inbox WHERE provider_guid = $1',
    [providerGuid],
  );
  return rows[0];
}

/** Inserts or updates an inbox. Without a new secret the old one stays. */
export async function putInbox(
  tx: Transaction,
  providerGuid: string,
  inbox: { readonly enabled: boolean; readonly secretSealed: Buffer | undefined },
  at: Date,
): Promise<Inbox | undefined> {
  const { rows } = await tx.query<Inbox>(
    showingWritten(
      `INSERT INTO provider_inbox (provider_guid, enabled, secret_sealed, updated_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (provider_guid) DO UPDATE SET enabled = $2, updated_at = $4,
         secret_sealed = coalesce($3, provider_inbox.secret_sealed)`,
      `provider_guid, enabled, ${instant('updated_at')}`,
    ),
    [providerGuid, inbox.enabled, inbox.secretSealed ?? null, at],
  );
  return rows[0];
}

/** Stores the id of a webhook; false when it was received before. */
export async function insertMessage(
  tx: Transaction,
  message: { readonly providerGuid: string; readonly webhookId: string },
  at: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO inbox_message (provider_guid, webhook_id, received_at) VALUES ($1, $2, $3)
     ON CONFLICT (provider_guid, webhook_id) DO NOTHING`,
    [message.providerGuid, message.webhookId, at],
  );
  return rowCount === 1;
}

export async function countInboxes(db: Queryable): Promise<number> {
  return readCount(db, 'SELECT count(*) AS count FROM provider_inbox WHERE enabled');
}

/**
 * Deletes the ids of webhooks received before the instant. Their effects are idempotent, so an even later replay does
 * no harm.
 */
export async function deleteMessages(db: Queryable, before: Date): Promise<void> {
  await db.query('DELETE FROM inbox_message WHERE received_at < $1', [before]);
}
