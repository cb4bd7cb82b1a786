// The copies that a service keeps of its audit events, for as long as the access log. The engine has them when they are
// shipped (docs/adr/0126, docs/adr/0136).
import { readCount } from '../db/rows.ts';
import type { Retention } from '../retention/config.ts';
import { firstGuidOf, keptText, monthsBefore, type RetentionRule } from '../retention/rule.ts';

const OVER = `FROM audit_event e WHERE e.event_guid < $1 AND NOT EXISTS (SELECT FROM audit_outbox o WHERE o.event_guid = e.event_guid)`;
const REMOVE = `WITH over AS (
    SELECT e.event_guid ${OVER} AND ($2::uuid IS NULL OR e.event_guid > $2) ORDER BY e.event_guid LIMIT $3::int FOR UPDATE SKIP LOCKED
  )
  DELETE FROM audit_event e USING over o WHERE e.event_guid = o.event_guid RETURNING e.event_guid`;

export function auditCopiesRule({ accessLog }: Retention): RetentionRule {
  return {
    name: 'audit-copies',
    what: 'audit events that the engine has',
    variable: 'KEDJA_RETENTION_ACCESS_LOG',
    kept: keptText(accessLog, 'months'),
    before: (now) => monthsBefore(now, accessLog),
    count: (db, before) => readCount(db, `SELECT count(*) AS count ${OVER}`, [firstGuidOf(before)]),
    async removeBatch(tx, { before, after, limit }) {
      // A guard against mistakes: nothing else deletes events.
      await tx.query("SELECT set_config('kedja.removes_audit_events', 'on', true), EXISTS (SELECT FROM audit_event)");
      const [last = null] = after ?? [];
      const { rows } = await tx.query<{ event_guid: string }>(REMOVE, [firstGuidOf(before), last, limit]);
      const guids = rows.map(({ event_guid: guid }) => guid).toSorted();
      return { removed: guids.length, after: guids.length < limit ? undefined : [guids.at(-1)] };
    },
  };
}
