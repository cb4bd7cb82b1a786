// Items: the values of an element as a profile check reads them, each with its type, shape and place.
import type { Definitions } from '../definitions/definitions.ts';
import type { ElementDefinition, Shape, Slot } from '../definitions/shapes.ts';
import { isJsonObject, type JsonObject } from '../validation/context.ts';

export interface Item {
  /** Undefined for a primitive that has extensions only. */
  readonly value: unknown;
  /** The object with the id and extensions of a primitive. */
  readonly sibling: unknown;
  /** `Quantity`, `string`; of a resource its own type. */
  readonly type: string;
  /** Undefined for a resource of an unknown type. */
  readonly shape: Shape | undefined;
  /** Its place in the parent object: the element's name and, in a list, the index. */
  readonly steps: readonly (string | number)[];
}

const byName = new WeakMap<Shape, ReadonlyMap<string, ElementDefinition>>();

/** The element of a shape by its name without `[x]`. */
export function elementOf(shape: Shape, name: string): ElementDefinition | undefined {
  const known = byName.get(shape);
  if (known !== undefined) return known.get(name);
  const created = new Map(shape.elements.map((element) => [element.name, element]));
  byName.set(shape, created);
  return created.get(name);
}

/** The object whose elements a profile may constrain; for a primitive the one with its extensions. */
export function objectOf({ value, sibling }: Item): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  return isJsonObject(sibling) ? sibling : undefined;
}

/**
 * A choice of more types than this is read by the members that the object has: an extension's value has fifty types.
 */
const LONG_CHOICE = 4;
const UNDERSCORE = 95;

/** The values of one element of an object. */
export function itemsOf(definitions: Definitions, holder: Item, name: string): Item[] {
  const object = objectOf(holder);
  const { shape } = holder;
  const element = shape && elementOf(shape, name);
  const items: Item[] = [];
  if (object === undefined || element === undefined) return items;
  const add = (jsonName: string): void => {
    const slot = shape?.slots.get(jsonName);
    if (slot?.element !== element) return;
    const sibling = slot.type.primitive === undefined ? undefined : object[slot.sibling];
    addItems(items, definitions, slot, { value: object[jsonName], sibling });
  };
  if (element.jsonNames.length <= LONG_CHOICE) element.jsonNames.forEach(add);
  else {
    for (const key in object) {
      // The sibling of a value belongs to the same item.
      if (key.charCodeAt(0) !== UNDERSCORE) add(key);
      else if (object[key.slice(1)] === undefined) add(key.slice(1));
    }
  }
  return items;
}

function addItems(
  items: Item[],
  definitions: Definitions,
  { element: { name, shapePath }, type: { code } }: Slot,
  { value, sibling }: Pick<Item, 'value' | 'sibling'>,
): void {
  if (value === undefined && sibling === undefined) return;
  if (!Array.isArray(value) && !Array.isArray(sibling)) {
    items.push(createItem(definitions, { value, sibling, steps: [name], code, shapePath }));
    return;
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  const siblings: readonly unknown[] = Array.isArray(sibling) ? sibling : [];
  const length = Math.max(values.length, siblings.length);
  for (let index = 0; index < length; index += 1) {
    const [each, beside] = [values[index] ?? undefined, siblings[index] ?? undefined];
    items.push(createItem(definitions, { value: each, sibling: beside, steps: [name, index], code, shapePath }));
  }
}

/** A resource as an item. */
export function resourceItem(definitions: Definitions, resource: JsonObject, steps: Item['steps'] = []): Item {
  return createItem(definitions, {
    value: resource,
    sibling: undefined,
    steps,
    code: 'Resource',
    shapePath: undefined,
  });
}

/** A value of a data type as an item. */
export function typedItem(definitions: Definitions, value: JsonObject, code: string, steps: Item['steps'] = []): Item {
  return createItem(definitions, { value, sibling: undefined, steps, code, shapePath: undefined });
}

interface ItemInput extends Pick<Item, 'value' | 'sibling' | 'steps'> {
  readonly code: string;
  readonly shapePath: string | undefined;
}

function createItem(definitions: Definitions, { value, sibling, steps, code, shapePath }: ItemInput): Item {
  if (code === 'Resource') {
    const type = isJsonObject(value) && typeof value['resourceType'] === 'string' ? value['resourceType'] : code;
    return { value, sibling, steps, type, shape: definitions.shape(type) };
  }
  const isPrimitive = definitions.kindOf(code) === 'primitive-type';
  return { value, sibling, steps, type: code, shape: definitions.shape(isPrimitive ? 'Element' : (shapePath ?? code)) };
}
