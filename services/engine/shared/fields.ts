// The TypeBox schemas of texts, instants and lists in the engine's JSON (decisions G1, G5, G11).
import Type, { type TProperties } from 'typebox';
import { PageQuery } from '#lib/http/response/page.ts';
import { readOnly } from '#lib/http/response/read-back.ts';

/**
 * Characters that a text may not contain, for a character class: control characters except tab and line ends, and lone
 * surrogates.
 */
export const UNREADABLE = '\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\uD800-\\uDFFF';
/** The pattern of a text with at least one visible character. */
export const VISIBLE = `^(?=[\\s\\S]*\\S)[^${UNREADABLE}]*$`;

/** A name: not empty, and not only white space. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: VISIBLE,
  patternHint: 'must be a text with a visible character and without control characters',
});

/** A FHIR code: no spaces at its ends, and no two spaces together. */
export const Code = Type.String({
  patternHint: 'must be a code without control characters, and without spaces at its ends or doubled ones',
  minLength: 1,
  maxLength: 200,
  pattern: `^[^\\s${UNREADABLE}]+( [^\\s${UNREADABLE}]+)*$`,
});

/** An instant in a request. A leap second and the year 0 match the format, but PostgreSQL cannot store them. */
export const InstantInput = Type.String({
  format: 'date-time',
  patternHint: 'must be an instant, without leap second',
  pattern: '^(?!0000)\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}:[0-5]',
});

/** An object that takes no members but these; `title` is its name in /openapi.json. */
export function closedObject<Properties extends TProperties>(properties: Properties, options?: { title: string }) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** The query parameters of a list: the page, and these filters. */
export function listQuery<Filters extends TProperties>(filters: Filters) {
  return closedObject({ ...PageQuery, ...filters });
}

/** A field that may be null. In a request null means the same as left out; a response has null. */
export function nullable<T>(schema: Type.TSchema & { type?: string }) {
  return Type.Unsafe<T | null>({ ...schema, type: [schema.type ?? 'string', 'null'] });
}

export const OptionalText = Type.Optional(
  nullable<string>(
    Type.String({
      maxLength: 4000,
      pattern: `^[^${UNREADABLE}]*$`,
      patternHint: 'must be a text without control characters',
    }),
  ),
);
export const TextOrNull = nullable<string>(Type.String());
export const Instant = Type.String({ format: 'date-time', description: 'An instant in UTC' });
export const InstantOrNull = nullable<string>(Instant);

/** The times of a record, which the response adds to what a caller wrote. */
export const Created = { created_at: readOnly(Instant), updated_at: readOnly(Instant) };

/** The parameters of a path with one guid. */
export const IdParams = Type.Object({ id: Type.String() });

/** What a text may be that is searched for. */
export const SEARCH_TEXT = {
  minLength: 1,
  maxLength: 200,
  pattern: `^[^${UNREADABLE}]*$`,
  patternHint: 'must be a text without control characters',
};

export const SearchText = Type.Optional(
  Type.String({ ...SEARCH_TEXT, description: 'Part of a name or description, whatever its case' }),
);

/** The query parameters of a list that can be searched by text. */
export function searchQuery<Filters extends TProperties>(filters: Filters) {
  return listQuery({ search: SearchText, ...filters });
}
