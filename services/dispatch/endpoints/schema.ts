// The wire shapes of provider endpoints (decision D9).
import Type from 'typebox';
import { readOnly } from '#lib/http/response/read-back.ts';
import { nullable } from '../shared/wire.ts';

export const ProviderParams = Type.Object({
  provider_guid: Type.String({ description: 'The provider, as the contract service names it' }),
});

export const EndpointInput = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, description: 'Where webhooks are sent: https, or http inside' }),
    enabled: Type.Boolean({ default: true, description: 'While false, webhooks are held and none is dropped' }),
  },
  { title: 'ProviderEndpointInput', additionalProperties: false },
);

export const EndpointView = Type.Object(
  {
    provider_guid: readOnly(Type.String()),
    url: Type.String(),
    enabled: Type.Boolean(),
    disabled_reason: readOnly(
      Type.Union([Type.Literal('administrator'), Type.Literal('gone'), Type.Null()], {
        description: '`gone`: the receiver answered 410',
      }),
    ),
    is_hosted: readOnly(Type.Boolean({ description: "Whether it is the engine's inbox, which has the secret" })),
    previous_secret_valid_until: readOnly(nullable(Type.String({ format: 'date-time' }))),
    created_at: readOnly(Type.String({ format: 'date-time' })),
    updated_at: readOnly(Type.String({ format: 'date-time' })),
  },
  { title: 'ProviderEndpoint' },
);

export const NewEndpointView = Type.Object(
  {
    ...EndpointView.properties,
    secret: Type.String({ description: 'The signing secret; it is shown this once' }),
  },
  { title: 'NewProviderEndpoint' },
);

export const RotateInput = Type.Object(
  {
    grace_hours: Type.Integer({
      minimum: 0,
      maximum: 720,
      default: 24,
      description: 'How long webhooks are signed with the former secret as well',
    }),
  },
  { additionalProperties: false },
);

export const RotatedSecret = Type.Object({
  secret: Type.String({ description: 'The new signing secret; it is shown this once' }),
  previous_secret_valid_until: nullable(Type.String({ format: 'date-time' })),
});

export const PingResponse = Type.Object({ delivery_guid: Type.String() });
