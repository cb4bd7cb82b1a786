// The values of an element as a profile's walk sees them: each with its type, what it may hold, and its place.
import type { Definitions } from '../definitions/definitions.ts';
import type { ElementDefinition, Shape } from '../definitions/shapes.ts';
import { isJsonObject, type JsonObject } from '../validation/context.ts';

export interface Item {
  /** Undefined for a primitive that has extensions only. */
  readonly value: unknown;
  /** Of a primitive: the object with its id and extensions. */
  readonly sibling: unknown;
  /** `Quantity`, `string`; of a resource its own type. */
  readonly type: string;
  /** Undefined for a resource of no type. */
  readonly shape: Shape | undefined;
  /** From the object that holds it: the element's name and, in a list, the index. */
  readonly steps: readonly (string | number)[];
}

const byName = new WeakMap<Shape, ReadonlyMap<string, ElementDefinition>>();

/** The element of a shape by its name without `[x]`. */
export function elementOf(shape: Shape, name: string): ElementDefinition | undefined {
  const known = byName.get(shape);
  if (known !== undefined) return known.get(name);
  const made = new Map(shape.elements.map((element) => [element.name, element]));
  byName.set(shape, made);
  return made.get(name);
}

/** The object whose elements a profile may constrain: of a primitive the one with its extensions. */
export function objectOf({ value, sibling }: Item): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  return isJsonObject(sibling) ? sibling : undefined;
}

/** The values of one element of an object. */
export function itemsOf(definitions: Definitions, holder: Item, name: string): Item[] {
  const object = objectOf(holder);
  const element = holder.shape && elementOf(holder.shape, name);
  if (object === undefined || element === undefined) return [];
  return element.jsonNames.flatMap((jsonName, index) => {
    const type = element.types[index];
    const value = object[jsonName];
    const sibling = type?.primitive === undefined ? undefined : object[`_${jsonName}`];
    if (type === undefined || (value === undefined && sibling === undefined)) return [];
    const code = type.code;
    return valuesOf(value, sibling).map(([each, beside, place]) => {
      const steps = place === undefined ? [name] : [name, place];
      return makeItem(definitions, { value: each, sibling: beside, steps, code, shapePath: element.shapePath });
    });
  });
}

/** A resource as an item. */
export function resourceItem(definitions: Definitions, resource: JsonObject, steps: Item['steps'] = []): Item {
  return makeItem(definitions, { value: resource, sibling: undefined, steps, code: 'Resource', shapePath: undefined });
}

/** A value of a data type as an item. */
export function typedItem(definitions: Definitions, value: JsonObject, code: string, steps: Item['steps'] = []): Item {
  return makeItem(definitions, { value, sibling: undefined, steps, code, shapePath: undefined });
}

type Values = readonly [value: unknown, sibling: unknown, index: number | undefined][];

function valuesOf(value: unknown, sibling: unknown): Values {
  if (!Array.isArray(value) && !Array.isArray(sibling)) return [[value, sibling, undefined]];
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  const siblings: readonly unknown[] = Array.isArray(sibling) ? sibling : [];
  const length = Math.max(values.length, siblings.length);
  return Array.from({ length }, (_, index) => [values[index] ?? undefined, siblings[index] ?? undefined, index]);
}

interface Given extends Pick<Item, 'value' | 'sibling' | 'steps'> {
  readonly code: string;
  readonly shapePath: string | undefined;
}

function makeItem(definitions: Definitions, { value, sibling, steps, code, shapePath }: Given): Item {
  if (code === 'Resource') {
    const type = isJsonObject(value) && typeof value['resourceType'] === 'string' ? value['resourceType'] : code;
    return { value, sibling, steps, type, shape: definitions.shape(type) };
  }
  const isPrimitive = definitions.kindOf(code) === 'primitive-type';
  return { value, sibling, steps, type: code, shape: definitions.shape(isPrimitive ? 'Element' : (shapePath ?? code)) };
}
