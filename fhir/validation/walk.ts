// Walks a resource along the element tables. It reports unknown and missing elements, wrong JSON forms, choices and
// cardinality. It checks each value by the rules of its type (decision E3; hl7.org/fhir/R5/json.html,
// hl7.org/fhir/R5/validation.html).
import type { ElementDefinition, Shape, Slot } from '../definitions/shapes.ts';
import { jsonTypeName } from '../primitives/primitives.ts';
import { checkBinding } from './bindings.ts';
import { addBrokenInvariant, addIssue, isJsonObject, type JsonObject, type ValidationContext } from './context.ts';
import { checkPrimitive, checkPrimitiveArray } from './primitive-values.ts';
import { checkElementId, enterResource } from './resources.ts';
import { checkInvariants } from './rules/invariants.ts';
import { checkNumberTexts } from './rules/number-texts.ts';
import { checkTypeRules } from './rules/type-rules.ts';

/** Twice the depth that readResourceText allows: names and indexes both count here. */
const MAX_PATH = 512;
const ELE_1 = { key: 'ele-1', severity: 'error', human: 'All FHIR elements must have a @value or children' } as const;

/** Walks an object that must have the given shape. */
export function walkObject(context: ValidationContext, shape: Shape, value: JsonObject): void {
  let chosen: Map<ElementDefinition, string> | undefined;
  // `for in` builds no list of the members, and parsed JSON has no inherited ones.
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const slot = shape.slots.get(name);
    if (slot === undefined) {
      walkUnmatched(context, shape, value, name);
      continue;
    }
    if (slot.element.isChoice) {
      chosen ??= new Map();
      checkSingleChoice(context, slot.element, name, chosen);
    }
    context.path.push(slot.element.name);
    walkMember(context, slot, member, value[slot.sibling]);
    context.path.pop();
  }
  for (const element of shape.required) checkRequired(context, element, value);
  checkNumberTexts(context, shape, value);
  checkInvariants(context, shape.constraints, shape.path, value);
}

/** Walks a member that is not an element: the sibling of a primitive, the type of a resource, or an unknown one. */
function walkUnmatched(context: ValidationContext, shape: Shape, value: JsonObject, name: string): void {
  const slot = name.startsWith('_') ? shape.slots.get(name.slice(1)) : undefined;
  if (slot?.type.primitive !== undefined) {
    if (value[name.slice(1)] !== undefined) return;
    context.path.push(slot.element.name);
    walkMember(context, slot, undefined, value[name]);
    context.path.pop();
    return;
  }
  if (name === 'resourceType' && context.definitions.kindOf(shape.path) === 'resource') return;
  addIssue(context, 'structure', `is not an element of ${shape.path}`, name);
}

function checkSingleChoice(
  context: ValidationContext,
  element: ElementDefinition,
  name: string,
  chosen: Map<ElementDefinition, string>,
): void {
  const other = chosen.get(element);
  if (other === undefined) chosen.set(element, name);
  else addIssue(context, 'structure', `may have one type only, but both ${other} and ${name} are given`, element.name);
}

function checkRequired(context: ValidationContext, element: ElementDefinition, value: JsonObject): void {
  for (const name of element.jsonNames) {
    if (value[name] !== undefined) {
      checkMinimum(context, element, value[name]);
      return;
    }
    if (value[`_${name}`] !== undefined) return;
  }
  addIssue(context, 'required', 'is required but missing', element.name);
}

function checkMinimum(context: ValidationContext, element: ElementDefinition, value: unknown): void {
  if (element.min > 1 && Array.isArray(value) && value.length < element.min) {
    addIssue(context, 'required', `must have at least ${element.min} entries`, element.name);
  }
}

function walkMember(context: ValidationContext, slot: Slot, value: unknown, sibling: unknown): void {
  const isPrimitive = slot.type.primitive !== undefined;
  if (!slot.element.isArray) {
    if (Array.isArray(value)) {
      addIssue(context, 'structure', 'must be a single value, not an array');
      return;
    }
    if (isPrimitive) checkPrimitive(context, slot, value, sibling);
    else walkValue(context, slot, value);
  } else if (isPrimitive) {
    checkPrimitiveArray(context, slot, value, sibling);
  } else {
    walkArray(context, slot, value);
  }
}

function walkArray(context: ValidationContext, slot: Slot, value: unknown): void {
  if (!Array.isArray(value)) {
    addIssue(context, 'structure', `must be an array, not ${jsonTypeName(value)}`);
    return;
  }
  if (value.length === 0) {
    addIssue(context, 'structure', 'must not be an empty array: leave it out instead');
    return;
  }
  if (value.length > slot.element.max) addIssue(context, 'structure', `may have at most ${slot.element.max} entries`);
  for (let index = 0; index < value.length; index += 1) {
    context.path.push(index);
    walkValue(context, slot, value[index]);
    context.path.pop();
  }
}

/** Walks one value of a type that is not primitive. */
function walkValue(context: ValidationContext, slot: Slot, value: unknown): void {
  if (!isJsonObject(value)) {
    addIssue(context, 'structure', `must be an object (${slot.type.code}), not ${jsonTypeName(value)}`);
    return;
  }
  if (context.path.length > MAX_PATH) {
    addIssue(context, 'too-costly', 'nests too deeply');
    return;
  }
  if (slot.type.code === 'Resource') {
    enterResource(context, slot, value);
    return;
  }
  const shape = context.definitions.shape(slot.element.shapePath ?? slot.type.code);
  if (shape === undefined) throw new Error(`There is no shape for ${slot.element.path} (${slot.type.code})`);
  if (!hasContent(value)) {
    addBrokenInvariant(context, ELE_1);
    return;
  }
  if (value['id'] !== undefined) checkElementId(context, value);
  walkObject(context, shape, value);
  checkTypeRules(context, shape, slot, value);
  checkBinding(context, slot, value);
  if (value['extension'] !== undefined || value['modifierExtension'] !== undefined) {
    context.checkExtensions(context, { path: slot.element.path, type: slot.type.code, shape: shape.path }, value);
  }
  const { constraints } = slot.element;
  if (constraints.length > 0) checkInvariants(context, constraints, slot.element.path, value);
}

/** Whether an object has any member besides an id. */
function hasContent(value: JsonObject): boolean {
  for (const name in value) if (name !== 'id' && value[name] !== undefined) return true;
  return false;
}
