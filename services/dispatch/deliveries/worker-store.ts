// SQL of the worker (decisions D3, D8): leasing what was locked, and recording what came of an attempt. A claim raises
// the attempt number, and a record names it: one whose lease ran out and was claimed again can no longer change the delivery.
import type { Queryable } from '#lib/db/database.ts';
import type { DueDelivery } from './due-store.ts';

const START = {
  name: 'delivery-start',
  text: `WITH started AS (
      UPDATE delivery SET status = 'sending', attempt = attempt + 1, lease_until = $3, updated_at = $2
      WHERE delivery_guid = ANY($1::uuid[]) RETURNING delivery_guid, attempt, failures
    ), logged AS (
      INSERT INTO delivery_attempt (delivery_guid, attempt, started_at) SELECT delivery_guid, attempt, $2 FROM started
    )
    SELECT delivery_guid, attempt, failures FROM started`,
};

const CANCEL = {
  name: 'delivery-cancel',
  text: `UPDATE delivery SET status = 'cancelled', cancelled_reason = 'consent', last_error = $3, updated_at = $2
    WHERE delivery_guid = ANY($1::uuid[])`,
};

const CANCEL_OVERDUE = {
  name: 'delivery-cancel-overdue',
  text: `UPDATE delivery SET status = 'cancelled', cancelled_reason = 'expired', updated_at = $2 WHERE delivery_guid = ANY($1::uuid[])`,
};

const EXPIRE_LEASES = {
  name: 'delivery-expire-leases',
  text: `WITH lost AS (
      SELECT delivery_guid, attempt FROM delivery WHERE status = 'sending' AND lease_until <= $1 FOR UPDATE SKIP LOCKED
    ), released AS (
      UPDATE delivery d SET status = CASE WHEN e.enabled THEN 'waiting' WHEN NOT e.enabled THEN 'held' ELSE 'cancelled' END,
        cancelled_reason = CASE WHEN e.enabled IS NULL THEN 'endpoint_removed' END,
        lease_until = NULL, next_at = $1, last_error = 'lease_expired', updated_at = $1
      FROM lost LEFT JOIN delivery s ON s.delivery_guid = lost.delivery_guid
        LEFT JOIN provider_endpoint e ON e.provider_guid = s.provider_guid
      WHERE d.delivery_guid = lost.delivery_guid RETURNING d.delivery_guid
    )
    UPDATE delivery_attempt a SET outcome = 'lease_expired' FROM lost
    WHERE a.delivery_guid = lost.delivery_guid AND a.attempt = lost.attempt AND a.outcome IS NULL`,
};

/**
 * Of several attempts at once. Their endpoints are locked first, all of them: what disables or removes one waits, and then finds the
 * deliveries as they were recorded. The aggregate is what makes it first: no delivery is changed before it is whole.
 */
const RECORD = {
  name: 'delivery-record',
  text: `WITH ended AS MATERIALIZED (
      SELECT * FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::timestamptz[], $8::text[], $9::int[],
          $10::timestamptz[], $11::text[], $12::text[])
        AS r (delivery_guid, attempt, duration_ms, http_status, outcome, answer, at, status, failures, next_at, last_error, provider_guid)
    ), locked AS MATERIALIZED (
      SELECT provider_guid, enabled FROM provider_endpoint WHERE provider_guid = ANY($12::text[]) ORDER BY provider_guid FOR SHARE
    ), endpoint AS MATERIALIZED (
      SELECT coalesce(jsonb_object_agg(provider_guid, enabled), '{}') AS enabled FROM locked
    ), logged AS (
      UPDATE delivery_attempt a SET duration_ms = r.duration_ms, http_status = r.http_status, outcome = r.outcome, answer = r.answer
      FROM ended r WHERE a.delivery_guid = r.delivery_guid AND a.attempt = r.attempt
    )
    UPDATE delivery d SET lease_until = NULL, updated_at = r.at, failures = r.failures, next_at = coalesce(r.next_at, d.next_at),
      last_error = r.last_error,
      delivered_at = CASE WHEN r.status = 'delivered' THEN r.at END,
      dead_at = CASE WHEN r.status = 'dead' THEN r.at END,
      status = CASE WHEN r.status <> 'waiting' OR r.enabled THEN r.status WHEN NOT r.enabled THEN 'held' ELSE 'cancelled' END,
      cancelled_reason = CASE WHEN r.status = 'waiting' AND r.enabled IS NULL THEN 'endpoint_removed' END
    FROM (SELECT ended.*, (endpoint.enabled ->> ended.provider_guid)::boolean AS enabled FROM ended, endpoint OFFSET 0) r
    WHERE d.delivery_guid = r.delivery_guid AND d.attempt = r.attempt AND d.status = 'sending'`,
};

