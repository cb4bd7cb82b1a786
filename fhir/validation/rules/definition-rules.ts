// Invariants of StructureDefinition, ElementDefinition, CodeSystem and PlanDefinition in TypeScript. Their FHIRPath
// takes quadratic time, is wrong as published (eld-11, eld-28), or applies to thousands of elements (eld-2, eld-3).
import { isJsonObject, type JsonObject, type ValidationContext } from '../context.ts';
import { has, isDistinct, objectsIn, on, type Test, valuesBelow } from './predicates.ts';

const BINDABLE = new Set([
  'code',
  'Coding',
  'CodeableConcept',
  'CodeableReference',
  'Quantity',
  'string',
  'uri',
  'Duration',
]);

/** The tests by `Type/key`; each is true when the invariant holds. */
export const DEFINITION_RULES: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['ElementDefinition/eld-2', on(hasRoomBetweenMinAndMax)],
  ['ElementDefinition/eld-3', (value) => typeof value !== 'string' || value === '*' || /^[+]?\d+$/.test(value)],
  ['ElementDefinition/eld-11', on(hasBindableType)],
  ['ElementDefinition/eld-28', on((value) => value['mustHaveValue'] !== true || !has(value, 'valueAlternatives'))],
  ['StructureDefinition/sdf-16', on((value) => hasDistinctElementIds(value['snapshot']))],
  ['StructureDefinition/sdf-17', on((value) => hasDistinctElementIds(value['differential']))],
  ['StructureDefinition/sdf-24', on((value) => !isDetailed(value, 'Reference', '.reference', hasTargets))],
  [
    'StructureDefinition/sdf-25',
    on((value) => !isDetailed(value, 'CodeableConcept', '.concept', (each) => has(each, 'binding'))),
  ],
  ['StructureDefinition/sdf-8', on(hasSnapshotOfItsType)],
  ['StructureDefinition/sdf-8a', on(hasDifferentialOfItsType)],
  [
    'StructureDefinition/sdf-9',
    on((value) => !rootsOf(value).some((root) => ROOT_LACKS.some((name) => has(root, name)))),
  ],
  ['StructureDefinition/sdf-19', on(hasTypesOfFhir)],
  [
    'StructureDefinition/sdf-23',
    on((value) => elementsOf(value).every((each) => isBelow(each) || !has(each, 'sliceName'))),
  ],
  // They compare a boolean with a string, which are never equal.
  ['StructureDefinition/sdf-26', () => true],
  ['NamingSystem/nsd-3', () => true],
  ['CodeSystem/csd-4', on((value) => value['content'] !== 'supplement' || has(value, 'supplements'))],
  ['CodeSystem/csd-1', on((value) => isDistinct(valuesBelow(value, 'concept', 'code')))],
  ['PlanDefinition/pld-3', on(namesItsOwnGoals)],
  ['PlanDefinition/pld-4', on(namesItsOwnActions)],
]);

const ROOT_LACKS = ['label', 'code', 'requirements'];
const TYPE_OF_FHIR = /^(?:[a-zA-Z0-9]+|http:\/\/hl7\.org\/fhirpath\/System\.[A-Z][A-Za-z]+)$/;

function elementsOf(value: JsonObject): JsonObject[] {
  return ['snapshot', 'differential'].flatMap((view) => {
    const held = value[view];
    return isJsonObject(held) ? objectsIn(held, 'element') : [];
  });
}

function isBelow({ path }: JsonObject): boolean {
  return typeof path === 'string' && path.includes('.');
}

function rootsOf(value: JsonObject): JsonObject[] {
  return elementsOf(value).filter((each) => typeof each['path'] === 'string' && !isBelow(each));
}

/** Checks only the definitions that HL7 itself publishes. */
function hasTypesOfFhir(value: JsonObject): boolean {
  const { url } = value;
  if (typeof url !== 'string' || !url.startsWith('http://hl7.org/fhir/StructureDefinition')) return true;
  return elementsOf(value).every((element) =>
    objectsIn(element, 'type').every(
      (type) => !has(type, 'code') || (typeof type['code'] === 'string' && TYPE_OF_FHIR.test(type['code'])),
    ),
  );
}

