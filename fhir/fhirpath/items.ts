// What compiled FHIRPath works on: collections of JSON values with the types they may have, and truth in three values.
import type { Definitions } from '../definitions/definitions.ts';
import type { Shape } from '../definitions/shapes.ts';
import type { PathNode } from './syntax.ts';

/** A primitive that is there by its extensions only. */
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

/** A compiled expression: what it gives, and the types its items may have. */
export interface Compiled {
  readonly run: (focus: Items, frame: Frame) => Items;
  readonly types: readonly StaticType[];
}

export interface Compiler {
  readonly definitions: Definitions;
  /** Types of the focus of the whole expression. */
  readonly root: readonly StaticType[];
  readonly compile: (node: PathNode, focus: readonly StaticType[]) => Compiled;
  /** Whether the expression is a user's: its regular expressions are run in linear time. */
  readonly isForeign: boolean;
}

/** Thrown where the compiled form cannot tell what FHIRPath would say. */
export class Declined extends Error {}

export const SYSTEM_BOOLEAN: readonly StaticType[] = [{ code: 'boolean', shape: undefined }];

/** Types whose equality is more than that of their JSON: precision of dates, content of objects. */
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

/** The items, all with values. @throws Declined when one has none, or is not what the definitions say */
export function plainItems(items: Items): Items {
  for (const item of items) if (typeof item === 'object' || typeof item === 'symbol') throw new Declined();
  return items;
}
