// Patients whose identity is protected at engine or dispatch (docs/adr/0090). Where they receive care is shown to
// themselves and to those whom the labels of their records name.
import type { Principal } from '#lib/auth/principal.ts';
import { isGuid } from '#lib/guid.ts';

type Reader = Pick<Principal, 'id'> & Partial<Pick<Principal, 'organisationGuids'>>;

/** The guids by which a label names the caller, or the owner of a record is theirs; an operator has none. */
export function readerNames(caller: Reader | undefined): readonly string[] {
  return caller === undefined ? [] : [caller.id, ...(caller.organisationGuids ?? [])].filter(isGuid);
}

/** Whether the caller is a service on record, and none of Kedja's own, which need to know for every rule of access. */
export function isServiceOfOthers({ calls }: Pick<Principal, 'calls'>): boolean {
  return calls !== undefined;
}

/** The patients who are one person with the row: merged accounts and those that they lead to (docs/adr/0076). */
const personOf = (row: string) => `(SELECT ${row}.patient_guid
  UNION ALL SELECT m.patient_guid FROM app_user u JOIN patient m USING (user_guid) WHERE u.merged_into = ${row}.user_guid
  UNION ALL SELECT m.patient_guid FROM app_user me JOIN patient m ON m.user_guid = me.merged_into WHERE me.user_guid = ${row}.user_guid)`;

/**
 * The condition that a record of the patient of the row `row` is protected, and is hidden from all of `names`. These
 * are an SQL expression of an array of guids. A link that was undone counts: to undo it must reveal nothing.
 */
export function hiddenFrom(row: string, names: string): string {
  return `EXISTS (SELECT ${protectedRecords(row)} AND NOT held.protected_for && ${names}::uuid[]
    AND NOT coalesce(held.organisation_guid = ANY(${names}::uuid[]), FALSE))`;
}

/** A JSON array with, for each protected record of the patient of the row, the guids of those to whom it is shown. */
export function shownTo(row: string): string {
  return `(SELECT json_agg(array_remove(held.protected_for || held.organisation_guid, NULL)) ${protectedRecords(row)})`;
}

function protectedRecords(row: string): string {
  return `FROM ${personOf(row)} i
    CROSS JOIN LATERAL (
      SELECT o.service, i.patient_guid::text AS record_id FROM (VALUES ('engine'), ('dispatch')) AS o (service)
      UNION ALL SELECT l.service, l.record_id FROM patient_link l WHERE l.patient_guid = i.patient_guid) k
    JOIN patient_record held ON held.service = k.service AND held.record_id = k.record_id
    WHERE held.protected_for IS NOT NULL`;
}
