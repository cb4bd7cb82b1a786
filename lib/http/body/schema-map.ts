// Changes a JSON Schema and the schemas within it.

export type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose value is one schema, a list of schemas, or schemas by name (JSON Schema 2020-12, 10.2 and 10.3). */
const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions'];

/** The schema with `change` applied to it and to each nested schema, the innermost first. */
export function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const within = (value: unknown) => (isSchema(value) ? mapSchema(value, change) : value);
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (ONE.includes(keyword)) return [keyword, within(value)];
    if (LIST.includes(keyword) && Array.isArray(value)) return [keyword, value.map(within)];
    if (!BY_NAME.includes(keyword) || !isSchema(value)) return [keyword, value];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, within(each)]))];
  });
  return change(Object.fromEntries(entries));
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
