// JSON values that patches change: plain objects and arrays from parseExactJson, where some numbers are opaque objects.
import { parseExactJson } from '../json/exact-json.ts';

export type JsonObject = Record<string, unknown>;

const raw = JSON as unknown as { isRawJSON(value: unknown): boolean };

/** Whether the value is an object with members: neither an array nor an opaque number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !raw.isRawJSON(value);
}

/** A copy that shares nothing with the original; numbers keep their text. */
export function copyJson(value: unknown): unknown {
  return parseExactJson(JSON.stringify(value));
}

/** The deepest nesting of members and items in a resource, and in a patch. */
export const MAX_DEPTH = 256;

/**
 * Whether the value nests deeper than `levels`; a value without members or items has none. `count.seen` grows by
 * the number of values visited.
 */
export function isDeeperThan(value: unknown, levels: number, count = { seen: 0 }): boolean {
  count.seen += 1;
  if (typeof value !== 'object' || value === null || raw.isRawJSON(value)) return false;
  return levels <= 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1, count));
}

/** Equality of RFC 6902 §4.6: numbers by value, objects whatever the order of their members. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) && left.length === right.length && left.every((item, index) => equalJson(item, right[index]))
    );
  }
  if (isJsonObject(left)) {
    if (!isJsonObject(right)) return false;
    const names = Object.keys(left);
    if (names.length !== Object.keys(right).length) return false;
    return names.every((name) => Object.hasOwn(right, name) && equalJson(left[name], right[name]));
  }
  if (Array.isArray(right) || isJsonObject(right)) return false;
  return plain(left) === plain(right);
}

function plain(value: unknown): unknown {
  return raw.isRawJSON(value) ? Number(JSON.stringify(value)) : value;
}
