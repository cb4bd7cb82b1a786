// Schemas of providers (decision E9), and of what patients see of them (decision L3).
import Type, { type Static } from 'typebox';
import { Created, closedObject, listQuery, Name, SEARCH_TEXT, searchQuery, TextOrNull } from '../shared/fields.ts';
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

/** What a patient sees who chooses a provider: what anybody may know who asks there for care. */
export const ProviderSummary = Type.Object(
  { provider_guid: OwnGuid, name: Type.String(), region: Type.String(), organisation_guid: TextOrNull },
  { title: 'ProviderSummary' },
);
export type ProviderSummary = Static<typeof ProviderSummary>;

/** As many as one person's decisions in force may name (docs/reference/own-consents.md). */
const MOST_NAMED = 100;

export const DirectoryQuery = listQuery({
  search: Type.Optional(
    Type.String({
      ...SEARCH_TEXT,
      description: 'Words, each a part of the name or the region, whatever its case',
    }),
  ),
  provider_guid: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: MOST_NAMED,
      description: 'These alone, also inactive ones; otherwise those that are active',
    }),
  ),
});
export type DirectoryQuery = Static<typeof DirectoryQuery>;
