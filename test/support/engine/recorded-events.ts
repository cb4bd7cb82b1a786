// The audit events that an engine has recorded, wherever they are: as they wait to be shipped, or stored.
import { nameKey } from '#fhir/search/extract/keys.ts';

/** A subquery with the columns `event` and `resource` (the AuditEvent's text), each event once. */
export const RECORDED_EVENTS = `(SELECT event, resource FROM audit_event
  UNION ALL
  SELECT r.content::jsonb #>> '{code,coding,0,code}', r.content FROM fhir_resource_all r
  WHERE r.type = ${nameKey('AuditEvent')} AND NOT EXISTS (SELECT FROM audit_event e WHERE e.event_guid = r.rid)) AS recorded`;
