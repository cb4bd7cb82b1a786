// Schemas of the lookup tables (contract: engine, "Lookup tables"; decision E6).
import Type from 'typebox';
import { Created, closedObject, Name, OptionalText, searchQuery, TextOrNull, UNREADABLE } from '../shared/fields.ts';
import { RecordVersion } from '../shared/record-versions.ts';
import { OwnGuid } from '../shared/reference-fields.ts';

/** The types that an observation's value may have (R5 valueset-permitted-data-type). */
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

export const CanonicalLibInput = closedObject(
  {
    name: Name,
    url: Uri,
    version: OptionalText,
    publisher: OptionalText,
    description: OptionalText,
  },
  { title: 'CanonicalLibInput' },
);
export const CanonicalLib = Type.Object(
  {
    canonical_lib_guid: OwnGuid,
    name: Type.String(),
    url: Type.String(),
    version: TextOrNull,
    publisher: TextOrNull,
    description: TextOrNull,
    revision: RecordVersion,
    ...Created,
  },
  { title: 'CanonicalLib' },
);

export const ConceptTypeInput = closedObject({ name: Name, description: OptionalText }, { title: 'ConceptTypeInput' });
export const ConceptType = Type.Object(
  {
    concept_type_guid: OwnGuid,
    name: Type.String(),
    description: TextOrNull,
    revision: RecordVersion,
    ...Created,
  },
  { title: 'ConceptType' },
);

export const ResponseTypeInput = closedObject(
  {
    name: Name,
    fhir_type: Type.Enum([...FHIR_VALUE_TYPES]),
    description: OptionalText,
  },
  { title: 'ResponseTypeInput' },
);
export const ResponseType = Type.Object(
  {
    response_type_guid: OwnGuid,
    name: Type.String(),
    fhir_type: Type.Enum([...FHIR_VALUE_TYPES]),
    description: TextOrNull,
    revision: RecordVersion,
    ...Created,
  },
  { title: 'ResponseType' },
);

export const UnitInput = closedObject(
  {
    name: Name,
    ucum_code: Type.String({ minLength: 1, maxLength: 100 }),
    description: OptionalText,
  },
  { title: 'UnitInput' },
);
export const Unit = Type.Object(
  {
    unit_guid: OwnGuid,
    name: Type.String(),
    ucum_code: Type.String(),
    description: TextOrNull,
    revision: RecordVersion,
    ...Created,
  },
  { title: 'Unit' },
);

export const LookupQuery = searchQuery({});