/** The first element is the type itself, and the others are below it. */
function hasSnapshotOfItsType(view: JsonObject, { resource }: ValidationContext): boolean {
  const [first, ...others] = objectsIn(view, 'element');
  const path = first?.['path'];
  const isOther = typeof path === 'string' && has(resource, 'type') && path !== resource['type'];
  return !(isOther && isNotLogical(resource)) && areBelow(others, typeof path === 'string' ? path : '');
}

/** The first element is the type, or is within it, as all others do. */
function hasDifferentialOfItsType(view: JsonObject, { resource }: ValidationContext): boolean {
  const [first, ...others] = objectsIn(view, 'element');
  const path = first?.['path'];
  const { type } = resource;
  const isOther = typeof path === 'string' && typeof type === 'string' && !path.startsWith(type);
  return (
    !(isOther && isNotLogical(resource)) && areBelow(others, typeof path === 'string' ? path.replace(/\..*/, '') : '')
  );
}

function isNotLogical(resource: JsonObject): boolean {
  return has(resource, 'kind') && resource['kind'] !== 'logical';
}

function areBelow(elements: readonly JsonObject[], root: string): boolean {
  return elements.every(({ path }) => typeof path === 'string' && path.startsWith(`${root}.`));
}

function hasRoomBetweenMinAndMax({ min, max }: JsonObject): boolean {
  return typeof min !== 'number' || typeof max !== 'string' || !/^\d+$/.test(max) || min <= Number(max);
}

/** The published expression quotes a string wrongly and forgets CodeableReference, which R5's own definitions bind. */
function hasBindableType(value: JsonObject): boolean {
  if (!has(value, 'binding')) return true;
  const codes = typeCodes(value);
  return codes.length === 0 || codes.some((code) => BINDABLE.has(code) || code.includes(':'));
}

function hasDistinctElementIds(view: unknown): boolean {
  if (!isJsonObject(view)) return true;
  const ids = objectsIn(view, 'element').map(({ id }) => id);
  return ids.every((id) => id !== undefined) && isDistinct(ids);
}

/** Whether a rule of a CodeableReference applies to its part of the given type and path ending. */
function isDetailed(view: JsonObject, type: string, ending: string, isSaid: (element: JsonObject) => boolean): boolean {
  const elements = objectsIn(view, 'element');
  const wholes = new Set(
    elements.filter((each) => typeCodes(each).includes('CodeableReference')).map(({ path }) => path),
  );
  return elements.some((element) => {
    const { path } = element;
    if (typeof path !== 'string' || !path.endsWith(ending) || !wholes.has(path.slice(0, -ending.length))) return false;
    return typeCodes(element).includes(type) && isSaid(element);
  });
}

function hasTargets(element: JsonObject): boolean {
  return objectsIn(element, 'type').some((type) => has(type, 'targetProfile'));
}

function typeCodes(element: JsonObject): string[] {
  return objectsIn(element, 'type').flatMap(({ code }) => (typeof code === 'string' ? [code] : []));
}

function namesItsOwnGoals(plan: JsonObject): boolean {
  const goals = new Set(objectsIn(plan, 'goal').map(({ id }) => id));
  return actionsIn(plan).every(({ goalId }) => !Array.isArray(goalId) || goalId.every((id) => goals.has(id)));
}

function namesItsOwnActions(plan: JsonObject): boolean {
  const actions = actionsIn(plan);
  const ids = new Set(actions.map(({ id }) => id));
  return actions
    .flatMap((action) => objectsIn(action, 'relatedAction'))
    .every(({ targetId }) => targetId === undefined || ids.has(targetId));
}

/** The actions at every depth. */
function actionsIn(plan: JsonObject): JsonObject[] {
  const found = objectsIn(plan, 'action');
  // The list grows while it is walked.
  for (const action of found) for (const inner of objectsIn(action, 'action')) found.push(inner);
  return found;
}