const DISABLE_GONE = {
  name: 'delivery-disable-gone',
  text: `UPDATE provider_endpoint SET enabled = false, disabled_reason = 'gone', updated_at = $3
    WHERE provider_guid = $1 AND url = $2 AND enabled`,
};

/**
 * Begins the attempts of locked deliveries: from here they are leased to the caller. Answers them with the numbers that the rows hold
 * now, which may be newer than those that were read when they were chosen.
 */
export async function startAttempts(
  transaction: Queryable,
  deliveries: readonly DueDelivery[],
  times: { readonly now: Date; readonly leaseUntil: Date },
): Promise<DueDelivery[]> {
  if (deliveries.length === 0) return [];
  const guids = deliveries.map(({ deliveryGuid }) => deliveryGuid);
  const { rows } = await transaction.query<StartedRow>(START, [guids, times.now, times.leaseUntil]);
  const started = new Map(rows.map((row) => [row.delivery_guid, row]));
  return deliveries.flatMap((delivery) => {
    const row = started.get(delivery.deliveryGuid);
    return row === undefined ? [] : [{ ...delivery, attempt: row.attempt, failures: row.failures }];
  });
}

interface StartedRow {
  delivery_guid: string;
  attempt: number;
  failures: number;
}

export async function cancelForConsent(
  transaction: Queryable,
  deliveryGuids: readonly string[],
  reason: string,
  now: Date,
): Promise<void> {
  await transaction.query(CANCEL, [deliveryGuids, now, reason]);
}

/** Cancels dispatches of which the time to respond has run out; the expiry of their requests is recorded by itself. */
export async function cancelOverdue(
  transaction: Queryable,
  deliveryGuids: readonly string[],
  now: Date,
): Promise<void> {
  if (deliveryGuids.length > 0) await transaction.query(CANCEL_OVERDUE, [deliveryGuids, now]);
}

/** Returns the deliveries of workers that did not come back within their lease. */
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
 * Logs attempts and moves their deliveries, unless their leases have been lost or they were cancelled meanwhile. What waits for an endpoint
 * that has been disabled is held.
 */
export async function recordAttempts(db: Queryable, records: readonly AttemptRecord[]): Promise<void> {
  await db.query(RECORD, [
    records.map((record) => record.deliveryGuid),
    records.map((record) => record.attempt),
    records.map((record) => record.durationMs),
    records.map((record) => record.httpStatus ?? null),
    records.map((record) => record.outcome),
    records.map((record) => record.answer ?? null),
    records.map((record) => record.at),
    records.map((record) => record.status),
    records.map((record) => record.failures),
    records.map((record) => record.nextAt ?? null),
    records.map((record) => (record.status === 'delivered' ? null : record.outcome)),
    records.map((record) => record.providerGuid),
  ]);
}

/** Disables an endpoint that said it is gone, unless it has been given another address since. */
export async function disableGone(
  transaction: Queryable,
  endpoint: { readonly providerGuid: string; readonly url: string },
  now: Date,
): Promise<boolean> {
  const { rowCount } = await transaction.query(DISABLE_GONE, [endpoint.providerGuid, endpoint.url, now]);
  return rowCount > 0;
}
