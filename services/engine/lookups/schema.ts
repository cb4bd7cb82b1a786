// The lookup tables' shapes (contract: engine, "Lookup tables"; decision E6).
import Type from 'typebox';
import { PageQuery } from '#lib/http/response/page.ts';
import { Created, Name, OptionalText, OwnGuid, SearchText, TextOrNull, UNREADABLE } from '../shared/fields.ts';

const closed = { additionalProperties: false };

/** What an observation's value may be (R5 valueset-permitted-data-type). */
const FHIR_VALUE_TYPES = [
  'Quantity',
  'CodeableConcept',
  'string',
  'boolean',
  'integer',
  'Range',
  'Ratio',
  'SampledData',
  'time',
  'dateTime',
  'Period',
] as const;

const Uri = Type.String({
  patternHint: 'must be an absolute URI without spaces or |',

  maxLength: 2000,
  pattern: `^[A-Za-z][A-Za-z0-9+.-]*:[^\\s|${UNREADABLE}]+$`,
  description: 'An absolute URI: the system of the codes',
});

export const CanonicalLibInput = Type.Object(
  { name: Name, url: Uri, version: OptionalText, publisher: OptionalText, description: OptionalText },
  closed,
);
export const CanonicalLib = Type.Object({
  canonical_lib_guid: OwnGuid,
  name: Type.String(),
  url: Type.String(),
  version: TextOrNull,
  publisher: TextOrNull,
  description: TextOrNull,
  ...Created,
});

export const ConceptTypeInput = Type.Object({ name: Name, description: OptionalText }, closed);
export const ConceptType = Type.Object({
  concept_type_guid: OwnGuid,
  name: Type.String(),
  description: TextOrNull,
  ...Created,
});

export const ResponseTypeInput = Type.Object(
  { name: Name, fhir_type: Type.Enum([...FHIR_VALUE_TYPES]), description: OptionalText },
  closed,
);
export const ResponseType = Type.Object({
  response_type_guid: OwnGuid,
  name: Type.String(),
  fhir_type: Type.Enum([...FHIR_VALUE_TYPES]),
  description: TextOrNull,
  ...Created,
});

export const UnitInput = Type.Object(
  { name: Name, ucum_code: Type.String({ minLength: 1, maxLength: 100 }), description: OptionalText },
  closed,
);
export const Unit = Type.Object({
  unit_guid: OwnGuid,
  name: Type.String(),
  ucum_code: Type.String(),
  description: TextOrNull,
  ...Created,
});

export const LookupQuery = Type.Object({ ...PageQuery, search: SearchText }, closed);
