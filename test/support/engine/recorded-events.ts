// The audit events that an engine has recorded, wherever they are: as they wait to be shipped, or stored.

import { entriesOfAccess } from '#fhir/rest/interactions/access-records.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createAccessUnpacker } from '#lib/audit/access-unpacker.ts';
import type { Database } from '#lib/db/database.ts';
import { makeTestLogger } from '../http-app.ts';
import { BASE_URL } from './engine.ts';

/** A subquery with the columns `event` and `resource` (the AuditEvent's text), each event once. */
export const RECORDED_EVENTS = `(SELECT event, resource FROM audit_event
  UNION ALL
  SELECT r.content::jsonb #>> '{code,coding,0,code}', r.content FROM fhir_resource_all r
  WHERE r.type = ${nameKey('AuditEvent')} AND NOT EXISTS (SELECT FROM audit_event e WHERE e.event_guid = r.rid)) AS recorded`;

/**
 * A function that does some work and returns the AuditEvents that come of it, in their order, as they are stored:
 * records of accesses are unpacked before and after.
 */
export function eventRecorder(database: Database): (work: () => Promise<unknown>) => Promise<unknown[]> {
  const entriesOf = entriesOfAccess(loadSearchParameters(BASE_URL));
  const unpacker = createAccessUnpacker({ database, service: 'engine', entriesOf, log: makeTestLogger() });
  return async (work) => {
    await unpacker.unpackAll();
    const { rows: before } = await database.query<{ event_guid: string }>('SELECT event_guid FROM audit_event');
    await work();
    await unpacker.unpackAll();
    const { rows } = await database.query<{ resource: string }>(
      'SELECT resource FROM audit_event WHERE NOT event_guid = ANY($1::uuid[]) ORDER BY event_guid',
      [before.map(({ event_guid: guid }) => guid)],
    );
    return rows.map(({ resource }): unknown => JSON.parse(resource));
  };
}
