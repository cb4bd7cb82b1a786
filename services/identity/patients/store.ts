// Patients: SQL only. The personnummer is passed in and returned encrypted.
import type { Queryable } from '#lib/db/database.ts';
import type { NewPatient, NumberIndex } from '../shared/number-index.ts';
import { hiddenFrom } from '../shared/protected-patients.ts';

export interface PatientRow {
  user_guid: string;
  patient_guid: string;
  organisation_guid: string;
  personnummer_sealed: Buffer;
  registries: string[];
}

/** False when the personnummer is registered. */
export async function insertPatient(db: Queryable, patient: NewPatient): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO patient (user_guid, patient_guid, organisation_guid, personnummer_sealed, personnummer_index, personnummer_index_next)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [
      patient.userGuid,
      patient.patientGuid,
      patient.organisationGuid,
      patient.sealed,
      patient.index.index,
      patient.index.next,
    ],
  );
  return rowCount === 1;
}

export async function readPatientOfUser(db: Queryable, userGuid: string): Promise<PatientRow | null> {
  const { rows } = await db.query<PatientRow>(
    'SELECT user_guid, patient_guid, organisation_guid, personnummer_sealed, registries FROM patient WHERE user_guid = $1',
    [userGuid],
  );
  return rows[0] ?? null;
}

interface UnclaimedRow {
  user_guid: string;
  patient_guid: string;
  organisation_guid: string;
  registries: string[];
}

/**
 * The patient of the number who has no account of their own, and for whom no guardian acts any more. The row is locked
 * until the transaction ends.
 */
export async function lockUnclaimed(
  tx: Queryable,
  { index, next }: NumberIndex,
  now: Date,
): Promise<UnclaimedRow | null> {
  const { rows } = await tx.query<UnclaimedRow>(
    `SELECT t.user_guid, t.patient_guid, t.organisation_guid, t.registries FROM patient t JOIN app_user u USING (user_guid)
     WHERE (t.personnummer_index = ANY($1::bytea[]) OR t.personnummer_index_next = ANY($1::bytea[]))
       AND u.email IS NULL AND u.blocked_at IS NULL AND NOT EXISTS (SELECT FROM patient_proxy x
         WHERE x.patient_guid = t.patient_guid AND x.kind = 'guardian' AND x.status = 'active' AND x.ends_at > $2)
     FOR UPDATE OF u`,
    [next === null ? [index] : [index, next], now],
  );
  return rows[0] ?? null;
}

/** That of an account which nobody has signed in to: there is no session to end. */
export async function setPassword(tx: Queryable, userGuid: string, passwordHash: string): Promise<void> {
  await tx.query('UPDATE app_user SET password_hash = $2 WHERE user_guid = $1', [userGuid, passwordHash]);
}

export interface PatientAccountRow extends PatientRow {
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  /** Whether it is not for the reader to know where the patient receives care. */
  is_hidden: boolean;
}

/** `reader`: the guids by which the label of a protected patient may name the caller (docs/adr/0090). */
export async function readPatient(
  db: Queryable,
  patientGuid: string,
  reader: readonly string[],
): Promise<PatientAccountRow | null> {
  const text = `SELECT user_guid, patient_guid, organisation_guid, personnummer_sealed, registries, email, first_name, last_name,
      ${hiddenFrom('t', '$2')} AS is_hidden
    FROM patient t JOIN app_user USING (user_guid) WHERE patient_guid = $1`;
  return (await db.query<PatientAccountRow>(text, [patientGuid, reader])).rows[0] ?? null;
}

/** The mark of the key in use. Stores the given mark when there is none. */
export async function storeKeyMark(db: Queryable, mark: Buffer): Promise<Buffer> {
  await db.query('INSERT INTO personnummer_key (mark) VALUES ($1) ON CONFLICT DO NOTHING', [mark]);
  const { rows } = await db.query<{ mark: Buffer }>('SELECT mark FROM personnummer_key');
  return rows[0]?.mark ?? mark;
}

/** The user guid of the patient; null when there is no such patient. */
export async function replaceRegistries(
  db: Queryable,
  patientGuid: string,
  registries: readonly string[],
): Promise<string | null> {
  const { rows } = await db.query<{ user_guid: string }>(
    'UPDATE patient SET registries = $2::text[] WHERE patient_guid = $1 RETURNING user_guid',
    [patientGuid, registries],
  );
  return rows[0]?.user_guid ?? null;
}
