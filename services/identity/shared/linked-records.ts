// The ids of the Patients at engine and dispatch that are linked to a registered patient (docs/adr/0068). They come as
// SQL on the row `t` of `patient`, and in the form of the access blob.
import { RECORD_SERVICES, type RecordService } from '#lib/auth/principal.ts';

export interface LinkedRecordRow {
  service: RecordService;
  id: string;
}

/** Of a patient's records at one service the first this many count: more would be an attack. */
const MAX_LINKED = 100;

const UUID = `'^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'`;

/**
 * The patients of accounts that are merged into that of the row (docs/adr/0076): their guids and links are the
 * person's.
 */
const MERGED = `(SELECT p.patient_guid FROM app_user u JOIN patient p USING (user_guid) WHERE u.merged_into = t.user_guid)`;
const OF_PERSON = `l.patient_guid IN (SELECT t.patient_guid UNION ALL SELECT m.patient_guid FROM ${MERGED} m)`;

/**
 * Whether the id of the Patient `here` is the same person at the other service, where `there` is the Patient with the
 * id, if any. One id is one patient at both services (decision G1). It counts where there is no Patient with the id. It
 * also counts where there is one without a number that belongs to the same organisation. So nobody reaches another
 * person's record by making one with its id elsewhere.
 */
export const COUNTS_THERE = `here.record_id ~ ${UUID}
  AND (there.record_id IS NULL OR (there.organisation_guid = here.organisation_guid AND NOT EXISTS (
    SELECT FROM patient_record_number n WHERE n.service = there.service AND n.record_id = there.record_id)))`;

/**
 * A JSON array of `LinkedRecordRow`, first linked first, with the ids that count at the other service
 * (`COUNTS_THERE`).
 */
export const LINKED_RECORDS = `(SELECT json_agg(json_build_object('service', s.service, 'id', s.id) ORDER BY s.linked_at, s.id)
  FROM (
    SELECT o.service, m.patient_guid::text AS id, '-infinity'::timestamptz AS linked_at
    FROM ${MERGED} m CROSS JOIN (VALUES ('engine'), ('dispatch')) AS o (service)
    UNION ALL
    SELECT l.service, l.record_id AS id, l.linked_at FROM patient_link l
    WHERE ${OF_PERSON} AND l.undone_at IS NULL
    UNION ALL
    SELECT o.service, l.record_id, l.linked_at FROM patient_link l
      JOIN patient_record here ON here.service = l.service AND here.record_id = l.record_id
      JOIN (VALUES ('engine'), ('dispatch')) AS o (service) ON o.service <> l.service
      LEFT JOIN patient_record there ON there.service = o.service AND there.record_id = l.record_id
    WHERE ${OF_PERSON} AND l.undone_at IS NULL AND ${COUNTS_THERE}
  ) s)`;

/** The member `linked_records` of the access blob; none where nothing is linked. */
export function linkedRecordsOf(rows: readonly LinkedRecordRow[] | null) {
  if (rows === null || rows.length === 0) return {};
  const idsAt = (service: RecordService) =>
    rows
      .filter((row) => row.service === service)
      .map(({ id }) => id)
      .slice(0, MAX_LINKED);
  const [engine, dispatch] = RECORD_SERVICES.map(idsAt);
  return { linked_records: { engine: engine ?? [], dispatch: dispatch ?? [] } };
}
