// Patients at engine and dispatch, their personnummer and their links to registered patients: SQL only. A personnummer
// is passed in encrypted.
import { RECORD_SERVICES, type RecordService } from '#lib/auth/principal.ts';
import type { Queryable } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';
import type { NumberIndex } from '../shared/number-index.ts';
import { hiddenFrom } from '../shared/protected-patients.ts';

export interface RecordKey {
  readonly service: RecordService;
  readonly recordId: string;
}

export interface ReportedRecord {
  readonly recordId: string;
  readonly organisationGuid: string | null;
  readonly change: number;
  /** The guids of those to whom a protected record is shown; undefined for one that is not protected. */
  readonly protectedFor: readonly string[] | undefined;
}

export interface SealedNumber {
  readonly numberGuid: string;
  readonly recordId: string;
  readonly sealed: Buffer;
  readonly index: NumberIndex;
}

/** The owners of those of the records that are known, locked until the transaction ends. */
export async function lockRecords(
  db: Queryable,
  service: RecordService,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await db.query<{ id: string; organisation: string | null }>(
    `SELECT record_id AS id, organisation_guid AS organisation FROM patient_record
     WHERE service = $1 AND record_id = ANY($2::text[]) ORDER BY record_id FOR UPDATE`,
    [service, recordIds],
  );
  return new Map(rows.map(({ id, organisation }) => [id, organisation]));
}

