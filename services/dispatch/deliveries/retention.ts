// Webhooks that are done, with their attempts, when their request is finished (docs/adr/0136). What was sent is in the
// bundle of the push, which stays.
import { readCount } from '#lib/db/rows.ts';
import type { Retention } from '#lib/retention/config.ts';
import { daysBefore, firstGuidOf, keptText, type RetentionRule } from '#lib/retention/rule.ts';

/** Lists and statistics show how a request that somebody works on was sent. */
const OVER = `d.status IN ('delivered', 'cancelled') AND d.delivery_guid < $1 AND d.updated_at < $2
  AND NOT EXISTS (SELECT FROM match m WHERE m.request_guid = d.request_guid AND m.status IN ('pushed', 'accepted')
    AND coalesce(m.progress, '') NOT IN ('completed', 'rejected'))`;
const REMOVE = `WITH over AS (
    SELECT d.delivery_guid FROM delivery d WHERE ${OVER} AND ($3::uuid IS NULL OR d.delivery_guid > $3)
    ORDER BY d.delivery_guid LIMIT $4::int FOR UPDATE OF d SKIP LOCKED
  ), attempts AS (
    DELETE FROM delivery_attempt a USING over o WHERE a.delivery_guid = o.delivery_guid
  ), listed AS (
    DELETE FROM delivery_of_provider p USING over o, delivery d
    WHERE d.delivery_guid = o.delivery_guid AND p.provider_guid = d.provider_guid AND p.delivery_guid = o.delivery_guid
  )
  DELETE FROM delivery d USING over o WHERE d.delivery_guid = o.delivery_guid RETURNING d.delivery_guid`;

export function deliveriesRule({ deliveries }: Retention): RetentionRule {
  return {
    name: 'deliveries',
    what: 'webhooks that are done',
    variable: 'KEDJA_RETENTION_DELIVERIES',
    kept: keptText(deliveries, 'days'),
    before: (now) => daysBefore(now, deliveries),
    count: (db, before) =>
      readCount(db, `SELECT count(*) AS count FROM delivery d WHERE ${OVER}`, [firstGuidOf(before), before]),
    async removeBatch(tx, { before, after, limit }) {
      const [last = null] = after ?? [];
      const { rows } = await tx.query<{ delivery_guid: string }>(REMOVE, [firstGuidOf(before), before, last, limit]);
      const guids = rows.map(({ delivery_guid: guid }) => guid).toSorted();
      return { removed: guids.length, after: guids.length < limit ? undefined : [guids.at(-1)] };
    },
  };
}
