// SQL that finds what people have decided themselves (decision L3, docs/adr/0073), by any record of theirs.

/**
 * A record is the person's who has its guid, and the person's whom identity has linked it to. Accounts that were merged
 * are records of the person who remains, under their guids (docs/adr/0076), and what was decided there counts on.
 * Whatever the Consent names as its subject: it is about the person who decided it, and about nobody else.
 *
 * The rows are the `record` that was asked about, and the `content` of an active Consent. `records` and `consent` are
 * the placeholders of the records' ids and of the key of the type.
 */
export const ownConsents = (records: string, consent: string) => `SELECT q.record, r.content
    FROM unnest(${records}::text[]) AS q (record)
    LEFT JOIN person_record p ON p.record_id = q.record
    JOIN own_consent o ON o.is_active AND o.patient_guid = ANY(ARRAY[q.record, p.patient_guid]
      || ARRAY(SELECT m.record_id FROM person_record m WHERE m.patient_guid IN (q.record, p.patient_guid)))
    JOIN fhir_resource r ON r.type = ${consent} AND r.rid = o.rid AND NOT r.deleted`;
