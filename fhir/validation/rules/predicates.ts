// Helper predicates for hand-coded invariants.
import { isJsonObject, type JsonObject, type ValidationContext } from '../context.ts';

/** Whether an invariant holds for a value. */
export type Test = (value: unknown, context: ValidationContext) => boolean;

/** A test of objects; the walk reports any other value. */
export function on(test: (value: JsonObject, context: ValidationContext) => boolean): Test {
  return (value, context) => !isJsonObject(value) || test(value, context);
}

/** Whether a member is present, as a value or as the extensions of a primitive. */
export function has(value: JsonObject, name: string): boolean {
  return value[name] !== undefined || value[`_${name}`] !== undefined;
}

/** Whether a choice is present in any of its types. */
export function hasChoice(value: JsonObject, name: string): boolean {
  return Object.keys(value).some((key) => key.startsWith(name) || key.startsWith(`_${name}`));
}

/** The objects in a member that is an array of them. */
export function objectsIn(value: JsonObject, name: string): JsonObject[] {
  const list = value[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/**
 * The member `name` of all objects below, where each holds its own in the member `children`; without recursion, as a
 * client chooses the depth.
 */
export function valuesBelow(value: JsonObject, children: string, name: string): unknown[] {
  const found: unknown[] = [];
  const left = objectsIn(value, children);
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (each[name] !== undefined) found.push(each[name]);
    for (const child of objectsIn(each, children)) left.push(child);
  }
  return found;
}

/** Whether no two are equal. */
export function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/** A text that is equal for equal values, whatever the order of members. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(byName)) : member,
  );
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
