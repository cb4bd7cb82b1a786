// Default bounds for lists, texts and open objects in body schemas that set none (docs/adr/0040). No address takes a
// list or text of any length. /openapi.json shows the bounds.
import type { RouteOptions } from 'fastify';
import { isSchema, mapSchema, type Schema } from './schema-map.ts';

/** Items of a list. */
const MAX_ITEMS = 1000;
/** Characters of a text. */
const MAX_LENGTH = 10_000;
/** Members of an object with additional properties. */
const MAX_PROPERTIES = 1000;

/**
 * Adds bounds to the route's body schema. Call it for each route when it is registered, before anything reads the
 * schema.
 */
export function boundBody(route: RouteOptions): void {
  const body = route.schema?.body;
  if (isSchema(body)) route.schema = { ...route.schema, body: withBounds(body) };
}

/** The schema with a bound for each list, text and open object within it. */
export function withBounds(schema: object): Schema {
  return mapSchema({ ...schema }, (each) => ({ ...boundsOf(each), ...each }));
}

/**
 * The schema with a condition on each list and text: its content is validated only when its length is within the bound.
 * Finding every error of a value that is too long takes time and helps nobody.
 */
export function withGuards(schema: object): Schema {
  return mapSchema({ ...schema }, (each) => {
    if ('if' in each) return each;
    return 'maxItems' in each
      ? guarded(each, 'maxItems', ['items', 'uniqueItems'])
      : guarded(each, 'maxLength', ['pattern', 'patternHint', 'format']);
  });
}

function guarded(schema: Schema, bound: string, keywords: readonly string[]): Schema {
  const isContent = ([keyword]: [string, unknown]) => keywords.includes(keyword);
  const content = Object.entries(schema).filter(isContent);
  if (!(bound in schema) || content.length === 0) return schema;
  const rest = Object.entries(schema).filter((entry) => !isContent(entry));
  const condition = { [bound]: schema[bound] };
  return Object.fromEntries([...rest, ['if', condition], ['then', Object.fromEntries(content)]]);
}

function boundsOf(schema: Schema): Schema {
  const types = [schema['type']].flat();
  const isFixed = 'enum' in schema || 'const' in schema;
  const isOpen = schema['additionalProperties'] !== false;
  return {
    ...(types.includes('array') ? { maxItems: MAX_ITEMS } : {}),
    ...(types.includes('string') && !isFixed ? { maxLength: MAX_LENGTH } : {}),
    ...(types.includes('object') && isOpen ? { maxProperties: MAX_PROPERTIES } : {}),
  };
}
