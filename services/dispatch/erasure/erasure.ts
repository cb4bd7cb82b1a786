// What dispatch has of a person beside the FHIR records (docs/adr/0131). It has requests with their matches, what was
// sent of them and answered, forms, consents and notifications. SQL only.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { countRows, deleteRows, type RowCounts, type RowKeys, type RowsOf } from '#lib/erasure/rows.ts';

/** Who or what is named: Patients, CarePlans and ServiceRequests of dispatch by their ids. */
export interface DispatchTarget {
  readonly patients: readonly string[];
  readonly careplans: readonly string[];
  readonly requests: readonly string[];
  /** The person's accounts at identity. */
  readonly users: readonly string[];
}

/** The keys of all rows that belong to a target. */
export interface DispatchKeys extends RowKeys {
  readonly patients: readonly string[];
  readonly careplans: readonly string[];
  /** Guids of service_request. */
  readonly requests: readonly string[];
  /** Guids by which providers know requests. */
  readonly receipts: readonly string[];
  readonly users: readonly string[];
  /** Their lists of notifications. */
  readonly feeds: readonly string[];
}

const DELIVERIES = 'SELECT delivery_guid FROM delivery WHERE request_guid = ANY(:receipts::uuid[])';
const NOTIFICATIONS =
  'feed_key = ANY(:feeds) OR addressee_id = ANY(:users) OR patient_guid = ANY(:patients) OR service_request_id = ANY(:requests::uuid[]) OR request_guid = ANY(:receipts::uuid[])';
const CAREPLAN_FORMS = 'careplan_guid = ANY(:careplans) OR patient_guid = ANY(:patients)';

const ROWS: readonly RowsOf[] = [
  { table: 'delivery_attempt', where: `delivery_guid IN (${DELIVERIES})` },
  { table: 'delivery_of_provider', where: `delivery_guid IN (${DELIVERIES})` },
  { table: 'delivery', where: 'request_guid = ANY(:receipts::uuid[])' },
  { table: 'receipt_draft', where: 'request_guid = ANY(:receipts::uuid[])' },
  { table: 'receipt_answer', where: 'request_guid = ANY(:receipts::uuid[])' },
  { table: 'receipt_link', where: 'request_guid = ANY(:receipts::uuid[])' },
  {
    table: 'request_question',
    where: 'service_request_id = ANY(:requests::uuid[]) OR request_guid = ANY(:receipts::uuid[])',
  },
  { table: 'result_report', where: 'request_guid = ANY(:receipts::uuid[])' },
  {
    table: 'notification_read',
    where: `reader_id = ANY(:users) OR notification_guid IN (SELECT notification_guid FROM notification WHERE ${NOTIFICATIONS})`,
  },
  { table: 'notification', where: NOTIFICATIONS },
  { table: 'notification_feed', where: 'feed_key = ANY(:feeds)' },
  { table: 'notification_digest', where: 'user_id = ANY(:users)' },
  {
    table: 'patient_form_state',
    where: `patient_form_guid IN (SELECT form_attachment_guid FROM form_attachment WHERE service_request_id = ANY(:requests::uuid[])
      UNION ALL SELECT patient_form_guid FROM careplan_form WHERE ${CAREPLAN_FORMS})`,
  },
  { table: 'form_attachment', where: 'service_request_id = ANY(:requests::uuid[])' },
  { table: 'match', where: 'service_request_id = ANY(:requests::uuid[])' },
  { table: 'receipt', where: 'request_guid = ANY(:receipts::uuid[])' },
  { table: 'push_bundle', where: 'service_request_id = ANY(:requests::uuid[])' },
  { table: 'service_request', where: 'id = ANY(:requests::uuid[])' },
  { table: 'careplan_form', where: CAREPLAN_FORMS },
  { table: 'careplan_snapshot', where: 'careplan_guid = ANY(:careplans)' },
  { table: 'own_consent', where: 'patient_guid = ANY(:patients)' },
  { table: 'person_record', where: 'patient_guid = ANY(:patients) OR record_id = ANY(:patients)' },
];

export async function findDispatchKeys(db: Queryable, target: DispatchTarget): Promise<DispatchKeys> {
  const { rows: requests } = await db.query<{ id: string; careplan_guid: string }>(
    `SELECT id, careplan_guid FROM service_request
     WHERE patient_guid = ANY($1::text[]) OR careplan_guid = ANY($2::text[]) OR id::text = ANY($3::text[])`,
    [target.patients, target.careplans, target.requests],
  );
  const ids = [...new Set([...requests.map(({ id }) => id), ...target.requests.filter((id) => GUID.test(id))])];
  const { rows: receipts } = await db.query<{ guid: string }>(
    `SELECT request_guid AS guid FROM receipt WHERE service_request_id = ANY($1::uuid[]) OR patient_guid = ANY($2::text[])`,
    [ids, target.patients],
  );
  // A request alone is named: its CarePlan stays.
  const ofPatients = target.patients.length === 0 ? [] : requests.map(({ careplan_guid: guid }) => guid);
  return {
    patients: target.patients,
    careplans: [...new Set([...target.careplans, ...ofPatients])],
    requests: ids,
    receipts: receipts.map(({ guid }) => guid),
    users: target.users,
    feeds: target.patients.map((guid) => `patient/${guid}`),
  };
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function countDispatchRows(db: Queryable, keys: DispatchKeys): Promise<RowCounts> {
  return countRows(db, ROWS, keys);
}

/** Locks the requests first, as every change of a request does. */
export async function deleteDispatchRows(tx: Transaction, keys: DispatchKeys): Promise<RowCounts> {
  await tx.query('SELECT FROM service_request WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE', [keys.requests]);
  return deleteRows(tx, ROWS, keys);
}

/** Requests that are at a provider and not finished: guids of service_request. */
export async function findOpenRequests(db: Queryable, { requests }: DispatchKeys): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT DISTINCT s.id FROM service_request s JOIN match m ON m.service_request_id = s.id
     WHERE s.id = ANY($1::uuid[]) AND s.status IN ('active', 'on-hold') AND m.status IN ('pushed', 'accepted')
       AND coalesce(m.progress, '') NOT IN ('completed', 'rejected') ORDER BY 1`,
    [requests],
  );
  return rows.map(({ id }) => id);
}

/** A provider that has got data of the target, or may have read them. */
export interface Receiver {
  readonly provider_guid: string;
  readonly name: string;
  /** Of the webhook as it is now; null for one that reads the feed or a link. */
  readonly url: string | null;
  readonly requests: number;
  /** Webhooks with the data that arrived, and the last of them. */
  readonly delivered: number;
  readonly last_delivered_at: string | null;
}

export async function findReceivers(db: Queryable, { receipts }: DispatchKeys): Promise<Receiver[]> {
  const { rows } = await db.query<Receiver>(
    `SELECT r.provider_guid, coalesce(max(m.provider_name), '') AS name, max(e.url) AS url,
       count(DISTINCT r.request_guid)::int AS requests,
       count(DISTINCT d.delivery_guid)::int AS delivered,
       to_char(max(d.delivered_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS last_delivered_at
     FROM receipt r LEFT JOIN match m ON m.request_guid = r.request_guid
       LEFT JOIN provider_endpoint e ON e.provider_guid = r.provider_guid
       LEFT JOIN delivery d ON d.request_guid = r.request_guid AND d.type = 'request.dispatched' AND d.delivered_at IS NOT NULL
     WHERE r.request_guid = ANY($1::uuid[]) GROUP BY r.provider_guid ORDER BY 2, 1`,
    [receipts],
  );
  return rows;
}
