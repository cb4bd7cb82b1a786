// The kinds and wire shapes of notifications (docs/reference/notifications.md).
import Type from 'typebox';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { Moment, nullable } from '../shared/wire.ts';

/** What an organisation is notified of about its requests and plans. */
const ORGANISATION_KINDS = [
  'question_asked',
  'question_answered',
  'request_accepted',
  'request_rejected',
  'request_given_up',
  'request_expired',
  'report_received',
  'request_completed',
  'delivery_dead',
  'delivery_blocked',
  'patient_reported',
  'values_reported',
  'answer_withdrawn',
  'values_withdrawn',
] as const;

/** What only a provider is notified of; `question_answered` and `delivery_dead` reach it too. */
const PROVIDER_KINDS = ['request_withdrawn'] as const;

/** What only a patient is notified of. */
const PATIENT_KINDS = ['form_given', 'results_received'] as const;

export const NOTIFICATION_KINDS = [...ORGANISATION_KINDS, ...PROVIDER_KINDS, ...PATIENT_KINDS] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const NotificationWire = Type.Object(
  {
    notification_guid: Type.String(),
    kind: Type.Enum([...NOTIFICATION_KINDS]),
    service_request_id: nullable(
      Type.String({ description: 'The request; null for what is about a CarePlan or a patient alone' }),
    ),
    care_plan: nullable(Type.Object({ reference: Type.String() })),
    match_guid: nullable(Type.String()),
    request_guid: nullable(Type.String({ description: 'What the provider knows the request by' })),
    provider_guid: nullable(Type.String()),
    provider_name: nullable(Type.String()),
    patient: Type.Object({ reference: Type.String({ description: 'Patient/<id>; the name is read there' }) }),
    is_addressed: Type.Boolean({ description: 'Whether it is addressed to the reader' }),
    created_at: Moment,
    read_at: nullable(Moment),
  },
  { title: 'Notification' },
);

export const NotificationPage = Type.Object(
  {
    ...pageOf(NotificationWire).properties,
    unread: Type.Integer({ description: 'How many the reader has not read, whatever the filter' }),
    cursor: Type.String({ description: 'What the stream continues from: everything on this page came before it' }),
  },
  { title: 'NotificationPage' },
);

export const NotificationQuery = Type.Object(
  {
    ...PageQuery,
    unread: Type.Optional(Type.Boolean({ description: 'true: only what the reader has not read' })),
    kind: Type.Optional(Type.Enum([...NOTIFICATION_KINDS])),
    service_request_id: Type.Optional(Type.String({ format: 'uuid' })),
  },
  { additionalProperties: false },
);

export const NotificationParams = Type.Object({ guid: Type.String() });
export const ReadResponse = Type.Object({ notification_guid: Type.String(), read_at: Moment });
export const ReadAllResponse = Type.Object({ read: Type.Integer({ description: 'How many were unread until now' }) });
