// SQL that queues, holds and cancels webhooks, in the transaction of the change that they notify of (D6, D8).
import type { Queryable } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';
import { carriedTrace } from '#lib/traces/trace-context.ts';
import type { WebhookType } from './envelope.ts';
import { DELIVERY_TRANSITIONS, type DeliveryStatus } from './lifecycle.ts';

/** Notified when something was queued in the schema, so that the worker need not wait for its next poll. */
export const deliveryChannel = ({ schema }: { readonly schema: string }) => `kedja_${schema}_delivery`;

export type CancelReason =
  | 'withdrawn'
  | 'revoked'
  | 'expired'
  | 'rejected'
  | 'consent'
  | 'endpoint_removed'
  | 'discarded';

export interface NewDelivery {
  readonly deliveryGuid: string;
  readonly providerGuid: string;
  readonly requestGuid: string | undefined;
  readonly type: WebhookType;
  readonly envelope: string;
  readonly bodySha256: Buffer;
  /** It is not sent after this. */
  readonly expiresAt?: Date | undefined;
}

const INSERT = {
  name: 'delivery-insert',
  text: `INSERT INTO delivery
      (delivery_guid, provider_guid, request_guid, type, status, envelope, body_sha256, expires_at, trace, next_at, created_at, updated_at)
    SELECT n.delivery_guid, n.provider_guid, n.request_guid, n.type, CASE WHEN e.enabled THEN 'queued' ELSE 'held' END,
      n.envelope, n.body_sha256, n.expires_at, $9::text, $7, $7, $7
    FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::bytea[], $8::timestamptz[])
      AS n (delivery_guid, provider_guid, request_guid, type, envelope, body_sha256, expires_at)
    JOIN provider_endpoint e ON e.provider_guid = n.provider_guid
    RETURNING delivery_guid, provider_guid`,
};
const LOCK_ENDPOINTS = {
  name: 'delivery-lock-endpoints',
  text: `SELECT provider_guid FROM provider_endpoint WHERE provider_guid = ANY($1::text[]) ORDER BY provider_guid FOR SHARE`,
};
const NOTIFY = { name: 'delivery-notify', text: `SELECT pg_notify('kedja_' || current_schema() || '_delivery', '')` };
const CANCEL_OF_REQUESTS = {
  name: 'delivery-cancel-requests',
  text: `UPDATE delivery SET status = 'cancelled', cancelled_reason = $2, lease_until = NULL, updated_at = $3
    WHERE request_guid = ANY($1::uuid[]) AND type = 'request.dispatched' AND status = ANY($4::text[])`,
};
const { cancel, hold, release } = DELIVERY_TRANSITIONS;
/** An attempt in progress finishes; then the worker finds the endpoint disabled. */
const HELD_AT_ONCE: readonly DeliveryStatus[] = hold.from.filter((status) => status !== 'sending');

/** Literals that match the partial indexes without delivered rows. */
const oneOf = (statuses: readonly DeliveryStatus[]) =>
  `(${statuses.map((status) => `status = '${status}'`).join(' OR ')})`;

const CANCEL_OF_PROVIDER = {
  name: 'delivery-cancel-provider',
  text: `UPDATE delivery SET status = 'cancelled', cancelled_reason = 'endpoint_removed', lease_until = NULL, updated_at = $2
    WHERE provider_guid = $1 AND ${oneOf(cancel.from)}`,
};
const HOLD = {
  name: 'delivery-hold',
  text: `UPDATE delivery SET status = 'held', updated_at = $2 WHERE provider_guid = $1 AND ${oneOf(HELD_AT_ONCE)}`,
};
const RELEASE = {
  name: 'delivery-release',
  text: `UPDATE delivery SET status = 'queued', next_at = $2, updated_at = $2 WHERE provider_guid = $1 AND ${oneOf(release.from)}`,
};

/** Locks the providers' endpoints, so that none is disabled or removed before the transaction ends. */
export async function lockEndpoints(transaction: Queryable, providerGuids: readonly string[]): Promise<void> {
  await transaction.query(LOCK_ENDPOINTS, [providerGuids]);
}

/**
 * Queues webhooks for the providers that have an endpoint (locked by `lockEndpoints`), held where it is disabled.
 * Returns the guids of what was queued. They carry the trace of the request, where that is recorded. Providers without
 * endpoint read the feed.
 */
export async function insertDeliveries(
  transaction: Queryable,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<Set<string>> {
  if (deliveries.length === 0) return new Set();
  const { rows } = await transaction.query<{ delivery_guid: string }>(INSERT, [
    ...columnsOf(deliveries, 'deliveryGuid', 'providerGuid', 'requestGuid', 'type', 'envelope', 'bodySha256'),
    now,
    deliveries.map((delivery) => delivery.expiresAt ?? null),
    carriedTrace() ?? null,
  ]);
  if (rows.length > 0) await notifyWorkers(transaction);
  return new Set(rows.map((row) => row.delivery_guid));
}

/** Cancels the undelivered dispatches of these requests. No attempt starts after the commit. */
export async function cancelDispatches(
  transaction: Queryable,
  requestGuids: readonly string[],
  reason: CancelReason,
  now: Date,
): Promise<void> {
  await transaction.query(CANCEL_OF_REQUESTS, [requestGuids, reason, now, cancel.from]);
}

/** Cancels all deliveries of a provider whose endpoint is removed: it reads the feed from now on. */
export async function cancelForProvider(transaction: Queryable, providerGuid: string, now: Date): Promise<void> {
  await transaction.query(CANCEL_OF_PROVIDER, [providerGuid, now]);
}

/** Holds the deliveries of a provider whose endpoint is disabled. */
export async function holdDeliveries(transaction: Queryable, providerGuid: string, now: Date): Promise<void> {
  await transaction.query(HOLD, [providerGuid, now]);
}

/** Queues held deliveries when the endpoint is enabled again. */
export async function releaseDeliveries(transaction: Queryable, providerGuid: string, now: Date): Promise<void> {
  await transaction.query(RELEASE, [providerGuid, now]);
  await notifyWorkers(transaction);
}

export async function notifyWorkers(transaction: Queryable): Promise<void> {
  await transaction.query(NOTIFY);
}
