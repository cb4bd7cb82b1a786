// SQL that writes notifications in the transaction of the event that they are about (docs/adr/0070). The caller writes
// them last, as the lists stay locked until the transaction ends.
import type { Queryable } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';
import type { NotificationKind } from './schema.ts';

export interface NewNotification {
  readonly notificationGuid: string;
  readonly kind: NotificationKind;
  /** Undefined for what is about a CarePlan or a patient alone. */
  readonly serviceRequestId: string | undefined;
  readonly carePlan:
    | { readonly careplanGuid?: string; readonly patientGuid: string; readonly organisationGuid: string }
    | undefined;
  readonly requestGuid: string | undefined;
  /** The provider that is notified, or the patient; else the requester, or the planners. */
  readonly toProvider: string | undefined;
  readonly isToPatient: boolean;
  /** Who did it, and needs no notification: nothing is written when they are the addressee. */
  readonly byId: string | undefined;
}

const INSERT = {
  name: 'notification-insert',
  text: `WITH placed AS (
      SELECT n.notification_guid, n.kind, n.number, sr.id AS service_request_id, n.careplan_guid, m.match_guid, n.request_guid,
        coalesce(sr.patient_guid, n.patient_guid) AS patient_guid,
        CASE WHEN n.provider IS NULL AND NOT n.to_patient THEN sr.requester_id END AS addressee_id,
        CASE WHEN n.provider IS NOT NULL THEN 'provider/' || n.provider
          WHEN n.to_patient THEN 'patient/' || coalesce(sr.patient_guid, n.patient_guid)
          ELSE 'organisation/' || coalesce(sr.organisation_guid::text, n.organisation_guid) END AS feed_key
      FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $8::text[], $9::text[], $10::text[],
          $11::boolean[]) WITH ORDINALITY
        AS n (notification_guid, kind, service_request_id, request_guid, provider, by_id, careplan_guid, patient_guid, organisation_guid,
          to_patient, number)
      LEFT JOIN service_request sr ON sr.id = n.service_request_id
      LEFT JOIN match m ON m.service_request_id = sr.id AND m.request_guid = n.request_guid
      WHERE (sr.id IS NOT NULL OR n.organisation_guid IS NOT NULL) AND (n.provider IS NOT NULL OR n.to_patient OR n.by_id IS NULL
        OR sr.requester_id IS DISTINCT FROM n.by_id)
    ), advanced AS (
      INSERT INTO notification_feed (feed_key, position)
      SELECT feed_key, count(*) FROM placed GROUP BY feed_key ORDER BY feed_key
      ON CONFLICT (feed_key) DO UPDATE SET position = notification_feed.position + excluded.position
      RETURNING feed_key, position
    )
    INSERT INTO notification (notification_guid, feed_key, kind, addressee_id, is_open, service_request_id, careplan_guid, match_guid,
      request_guid, patient_guid, position, created_at)
    SELECT p.notification_guid, p.feed_key, p.kind, p.addressee_id, true, p.service_request_id, p.careplan_guid, p.match_guid,
      p.request_guid, p.patient_guid,
      a.position - count(*) OVER (PARTITION BY p.feed_key) + row_number() OVER (PARTITION BY p.feed_key ORDER BY p.number), $7
    FROM placed p JOIN advanced a ON a.feed_key = p.feed_key`,
};

const LOCK_FEED = {
  name: 'notification-lock-feed',
  text: `INSERT INTO notification_feed (feed_key, position) VALUES ($1, 0)
    ON CONFLICT (feed_key) DO UPDATE SET position = notification_feed.position`,
};
/** The kinds are those of the index. */
const FIND_UNREAD = {
  name: 'notification-unread-reported',
  text: `SELECT n.notification_guid FROM notification n
    WHERE n.feed_key = $1 AND n.patient_guid = $2 AND n.kind IN ('patient_reported', 'values_reported', 'answer_withdrawn', 'values_withdrawn') AND n.kind = $3
      AND n.service_request_id IS NOT DISTINCT FROM $4::uuid AND n.careplan_guid IS NOT DISTINCT FROM $5::text
      AND NOT EXISTS (SELECT FROM notification_read r WHERE r.notification_guid = n.notification_guid) LIMIT 1`,
};

const FIND_REQUESTS = {
  name: 'notification-dead-requests',
  text: `SELECT d.request_guid, r.service_request_id, d.provider_guid FROM delivery d JOIN receipt r ON r.request_guid = d.request_guid
    WHERE d.delivery_guid = ANY($1::uuid[]) AND d.type = 'request.dispatched'`,
};

export interface DeadDispatch {
  readonly requestGuid: string;
  readonly serviceRequestId: string;
  readonly providerGuid: string;
}

export async function insertNotifications(
  transaction: Queryable,
  notifications: readonly NewNotification[],
  now: Date,
): Promise<void> {
  await transaction.query(INSERT, [
    ...columnsOf(notifications, 'notificationGuid', 'kind', 'serviceRequestId', 'requestGuid', 'toProvider', 'byId'),
    now,
    notifications.map(({ carePlan }) => carePlan?.careplanGuid ?? null),
    notifications.map(({ carePlan }) => carePlan?.patientGuid ?? null),
    notifications.map(({ carePlan }) => carePlan?.organisationGuid ?? null),
    notifications.map((each) => each.isToPatient),
  ]);
}

/** Locks the list of the organisation until the transaction ends, and returns its key. */
export async function lockOrganisationFeed(transaction: Queryable, organisationGuid: string): Promise<string> {
  const feedKey = `organisation/${organisationGuid}`;
  await transaction.query(LOCK_FEED, [feedKey]);
  return feedKey;
}

export interface WantedNotification {
  readonly feedKey: string;
  readonly patientGuid: string;
  readonly kind: NotificationKind;
  readonly serviceRequestId: string | null;
  readonly careplanGuid: string | null;
}

/** Whether the list has such a notification, of those that patients cause, that nobody has read. */
export async function isUnread(db: Queryable, wanted: WantedNotification): Promise<boolean> {
  const { feedKey, patientGuid, kind, serviceRequestId, careplanGuid } = wanted;
  const { rows } = await db.query(FIND_UNREAD, [feedKey, patientGuid, kind, serviceRequestId, careplanGuid]);
  return rows.length > 0;
}

/** The requests of those deliveries that are dispatches. */
export async function findDispatches(db: Queryable, deliveryGuids: readonly string[]): Promise<DeadDispatch[]> {
  const { rows } = await db.query<{ request_guid: string; service_request_id: string; provider_guid: string }>(
    FIND_REQUESTS,
    [deliveryGuids],
  );
  return rows.map((row) => ({
    requestGuid: row.request_guid,
    serviceRequestId: row.service_request_id,
    providerGuid: row.provider_guid,
  }));
}
