// Members with a default may be left out of a request. TypeBox lists them as required, since the handler always has
// them; in /openapi.json they are optional.

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
}

/** The schema of a request as callers may send it. */
export function withOptionalMembers<S>(schema: S): S {
  return relax(schema) as S;
}

function relax(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, required, items, anyOf }: ObjectSchema = schema;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: relax(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(relax) }),
    ...(properties === undefined ? {} : relaxMembers(properties, required ?? [])),
  };
}

function relaxMembers(properties: Readonly<Record<string, unknown>>, required: readonly string[]) {
  const needed = required.filter((name) => !hasDefault(properties[name]));
  const members = Object.entries(properties).map(([name, member]) => [name, relax(member)]);
  return { properties: Object.fromEntries(members), required: needed.length === 0 ? undefined : needed };
}

function hasDefault(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'default' in schema;
}
