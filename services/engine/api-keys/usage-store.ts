// SQL statements for the uses of API keys.
import type { KeyUseBatch } from '#lib/auth/key-usage.ts';
import type { Database, Queryable } from '#lib/db/database.ts';

/** Adds a batch, unless it was added before. Deleted keys are left out. */
export async function addUses(database: Database, { batchGuid, uses }: KeyUseBatch, at: Date): Promise<void> {
  await database.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      'INSERT INTO api_key_usage_batch (batch_guid, received_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [batchGuid, at],
    );
    if (rowCount === 0) return;
    const guids = uses.map(({ keyGuid }) => keyGuid);
    // Sorted, so that batches of several nodes do not deadlock.
    await tx.query('SELECT FROM api_key WHERE key_guid = ANY($1::uuid[]) ORDER BY key_guid FOR NO KEY UPDATE', [guids]);
    await tx.query(
      `WITH given AS (
         SELECT * FROM unnest($1::uuid[], $2::date[], $3::bigint[], $4::timestamptz[]) AS use (key_guid, day, requests, last_used_at)
         WHERE EXISTS (SELECT FROM api_key k WHERE k.key_guid = use.key_guid)
       ), counted AS (
         INSERT INTO api_key_usage AS known (key_guid, day, requests)
         SELECT key_guid, day, sum(requests) FROM given GROUP BY key_guid, day
         ON CONFLICT (key_guid, day) DO UPDATE SET requests = known.requests + excluded.requests
       )
       UPDATE api_key k SET last_used_at = greatest(k.last_used_at, latest.at)
       FROM (SELECT key_guid, max(last_used_at) AS at FROM given GROUP BY key_guid) latest WHERE k.key_guid = latest.key_guid`,
      [
        guids,
        uses.map(({ day }) => day),
        uses.map(({ requests }) => requests),
        uses.map(({ lastUsedAt }) => new Date(lastUsedAt)),
      ],
    );
  });
}

export interface CountedUse {
  readonly total: number;
  readonly by_day: { readonly day: string; readonly requests: number }[];
}

/** Returns all uses of a key, and the days since `since` that had any, in order. */
export async function readUses(db: Queryable, guid: string, since: string): Promise<CountedUse> {
  const [total, days] = await Promise.all([
    db.query<{ total: number }>(
      'SELECT coalesce(sum(requests), 0)::bigint AS total FROM api_key_usage WHERE key_guid = $1',
      [guid],
    ),
    db.query<{ day: string; requests: number }>(
      'SELECT day, requests FROM api_key_usage WHERE key_guid = $1 AND day >= $2::date ORDER BY day',
      [guid, since],
    ),
  ]);
  return { total: total.rows[0]?.total ?? 0, by_day: days.rows };
}

export async function sweepBatches(db: Queryable, before: Date): Promise<void> {
  await db.query('DELETE FROM api_key_usage_batch WHERE received_at < $1', [before]);
}
