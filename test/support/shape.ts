// Exact shapes of responses for contract tests: all fields present, no others, each of its form.
import assert from 'node:assert/strict';

/**
 * A RegExp stands for a text of that form. `String`, `Boolean` and `Number` stand for a value of that type. An array of
 * one shape stands for a list of such items (at least one). `[]` stands for an empty list, an object for exactly these
 * fields, any other value for itself.
 */
export type Shape =
  | RegExp
  | StringConstructor
  | BooleanConstructor
  | NumberConstructor
  | string
  | number
  | boolean
  | null
  | readonly Shape[]
  | { readonly [field: string]: Shape };

export const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** ISO 8601 without an offset. */
export const PLAIN_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/;
/** ISO 8601 with an offset. */
export const OFFSET_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/;

export function assertShape(value: unknown, shape: Shape, at = 'body'): void {
  if (shape instanceof RegExp) {
    assert.equal(typeof value, 'string', `${at} is a text`);
    assert.match(String(value), shape, at);
  } else if (typeof shape === 'function') {
    assert.equal(typeof value, shape.name.toLowerCase(), at);
  } else if (Array.isArray(shape)) {
    assertList(value, shape, at);
  } else if (typeof shape === 'object' && shape !== null) {
    assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `${at} is an object`);
    assert.deepEqual(Object.keys(value).sort(), Object.keys(shape).sort(), `the fields of ${at}`);
    for (const [field, inner] of Object.entries(shape)) {
      assertShape((value as Record<string, unknown>)[field], inner, `${at}.${field}`);
    }
  } else {
    assert.deepEqual(value, shape, at);
  }
}

function assertList(value: unknown, shape: readonly Shape[], at: string): void {
  assert.ok(Array.isArray(value), `${at} is a list`);
  const [item] = shape;
  if (item === undefined) assert.deepEqual(value, [], at);
  else assert.ok(value.length > 0, `${at} has an item`);
  for (const [index, entry] of value.entries()) assertShape(entry, item ?? null, `${at}[${index}]`);
}