/** Stores the reports, and deletes the numbers of before; returns the ids. A report of an earlier write is ignored. */
export async function storeRecords(
  db: Queryable,
  service: RecordService,
  records: readonly ReportedRecord[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    `WITH stored AS (
       INSERT INTO patient_record (service, record_id, organisation_guid, change, protected_for)
       SELECT $1, r.id, r.organisation, r.change, r.readers::uuid[]
       FROM unnest($2::text[], $3::uuid[], $4::bigint[], $5::text[]) AS r (id, organisation, change, readers)
       ON CONFLICT (service, record_id) DO UPDATE SET organisation_guid = excluded.organisation_guid,
         change = excluded.change, protected_for = excluded.protected_for
         WHERE patient_record.change <= excluded.change
       RETURNING record_id),
     gone AS (DELETE FROM patient_record_number n USING stored s WHERE n.service = $1 AND n.record_id = s.record_id)
     SELECT record_id AS id FROM stored`,
    [
      service,
      ...columnsOf(records, 'recordId', 'organisationGuid', 'change'),
      records.map(({ protectedFor }) => protectedFor && `{${protectedFor.join()}}`),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

export async function insertNumbers(
  db: Queryable,
  service: RecordService,
  numbers: readonly SealedNumber[],
): Promise<void> {
  await db.query(
    `INSERT INTO patient_record_number
       (service, number_guid, record_id, personnummer_sealed, personnummer_index, personnummer_index_next)
     SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::bytea[], $5::bytea[], $6::bytea[])`,
    [
      service,
      ...columnsOf(numbers, 'numberGuid', 'recordId', 'sealed'),
      numbers.map(({ index }) => index.index),
      numbers.map(({ index }) => index.next),
    ],
  );
}

/** The account that sees the records of the patient `p`: one into which theirs was merged, else their own. */
const OWNER = '(SELECT coalesce(u.merged_into, u.user_guid) FROM app_user u WHERE u.user_guid = p.user_guid)';

/** Two columns of index values are equal: in each step of a change of the key at least one of them is of one key. */
const SAME_NUMBER = `(p.personnummer_index = n.personnummer_index OR p.personnummer_index_next = n.personnummer_index_next)`;

/** The records that hold a number of one of these patients. */
export async function recordsOfPatients(db: Queryable, patientGuids: readonly string[]): Promise<RecordKey[]> {
  const { rows } = await db.query<{ service: RecordService; record_id: string }>(
    `SELECT DISTINCT n.service, n.record_id FROM patient p JOIN patient_record_number n ON ${SAME_NUMBER}
     WHERE p.patient_guid = ANY($1::uuid[]) ORDER BY 1, 2`,
    [patientGuids],
  );
  return rows.map(({ service, record_id: recordId }) => ({ service, recordId }));
}

export interface LinkRow {
  service: RecordService;
  record_id: string;
  patient_guid: string;
  user_guid: string;
}

const GIVEN = 'unnest($1::text[], $2::text[]) AS g (service, record_id)';
const keysOf = (records: readonly RecordKey[]) => [
  records.map(({ service }) => service),
  records.map(({ recordId }) => recordId),
];
const UUID = `'^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'`;

/**
 * The person of each record: whose number it holds. There is none where its numbers are of several people, or where its
 * id is that of a registered patient already. There is none where an administrator has undone the link.
 */
export async function findPersons(db: Queryable, records: readonly RecordKey[]): Promise<LinkRow[]> {
  const { rows } = await db.query<LinkRow>(
    `SELECT m.service, m.record_id, p.patient_guid, ${OWNER} AS user_guid FROM (
       SELECT g.service, g.record_id, min(p.patient_guid::text)::uuid AS patient_guid
       FROM ${GIVEN} JOIN patient_record_number n USING (service, record_id) JOIN patient p ON ${SAME_NUMBER}
       WHERE NOT EXISTS (SELECT FROM patient own
         WHERE own.patient_guid = CASE WHEN g.record_id ~ ${UUID} THEN g.record_id::uuid END)
       GROUP BY g.service, g.record_id HAVING count(DISTINCT p.patient_guid) = 1) m
     JOIN patient p USING (patient_guid)
     WHERE NOT EXISTS (SELECT FROM patient_link u WHERE u.service = m.service AND u.record_id = m.record_id
       AND u.patient_guid = m.patient_guid AND u.undone_at IS NOT NULL)`,
    keysOf(records),
  );
  return rows;
}

/** The present links of the records. */
export async function findLinks(db: Queryable, records: readonly RecordKey[]): Promise<LinkRow[]> {
  const { rows } = await db.query<LinkRow>(
    `SELECT l.service, l.record_id, l.patient_guid, ${OWNER} AS user_guid
     FROM ${GIVEN} JOIN patient_link l USING (service, record_id) JOIN patient p USING (patient_guid)
     WHERE l.undone_at IS NULL`,
    keysOf(records),
  );
  return rows;
}

export async function insertLinks(db: Queryable, links: readonly LinkRow[], at: Date): Promise<void> {
  await db.query(
    `INSERT INTO patient_link (service, record_id, patient_guid, linked_at)
     SELECT *, $4 FROM unnest($1::text[], $2::text[], $3::uuid[])`,
    [...linkColumns(links), at],
  );
}

export async function deleteLinks(db: Queryable, links: readonly LinkRow[]): Promise<void> {
  await db.query(
    `DELETE FROM patient_link l USING unnest($1::text[], $2::text[], $3::uuid[]) AS g (service, record_id, patient_guid)
     WHERE l.service = g.service AND l.record_id = g.record_id AND l.patient_guid = g.patient_guid AND l.undone_at IS NULL`,
    linkColumns(links),
  );
}

function linkColumns(links: readonly LinkRow[]) {
  return columnsOf(links, 'service', 'record_id', 'patient_guid');
}

/** The users to whom a record of one of these ids is linked, at whatever service. */
export async function usersOfRecords(db: Queryable, recordIds: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ user_guid: string }>(
    `SELECT DISTINCT ${OWNER} AS user_guid FROM patient_link l JOIN patient p USING (patient_guid)
     WHERE l.service = ANY($2::text[]) AND l.record_id = ANY($1::text[]) AND l.undone_at IS NULL`,
    [recordIds, RECORD_SERVICES],
  );
  return rows.map((row) => row.user_guid);
}

export interface PatientLink {
  service: RecordService;
  record_id: string;
  organisation_guid: string | null;
  linked_at: Date;
  undone_at: Date | null;
  undone_by_guid: string | null;
}

/** The records that are or were linked to the patient; null when there is no such patient. */
export async function listLinks(
  db: Queryable,
  patientGuid: string,
  reader: readonly string[],
): Promise<PatientLink[] | null> {
  const { rows } = await db.query<{ [Key in keyof PatientLink]: PatientLink[Key] | null }>(
    `SELECT l.service, l.record_id, CASE WHEN NOT ${hiddenFrom('p', '$2')} THEN r.organisation_guid END AS organisation_guid, l.linked_at, l.undone_at, l.undone_by_guid
     FROM patient p LEFT JOIN patient_link l USING (patient_guid) LEFT JOIN patient_record r USING (service, record_id)
     WHERE p.patient_guid = $1 ORDER BY l.linked_at, l.service, l.record_id`,
    [patientGuid, reader],
  );
  if (rows.length === 0) return null;
  return rows.filter((row): row is PatientLink => row.service !== null);
}

/** The user of the link's patient, and whether the link is undone; locked. Null when there is no such link. */
export async function lockLink(
  db: Queryable,
  patientGuid: string,
  { service, recordId }: RecordKey,
): Promise<{ userGuid: string; isUndone: boolean } | null> {
  const { rows } = await db.query<{ user_guid: string; is_undone: boolean }>(
    `SELECT ${OWNER} AS user_guid, l.undone_at IS NOT NULL AS is_undone FROM patient_link l JOIN patient p USING (patient_guid)
     WHERE l.service = $1 AND l.record_id = $2 AND l.patient_guid = $3 FOR UPDATE OF l`,
    [service, recordId, patientGuid],
  );
  const [row] = rows;
  return row === undefined ? null : { userGuid: row.user_guid, isUndone: row.is_undone };
}

export async function markUndone(
  db: Queryable,
  patientGuid: string,
  { service, recordId, by, at }: RecordKey & { readonly by: string; readonly at: Date },
): Promise<void> {
  await db.query(
    `UPDATE patient_link SET undone_at = $4, undone_by_guid = $5 WHERE service = $1 AND record_id = $2 AND patient_guid = $3`,
    [service, recordId, patientGuid, at, by],
  );
}

export async function deleteUndone(db: Queryable, patientGuid: string, { service, recordId }: RecordKey) {
  await db.query('DELETE FROM patient_link WHERE service = $1 AND record_id = $2 AND patient_guid = $3', [
    service,
    recordId,
    patientGuid,
  ]);
}

/** The registered patient of a number; null when there is none. The values are those of all generations in use. */
export async function findPatientOf(
  db: Queryable,
  indexes: readonly Buffer[],
): Promise<{ patientGuid: string; userGuid: string } | null> {
  const { rows } = await db.query<{ patient_guid: string; user_guid: string }>(
    `SELECT o.patient_guid, o.user_guid FROM patient p JOIN patient o ON o.user_guid = ${OWNER}
     WHERE p.personnummer_index = ANY($1::bytea[]) OR p.personnummer_index_next = ANY($1::bytea[])`,
    [indexes],
  );
  const [row] = rows;
  return row === undefined ? null : { patientGuid: row.patient_guid, userGuid: row.user_guid };
}

/** The records with the number that belong to one of the organisations; null: to any. At most a hundred. */
export async function findRecordsOf(
  db: Queryable,
  indexes: readonly Buffer[],
  organisations: readonly string[] | null,
): Promise<RecordKey[]> {
  const { rows } = await db.query<{ service: RecordService; record_id: string }>(
    `SELECT DISTINCT r.service, r.record_id FROM patient_record_number n JOIN patient_record r USING (service, record_id)
     WHERE (n.personnummer_index = ANY($1::bytea[]) OR n.personnummer_index_next = ANY($1::bytea[]))
       AND ($2::uuid[] IS NULL OR r.organisation_guid = ANY($2::uuid[])) ORDER BY 1, 2 LIMIT 100`,
    [indexes, organisations],
  );
  return rows.map(({ service, record_id: recordId }) => ({ service, recordId }));
}
