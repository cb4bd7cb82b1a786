// Lets a client send back what it has read. Members that the response schema marks `readOnly` (OpenAPI 3.1, JSON Schema
// Validation 9.4) are removed from the body of a PUT before validation. Other unknown members are still refused. A
// member that a client may want to change, and cannot, is not marked: it is refused.
import type { FastifyRequest, RouteOptions } from 'fastify';

/** The parts of a JSON Schema that name the members of a value. */
interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
}

type Strip = (value: unknown) => void;

/** Marks a member that is derived or set by the system: a `PUT` accepts and ignores it. */
export function readOnly<Schema extends object>(schema: Schema): Schema {
  return { ...schema, readOnly: true };
}

/**
 * Makes a `PUT` accept the `readOnly` members of its own 200 response. Call it for each route when it is registered.
 */
export function stripReadOnlyMembers(route: RouteOptions): void {
  const { body, response } = route.schema ?? {};
  if (route.method !== 'PUT' || !isShape(body) || !isShape(response)) return;
  const strip = stripOf(body, (response as Record<string, unknown>)['200']);
  if (strip === undefined) return;
  const take = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    strip(request.body);
    done();
  };
  route.preValidation = [route.preValidation ?? [], take].flat();
}

/** Undefined when there is nothing to remove. */
function stripOf(input: unknown, response: unknown): Strip | undefined {
  if (!isShape(input) || !isShape(response)) return undefined;
  if (isShape(input.items) && isShape(response.items)) return stripOfList(input.items, response.items);
  const known = input.properties;
  const returned = response.properties;
  if (known === undefined || returned === undefined) return undefined;
  const surplus = Object.keys(returned).filter((name) => isReadOnly(returned[name]) && !Object.hasOwn(known, name));
  const within = Object.keys(known).flatMap((name): [string, Strip][] => {
    const strip = stripOf(known[name], returned[name]);
    return strip === undefined ? [] : [[name, strip]];
  });
  if (surplus.length + within.length === 0) return undefined;
  return (value) => {
    if (!isMembers(value)) return;
    for (const name of surplus) delete value[name];
    for (const [name, strip] of within) strip(value[name]);
  };
}

function stripOfList(input: unknown, response: unknown): Strip | undefined {
  const strip = stripOf(input, response);
  return strip === undefined
    ? undefined
    : (value) => {
        if (Array.isArray(value)) for (const each of value) strip(each);
      };
}

function isReadOnly(schema: unknown): boolean {
  return isShape(schema) && 'readOnly' in schema && schema.readOnly === true;
}

function isShape(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null;
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
