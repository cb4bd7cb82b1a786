// SQL of a provider's own deliveries (decision L10): the message as it is sent, and sending it again.
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';
import type { MatchStatus, ProgressStatus } from '../../shared/match-lifecycle.ts';
import type { WebhookType } from '../envelope.ts';
import { DELIVERY_TRANSITIONS, type DeliveryStatus } from '../lifecycle.ts';

/** A delivery with what its body is filled in with. */
export interface OwnMessage {
  readonly deliveryGuid: string;
  readonly type: WebhookType;
  readonly status: DeliveryStatus;
  readonly envelope: string;
  readonly bodySha256: Buffer;
  /** Undefined for a ping. */
  readonly requestGuid: string | undefined;
  readonly serviceRequestId: string | undefined;
  readonly patientGuid: string | undefined;
  readonly organisationGuid: string | undefined;
  readonly tokenKey: string | undefined;
  readonly bundleGuid: string | undefined;
  readonly matchStatus: MatchStatus | undefined;
  readonly progress: ProgressStatus | undefined;
  readonly respondBy: Date | undefined;
}

interface Row {
  delivery_guid: string;
  type: WebhookType;
  status: DeliveryStatus;
  envelope: string;
  body_sha256: Buffer;
  request_guid: string | null;
  service_request_id: string | null;
  patient_guid: string | null;
  organisation_guid: string | null;
  token_key: string | null;
  bundle_guid: string | null;
  match_status: MatchStatus | null;
  progress: ProgressStatus | null;
  respond_by: Date | null;
}

const FIND = {
  name: 'own-delivery-find',
  text: `SELECT d.delivery_guid, d.type, d.status, d.envelope, d.body_sha256, r.request_guid, r.service_request_id, r.patient_guid,
      r.organisation_guid, r.token_key, r.bundle_guid, m.status AS match_status, m.progress, m.respond_by
    FROM delivery d LEFT JOIN receipt r ON r.request_guid = d.request_guid
      LEFT JOIN match m ON m.service_request_id = r.service_request_id AND m.request_guid = r.request_guid
    WHERE d.delivery_guid = $1 AND d.provider_guid = $2`,
};
const LOCK = { name: 'own-delivery-lock', text: `${FIND.text} FOR UPDATE OF d` };
const IS_KNOWN = {
  name: 'own-delivery-provider',
  text: `SELECT FROM (VALUES (1)) one WHERE EXISTS (SELECT FROM provider_endpoint WHERE provider_guid = $1)
    OR EXISTS (SELECT FROM delivery_of_provider WHERE provider_guid = $1)`,
};
const BUNDLE = { name: 'own-delivery-bundle', text: 'SELECT content FROM push_bundle WHERE bundle_guid = $1' };

const RESENT = DELIVERY_TRANSITIONS.resend.from.map((status) => `'${status}'`).join(', ');
/** Who has accepted need not respond any more, so that its deadline no longer ends the sending. */
const RESEND = {
  name: 'own-delivery-resend',
  text: `UPDATE delivery d SET status = CASE WHEN e.enabled THEN 'queued' ELSE 'held' END, failures = 0, next_at = $1, dead_at = NULL,
      updated_at = $1, expires_at = CASE WHEN $3 THEN NULL ELSE d.expires_at END
    FROM provider_endpoint e
    WHERE d.delivery_guid = $2 AND d.status IN (${RESENT}) AND e.provider_guid = d.provider_guid RETURNING d.status`,
};

/** Undefined when the provider has no such delivery. */
export async function findOwnMessage(
  db: Queryable,
  { providerGuid, deliveryGuid }: { readonly providerGuid: string; readonly deliveryGuid: string },
  { isLocked = false } = {},
): Promise<OwnMessage | undefined> {
  return findRow(db, isLocked ? LOCK : FIND, [deliveryGuid, providerGuid], (row: Row) => fromRow(row));
}

/** Whether the provider has an endpoint, or anything was sent to it. */
export async function isKnownProvider(db: Queryable, providerGuid: string): Promise<boolean> {
  return (await db.query(IS_KNOWN, [providerGuid])).rowCount === 1;
}

/** The bundle as JSON text. */
export async function readBundle(db: Queryable, bundleGuid: string): Promise<string | undefined> {
  const { rows } = await db.query<{ content: string }>(BUNDLE, [bundleGuid]);
  return rows[0]?.content;
}

/** The new status; undefined when its provider has no endpoint, or its state does not allow it. */
export async function resendDelivery(
  transaction: Queryable,
  deliveryGuid: string,
  { now, isAccepted }: { readonly now: Date; readonly isAccepted: boolean },
): Promise<DeliveryStatus | undefined> {
  const { rows } = await transaction.query<{ status: DeliveryStatus }>(RESEND, [now, deliveryGuid, isAccepted]);
  return rows[0]?.status;
}
