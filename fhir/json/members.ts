// Members of parsed JSON, without trust in its shape: what is absent or of another type is undefined or empty. The
// console reads by them too, so they need nothing that only some browsers have.
import type { JsonObject } from '../patch/json-tree.ts';

/** Undefined for anything but an object. */
export function objectIn(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** A member of an object; undefined for anything else. */
export function memberIn(value: unknown, name: string): unknown {
  return objectIn(value)?.[name];
}

/** The objects of a list; none for anything else. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Undefined for anything but a text. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A copy without the members whose value is undefined. */
export function compact(members: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The number objects of exact JSON have no prototype, and are no members. */
function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.getPrototypeOf(value) !== null;
}
