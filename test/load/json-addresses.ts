// Every address of the OpenAPI documents that takes JSON of our own schemas, and generated bodies that are as costly as
// can be.
import fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

export interface JsonAddress {
  readonly method: 'POST' | 'PUT';
  /** As in the document, with a value for each of its parameters. */
  readonly path: string;
  readonly isPublic: boolean;
  readonly schema: Schema;
}

const NOBODY = '01900000-0000-7000-8000-00000000ffff';

/** Those of a document. */
export function jsonAddressesOf(document: unknown): JsonAddress[] {
  return Object.entries(record(record(document)['paths'])).flatMap(([path, methods]) =>
    (['post', 'put'] as const).flatMap((method) => {
      const operation = record(record(methods)[method]);
      const content = record(record(operation['requestBody'])['content']);
      const schema = record(content['application/json'])['schema'];
      if (schema === undefined) return [];
      const security = operation['security'];
      const isPublic = Array.isArray(security) && security.length === 0;
      const filled = path.replaceAll(/\{\w+\}/g, NOBODY);
      return [{ method: method === 'post' ? 'POST' : 'PUT', path: filled, isPublic, schema: record(schema) }] as const;
    }),
  );
}

/** Lists and texts of a request's schema that may be of any length, and objects of any members. */
export function unboundedPlaces(schema: Schema, place = ''): string[] {
  const types = [schema['type']].flat();
  const isFixed = 'enum' in schema || 'const' in schema;
  const isUnbounded =
    (types.includes('array') && !('maxItems' in schema)) ||
    (types.includes('string') && !isFixed && !('maxLength' in schema)) ||
    (types.includes('object') && schema['additionalProperties'] !== false && !('maxProperties' in schema));
  const inner = [
    ...Object.entries(record(schema['properties'])),
    ...['items', 'additionalProperties'].map((name): [string, unknown] => [name, schema[name]]),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((name) => Object.entries(record(schema[name]))),
  ];
  const within = inner.flatMap(([name, each]) => (isRecord(each) ? unboundedPlaces(each, `${place}/${name}`) : []));
  return isUnbounded ? [place || '/', ...within] : within;
}

type Fill = (schema: Schema) => unknown;

/** Bodies of the shape, each with its own way to be too much. */
export function hostileBodies(): fc.Arbitrary<(schema: Schema) => string> {
  const count = fc.integer({ min: 10_000, max: 40_000 });
  const character = fc.constantFrom('a', '0', ' ', '-', '.', ':', '@', '/', 'å', '\\', '"');
  const item = fc.constantFrom<(index: number) => unknown>(
    (index) => index,
    (index) => `x${index}`,
    () => ({}),
    () => [],
    () => null,
    (index) => ({ [`u${index}`]: index }),
  );
  const depth = fc.integer({ min: 10, max: 63 });
  return fc.oneof(
    count.map((members) => () => `{${numbered(members, (index) => `"u${index}":${index}`)}}`),
    fc.tuple(count, item).map(([items, make]) => filling({ array: () => manyOf(items, make) })),
    fc
      .tuple(fc.integer({ min: 20_000, max: 100_000 }), character)
      .map(([length, each]) => filling({ string: () => each.repeat(length) })),
    depth.map((levels) => filling({ object: () => JSON.parse('{"a":['.repeat(levels / 2) + ']}'.repeat(levels / 2)) })),
    count.map((times) => () => `{${numbered(times, () => '"name":1')}}`),
    fc.tuple(count, item).map(
      ([items, make]) =>
        () =>
          JSON.stringify(manyOf(items, make)),
    ),
  );
}

/** A body of the schema's shape, in which values of some types are made otherwise. */
function filling(makers: Readonly<Record<string, () => unknown>>): (schema: Schema) => string {
  const fill: Fill = (schema) => {
    const [type] = [schema['type']].flat();
    const make = typeof type === 'string' ? makers[type] : undefined;
    const properties = record(schema['properties']);
    if (make !== undefined && (type !== 'object' || Object.keys(properties).length === 0)) return make();
    if (type === 'array') return [fill(record(schema['items']))];
    if (type !== 'object') return type === 'string' ? 'x' : 1;
    return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, fill(record(each))]));
  };
  return (schema) => JSON.stringify(fill(schema)).slice(0, 1_000_000);
}

function manyOf(count: number, make: (index: number) => unknown): unknown[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function numbered(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join(',');
}

function record(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
