// The wire shapes of push and push-one (decision D6).
import Type from 'typebox';

export const PushInput = Type.Object(
  {
    selection: Type.Optional(
      Type.Enum(['all', 'first'], { description: '`first`: the first to accept gets it and the others are withdrawn' }),
    ),
    respond_by: Type.Optional(
      Type.String({ format: 'date-time', description: 'After this moment the request can no longer be accepted' }),
    ),
  },
  { title: 'PushInput', additionalProperties: false },
);

export const PushResponse = Type.Object(
  {
    pushed: Type.Array(
      Type.Object({
        match_guid: Type.String(),
        request_guid: Type.String(),
        delivery_guid: Type.Union([Type.String(), Type.Null()], {
          description: 'null for a provider without an endpoint: it reads the feed',
        }),
      }),
    ),
    blocked: Type.Array(Type.Object({ match_guid: Type.String(), reason: Type.String() })),
    already: Type.Array(Type.String()),
  },
  { title: 'PushOutcome' },
);
