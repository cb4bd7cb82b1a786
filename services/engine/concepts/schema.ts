// Schemas of concepts (contract: engine, "Concept"; decision E6).
import Type, { type Static } from 'typebox';
import { readOnly } from '#lib/http/response/read-back.ts';
import {
  Code,
  Created,
  closedObject,
  Name,
  nullable,
  OptionalText,
  searchQuery,
  TextOrNull,
} from '../shared/fields.ts';
import { RecordVersion } from '../shared/record-versions.ts';
import { Guid, OptionalGuid, OwnGuid, ReferencedName, ReferencedNameOrNull } from '../shared/reference-fields.ts';

export const PermittedValue = closedObject({ code: Code, display: Name }, { title: 'PermittedValue' });
export type PermittedValue = Static<typeof PermittedValue>;

export const ConceptInput = closedObject(
  {
    canonical_lib: Guid,
    concept_name: Name,
    concept_display_text: OptionalText,
    concept_explain: OptionalText,
    concept_type: OptionalGuid,
    response_type: OptionalGuid,
    concept_code: Type.Optional(nullable<string>(Code)),
    values: Type.Optional(Type.Array(PermittedValue, { maxItems: 500, description: 'Permitted values, in order' })),
  },
  { title: 'ConceptInput' },
);
export type ConceptInput = Static<typeof ConceptInput>;

export const Concept = Type.Object(
  {
    concept_guid: OwnGuid,
    canonical_lib: Guid,
    canonical_lib_name: ReferencedName,
    concept_code: Type.String(),
    concept_name: Type.String(),
    concept_display_text: TextOrNull,
    concept_explain: TextOrNull,
    concept_type: TextOrNull,
    concept_type_name: ReferencedNameOrNull,
    response_type: TextOrNull,
    response_type_name: ReferencedNameOrNull,
    has_values: readOnly(Type.Boolean()),
    values: Type.Array(PermittedValue),
    version: RecordVersion,
    ...Created,
  },
  { title: 'Concept' },
);
export type Concept = Static<typeof Concept>;

export const ConceptQuery = searchQuery({
  concept_type: Type.Optional(Guid),
  response_type: Type.Optional(Guid),
  canonical_lib: Type.Optional(Guid),
  has_values: Type.Optional(Type.Boolean()),
});
export type ConceptQuery = Static<typeof ConceptQuery>;
