// Registered patients whose access has changed, with their records at a service, in commit order: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { LINKED_RECORDS, type LinkedRecordRow } from '../shared/linked-records.ts';

export interface ChangedPatient {
  sequence: number;
  patient_guid: string;
  linked: LinkedRecordRow[] | null;
}

/** Oldest change first. The records of a merged account are those of the account that remains. */
export async function readChangedPatients(
  db: Queryable,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<ChangedPatient[]> {
  const { rows } = await db.query<ChangedPatient>(
    `SELECT c.sequence, t.patient_guid, CASE WHEN u.merged_into IS NULL THEN ${LINKED_RECORDS} END AS linked
     FROM patient_change c JOIN patient t USING (patient_guid) JOIN app_user u USING (user_guid)
     WHERE c.sequence > $1 AND c.sequence <= $2 ORDER BY c.sequence LIMIT $3`,
    [after, upTo, limit],
  );
  return rows;
}
