// The places of a resource where a mutation may strike: its members and its objects, each with its definition.
import { r5Definitions } from '#fhir/definitions/definitions.ts';
import type { Shape, Slot } from '#fhir/definitions/shapes.ts';
import { pick } from '#test/support/random.ts';

export type Json = Record<string, unknown>;

/** One member of an object: an element in its JSON form. */
export interface MemberPlace {
  readonly holder: Json;
  readonly name: string;
  readonly slot: Slot;
  readonly shape: Shape;
  /** `Patient.name[0].given`. */
  readonly path: string;
  /** The resource that holds it: contained, an entry's, or the outermost. */
  readonly resource: Json;
}

/** One object: a resource, a data type or a group of elements. */
export interface ObjectPlace {
  readonly object: Json;
  readonly shape: Shape;
  readonly path: string;
  readonly resource: Json;
}

export interface Places {
  readonly root: Json;
  readonly members: readonly MemberPlace[];
  readonly objects: readonly ObjectPlace[];
  readonly random: () => number;
}

/** Changes the resource and says where; undefined when there is no place for it. */
export type Mutation = (places: Places) => string | undefined;

const definitions = r5Definitions();

/** All places of a resource, in its order. */
export function placesOf(root: Json, random: () => number): Places {
  const members: MemberPlace[] = [];
  const objects: ObjectPlace[] = [];
  const walk = (object: Json, shape: Shape, path: string, resource: Json): void => {
    objects.push({ object, shape, path, resource });
    for (const name of Object.keys(object)) {
      const slot = shape.slots.get(name);
      if (slot === undefined) continue;
      members.push({ holder: object, name, slot, shape, path: `${path}.${name}`, resource });
      for (const [value, step] of valuesOf(object[name])) {
        if (!isObject(value)) continue;
        const isResource = slot.type.code === 'Resource';
        const inner = definitions.shape(
          isResource ? String(value['resourceType']) : (slot.element.shapePath ?? slot.type.code),
        );
        if (inner !== undefined) walk(value, inner, `${path}.${name}${step}`, isResource ? value : resource);
      }
    }
  };
  const type = String(root['resourceType']);
  const shape = definitions.shape(type);
  if (shape !== undefined) walk(root, shape, type, root);
  return { root, members, objects, random };
}

function valuesOf(value: unknown): (readonly [value: unknown, step: string])[] {
  return Array.isArray(value) ? value.map((each, index) => [each, `[${index}]`] as const) : [[value, '']];
}

/** Whether the value is an object of JSON. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a mutation does to one place; false when it cannot be done there. */
type Change<P> = (place: P, random: () => number) => unknown;

/** Changes one of the members that are fit, and says where; undefined when none is. */
export function changeMember(
  { members, random }: Places,
  isFit: (place: MemberPlace) => boolean,
  change: Change<MemberPlace>,
): string | undefined {
  return changeOne(members.filter(isFit), change, random);
}

/** Changes one of the objects that are fit, and says where; undefined when none is. */
export function changeObject(
  { objects, random }: Places,
  isFit: (place: ObjectPlace) => boolean,
  change: Change<ObjectPlace>,
): string | undefined {
  return changeOne(objects.filter(isFit), change, random);
}

function changeOne<P extends { readonly path: string }>(
  fit: readonly P[],
  change: Change<P>,
  random: () => number,
): string | undefined {
  if (fit.length === 0) return undefined;
  const place = pick(random, fit);
  return change(place, random) === false ? undefined : place.path;
}

/** Changes the outermost resource, when it may have a narrative. */
export function changeRoot(places: Places, change: (root: Json) => unknown): string | undefined {
  const isRoot = ({ object, shape }: ObjectPlace): boolean => object === places.root && shape.slots.has('contained');
  return changeObject(places, isRoot, ({ object }) => change(object));
}

/** Puts a value in the place of a member's own, or of one of its entries. */
export function setValue({ holder, name }: MemberPlace, value: unknown, random: () => number): void {
  const held = holder[name];
  if (Array.isArray(held)) held[Math.floor(random() * held.length)] = value;
  else holder[name] = value;
}

/** A primitive of the given types. */
export function isPrimitive(...types: readonly string[]): (place: MemberPlace) => boolean {
  return ({ slot }) => slot.type.primitive !== undefined && (types.length === 0 || types.includes(slot.type.code));
}

/** An object of one of the data types or element groups. */
export function isOf(...paths: readonly string[]): (place: { readonly shape: Shape }) => boolean {
  return ({ shape }) => paths.includes(shape.path);
}
