// The values of compiled FHIRPath: collections of JSON values with their possible types, and three-valued logic.
import type { Definitions } from '../definitions/definitions.ts';
import type { Shape } from '../definitions/shapes.ts';
import type { PathNode } from './syntax.ts';

/** A primitive that has extensions but no value. */
export const NO_VALUE: unique symbol = Symbol('no value');

/** JSON values: objects, strings, numbers, booleans, NO_VALUE; never arrays or null. */
export type Items = readonly unknown[];

export interface Frame {
  /** $this */
  readonly self: unknown;
  /** %resource */
  readonly resource: unknown;
}

export interface StaticType {
  readonly code: string;
  /** Undefined for primitives. */
  readonly shape: Shape | undefined;
}

/** A compiled expression: the function that evaluates it, and the types that its items may have. */
export interface Compiled {
  readonly run: (focus: Items, frame: Frame) => Items;
  readonly types: readonly StaticType[];
}

export interface Compiler {
  readonly definitions: Definitions;
  /** Types of the items that the whole expression is evaluated on. */
  readonly root: readonly StaticType[];
  readonly compile: (node: PathNode, focus: readonly StaticType[]) => Compiled;
  /** Whether a user wrote the expression: its regular expressions are then run in linear time. */
  readonly isForeign: boolean;
}

/** Thrown where the compiled expression cannot give FHIRPath's result for certain. */
export class Declined extends Error {}

export const SYSTEM_BOOLEAN: readonly StaticType[] = [{ code: 'boolean', shape: undefined }];

/** Types that equal JSON does not make equal: dates compare by precision, objects by content. */
const NOT_PLAIN = new Set(['date', 'dateTime', 'instant', 'time', 'integer64', 'xhtml', 'base64Binary']);

/** A collection as a truth value: undefined when empty; a single item that is no boolean counts as true. */
export function truth(items: Items): boolean | undefined {
  if (items.length === 0) return undefined;
  if (items.length > 1 || items[0] === NO_VALUE) throw new Declined();
  return typeof items[0] === 'boolean' ? items[0] : true;
}

export const TRUE: Items = [true];
export const FALSE: Items = [false];

/** A truth value as a collection. */
export function ofTruth(value: boolean | undefined): Items {
  if (value === undefined) return [];
  return value ? TRUE : FALSE;
}

/** Whether items may be compared as their JSON is. */
export function isPlain({ types }: Compiled): boolean {
  return types.every(({ code, shape }) => shape === undefined && code !== 'Resource' && !NOT_PLAIN.has(code));
}

/** The items, all with values. @throws Declined when one has no value, or another type than the definitions give */
export function plainItems(items: Items): Items {
  for (const item of items) if (typeof item === 'object' || typeof item === 'symbol') throw new Declined();
  return items;
}
