// SQL of the delivery worker (decisions D3, D8): cancels what consent refuses, ends expired leases, records attempts.
import type { Queryable } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';
import type { CancelReason } from './outbox-store.ts';

/** Cancels deliveries that the same transaction claimed, and removes the attempt, which nobody else has seen. */
const CANCEL = {
  name: 'delivery-cancel',
  text: `UPDATE delivery SET status = 'cancelled', cancelled_reason = $3, last_error = coalesce($4, last_error), updated_at = $2,
      lease_until = NULL, attempt = attempt - 1, last_attempt = NULL, last_started_at = NULL
    WHERE delivery_guid = ANY($1::uuid[])`,
};

const EXPIRE_LEASES = {
  name: 'delivery-expire-leases',
  text: `WITH lost AS (
      SELECT delivery_guid, attempt FROM delivery WHERE status = 'sending' AND lease_until <= $1 FOR UPDATE SKIP LOCKED
    ), released AS (
      UPDATE delivery d SET status = CASE WHEN e.enabled THEN 'waiting' WHEN NOT e.enabled THEN 'held' ELSE 'cancelled' END,
        cancelled_reason = CASE WHEN e.enabled IS NULL THEN 'endpoint_removed' END,
        lease_until = NULL, next_at = $1, last_error = 'lease_expired', updated_at = $1,
        last_outcome = CASE WHEN d.last_attempt IS NOT NULL THEN coalesce(d.last_outcome, 'lease_expired') END
      FROM lost LEFT JOIN delivery s ON s.delivery_guid = lost.delivery_guid
        LEFT JOIN provider_endpoint e ON e.provider_guid = s.provider_guid
      WHERE d.delivery_guid = lost.delivery_guid RETURNING d.delivery_guid
    )
    UPDATE delivery_attempt a SET outcome = 'lease_expired' FROM lost
    WHERE a.delivery_guid = lost.delivery_guid AND a.attempt = lost.attempt AND a.outcome IS NULL`,
};

const OUTCOMES = '$1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[]';

/**
 * Records several attempts. First it locks the endpoints of deliveries that wait for another attempt, all of them. A
 * transaction that disables or removes an endpoint then waits, and finds the deliveries as recorded here. The aggregate
 * forces this order: no delivery changes before it is complete.
 */
const RECORD = {
  name: 'delivery-record',
  text: `WITH ended AS MATERIALIZED (
      SELECT * FROM unnest(${OUTCOMES}, $7::timestamptz[], $8::text[], $9::int[],
          $10::timestamptz[], $11::text[], $12::text[])
        AS r (delivery_guid, attempt, duration_ms, http_status, outcome, answer, at, status, failures, next_at, last_error, provider_guid)
    ), locked AS MATERIALIZED (
      SELECT provider_guid, enabled FROM provider_endpoint
      WHERE provider_guid IN (SELECT provider_guid FROM ended WHERE status = 'waiting') ORDER BY provider_guid FOR SHARE
    ), endpoint AS MATERIALIZED (
      SELECT coalesce(jsonb_object_agg(provider_guid, enabled), '{}') AS enabled FROM locked
    )
    UPDATE delivery d SET last_duration_ms = r.duration_ms, last_http_status = r.http_status, last_outcome = r.outcome,
      last_answer = r.answer, lease_until = NULL, updated_at = r.at, failures = r.failures, next_at = coalesce(r.next_at, d.next_at),
      last_error = r.last_error,
      delivered_at = CASE WHEN r.status = 'delivered' THEN r.at ELSE d.delivered_at END,
      dead_at = CASE WHEN r.status = 'dead' THEN r.at END,
      status = CASE WHEN r.status <> 'waiting' OR r.enabled THEN r.status WHEN NOT r.enabled THEN 'held' ELSE 'cancelled' END,
      cancelled_reason = CASE WHEN r.status = 'waiting' AND r.enabled IS NULL THEN 'endpoint_removed' END
    FROM (SELECT ended.*, (endpoint.enabled ->> ended.provider_guid)::boolean AS enabled FROM ended, endpoint OFFSET 0) r
    WHERE d.delivery_guid = r.delivery_guid AND d.attempt = r.attempt AND d.status = 'sending'`,
};

/**
 * Logs attempts whose delivery has moved on: the lease was lost, or the delivery was cancelled or claimed again. Those
 * that {@link RECORD} has recorded are left as they are.
 */
