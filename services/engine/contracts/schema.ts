// Schemas of contracts and of their match (decisions D4, E9).
import Type, { type Static } from 'typebox';
import { Code, Created, closedObject, listQuery, Name, nullable, TextOrNull, UNREADABLE } from '../shared/fields.ts';
import { RecordVersion } from '../shared/record-versions.ts';
import { Guid, OptionalGuid, OwnGuid, ReferencedName } from '../shared/reference-fields.ts';

const Status = Type.Enum(['active', 'inactive']);
const Day = Type.String({
  format: 'date',
  pattern: '^(?!0000)',
  patternHint: 'must be a day after the year 0',
  description: 'A day, YYYY-MM-DD',
});

export const ContractCode = closedObject(
  {
    system: Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: `^[^\\s|${UNREADABLE}]+$`,
      patternHint: 'must be a URI without spaces or |',
    }),
    code: Code,
  },
  { title: 'ContractCode' },
);
export type ContractCode = Static<typeof ContractCode>;

const Codes = Type.Array(ContractCode, { minItems: 1, maxItems: 1000 });

export const ContractInput = closedObject(
  {
    provider_guid: Guid,
    codes: Codes,
    organisation_guid: OptionalGuid,
    region: Type.Optional(nullable<string>(Name)),
    valid_from: Day,
    valid_to: Type.Optional(nullable<string>(Day)),
    status: Type.Optional(Type.Enum(['active', 'inactive'], { default: 'active' })),
  },
  { title: 'ProviderContractInput' },
);
export type ContractInput = Static<typeof ContractInput>;

export const Contract = Type.Object(
  {
    contract_guid: OwnGuid,
    provider_guid: Guid,
    provider_name: ReferencedName,
    codes: Type.Array(ContractCode),
    organisation_guid: TextOrNull,
    region: TextOrNull,
    valid_from: Day,
    valid_to: TextOrNull,
    status: Status,
    version: RecordVersion,
    ...Created,
  },
  { title: 'ProviderContract' },
);
export type Contract = Static<typeof Contract>;

export const ContractQuery = listQuery({ provider_guid: Type.Optional(Guid), status: Type.Optional(Status) });
export type ContractQuery = Static<typeof ContractQuery>;

export const MatchInput = closedObject(
  {
    codes: Codes,
    organisation_guid: OptionalGuid,
    region: Type.Optional(nullable<string>(Name)),
    date: Day,
  },
  { title: 'ContractMatchInput' },
);
export type MatchInput = Static<typeof MatchInput>;

/** A matching contract. `organisation_guid` is the provider's own organisation. */
export const ContractMatch = Type.Object(
  {
    contract_guid: Guid,
    provider_guid: Guid,
    provider_name: Type.String(),
    organisation_guid: TextOrNull,
    region: Type.String(),
    valid_to: TextOrNull,
  },
  { title: 'ContractMatch' },
);
export type ContractMatch = Static<typeof ContractMatch>;

export const ContractMatches = Type.Object({ contracts: Type.Array(ContractMatch) });
