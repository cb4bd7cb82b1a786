// The JSON of a notification, for the list and the stream.
import type { Static } from 'typebox';
import type { NotificationWire } from './schema.ts';
import type { Notification } from './service.ts';

export function toNotificationWire(notification: Notification): Static<typeof NotificationWire> {
  return {
    notification_guid: notification.notificationGuid,
    kind: notification.kind,
    service_request_id: notification.serviceRequestId ?? null,
    care_plan: notification.careplanGuid === undefined ? null : { reference: `CarePlan/${notification.careplanGuid}` },
    match_guid: notification.matchGuid ?? null,
    request_guid: notification.requestGuid ?? null,
    provider_guid: notification.providerGuid ?? null,
    provider_name: notification.providerName ?? null,
    patient: { reference: `Patient/${notification.patientGuid}` },
    is_addressed: notification.isAddressed,
    created_at: notification.createdAt.toISOString(),
    read_at: notification.readAt?.toISOString() ?? null,
  };
}
