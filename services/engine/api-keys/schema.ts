// Shapes of API keys (contract: engine, "Authentication, users, API keys"; decision E8).
import Type, { type Static } from 'typebox';
import { MAX_USES } from '#lib/auth/key-usage.ts';
import { SCOPE_PATTERN } from '#lib/auth/scopes.ts';
import { PageQuery } from '#lib/http/response/page.ts';
import { Created, InstantInput, InstantOrNull, Name, nullable, TextOrNull } from '../shared/fields.ts';
import { Guid, OptionalGuid } from '../shared/reference-fields.ts';

const closed = { additionalProperties: false };

const Scopes = Type.Array(
  Type.String({
    pattern: SCOPE_PATTERN,
    maxLength: 100,
    patternHint: 'must be a SMART v2 scope such as system/Patient.rs',
  }),
  {
    uniqueItems: true,
    maxItems: 200,
    description: 'SMART v2 scopes, for example system/Patient.rs',
  },
);
const OptionalInstant = Type.Optional(nullable<string>(InstantInput));

export const ApiKeyInput = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(Scopes),
    provider_guid: OptionalGuid,
    organisation_guid: OptionalGuid,
    expires_at: OptionalInstant,
  },
  { ...closed, title: 'ApiKeyInput' },
);
export type ApiKeyInput = Static<typeof ApiKeyInput>;

export const ApiKeyUpdate = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(Scopes),
    expires_at: OptionalInstant,
    status: Type.Optional(Type.Enum(['active', 'revoked'], { default: 'active' })),
  },
  { ...closed, title: 'ApiKeyChange' },
);
export type ApiKeyUpdate = Static<typeof ApiKeyUpdate>;

const fields = {
  key_guid: Guid,
  name: Type.String(),
  prefix: Type.String({ description: 'How the key begins' }),
  scopes: Type.Array(Type.String()),
  provider_guid: TextOrNull,
  organisation_guid: TextOrNull,
  expires_at: InstantOrNull,
  status: Type.Enum(['active', 'revoked', 'expired']),
  last_used_at: InstantOrNull,
  previous_key_until: nullable<string>(
    Type.String({ format: 'date-time', description: 'Until when the key works that this one replaced' }),
  ),
  ...Created,
};

export const ApiKey = Type.Object(fields, { title: 'ApiKey' });
export type ApiKey = Static<typeof ApiKey>;

/** Only the responses of creation and rotation show the key itself. */
export const ApiKeyWithSecret = Type.Object(
  {
    ...fields,
    key: Type.String(),
    reads: Type.String({ description: 'Whose records the key reads, in words' }),
  },
  { title: 'ApiKeyWithSecret' },
);
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>;

export const ApiKeyQuery = Type.Object({ ...PageQuery, provider_guid: Type.Optional(Guid) }, closed);
export type ApiKeyQuery = Static<typeof ApiKeyQuery>;

const Rotation = Type.Object(
  {
    grace_hours: Type.Optional(
      Type.Number({ minimum: 0, maximum: 168, default: 0, description: 'How long the old key goes on working' }),
    ),
  },
  closed,
);
export type RotateInput = Static<typeof Rotation>;
/** The body may be left out. */
export const RotateInput = nullable<RotateInput>(Rotation);

export const KeyParams = Type.Object({ key_guid: Type.String() });

export const UsageQuery = Type.Object(
  {
    days: Type.Integer({
      minimum: 1,
      maximum: 366,
      default: 30,
      description: 'Of how many days, today among them, `by_day` has',
    }),
  },
  closed,
);

const Day = Type.String({ format: 'date', description: 'In UTC' });
const Requests = Type.Integer({ minimum: 0 });
export const ApiKeyUsage = Type.Object(
  {
    total: Requests,
    last_used_at: InstantOrNull,
    by_day: Type.Array(Type.Object({ day: Day, requests: Requests }), {
      description: 'In order; days without a request are left out',
    }),
  },
  { title: 'ApiKeyUsage' },
);
export type ApiKeyUsage = Static<typeof ApiKeyUsage>;

/** The uses that another service has counted. */
export const UsageBatch = Type.Object(
  {
    batch_guid: Guid,
    uses: Type.Array(
      Type.Object(
        { key_guid: Guid, day: Day, requests: Type.Integer({ minimum: 1 }), last_used_at: InstantInput },
        closed,
      ),
      { minItems: 1, maxItems: MAX_USES },
    ),
  },
  closed,
);

/** A key, or the guid of one: what somebody may do is explained without the key (docs/adr/0105). */
export const IntrospectInput = Type.Object(
  { key: Type.Optional(Type.String({ maxLength: 200 })), key_guid: Type.Optional(Guid) },
  { ...closed, minProperties: 1, maxProperties: 1 },
);
export type IntrospectInput = Static<typeof IntrospectInput>;

export const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    key_guid: Type.Optional(Guid),
    scopes: Type.Optional(Type.Array(Type.String())),
    provider_guid: Type.Optional(Guid),
    organisation_guid: Type.Optional(Guid),
  },
  { title: 'ApiKeyIntrospection' },
);
export type Introspection = Static<typeof Introspection>;
