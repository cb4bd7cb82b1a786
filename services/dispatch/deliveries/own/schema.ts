// The wire shapes of a provider's own deliveries (decision L10).
import Type from 'typebox';
import { PageQuery } from '#lib/http/response/page.ts';
import { WEBHOOK_TYPES } from '../envelope.ts';
import { DELIVERY_STATUSES } from '../lifecycle.ts';

export const OwnParams = Type.Object({ provider_guid: Type.String() });
export const OwnDeliveryParams = Type.Object({ ...OwnParams.properties, delivery_guid: Type.String() });

export const OwnQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])),
    request_guid: Type.Optional(Type.String({ format: 'uuid' })),
    type: Type.Optional(Type.Enum([...WEBHOOK_TYPES])),
  },
  { additionalProperties: false },
);

/** The body is sent as the text that the attempts send. */
export const PayloadText = Type.Unsafe<string>(
  Type.Object({
    type: Type.Enum([...WEBHOOK_TYPES]),
    timestamp: Type.String({ format: 'date-time' }),
    data: Type.Record(Type.String(), Type.Unknown(), { description: 'As the webhook has it' }),
  }),
);
