// The value that an operation of a FHIRPath Patch carries: a data type (`valueHumanName`), a resource, or parts that
// make up an anonymous element (hl7.org/fhir/R5/fhirpatch.html#concept).
import type { Definitions } from '../definitions/definitions.ts';
import type { ElementDefinition, Shape } from '../definitions/shapes.ts';
import { copyJson, isJsonObject, type JsonObject } from './json-tree.ts';

/** The value to insert, and its type where the member names one: `Boolean` of `valueBoolean`. */
export interface PatchValue {
  /** Undefined for a primitive that has only an id or extensions. */
  readonly value: unknown;
  /** Id and extensions of a primitive, as its member with an underscore has them. */
  readonly beside: unknown;
  readonly typeSuffix: string | undefined;
}

/** The value of a part; undefined when it has none. `shape` is the shape of an anonymous element's object. */
export function readPatchValue(
  part: JsonObject,
  shape: Shape | undefined,
  definitions: Definitions,
): PatchValue | undefined {
  const name = Object.keys(part)
    .find((each) => /^_?value[A-Z]/.test(each))
    ?.replace('_', '');
  if (name !== undefined) {
    return { value: part[name], beside: part[`_${name}`], typeSuffix: name.slice('value'.length) };
  }
  if (isJsonObject(part['resource'])) return { ...ANONYMOUS, value: part['resource'] };
  const parts = part['part'];
  if (!Array.isArray(parts)) return undefined;
  return { ...ANONYMOUS, value: anonymousElement(parts.filter(isJsonObject), shape, definitions) };
}

const ANONYMOUS = { typeSuffix: undefined, beside: undefined };

/** The JSON member that carries a value of an element: `deceasedBoolean` for `deceased` with a Boolean. */
export function memberName(element: ElementDefinition, { typeSuffix }: PatchValue): string | undefined {
  if (!element.isChoice) return element.name;
  const name = `${element.name}${typeSuffix ?? ''}`;
  return element.jsonNames.includes(name) ? name : undefined;
}

/** The element of a name: `deceased`, or `deceasedBoolean`. */
export function elementByName(shape: Shape | undefined, name: string): ElementDefinition | undefined {
  return shape?.elements.find((element) => element.name === name) ?? shape?.slots.get(name)?.element;
}

/** The shape of an element's value, when that is an object of one type. */
export function shapeOf(element: ElementDefinition | undefined, definitions: Definitions): Shape | undefined {
  return element?.shapePath === undefined ? undefined : definitions.shape(element.shapePath);
}

function anonymousElement(
  parts: readonly JsonObject[],
  shape: Shape | undefined,
  definitions: Definitions,
): JsonObject {
  const built: JsonObject = {};
  for (const part of parts) {
    const name = String(part['name']);
    const element = elementByName(shape, name);
    const read = readPatchValue(part, shapeOf(element, definitions), definitions);
    if (read === undefined) continue;
    const member = (element && memberName(element, read)) ?? name;
    const known = built[member];
    if (element?.isArray === true || Array.isArray(known)) {
      const at = Array.isArray(known) ? known.length : 0;
      spliceMember(built, member, { at, take: 0, put: [read] });
    } else setMember(built, member, read);
  }
  return built;
}

/** Sets the member of this name to a copy of the value. */
export function setMember(holder: JsonObject, name: string, { value, beside }: PatchValue): void {
  if (value !== undefined) holder[name] = copyJson(value);
  if (beside !== undefined) holder[`_${name}`] = copyJson(beside);
}

/**
 * Changes a list, and the parallel list of ids and extensions of primitives. An empty list is removed, as FHIR has
 * none.
 */
export function spliceMember(
  holder: JsonObject,
  name: string,
  { at, take, put }: { readonly at: number; readonly take: number; readonly put: readonly PatchValue[] },
): void {
  const list = listOf(holder[name]);
  const beside = listOf(holder[`_${name}`]);
  while (list.length < beside.length) list.push(null);
  while (beside.length < list.length) beside.push(null);
  list.splice(at, take, ...put.map(({ value }) => (value === undefined ? null : copyJson(value))));
  beside.splice(at, take, ...put.map((each) => (each.beside === undefined ? null : copyJson(each.beside))));
  setList(holder, name, list, list.length > 0);
  setList(holder, `_${name}`, beside, !beside.every((item) => item === null));
}

function listOf(held: unknown): unknown[] {
  return Array.isArray(held) ? held : [];
}

function setList(holder: JsonObject, name: string, list: unknown[], isWanted: boolean): void {
  if (isWanted) holder[name] = list;
  else delete holder[name];
}
