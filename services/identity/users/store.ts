// Users, their professional or patient part, and the access blob: SQL only.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import type { ProfessionalRole } from '../professional-role.ts';
import type { LiveBounds } from '../session-limits.ts';
import { endResets } from '../shared/account-store.ts';
import {
  CREDENTIALS,
  type Credentials,
  type CredentialsRow,
  type PasswordProof,
  passwordValues,
  RECORD_PASSWORD,
  toCredentials,
} from '../shared/credentials.ts';
import { LINKED_RECORDS, type LinkedRecordRow } from '../shared/linked-records.ts';
import { hiddenFrom } from '../shared/protected-patients.ts';
import { type ProxyGrantRow, proxyGrants } from './proxy-grants.ts';

export interface NewUser {
  readonly userGuid: string;
  readonly userType: 'professional' | 'patient';
  /** Null, as its key, for a child without an account of its own (docs/adr/0157). */
  readonly email: string | null;
  readonly emailKey: string | null;
  readonly passwordHash: string;
  /** When a temporary password, which must be changed first, stops working. */
  readonly expiresAt?: Date;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly isSuAdmin: boolean;
  readonly createdAt: Date;
}

export interface BlobRow {
  user_guid: string;
  email: string | null;
  user_type: 'professional' | 'patient';
  is_su_admin: boolean;
  must_change_password: boolean;
  has_second_factor: boolean;
  professional_guid: string | null;
  professional_role: ProfessionalRole | null;
  is_privacy_officer: boolean | null;
  organization_ids: string[];
  name: string;
  provider_staff: Array<{ organisation_guid: string; provider_guid: string }> | null;
  groups: Array<{
    group_guid: string;
    group_name: string;
    group_type: string;
    status: string;
    is_admin: boolean;
  }>;
  patient_guid: string | null;
  organisation_guid: string | null;
  registries: string[] | null;
  linked: LinkedRecordRow[] | null;
  proxy_for: ProxyGrantRow[] | null;
}

const blobText = (
  patientParts: string,
): string => `SELECT u.user_guid, u.email, u.user_type, u.is_su_admin, u.must_change_password,
      u.second_factor_sealed IS NOT NULL AS has_second_factor,
      p.professional_guid, p.professional_role, p.is_privacy_officer, t.patient_guid, t.organisation_guid, t.registries,
      ${patientParts},
      ARRAY(SELECT w.organisation_guid::text FROM professional_organisation w
            WHERE w.user_guid = u.user_guid ORDER BY w.organisation_guid) AS organization_ids,
      concat_ws(' ', u.first_name, u.last_name) AS name,
      (SELECT json_agg(json_build_object('organisation_guid', o.organisation_guid, 'provider_guid', o.provider_guid)
          ORDER BY o.organisation_guid)
         FROM professional_organisation w JOIN organisation o USING (organisation_guid)
         WHERE w.user_guid = u.user_guid AND o.provider_guid IS NOT NULL) AS provider_staff,
      (SELECT coalesce(json_agg(json_build_object('group_guid', g.group_guid, 'group_name', g.name,
          'group_type', g.group_type, 'status', m.status, 'is_admin', m.is_admin) ORDER BY g.group_type, ${byName('g.name', 'g.group_guid')}), '[]')
         FROM membership m JOIN care_group g USING (group_guid) WHERE m.user_guid = u.user_guid) AS groups
    FROM app_user u LEFT JOIN professional p USING (user_guid) LEFT JOIN patient t USING (user_guid)
    WHERE u.user_guid = $1 AND u.blocked_at IS NULL AND NOT EXISTS (SELECT FROM revoked_token r WHERE r.token_id = $2)
      AND NOT EXISTS (SELECT FROM issued_token i JOIN browser_session s USING (session_guid)
        WHERE i.token_id = $2 AND (s.last_used_at <= $3 OR s.created_at <= $4))`;

// A statement of two thirds of the tables and half of the plan's steps: PostgreSQL takes locks on all tables of a
// statement and prepares all its steps even where no row needs them, and most who sign in are not patients.
const BLOB = {
  name: 'identity-access-blob',
  text: blobText('NULL::json AS linked, NULL::json AS proxy_for'),
};

const BLOB_OF_PATIENT = {
  name: 'identity-patient-access-blob',
  text: blobText(`${LINKED_RECORDS} AS linked, ${proxyGrants('$5::timestamptz')} AS proxy_for`),
};

/** Whether a record of the patient is protected (docs/adr/0090). */
export async function hidesOrganisation(db: Queryable, userGuid: string): Promise<boolean> {
  const text = `SELECT FROM patient t WHERE t.user_guid = $1 AND ${hiddenFrom('t', "'{}'")}`;
  return (await db.query(text, [userGuid])).rowCount === 1;
}

/** Null when the user is deleted or blocked, the token revoked, or its browser session no longer alive. */
export async function readBlobRow(
  db: Queryable,
  { userGuid, tokenId, live, now }: { userGuid: string; tokenId: string | null; live: LiveBounds; now: Date },
): Promise<BlobRow | null> {
  const bounds = [userGuid, tokenId, live.usedAfter, live.begunAfter];
  const [row] = (await db.query<BlobRow>(BLOB, bounds)).rows;
  if (row === undefined || row.patient_guid === null) return row ?? null;
  // Asked whole again, so that all parts are of one moment.
  return (await db.query<BlobRow>(BLOB_OF_PATIENT, [...bounds, now])).rows[0] ?? null;
}

