// Superseded versions of resources that have not changed for long (docs/adr/0136). Only of types that are in patients'
// compartments: of definitions, requests name old versions for good (docs/adr/0021).
import { nameKey } from '#fhir/search/extract/keys.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { readCount } from '#lib/db/rows.ts';
import type { Retention } from '#lib/retention/config.ts';
import { keptText, monthsBefore, type RetentionRule } from '#lib/retention/rule.ts';

/** A version is never younger than the one that replaced it. */
const COUNT = `SELECT count(*) AS count FROM fhir_history h JOIN fhir_resource r ON r.type = h.type AND r.rid = h.rid
  WHERE h.type = ANY($1::int[]) AND h.updated_at < $2 AND r.updated_at < $2`;
const REMOVE = `WITH page AS (
    SELECT type, rid, version, updated_at FROM fhir_history
    WHERE type = $1::int AND updated_at < $2::timestamptz
      AND ($3::timestamptz IS NULL OR (updated_at, rid, version) > ($3::timestamptz, $4::uuid, $5::int))
    ORDER BY updated_at, rid, version LIMIT $6::int
  ), over AS (
    SELECT h.type, h.rid, h.version FROM fhir_history h JOIN page p ON p.type = h.type AND p.rid = h.rid AND p.version = h.version
      JOIN fhir_resource r ON r.type = h.type AND r.rid = h.rid
    WHERE r.updated_at < $2::timestamptz FOR UPDATE OF h SKIP LOCKED
  ), gone AS (
    DELETE FROM fhir_history h USING over o WHERE h.type = o.type AND h.rid = o.rid AND h.version = o.version RETURNING 1
  )
  SELECT (SELECT count(*) FROM gone)::int AS removed, (SELECT count(*) FROM page)::int AS seen, l.at, l.rid, l.version
  FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT updated_at::text AS at, rid, version FROM page
    ORDER BY updated_at DESC, rid DESC, version DESC LIMIT 1) l ON true`;

interface Row {
  readonly removed: number;
  readonly seen: number;
  readonly at: string | null;
  readonly rid: string | null;
  readonly version: number | null;
}

export function oldVersionsRule({ versions }: Retention, parameters: SearchParameters): RetentionRule {
  const types = [...parameters.resourceTypes]
    // Access records have a time of their own.
    .filter((type) => type !== 'AuditEvent')
    .filter((type) => type === 'Patient' || parameters.compartmentParameters('Patient', type).length > 0)
    .map(nameKey);
  return {
    name: 'versions',
    what: 'superseded versions of resources of patients',
    variable: 'KEDJA_RETENTION_VERSIONS',
    kept: keptText(versions, 'months'),
    before: (now) => monthsBefore(now, versions),
    count: (db, before) => readCount(db, COUNT, [types, before]),
    async removeBatch(tx, { before, after, limit }) {
      const [place = 0, at = null, rid = null, version = null] = after ?? [];
      const { rows } = await tx.query<Row>(REMOVE, [types[Number(place)], before, at, rid, version, limit]);
      const [last] = rows;
      const removed = last?.removed ?? 0;
      if (last?.seen === limit) return { removed, after: [place, last.at, last.rid, last.version] };
      const next = Number(place) + 1;
      return { removed, after: next < types.length ? [next] : undefined };
    },
  };
}
