// Shapes of providers (decision E9).
import Type, { type Static } from 'typebox';
import { PageQuery } from '#lib/http/response/page.ts';
import { Created, Name, OptionalGuid, OwnGuid, SearchText, TextOrNull } from '../shared/fields.ts';

const closed = { additionalProperties: false };
const Status = Type.Enum(['active', 'inactive']);

export const ProviderInput = Type.Object(
  {
    name: Name,
    organisation_guid: OptionalGuid,
    region: Name,
    status: Type.Optional(Type.Enum(['active', 'inactive'], { default: 'active' })),
  },
  closed,
);
export type ProviderInput = Static<typeof ProviderInput>;

export const Provider = Type.Object({
  provider_guid: OwnGuid,
  name: Type.String(),
  organisation_guid: TextOrNull,
  region: Type.String(),
  status: Status,
  ...Created,
});
export type Provider = Static<typeof Provider>;

export const ProviderQuery = Type.Object(
  { ...PageQuery, search: SearchText, region: Type.Optional(Name), status: Type.Optional(Status) },
  closed,
);
export type ProviderQuery = Static<typeof ProviderQuery>;
