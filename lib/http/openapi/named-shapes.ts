// Shapes with a name (docs/adr/0159). The `title` of a schema is its name. Such a shape is in `components.schemas`
// once, and operations refer to it. Clients that are generated from the document name their types by it. A description
// is that of the place where the shape stands: it is beside the reference.
import { isDeepStrictEqual } from 'node:util';
import { isSchema, mapSchema, type Schema } from '../body/schema-map.ts';
import { componentRef } from './components.ts';
import type { Operation } from './openapi-examples.ts';

export interface NamedShapes {
  /**
   * The operation with a reference in the place of each named shape.
   * @throws Error when two shapes have one name, and for a name that is not in PascalCase
   */
  readonly refer: (operation: Operation) => Operation;
  /** Those of the operations so far, by name. */
  readonly all: () => readonly (readonly [name: string, schema: object])[];
  readonly find: (name: string) => object | undefined;
}

const NAME = /^[A-Z][A-Za-z0-9]*$/;

/** @param isTaken whether a component of another source has this name */
export function createNamedShapes(isTaken: (name: string) => boolean): NamedShapes {
  const known = new Map<string, Schema>();
  const keep = (given: Schema): Schema => {
    const { title, description, ...rest } = given;
    if (typeof title !== 'string') return given;
    const { schema, isNullable } = withoutNull(rest);
    const before = known.get(title);
    if (before === undefined) {
      if (!NAME.test(title)) throw new Error(`The name of a shape is in PascalCase, not ${title}`);
      if (isTaken(title)) throw new Error(`${title} is the name of another component`);
      known.set(title, schema);
    } else if (!isDeepStrictEqual(before, schema)) {
      throw new Error(`Two shapes have the name ${title}: ${JSON.stringify(before)} and ${JSON.stringify(schema)}`);
    }
    const reference = componentRef('schemas', title);
    const about = description === undefined ? {} : { description };
    return isNullable ? { anyOf: [reference, { type: 'null' }], ...about } : { ...reference, ...about };
  };
  const refer = (schema: unknown) => (isSchema(schema) ? mapSchema(schema, keep) : schema);
  return {
    refer: (operation) => withSchemas(operation, refer),
    all: () => [...known].sort(byName),
    find: (name) => known.get(name),
  };
}

/** A shape that may be null has the name of the shape that may not. */
function withoutNull(schema: Schema): { readonly schema: Schema; readonly isNullable: boolean } {
  const { type } = schema;
  if (!Array.isArray(type) || !type.includes('null')) return { schema, isNullable: false };
  const others: unknown[] = type.filter((each) => each !== 'null');
  return { schema: { ...schema, type: others.length === 1 ? others[0] : others }, isNullable: true };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

type Change = (schema: unknown) => unknown;

/** The operation with `change` applied to the schemas of its parameters, its body and its responses. */
function withSchemas(operation: Operation, change: Change): Operation {
  const { parameters, requestBody, responses } = operation;
  const changed = Object.entries(responses ?? {}).map(([status, response]) => [status, withContent(response, change)]);
  return {
    ...operation,
    ...(parameters === undefined ? {} : { parameters: parameters.map((each) => withSchema(each, change)) }),
    ...(requestBody === undefined ? {} : { requestBody: withContent(requestBody, change) }),
    ...(responses === undefined ? {} : { responses: Object.fromEntries(changed) }),
  };
}

function withContent<T extends { readonly content?: Readonly<Record<string, object>> }>(value: T, change: Change): T {
  if (value.content === undefined) return value;
  const content = Object.entries(value.content).map(([type, each]) => [type, withSchema(each, change)]);
  return { ...value, content: Object.fromEntries(content) };
}

function withSchema<T extends { readonly schema?: unknown }>(value: T, change: Change): T {
  return value.schema === undefined ? value : { ...value, schema: change(value.schema) };
}
