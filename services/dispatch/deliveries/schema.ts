// The wire shapes of deliveries and dead letters (decision D9).
import Type, { type Static } from 'typebox';
import type { FromRow } from '#lib/db/from-row.ts';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { nullable, ProviderGuid } from '../shared/wire.ts';
import { WEBHOOK_TYPES } from './envelope.ts';
import { DELIVERY_STATUSES } from './lifecycle.ts';

const Moment = Type.String({ format: 'date-time' });
const Guid = Type.String({ format: 'uuid' });

const WebhookTypeSchema = Type.Enum([...WEBHOOK_TYPES]);

export const DeliveryView = Type.Object(
  {
    delivery_guid: Type.String({ description: 'Also the webhook-id' }),
    provider_guid: Type.String(),
    request_guid: nullable(Type.String()),
    type: WebhookTypeSchema,
    status: Type.Enum([...DELIVERY_STATUSES]),
    attempts_made: Type.Integer(),
    failures: Type.Integer({ description: 'Failed attempts since it was queued or replayed' }),
    next_at: nullable(Moment),
    last_error: nullable(Type.String()),
    cancelled_reason: nullable(Type.String()),
    created_at: Moment,
    updated_at: Moment,
    delivered_at: nullable(Moment),
    dead_at: nullable(Moment),
  },
  { title: 'Delivery' },
);

/** As administrators see it. */
export const AdministeredDelivery = Type.Object(
  {
    ...DeliveryView.properties,
    discard_reason: nullable(Type.String({ description: 'Why an administrator discarded it' })),
  },
  { title: 'AdministeredDelivery' },
);

const attemptFields = {
  attempt: Type.Integer(),
  started_at: Moment,
  duration_ms: nullable(Type.Integer()),
  http_status: nullable(Type.Integer()),
  outcome: nullable(Type.String({ description: '`delivered` or a class of failure; null while it runs' })),
};
/** An attempt without the text of the provider's response. */
export const AttemptSummary = Type.Object(attemptFields, { title: 'DeliveryAttempt' });
export type AttemptSummary = Static<typeof AttemptSummary>;

export const AttemptView = Type.Object(
  {
    ...attemptFields,
    answer: nullable(Type.String({ description: 'The first KiB of the answer' })),
  },
  { title: 'DeliveryAttemptDetails' },
);

/** The columns of `AttemptSummary`. */
export interface AttemptRow {
  attempt: number;
  started_at: Date;
  duration_ms: number | null;
  http_status: number | null;
  outcome: string | null;
}

export function toAttemptSummary(attempt: FromRow<AttemptRow>): AttemptSummary {
  return {
    attempt: attempt.attempt,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs ?? null,
    http_status: attempt.httpStatus ?? null,
    outcome: attempt.outcome ?? null,
  };
}

export const DeliveryDetail = Type.Object(
  { ...DeliveryView.properties, attempts: Type.Array(AttemptView) },
  { title: 'DeliveryDetails' },
);
export const DeliveryPage = pageOf(DeliveryView);
export const AdministeredDetail = Type.Object(
  {
    ...AdministeredDelivery.properties,
    attempts: Type.Array(AttemptView),
  },
  { title: 'AdministeredDeliveryDetails' },
);
export const AdministeredPage = pageOf(AdministeredDelivery);

export const DeliveryQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])),
    provider_guid: Type.Optional(ProviderGuid),
    request_guid: Type.Optional(Guid),
    type: Type.Optional(WebhookTypeSchema),
  },
  { additionalProperties: false },
);

const Cause = Type.Optional(
  Type.String({ maxLength: 100, description: 'The class of the last failure, such as `server_error`' }),
);

export const DeadLetterQuery = Type.Object(
  {
    ...PageQuery,
    provider_guid: Type.Optional(ProviderGuid),
    since: Type.Optional(Moment),
    until: Type.Optional(Moment),
    cause: Cause,
  },
  { additionalProperties: false },
);

export const ReplayInput = Type.Object(
  {
    provider_guid: Type.Optional(ProviderGuid),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Dead since then' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Dead before then' })),
    cause: Cause,
  },
  { additionalProperties: false },
);

export const DeadLetterCauses = Type.Object({
  data: Type.Array(
    Type.Object({
      provider_guid: Type.String(),
      cause: Type.String({ description: 'The class of the last failure' }),
      dead_letters: Type.Integer(),
      first_dead_at: Moment,
      last_dead_at: Moment,
    }),
    { description: 'The most frequent first; at most 500' },
  ),
});

export const DiscardInput = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '\\S',
      description: 'Why nobody sends it again; without personal data',
    }),
  },
  { additionalProperties: false },
);
export const DiscardedOne = Type.Object({
  delivery_guid: Type.String(),
  status: Type.Literal('cancelled'),
  cancelled_reason: Type.Literal('discarded'),
});
export const ReplayedOne = Type.Object(
  { delivery_guid: Type.String(), status: Type.Enum([...DELIVERY_STATUSES]) },
  { title: 'ReplayedDelivery' },
);
export const ReplayedMany = Type.Object({ replayed: Type.Integer() });
export const DeliveryParams = Type.Object({ guid: Type.String() });
