// What was read may be changed and put back as it is: the members that the answer's schema marks `readOnly` (OpenAPI
// 3.1, JSON Schema Validation 9.4) are left out of the body before it is held against its schema, which goes on
// refusing all others that it does not know. What a caller may have meant to change, and cannot, is not marked: it is
// refused.
import type { FastifyRequest, RouteOptions } from 'fastify';

/** As much of a JSON Schema as tells which members a value has. */
interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
}

type Strip = (value: unknown) => void;

/** A member of an answer that follows from others or from the system: a `PUT` takes it back and pays no heed to it. */
export function readOnly<Schema extends object>(schema: Schema): Schema {
  return { ...schema, readOnly: true };
}

/** To be called for each route as it is registered: a `PUT` takes back the `readOnly` members of its own 200 answer. */
export function withdrawResponse(route: RouteOptions): void {
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

/** Undefined when there is nothing to leave out. */
function stripOf(taken: unknown, answered: unknown): Strip | undefined {
  if (!isShape(taken) || !isShape(answered)) return undefined;
  if (isShape(taken.items) && isShape(answered.items)) return stripOfList(taken.items, answered.items);
  const known = taken.properties;
  const told = answered.properties;
  if (known === undefined || told === undefined) return undefined;
  const surplus = Object.keys(told).filter((name) => isReadOnly(told[name]) && !Object.hasOwn(known, name));
  const within = Object.keys(known).flatMap((name): [string, Strip][] => {
    const strip = stripOf(known[name], told[name]);
    return strip === undefined ? [] : [[name, strip]];
  });
  if (surplus.length + within.length === 0) return undefined;
  return (value) => {
    if (!isMembers(value)) return;
    for (const name of surplus) delete value[name];
    for (const [name, strip] of within) strip(value[name]);
  };
}

function stripOfList(taken: unknown, answered: unknown): Strip | undefined {
  const strip = stripOf(taken, answered);
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
