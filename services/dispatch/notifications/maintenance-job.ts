// Background work on notifications (docs/adr/0070). It shares what its addressee has not read for a day with everyone
// who reads the list, and deletes what is old.
import { type Clock, DAY_MS } from '#lib/clock.ts';
import type { Database, Queryable } from '#lib/db/database.ts';

const BATCH = 500;

const SHARE = {
  name: 'notification-share',
  text: `WITH due AS (
      SELECT notification_guid, feed_key, position FROM notification
      WHERE is_open AND addressee_id IS NOT NULL AND shared_position IS NULL AND created_at <= $1
      ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    ), advanced AS (
      INSERT INTO notification_feed (feed_key, position)
      SELECT feed_key, count(*) FROM due GROUP BY feed_key ORDER BY feed_key
      ON CONFLICT (feed_key) DO UPDATE SET position = notification_feed.position + excluded.position
      RETURNING feed_key, position
    ), placed AS (
      SELECT d.notification_guid,
        a.position - count(*) OVER (PARTITION BY d.feed_key) + row_number() OVER (PARTITION BY d.feed_key ORDER BY d.position) AS place
      FROM due d JOIN advanced a ON a.feed_key = d.feed_key
    )
    UPDATE notification n SET shared_position = p.place FROM placed p WHERE n.notification_guid = p.notification_guid`,
};
const DELETE_OLD = {
  name: 'notification-delete-old',
  text: `DELETE FROM notification WHERE notification_guid IN (
      SELECT notification_guid FROM notification WHERE created_at < $1 ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    )`,
};

export interface MaintenanceOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** For how many days notifications are kept. */
  readonly keptDays: number;
}

/** Creates the step of the background loop. It returns whether there may be more to do at once. */
export function createNotificationMaintenance({ database, clock, keptDays }: MaintenanceOptions) {
  return async (): Promise<boolean> => {
    const now = clock.now();
    const shared = await share(database, new Date(now - DAY_MS));
    const { rowCount: deleted } = await database.query(DELETE_OLD, [new Date(now - keptDays * DAY_MS)]);
    return shared === BATCH || deleted === BATCH;
  };
}

async function share(db: Queryable, before: Date): Promise<number> {
  return (await db.query(SHARE, [before])).rowCount;
}
