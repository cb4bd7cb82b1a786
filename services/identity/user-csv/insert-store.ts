// Inserts the users of one batch of an import, all with the same temporary password: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';
import type { NewPatient } from '../shared/number-index.ts';

export interface NewUser {
  readonly userGuid: string;
  readonly userType: 'professional' | 'patient';
  readonly email: string;
  readonly emailKey: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly isSuAdmin: boolean;
}

export interface TemporaryPassword {
  readonly hash: string;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** Returns the guids of the inserted users: a taken address inserts nothing. */
export async function insertUsers(
  db: Queryable,
  users: readonly NewUser[],
  password: TemporaryPassword,
): Promise<Set<string>> {
  const statement = {
    name: 'identity-import-users',
    text: `INSERT INTO app_user (user_guid, user_type, email, email_key, first_name, last_name, is_su_admin,
        password_hash, must_change_password, password_expires_at, created_at)
      SELECT x.*, $8, true, $9, $10
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[]) AS x
      ON CONFLICT (email_key) DO NOTHING RETURNING user_guid`,
  };
  const { rows } = await db.query<{ user_guid: string }>(statement, [
    ...columnsOf(users, 'userGuid', 'userType', 'email', 'emailKey', 'firstName', 'lastName', 'isSuAdmin'),
    password.hash,
    password.expiresAt,
    password.createdAt,
  ]);
  return new Set(rows.map((row) => row.user_guid));
}

export interface NewProfessional {
  readonly userGuid: string;
  readonly professionalGuid: string;
  readonly role: string;
}

export async function insertProfessionals(db: Queryable, professionals: readonly NewProfessional[]): Promise<void> {
  const statement = {
    name: 'identity-import-professionals',
    text: `INSERT INTO professional (user_guid, professional_guid, professional_role)
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[])`,
  };
  await db.query(statement, [...columnsOf(professionals, 'userGuid', 'professionalGuid', 'role')]);
}

/** Pairs of a professional and an organisation. */
export async function insertWorkplaces(
  db: Queryable,
  workplaces: ReadonlyArray<{ readonly userGuid: string; readonly organisationGuid: string }>,
): Promise<void> {
  const statement = {
    name: 'identity-import-workplaces',
    text: `INSERT INTO professional_organisation (user_guid, organisation_guid)
      SELECT * FROM unnest($1::uuid[], $2::uuid[])`,
  };
  await db.query(statement, [
    workplaces.map((workplace) => workplace.userGuid),
    workplaces.map((workplace) => workplace.organisationGuid),
  ]);
}

export interface NewMembership {
  readonly membershipGuid: string;
  readonly userGuid: string;
  readonly groupGuid: string;
  readonly isAdmin: boolean;
}

/** Approved memberships; `decidedBy` is null for an operator who is no user. */
export async function insertMemberships(
  db: Queryable,
  memberships: readonly NewMembership[],
  decision: { decidedBy: string | null; at: Date },
): Promise<void> {
  const statement = {
    name: 'identity-import-memberships',
    text: `INSERT INTO membership (membership_guid, user_guid, group_guid, is_admin, status, created_at, decided_by_guid, decided_at)
      SELECT x.*, 'approved', $6, $5, $6 FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::boolean[]) AS x`,
  };
  await db.query(statement, [
    ...columnsOf(memberships, 'membershipGuid', 'userGuid', 'groupGuid', 'isAdmin'),
    decision.decidedBy,
    decision.at,
  ]);
}

/**
 * @throws a unique violation of `patient_personnummer_index`, or of the next index, when a number was registered
 * meanwhile
 */
export async function insertPatients(db: Queryable, patients: readonly NewPatient[]): Promise<void> {
  const statement = {
    name: 'identity-import-patients',
    text: `INSERT INTO patient (user_guid, patient_guid, organisation_guid, personnummer_sealed, personnummer_index, personnummer_index_next)
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[], $5::bytea[], $6::bytea[])`,
  };
  await db.query(statement, [
    ...columnsOf(patients, 'userGuid', 'patientGuid', 'organisationGuid', 'sealed'),
    patients.map(({ index }) => index.index),
    patients.map(({ index }) => index.next),
  ]);
}
