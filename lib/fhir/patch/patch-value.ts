// The value that an operation of a FHIRPath Patch carries: a data type (`valueHumanName`), a resource, or parts that make up an
// anonymous element (hl7.org/fhir/R5/fhirpatch.html#concept).
import type { Definitions } from '../definitions/definitions.ts';
import type { ElementDefinition, Shape } from '../definitions/shapes.ts';
import { isJsonObject, type JsonObject } from './json-tree.ts';

/** What is put in, and of which type when the type is told: `Boolean` of `valueBoolean`. */
export interface PatchValue {
  readonly value: unknown;
  readonly typeSuffix: string | undefined;
}

/** The value of a part; undefined when it has none. `shape` is that of the object it is for, if it is an anonymous one. */
export function readPatchValue(
  part: JsonObject,
  shape: Shape | undefined,
  definitions: Definitions,
): PatchValue | undefined {
  for (const [name, value] of Object.entries(part)) {
    if (/^value[A-Z]/.test(name)) return { value, typeSuffix: name.slice('value'.length) };
  }
  if (isJsonObject(part['resource'])) return { value: part['resource'], typeSuffix: undefined };
  const parts = part['part'];
  if (!Array.isArray(parts)) return undefined;
  return { value: anonymousElement(parts.filter(isJsonObject), shape, definitions), typeSuffix: undefined };
}

/** The JSON member that carries a value of an element: `deceasedBoolean` for `deceased` with a Boolean. */
export function memberName(element: ElementDefinition, { typeSuffix }: PatchValue): string | undefined {
  if (!element.isChoice) return element.name;
  const name = `${element.name}${typeSuffix ?? ''}`;
  return element.jsonNames.includes(name) ? name : undefined;
}

/** The element that a name means: `deceased`, or `deceasedBoolean`. */
export function elementNamed(shape: Shape | undefined, name: string): ElementDefinition | undefined {
  return shape?.elements.find((element) => element.name === name) ?? shape?.slots.get(name)?.element;
}

/** The shape of what an element holds, when that is an object of one kind. */
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
    const element = elementNamed(shape, name);
    const read = readPatchValue(part, shapeOf(element, definitions), definitions);
    if (read === undefined) continue;
    const member = (element && memberName(element, read)) ?? name;
    const known = built[member];
    if (Array.isArray(known)) known.push(read.value);
    else built[member] = element?.isArray === true ? [read.value] : read.value;
  }
  return built;
}
