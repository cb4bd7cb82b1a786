// Which Consents are a patient's own, and the open matches that a decision may concern: SQL only (docs/adr/0073).
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type FromRow, fromRow } from '#lib/db/from-row.ts';

/** Makes the writes of one person's consents wait for each other until the end of the transaction. */
export async function lockPerson(tx: Queryable, patientGuid: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('own-consent ' || $1, 0))`, [patientGuid]);
}

/** `patientGuids`: of the person, with those of accounts that were merged into theirs (docs/adr/0076). */
export async function countOwn(
  db: Queryable,
  patientGuids: readonly string[],
): Promise<{ readonly all: number; readonly active: number }> {
  const { rows } = await db.query<{ all: number; active: number }>(
    'SELECT count(*) AS all, count(*) FILTER (WHERE is_active) AS active FROM own_consent WHERE patient_guid = ANY($1::text[])',
    [patientGuids],
  );
  return rows[0] ?? { all: 0, active: 0 };
}

export async function insertOwn(
  tx: Queryable,
  own: { readonly id: string; readonly patientGuid: string; readonly isActive: boolean },
): Promise<void> {
  const text = 'INSERT INTO own_consent (rid, patient_guid, is_active) VALUES ($1, $2, $3)';
  await tx.query(text, [resourceKey(own.id), own.patientGuid, own.isActive]);
}

/** The person whose own decision the Consent is; undefined for one that others wrote. */
export async function findDecider(db: Queryable, id: string): Promise<string | undefined> {
  const statement = { name: 'own-consent-decider', text: 'SELECT patient_guid FROM own_consent WHERE rid = $1' };
  const { rows } = await db.query<{ patient_guid: string }>(statement, [resourceKey(id)]);
  return rows[0]?.patient_guid;
}

export async function updateOwn(tx: Queryable, id: string, isActive: boolean): Promise<void> {
  await tx.query('UPDATE own_consent SET is_active = $2 WHERE rid = $1', [resourceKey(id), isActive]);
}

interface OwnRow {
  id: string;
  content: string;
  updated_at: Date;
}
export type OwnConsent = FromRow<OwnRow>;

const COLUMNS = 'coalesce(r.id, r.rid::text) AS id, r.content, r.updated_at';

/** A page of the person's own consents: what is active first, then the newest. */
export async function listOwn(
  db: Queryable,
  patientGuids: readonly string[],
  page: { readonly limit: number; readonly offset: number },
): Promise<OwnConsent[]> {
  const { rows } = await db.query<OwnRow>(
    `SELECT ${COLUMNS} FROM own_consent o JOIN fhir_resource r ON r.type = $2 AND r.rid = o.rid
     WHERE o.patient_guid = ANY($1::text[]) ORDER BY o.is_active DESC, r.updated_at DESC, r.rid LIMIT $3 OFFSET $4`,
    [patientGuids, nameKey('Consent'), page.limit, page.offset],
  );
  return rows.map((row) => fromRow(row));
}

/** One of the person's own consents, locked; undefined when it is not theirs. */
export async function lockOwn(
  tx: Queryable,
  patientGuids: readonly string[],
  id: string,
): Promise<OwnConsent | undefined> {
  const { rows } = await tx.query<OwnRow>(
    `SELECT ${COLUMNS} FROM own_consent o JOIN fhir_resource r ON r.type = $3 AND r.rid = o.rid
     WHERE o.patient_guid = ANY($1::text[]) AND o.rid = $2 FOR UPDATE OF o`,
    [patientGuids, resourceKey(id), nameKey('Consent')],
  );
  return rows[0] && fromRow(rows[0]);
}

interface OpenMatchRow {
  service_request_id: string;
  patient_guid: string;
  request_guid: string | null;
  provider_guid: string;
  provider_name: string;
  organisation_guid: string;
  status: 'pending' | 'pushed' | 'accepted';
  /** A JSON string. */
  title: string | null;
}
export type OpenMatch = FromRow<OpenMatchRow>;

/** Matches of these records by which data may still be sent or shown, the newest request first. */
export async function listOpenMatches(
  db: Queryable,
  patientGuids: readonly string[],
  limit: number,
): Promise<OpenMatch[]> {
  const { rows } = await db.query<OpenMatchRow>(
    `SELECT m.service_request_id, s.patient_guid, m.request_guid, m.provider_guid, m.provider_name,
       coalesce(m.provider_organisation_guid, m.provider_guid) AS organisation_guid, m.status,
       (s.snapshot::json -> 'plan_definition' -> 'title')::text AS title
     FROM service_request s JOIN match m ON m.service_request_id = s.id
     WHERE s.patient_guid = ANY($1::text[]) AND s.status IN ('active', 'on-hold') AND s.archived_at IS NULL
       AND m.status IN ('pending', 'pushed', 'accepted') AND coalesce(m.progress, '') NOT IN ('completed', 'rejected')
     ORDER BY s.id DESC, m.created_at, m.match_guid LIMIT $2`,
    [patientGuids, limit],
  );
  return rows.map((row) => fromRow(row));
}
