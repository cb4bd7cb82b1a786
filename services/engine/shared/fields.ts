// The small TypeBox schemas that the engine's plain JSON shapes share (decisions G1, G5, G11).
import Type from 'typebox';

/** A text that a person can read: not empty, not only blanks. */
export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

/** A reference by guid; whether the thing exists is asked in the transaction. */
export const Guid = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  description: 'A lower-case UUID',
});

/** An optional field: left out and null mean the same when written, and it is null when read. */
export function nullable<T>(schema: Type.TSchema & { type?: string }) {
  return Type.Unsafe<T | null>({ ...schema, type: [schema.type ?? 'string', 'null'] });
}

export const OptionalText = Type.Optional(nullable<string>(Type.String({ maxLength: 4000 })));
export const OptionalGuid = Type.Optional(nullable<string>(Guid));
export const TextOrNull = nullable<string>(Type.String());
export const Instant = Type.String({ format: 'date-time', description: 'An instant in UTC' });
export const InstantOrNull = nullable<string>(Instant);

export const Created = { created_at: Instant, updated_at: Instant };

/** An address with one guid in it. */
export const IdParams = Type.Object({ id: Type.String() });

export const SearchText = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, description: 'Part of a name or description, whatever its case' }),
);
