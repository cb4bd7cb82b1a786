// Proxies and guardians of patients: SQL only (docs/adr/0074).
import type { Queryable } from '#lib/db/database.ts';
import { type FromRow, fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';
import { LINKED_RECORDS, type LinkedRecordRow } from '../shared/linked-records.ts';

export type Right = 'read' | 'act';
export type Side = 'patient' | 'delegate' | 'administrator';

interface PersonRow {
  user_guid: string;
  patient_guid: string;
  personnummer_sealed: Buffer;
  name: string;
}
export type Person = FromRow<PersonRow>;

/** Someone who has given no name is known by the e-mail address. */
const nameOf = (alias: string) =>
  `coalesce(nullif(concat_ws(' ', ${alias}.first_name, ${alias}.last_name), ''), ${alias}.email)`;
const PERSON = `SELECT user_guid, patient_guid, personnummer_sealed, ${nameOf('u')} AS name
  FROM patient JOIN app_user u USING (user_guid)`;

export async function findPerson(db: Queryable, patientGuid: string): Promise<Person | undefined> {
  return findRow(db, `${PERSON} WHERE patient_guid = $1`, [patientGuid], (row: PersonRow) => fromRow(row));
}

export async function findByEmail(db: Queryable, key: string): Promise<Person | undefined> {
  return findRow(db, `${PERSON} WHERE email_key = $1`, [key], (row: PersonRow) => fromRow(row));
}

/** The values are those of all generations of the index in use. */
export async function findByNumber(db: Queryable, indexes: readonly Buffer[]): Promise<Person | undefined> {
  const text = `${PERSON}
    WHERE personnummer_index = ANY($1::bytea[]) OR personnummer_index_next = ANY($1::bytea[])`;
  return findRow(db, text, [indexes], (row: PersonRow) => fromRow(row));
}

/** Makes what is named for one patient wait for each other until the end of the transaction. */
export async function lockPatient(tx: Queryable, patientGuid: string): Promise<boolean> {
  const text = 'SELECT FROM patient WHERE patient_guid = $1 FOR NO KEY UPDATE';
  return (await tx.query(text, [patientGuid])).rowCount === 1;
}

/** Those that are neither ended nor over. Invitations that were declined count, as the patient does not learn of it. */
export async function countOpen(db: Queryable, patientGuid: string, now: Date): Promise<number> {
  const text = `SELECT count(*) AS n FROM patient_proxy 
    WHERE patient_guid = $1 AND ends_at > $2 AND (status <> 'ended' OR (ended_by = 'delegate' AND accepted_at IS NULL))`;
  return (await db.query<{ n: number }>(text, [patientGuid, now])).rows[0]?.n ?? 0;
}

/** The guid of the guardianship in force between the two. */
export async function findGuardianship(
  db: Queryable,
  { childGuid, guardianGuid, now }: { readonly childGuid: string; readonly guardianGuid: string; readonly now: Date },
): Promise<string | undefined> {
  const { rows } = await db.query<{ proxy_guid: string }>(
    `SELECT proxy_guid FROM patient_proxy WHERE patient_guid = $1 AND delegate_guid = $2 AND kind = 'guardian'
       AND status = 'active' AND ends_at > $3`,
    [childGuid, guardianGuid, now],
  );
  return rows[0]?.proxy_guid;
}

export interface NewProxy {
  readonly proxyGuid: string;
  readonly kind: 'proxy' | 'guardian';
  readonly patientGuid: string;
  readonly delegateGuid: string | undefined;
  readonly named: string;
  readonly may: Right;
  readonly status: 'invited' | 'active';
  readonly endsAt: Date;
  readonly now: Date;
  /** Whether a worker has to decide on a mail, and the tenant of the request. */
  readonly isMailDue: boolean;
  readonly tenant: string | undefined;
}

export async function insertProxy(tx: Queryable, proxy: NewProxy): Promise<void> {
  await tx.query(
    `INSERT INTO patient_proxy (proxy_guid, kind, patient_guid, delegate_guid, named, may, status, ends_at, created_at,
       accepted_at, mail_due, tenant)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::timestamptz, CASE WHEN $7 = 'active' THEN $9::timestamptz END, $10, $11)`,
    [
      proxy.proxyGuid,
      proxy.kind,
      proxy.patientGuid,
      proxy.delegateGuid ?? null,
      proxy.named,
      proxy.may,
      proxy.status,
      proxy.endsAt,
      proxy.now,
      proxy.isMailDue,
      proxy.tenant ?? null,
    ],
  );
}

interface ProxyRow {
  proxy_guid: string;
  kind: 'proxy' | 'guardian';
  patient_guid: string;
  delegate_guid: string | null;
  named: string;
  may: Right;
  status: 'invited' | 'active' | 'ended';
  ends_at: Date;
  created_at: Date;
  accepted_at: Date | null;
  ended_at: Date | null;
  ended_by: Side | null;
  /** The mail about it, whether it still waits or not. */
  mail_guid: string | null;
  /** The guid of the patient, and of the person to whom the account was merged if it was (docs/adr/0076). */
  person_guid: string;
  delegate_user: string | null;
  patient_name: string;
  delegate_name: string | null;
}
export type PatientProxy = FromRow<ProxyRow>;

const SELECT = `SELECT x.proxy_guid, x.kind, x.patient_guid, x.delegate_guid, x.named, x.may, x.status, x.ends_at, x.created_at,
    x.accepted_at, x.ended_at, x.ended_by, x.mail_guid, coalesce(m.patient_guid, x.patient_guid) AS person_guid, d.user_guid AS delegate_user,
    ${nameOf('pu')} AS patient_name, ${nameOf('du')} AS delegate_name
  FROM patient_proxy x JOIN patient p ON p.patient_guid = x.patient_guid JOIN app_user pu ON pu.user_guid = p.user_guid
    LEFT JOIN patient m ON m.user_guid = pu.merged_into
    LEFT JOIN patient d ON d.patient_guid = x.delegate_guid LEFT JOIN app_user du ON du.user_guid = d.user_guid`;
/** Who remains after a merge sees and ends what was named by the merged account. */
const SIDES = {
  patient: `x.patient_guid IN (SELECT $1 UNION ALL SELECT o.patient_guid FROM patient own
    JOIN app_user mu ON mu.merged_into = own.user_guid JOIN patient o ON o.user_guid = mu.user_guid WHERE own.patient_guid = $1)`,
  delegate: 'x.delegate_guid = $1',
} as const;

/** Of one side, the latest first; at most that many. */
export async function listProxies(
  db: Queryable,
  side: keyof typeof SIDES,
  { patientGuid, limit }: { readonly patientGuid: string; readonly limit: number },
): Promise<PatientProxy[]> {
  const text = `${SELECT} WHERE ${SIDES[side]} ORDER BY x.created_at DESC, x.proxy_guid DESC LIMIT $2`;
  return (await db.query<ProxyRow>(text, [patientGuid, limit])).rows.map((row) => fromRow(row));
}

interface RelationRow {
  patient_guid: string;
  linked: LinkedRecordRow[] | null;
  kind: 'proxy' | 'guardian';
  may: Right;
  status: 'invited' | 'active' | 'ended' | 'over';
  ends_at: Date;
  ended_at: Date | null;
  ended_by: Side | null;
}

/**
 * Whose proxy a user is, was or is asked to be, the latest first; at most that many. `over`: its end has come by
 * itself.
 */
export async function listRelations(
  db: Queryable,
  { userGuid, now, limit }: { readonly userGuid: string; readonly now: Date; readonly limit: number },
): Promise<RelationRow[]> {
  const text = `SELECT t.patient_guid, ${LINKED_RECORDS} AS linked, x.kind, x.may, x.ends_at, x.ended_at, x.ended_by,
      CASE WHEN x.status <> 'ended' AND x.ends_at <= $2 THEN 'over' ELSE x.status END AS status
    FROM patient d JOIN patient_proxy x ON x.delegate_guid = d.patient_guid JOIN patient t ON t.patient_guid = x.patient_guid
    WHERE d.user_guid = $1 ORDER BY x.created_at DESC, x.proxy_guid DESC LIMIT $3`;
  return (await db.query<RelationRow>(text, [userGuid, now, limit])).rows;
}

/** The row is locked until the transaction ends. */
export async function lockProxy(tx: Queryable, proxyGuid: string): Promise<PatientProxy | undefined> {
  return findRow(tx, `${SELECT} WHERE x.proxy_guid = $1 FOR UPDATE OF x`, [proxyGuid], (row: ProxyRow) => fromRow(row));
}

/** Takes the oldest that waits for its mail; its row is locked until the transaction ends. */
export async function takeDue(
  tx: Queryable,
): Promise<{ readonly proxyGuid: string; readonly tenant: string | undefined } | undefined> {
  const { rows } = await tx.query<{ proxy_guid: string; tenant: string | null }>(
    `UPDATE patient_proxy SET mail_due = false WHERE proxy_guid = (SELECT proxy_guid FROM patient_proxy
       WHERE mail_due ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING proxy_guid, tenant`,
  );
  const [row] = rows;
  return row && { proxyGuid: row.proxy_guid, tenant: row.tenant ?? undefined };
}

/** Whether one of the kind between the same two was mailed since then. */
export async function wasMailedSince(
  db: Queryable,
  { patientGuid, delegateGuid, kind }: Pick<PatientProxy, 'patientGuid' | 'delegateGuid' | 'kind'>,
  since: Date,
): Promise<boolean> {
  const text = `SELECT FROM patient_proxy
    WHERE patient_guid = $1 AND delegate_guid = $2 AND mailed_at > $3 AND kind = $4 LIMIT 1`;
  return (await db.query(text, [patientGuid, delegateGuid ?? null, since, kind])).rowCount > 0;
}

export async function markMailed(
  tx: Queryable,
  proxyGuid: string,
  { mailGuid, now }: { readonly mailGuid: string; readonly now: Date },
): Promise<void> {
  const text = 'UPDATE patient_proxy SET mailed_at = $2, mail_guid = $3 WHERE proxy_guid = $1';
  await tx.query(text, [proxyGuid, now, mailGuid]);
}

/** Undefined when the account is gone or blocked, or there is none: nobody can sign in to answer. */
export async function readDelegateAddress(db: Queryable, userGuid: string): Promise<string | undefined> {
  const text = 'SELECT email FROM app_user WHERE user_guid = $1 AND blocked_at IS NULL';
  return (await db.query<{ email: string | null }>(text, [userGuid])).rows[0]?.email ?? undefined;
}

export async function markAccepted(tx: Queryable, proxyGuid: string, now: Date): Promise<void> {
  const text = `UPDATE patient_proxy SET status = 'active', accepted_at = $2 WHERE proxy_guid = $1`;
  await tx.query(text, [proxyGuid, now]);
}

export interface Ending {
  readonly by: Side;
  readonly now: Date;
  /** Whether its mail was taken back before anybody can have got it. */
  readonly isUnmailed: boolean;
}

export async function markEnded(tx: Queryable, proxyGuid: string, { by, now, isUnmailed }: Ending): Promise<void> {
  const text = `UPDATE patient_proxy SET status = 'ended', ended_at = $3, ended_by = $2,
    mailed_at = CASE WHEN $4 THEN NULL ELSE mailed_at END WHERE proxy_guid = $1`;
  await tx.query(text, [proxyGuid, by, now, isUnmailed]);
}
