// The TypeBox schemas of guids and of names of referenced records in the engine's JSON (decisions G1, G11).
import Type from 'typebox';
import { readOnly } from '#lib/http/response/read-back.ts';
import { nullable, TextOrNull } from './fields.ts';

/** A reference by guid. The service checks in its transaction that the record exists. */
export const Guid = Type.String({
  patternHint: 'must be a lower-case UUID',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  description: 'A lower-case UUID',
});

export const OptionalGuid = Type.Optional(nullable<string>(Guid));
/** The guid of the record itself. */
export const OwnGuid = readOnly(Guid);
/** The name of a record that this one references by guid. */
export const ReferencedName = readOnly(Type.String());
export const ReferencedNameOrNull = readOnly(TextOrNull);
