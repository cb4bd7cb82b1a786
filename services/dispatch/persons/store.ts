// Which Patients are one person's, as followed from identity (docs/adr/0073): SQL only.
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Queryable } from '#lib/db/database.ts';

export interface PersonRecords {
  readonly patientGuid: string;
  readonly records: readonly string[];
}

export async function readPosition(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ sequence: number }>('SELECT sequence FROM person_record_position');
  return rows[0]?.sequence ?? 0;
}

/** Locks the position and moves it on; false when another node has moved it meanwhile. */
export async function movePosition(db: Queryable, from: number, to: number): Promise<boolean> {
  const text = 'UPDATE person_record_position SET sequence = $2 WHERE sequence = $1';
  return (await db.query(text, [from, to])).rowCount === 1;
}

/** Replaces all records of these people. A record that was another person's is theirs from now on. */
export async function replaceRecords(db: Queryable, people: readonly PersonRecords[]): Promise<void> {
  const rows = people.flatMap(({ patientGuid, records }) => records.map((record) => ({ record, patientGuid })));
  await db.query('DELETE FROM person_record WHERE patient_guid = ANY($1::text[])', [
    people.map(({ patientGuid }) => patientGuid),
  ]);
  if (rows.length === 0) return;
  await db.query(
    `INSERT INTO person_record (record_id, patient_guid)
     SELECT DISTINCT ON (record_id) * FROM unnest($1::text[], $2::text[]) AS g (record_id, patient_guid) ORDER BY record_id
     ON CONFLICT (record_id) DO UPDATE SET patient_guid = excluded.patient_guid`,
    [rows.map(({ record }) => record), rows.map(({ patientGuid }) => patientGuid)],
  );
}

/** Whether a write of this Patient has not been reported to identity yet (docs/adr/0068). */
export async function isUnreported(db: Queryable, patientGuid: string): Promise<boolean> {
  const statement = { name: 'person-unreported', text: 'SELECT FROM fhir_patient_change WHERE rid = $1' };
  return (await db.query(statement, [resourceKey(patientGuid)])).rowCount === 1;
}

/** The organisation of the first of these Patients that is on record; undefined when none is. */
export async function findOwner(
  db: Queryable,
  patientGuids: readonly string[],
): Promise<{ readonly id: string; readonly organisation: string | null } | undefined> {
  const { rows } = await db.query<{ id: string; organisation: string | null }>(
    `SELECT coalesce(r.id, r.rid::text) AS id, r.organisation
     FROM unnest($2::uuid[]) WITH ORDINALITY AS g (rid, position) JOIN fhir_resource r ON r.type = $1 AND r.rid = g.rid
     WHERE NOT r.deleted ORDER BY g.position LIMIT 1`,
    [nameKey('Patient'), patientGuids.map(resourceKey)],
  );
  return rows[0];
}