export interface PasswordHolderRow {
  user_type: 'professional' | 'patient';
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  has_second_factor: boolean;
  organisations: string[];
  patient_guid: string | null;
  personnummer_sealed: Buffer | null;
}

export async function readPasswordHolder(db: Queryable, userGuid: string): Promise<PasswordHolderRow | null> {
  const { rows } = await db.query<PasswordHolderRow>(
    `SELECT u.user_type, u.email, u.first_name, u.last_name, u.second_factor_sealed IS NOT NULL AS has_second_factor,
       t.patient_guid, t.personnummer_sealed,
       ARRAY(SELECT o.name FROM organisation o WHERE o.organisation_guid = t.organisation_guid OR o.organisation_guid IN
         (SELECT w.organisation_guid FROM professional_organisation w WHERE w.user_guid = u.user_guid)) AS organisations
     FROM app_user u LEFT JOIN patient t USING (user_guid) WHERE u.user_guid = $1`,
    [userGuid],
  );
  return rows[0] ?? null;
}

export async function readCredentials(db: Queryable, userGuid: string): Promise<Credentials | null> {
  const text = `SELECT ${CREDENTIALS} FROM app_user WHERE user_guid = $1`;
  const [row] = (await db.query<CredentialsRow>(text, [userGuid])).rows;
  return row === undefined ? null : toCredentials(row);
}

/** False when the address is taken. */
export async function insertUser(db: Queryable, user: NewUser): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, first_name, last_name, is_su_admin, created_at,
       must_change_password, password_expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::timestamptz IS NOT NULL, $10) ON CONFLICT (email_key) DO NOTHING`,
    [
      user.userGuid,
      user.userType,
      user.email,
      user.emailKey,
      user.passwordHash,
      user.firstName,
      user.lastName,
      user.isSuAdmin,
      user.createdAt,
      user.expiresAt ?? null,
    ],
  );
  return rowCount === 1;
}

export async function insertProfessional(
  db: Queryable,
  professional: { userGuid: string; professionalGuid: string; role: ProfessionalRole },
): Promise<void> {
  await db.query('INSERT INTO professional (user_guid, professional_guid, professional_role) VALUES ($1, $2, $3)', [
    professional.userGuid,
    professional.professionalGuid,
    professional.role,
  ]);
}

export async function linkOrganisation(db: Queryable, userGuid: string, organisationGuid: string): Promise<void> {
  await db.query('INSERT INTO professional_organisation (user_guid, organisation_guid) VALUES ($1, $2)', [
    userGuid,
    organisationGuid,
  ]);
}

/** Locks the user against deletion until the transaction ends; false when there is none. */
export async function lockUser(db: Queryable, userGuid: string): Promise<boolean> {
  return (await db.query('SELECT FROM app_user WHERE user_guid = $1 FOR KEY SHARE', [userGuid])).rowCount > 0;
}

export async function isEmailTaken(db: Queryable, emailKey: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM app_user WHERE email_key = $1', [emailKey]);
  return rowCount > 0;
}

export async function findTakenKeys(db: Queryable, emailKeys: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ email_key: string }>(
    'SELECT email_key FROM app_user WHERE email_key = ANY ($1::text[])',
    [emailKeys],
  );
  return new Set(rows.map(({ email_key: key }) => key));
}

/** False when the condition of `RECORD_PASSWORD` does not hold. */
export async function recordPassword(db: Queryable, proof: PasswordProof & { at: Date }): Promise<boolean> {
  const statement = { name: 'identity-record-password', text: RECORD_PASSWORD };
  return (await db.query(statement, passwordValues(proof))).rowCount === 1;
}

/** False when the password is no longer the verified one, or the account has a second factor now. */
export async function requireNewPassword(
  db: Queryable,
  { userGuid, verifiedHash }: { userGuid: string; verifiedHash: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE app_user SET must_change_password = true
     WHERE user_guid = $1 AND password_hash = $2 AND second_factor_sealed IS NULL`,
    [userGuid, verifiedHash],
  );
  return rowCount === 1;
}

export async function recordSignIn(db: Queryable, userGuid: string, at: Date): Promise<void> {
  await db.query('UPDATE app_user SET last_login_at = $2 WHERE user_guid = $1', [userGuid, at]);
}

/**
 * Replaces the password if it is still the verified one, and ends links and codes that would reset it; false
 * otherwise.
 */
export async function replacePassword(
  tx: Transaction,
  change: { userGuid: string; verifiedHash: string; newHash: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE app_user SET password_hash = $3, must_change_password = false, password_expires_at = NULL
     WHERE user_guid = $1 AND password_hash = $2`,
    [change.userGuid, change.verifiedHash, change.newHash],
  );
  if (rowCount !== 1) return false;
  await endResets(tx, change.userGuid);
  return true;
}

export async function hasSuAdmin(db: Queryable): Promise<boolean> {
  return (await db.query('SELECT FROM app_user WHERE is_su_admin LIMIT 1')).rowCount > 0;
}

/** Locks users against insertion until the transaction ends. */
export async function lockUsers(db: Queryable): Promise<void> {
  await db.query('LOCK TABLE app_user IN SHARE ROW EXCLUSIVE MODE');
}

/** False when no professional has that address. */
export async function promoteByEmail(db: Queryable, emailKey: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE app_user SET is_su_admin = true WHERE email_key = $1 AND user_type = 'professional'`,
    [emailKey],
  );
  return rowCount === 1;
}
