// The audit events that a service has stored and not yet shipped.
import type { Queryable } from '#lib/db/database.ts';

/** The events of that name whose AuditEvent holds the text, such as a guid, in their order. */
export async function auditedAbout(db: Queryable, event: string, text: string) {
  const { rows } = await db.query<{ resource: string }>(
    'SELECT resource FROM audit_event WHERE event = $1 AND resource LIKE $2 ORDER BY event_guid',
    [event, `%${text}%`],
  );
  return rows.map(({ resource }) => JSON.parse(resource));
}
