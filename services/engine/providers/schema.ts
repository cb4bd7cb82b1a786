// Schemas of providers (decision E9).
import Type, { type Static } from 'typebox';
import { Created, closedObject, Name, searchQuery, TextOrNull } from '../shared/fields.ts';
import { RecordVersion } from '../shared/record-versions.ts';
import { OptionalGuid, OwnGuid } from '../shared/reference-fields.ts';

const Status = Type.Enum(['active', 'inactive']);

export const ProviderInput = closedObject(
  {
    name: Name,
    organisation_guid: OptionalGuid,
    region: Name,
    status: Type.Optional(Type.Enum(['active', 'inactive'], { default: 'active' })),
  },
  { title: 'ProviderInput' },
);
export type ProviderInput = Static<typeof ProviderInput>;

export const Provider = Type.Object(
  {
    provider_guid: OwnGuid,
    name: Type.String(),
    organisation_guid: TextOrNull,
    region: Type.String(),
    status: Status,
    version: RecordVersion,
    ...Created,
  },
  { title: 'Provider' },
);
export type Provider = Static<typeof Provider>;

export const ProviderQuery = searchQuery({ region: Type.Optional(Name), status: Type.Optional(Status) });
export type ProviderQuery = Static<typeof ProviderQuery>;
