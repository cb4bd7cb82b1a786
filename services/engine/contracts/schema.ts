// Shapes of contracts and of matching them (decisions D4, E9).
import Type, { type Static } from 'typebox';
import { PageQuery } from '#lib/http/response/page.ts';
import {
  Code,
  Created,
  Guid,
  Name,
  NameOfOther,
  nullable,
  OptionalGuid,
  OwnGuid,
  TextOrNull,
  UNREADABLE,
} from '../shared/fields.ts';

const closed = { additionalProperties: false };
const Status = Type.Enum(['active', 'inactive']);
const Day = Type.String({
  format: 'date',
  pattern: '^(?!0000)',
  patternHint: 'must be a day after the year 0',
  description: 'A day, YYYY-MM-DD',
});

export const ContractCode = Type.Object(
  {
    system: Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: `^[^\\s|${UNREADABLE}]+$`,
      patternHint: 'must be a URI without spaces or |',
    }),
    code: Code,
  },
  closed,
);
export type ContractCode = Static<typeof ContractCode>;

const Codes = Type.Array(ContractCode, { minItems: 1, maxItems: 1000 });

export const ContractInput = Type.Object(
  {
    provider_guid: Guid,
    codes: Codes,
    organisation_guid: OptionalGuid,
    region: Type.Optional(nullable<string>(Name)),
    valid_from: Day,
    valid_to: Type.Optional(nullable<string>(Day)),
    status: Type.Optional(Type.Enum(['active', 'inactive'], { default: 'active' })),
  },
  closed,
);
export type ContractInput = Static<typeof ContractInput>;

export const Contract = Type.Object({
  contract_guid: OwnGuid,
  provider_guid: Guid,
  provider_name: NameOfOther,
  codes: Type.Array(ContractCode),
  organisation_guid: TextOrNull,
  region: TextOrNull,
  valid_from: Day,
  valid_to: TextOrNull,
  status: Status,
  ...Created,
});
export type Contract = Static<typeof Contract>;

export const ContractQuery = Type.Object(
  { ...PageQuery, provider_guid: Type.Optional(Guid), status: Type.Optional(Status) },
  closed,
);
export type ContractQuery = Static<typeof ContractQuery>;

export const MatchInput = Type.Object(
  { codes: Codes, organisation_guid: OptionalGuid, region: Type.Optional(nullable<string>(Name)), date: Day },
  closed,
);
export type MatchInput = Static<typeof MatchInput>;

/** `organisation_guid` is the organisation that the provider is. */
export const ContractMatch = Type.Object({
  contract_guid: Guid,
  provider_guid: Guid,
  provider_name: Type.String(),
  organisation_guid: TextOrNull,
  region: Type.String(),
  valid_to: TextOrNull,
});
export type ContractMatch = Static<typeof ContractMatch>;

export const ContractMatches = Type.Object({ contracts: Type.Array(ContractMatch) });
