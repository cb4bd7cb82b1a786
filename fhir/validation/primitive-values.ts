// Checks primitive values in JSON: the value, its `_sibling` with id and extensions, and arrays of both, padded with
// null (hl7.org/fhir/R5/json.html#primitive).
import type { Slot } from '../definitions/shapes.ts';
import { isValidUrn, jsonTypeName, type PrimitiveRule, primitiveValueIssue } from '../primitives/primitives.ts';
import { checkBinding } from './bindings.ts';
import { addIssue, addWarning, isJsonObject, type ValidationContext } from './context.ts';
import { checkLocalCanonical } from './local-ids.ts';
import { checkElementId, noteLocalReference } from './resources.ts';
import { checkInvariants } from './rules/invariants.ts';
import { checkXhtml } from './xhtml.ts';

/** Checks one primitive; value or sibling is undefined when it is absent. */
export function checkPrimitive(context: ValidationContext, slot: Slot, value: unknown, sibling: unknown): void {
  if (value !== undefined) checkValue(context, slot, value);
  if (sibling !== undefined) checkSibling(context, slot, sibling, value !== undefined);
}

/** Checks an array of primitives beside the array of their siblings. */
export function checkPrimitiveArray(context: ValidationContext, slot: Slot, value: unknown, sibling: unknown): void {
  const values = arrayOf(context, value, slot.element.name);
  const siblings = arrayOf(context, sibling, `_${slot.element.name}`);
  if (values === undefined || siblings === undefined) return;
  const length = Math.max(values.length, siblings.length);
  if (length > slot.element.max) addIssue(context, 'structure', `may have at most ${slot.element.max} entries`);
  if (siblings.length > values.length && value !== undefined) {
    addIssue(context, 'structure', `must have a value or null for each entry of _${slot.element.name}`);
  }
  for (let index = 0; index < length; index += 1) {
    context.path.push(index);
    checkEntry(context, slot, values[index], siblings[index]);
    context.path.pop();
  }
}

/** Checks one entry of an array: null means "no value", and the other array must then have one. */
function checkEntry(context: ValidationContext, slot: Slot, value: unknown, sibling: unknown): void {
  const own = value === null ? undefined : value;
  const other = sibling === null ? undefined : sibling;
  if (own === undefined && other === undefined) {
    addIssue(context, 'structure', 'must not be null: there is no extension for it either');
    return;
  }
  checkPrimitive(context, slot, own, other);
}

function arrayOf(context: ValidationContext, value: unknown, name: string): readonly unknown[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    addIssue(context, 'structure', `must be an array in the member ${name}, not ${jsonTypeName(value)}`);
    return undefined;
  }
  if (value.length > 0) return value;
  addIssue(context, 'structure', 'must not be an empty array: leave it out instead');
  return undefined;
}

function checkValue(context: ValidationContext, slot: Slot, value: unknown): void {
  const rule: PrimitiveRule | undefined = slot.type.primitive;
  const issue = rule === undefined ? undefined : primitiveValueIssue(rule, value);
  if (issue !== undefined) {
    const issueCode = rule?.json === typeof value ? 'value' : 'structure';
    addIssue(context, issueCode, issue);
    return;
  }
  if (typeof value === 'string') {
    const advice = rule?.json === 'string' ? rule.advice?.(value) : undefined;
    if (advice !== undefined) addWarning(context, 'value', `should ${advice}`);
    if (slot.type.code === 'uri') checkUrn(context, slot, value);
    if (value.startsWith('#')) {
      noteLocalReference(context, slot.type.code, value);
      if (slot.type.code === 'canonical') checkLocalCanonical(context, slot, value.slice(1));
    }
    if (slot.type.code === 'xhtml') checkXhtml(context, value);
  }
  if (slot.element.binding !== undefined) checkBinding(context, slot, value);
  const { constraints } = slot.element;
  if (constraints.length > 0) checkInvariants(context, constraints, slot.element.path, value);
}

/** A full URL may be any placeholder: transactions replace it. */
function checkUrn(context: ValidationContext, slot: Slot, value: string): void {
  if (!value.startsWith('urn:') || isValidUrn(value) || slot.element.path === 'Bundle.entry.fullUrl') return;
  addIssue(context, 'value', 'must be a right OID (urn:oid:1.2.3) or lower-case UUID (urn:uuid:…), as it says');
}

function checkSibling(context: ValidationContext, slot: Slot, sibling: unknown, hasValue: boolean): void {
  if (!isJsonObject(sibling)) {
    const found = jsonTypeName(sibling);
    addIssue(context, 'structure', `must have an object with id or extension beside it, not ${found}`);
    return;
  }
  if (slot.type.code === 'xhtml') {
    addIssue(context, 'structure', 'is XHTML, which has no extensions');
    return;
  }
  const shape = context.definitions.shape('Element');
  if (shape === undefined) throw new Error('There is no shape for Element');
  const names = Object.keys(sibling);
  if (names.length === 0 || (!hasValue && names.every((name) => name === 'id'))) {
    addIssue(context, 'invariant', 'must have a value or an extension (ele-1)');
    return;
  }
  if (sibling['id'] !== undefined) checkElementId(context, sibling);
  context.walkObject(context, shape, sibling);
  if (sibling['extension'] === undefined) return;
  context.checkExtensions(context, { path: slot.element.path, type: slot.type.code, shape: shape.path }, sibling);
}