const LOG = {
  name: 'delivery-log',
  text: `WITH ended AS MATERIALIZED (
      SELECT * FROM unnest(${OUTCOMES}) AS r (delivery_guid, attempt, duration_ms, http_status, outcome, answer)
    ), earlier AS (
      UPDATE delivery_attempt a SET duration_ms = r.duration_ms, http_status = r.http_status, outcome = r.outcome, answer = r.answer
      FROM ended r WHERE a.delivery_guid = r.delivery_guid AND a.attempt = r.attempt
    )
    UPDATE delivery d SET last_duration_ms = r.duration_ms, last_http_status = r.http_status, last_outcome = r.outcome,
      last_answer = r.answer
    FROM ended r WHERE d.delivery_guid = r.delivery_guid AND d.last_attempt = r.attempt AND d.last_outcome IS DISTINCT FROM r.outcome`,
};
const LOGGED_VALUES = 6;

const DISABLE_GONE = {
  name: 'delivery-disable-gone',
  text: `UPDATE provider_endpoint SET enabled = false, disabled_reason = 'gone', updated_at = $3
    WHERE provider_guid = $1 AND url = $2 AND enabled`,
};

/** The same, and names what was given up. */
const RECORD_DEAD = { name: 'delivery-record-dead', text: `${RECORD.text} RETURNING d.delivery_guid, d.status` };

/** Cancels deliveries that the same transaction has claimed. */
export async function cancelClaimed(
  transaction: Queryable,
  deliveryGuids: readonly string[],
  why: { readonly reason: CancelReason; readonly error?: string },
  now: Date,
): Promise<void> {
  await transaction.query(CANCEL, [deliveryGuids, now, why.reason, why.error ?? null]);
}

/** Makes deliveries due again whose worker did not record a result within the lease. */
export async function expireLeases(db: Queryable, now: Date): Promise<void> {
  await db.query(EXPIRE_LEASES, [now]);
}

export interface AttemptRecord {
  readonly deliveryGuid: string;
  readonly providerGuid: string;
  readonly attempt: number;
  /** When it ended. */
  readonly at: Date;
  readonly durationMs: number;
  readonly httpStatus: number | undefined;
  readonly outcome: string;
  readonly answer: string | undefined;
  readonly status: 'delivered' | 'waiting' | 'dead';
  readonly failures: number;
  /** With `waiting`. */
  readonly nextAt: Date | undefined;
}

/**
 * Logs attempts and moves their deliveries, unless a lease was lost or a delivery was cancelled meanwhile. A delivery
 * that waits for a disabled endpoint is held.
 */
export async function recordAttempts(db: Queryable, records: readonly AttemptRecord[]): Promise<void> {
  const values = valuesOf(records);
  const { rowCount } = await db.query(RECORD, values);
  await logOthers(db, records.length - rowCount, values);
}

/** A process that is killed in between leaves them as `lease_expired`, or as attempts of which nothing is known. */
async function logOthers(db: Queryable, count: number, values: readonly unknown[]): Promise<void> {
  if (count > 0) await db.query(LOG, values.slice(0, LOGGED_VALUES));
}

/** As `recordAttempts`; returns the deliveries that it has given up. */
export async function recordDead(transaction: Queryable, records: readonly AttemptRecord[]): Promise<string[]> {
  const values = valuesOf(records);
  const { rows } = await transaction.query<{ delivery_guid: string; status: string }>(RECORD_DEAD, values);
  await logOthers(transaction, records.length - rows.length, values);
  return rows.filter(({ status }) => status === 'dead').map((row) => row.delivery_guid);
}

function valuesOf(records: readonly AttemptRecord[]): unknown[] {
  return [
    ...columnsOf(
      records,
      'deliveryGuid',
      'attempt',
      'durationMs',
      'httpStatus',
      'outcome',
      'answer',
      'at',
      'status',
      'failures',
      'nextAt',
    ),
    records.map((record) => (record.status === 'delivered' ? null : record.outcome)),
    records.map((record) => record.providerGuid),
  ];
}

/** Disables an endpoint that responded 410 Gone, unless its address has changed since. */
export async function disableGone(
  transaction: Queryable,
  endpoint: { readonly providerGuid: string; readonly url: string },
  now: Date,
): Promise<boolean> {
  const { rowCount } = await transaction.query(DISABLE_GONE, [endpoint.providerGuid, endpoint.url, now]);
  return rowCount > 0;
}
