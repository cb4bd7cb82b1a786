// FHIRPath Patch (hl7.org/fhir/R5/fhirpatch.html): a Parameters resource whose operations name elements by FHIRPath.
// All operations apply, or none. Numbers keep the text that they were written in.
import { type Issue, invalidRequest, ServiceError } from '#lib/errors.ts';
import { type Definitions, r5Definitions } from '../definitions/definitions.ts';
import { type ElementPlace, findPlaces } from './element-place.ts';
import { copyJson, isJsonObject, type JsonObject } from './json-tree.ts';
import { elementByName, memberName, readPatchValue, setMember, shapeOf, spliceMember } from './patch-value.ts';

const TYPES = ['add', 'insert', 'delete', 'replace', 'move'] as const;

interface Operation {
  readonly type: (typeof TYPES)[number];
  readonly path: string;
  readonly name: string | undefined;
  /** The part `value`, which is read once its place is known. */
  readonly value: JsonObject | undefined;
  readonly index: number | undefined;
  readonly source: number | undefined;
  readonly destination: number | undefined;
}

export type FhirPathPatch = readonly Operation[];

/** The parts that an operation of each type needs besides its path. */
const NEEDED: Readonly<Record<Operation['type'], readonly (keyof Operation)[]>> = {
  add: ['name', 'value'],
  insert: ['index', 'value'],
  delete: [],
  replace: ['value'],
  move: ['source', 'destination'],
};
const MAX_OPERATIONS = 1000;
/** Time for all paths of one patch: their evaluation blocks the event loop. */
const MAX_MILLISECONDS = 1000;

/** Reads a patch. @throws ServiceError `invalid_request` naming every error */
export function readFhirPathPatch(parameters: JsonObject): FhirPathPatch {
  const given: unknown = parameters['parameter'];
  const items: unknown[] = Array.isArray(given) ? given : [];
  if (items.length > MAX_OPERATIONS)
    throw invalidRequest([{ message: `A patch has at most ${MAX_OPERATIONS} operations` }]);
  const issues: Issue[] = [];
  const operations = items.flatMap((item, index) => {
    const read = readOperation(item);
    if (typeof read !== 'string') return [read];
    const field = `Parameters.parameter[${index}]`;
    issues.push({ message: `Operation ${index + 1}: ${read}`, field, code: 'structure' });
    return [];
  });
  if (issues.length > 0) throw invalidRequest(issues);
  return operations;
}

/**
 * The resource after all operations, applied in order; the given resource is not changed.
 * @throws ServiceError `unprocessable` when an operation cannot be applied
 */
export function applyFhirPathPatch(
  resource: JsonObject,
  patch: FhirPathPatch,
  definitions: Definitions = r5Definitions(),
): JsonObject {
  const copy = copyJson(resource);
  if (!isJsonObject(copy)) throw new TypeError('A resource is a JSON object');
  const until = performance.now() + MAX_MILLISECONDS;
  patch.forEach((operation, index) => {
    const places = findPlaces(copy, operation.path, { definitions, milliseconds: until - performance.now() });
    const issue = typeof places === 'string' ? places : applyOperation(places, operation, definitions);
    if (issue === undefined) return;
    const message = `Operation ${index + 1} (${operation.type} ${operation.path}): ${issue}`;
    const field = `Parameters.parameter[${index}]`;
    throw new ServiceError('unprocessable', message, { issues: [{ message, field, code: 'processing' }] });
  });
  return copy;
}

function readOperation(item: unknown): Operation | string {
  if (!isJsonObject(item) || item['name'] !== 'operation') return 'the parameter must be named "operation"';
  const given: unknown = item['part'];
  const parts = new Map(
    (Array.isArray(given) ? given : []).filter(isJsonObject).map((part) => [String(part['name']), part]),
  );
  const type = TYPES.find((each) => each === parts.get('type')?.['valueCode']);
  if (type === undefined) return `"type" (valueCode) must be one of ${TYPES.join(', ')}`;
  const path: unknown = parts.get('path')?.['valueString'];
  if (typeof path !== 'string' || path === '') return '"path" (valueString) is missing';
  const name: unknown = parts.get('name')?.['valueString'];
  const whole = (part: string): number | undefined => {
    const value: unknown = parts.get(part)?.['valueInteger'];
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
  };
  const operation: Operation = {
    type,
    path,
    name: typeof name === 'string' ? name : undefined,
    value: parts.get('value'),
    index: whole('index'),
    source: whole('source'),
    destination: whole('destination'),
  };
  const missing = NEEDED[type].filter((part) => operation[part] === undefined);
  return missing.length === 0
    ? operation
    : `${missing.map((part) => `"${part}"`).join(' and ')} missing or of the wrong type`;
}

/** Applies the operation; returns a message when that is not possible. */
function applyOperation(
  places: readonly ElementPlace[],
  operation: Operation,
  definitions: Definitions,
): string | undefined {
  const [place] = places;
  if (operation.type === 'delete' && place === undefined) return undefined;
  if (place === undefined) return 'the path names no element';
  if (operation.type === 'insert') return insert(places, operation, definitions);
  if (operation.type === 'move') return move(places, operation);
  if (places.length > 1) return `the path names ${places.length} elements, and must name one`;
  switch (operation.type) {
    case 'add':
      return add(place, operation, definitions);
    case 'delete':
      return remove(place);
    case 'replace':
      return replace(place, operation, definitions);
    default:
      return operation.type satisfies never;
  }
}

function add(
  { value: holder, shape }: ElementPlace,
  { name = '', value = {} }: Operation,
  definitions: Definitions,
): string | undefined {
  if (!isJsonObject(holder)) return 'the path names no element that could hold another';
  const element = elementByName(shape, name);
  if (element === undefined) return `there is no element "${name}" there`;
  const read = readPatchValue(value, shapeOf(element, definitions), definitions);
  const member = read && memberName(element, read);
  if (read === undefined || member === undefined) return `the value is of no type that "${name}" may have`;
  const held = holder[member];
  if (element.isArray) {
    const list: unknown[] = Array.isArray(held) ? held : [];
    spliceMember(holder, member, { at: list.length, take: 0, put: [read] });
    return undefined;
  }
  if (element.jsonNames.some((jsonName) => Object.hasOwn(holder, jsonName)))
    return `"${name}" is there already; use replace`;
  setMember(holder, member, read);
  return undefined;
}

function replace(place: ElementPlace, { value = {} }: Operation, definitions: Definitions): string | undefined {
  const { parent, name, index, element } = place;
  if (parent === undefined || element === undefined) return 'the whole resource cannot be replaced';
  const read = readPatchValue(value, shapeOf(element, definitions), definitions);
  const member = read && memberName(element, read);
  if (read === undefined || member === undefined) return `the value is of no type that "${element.name}" may have`;
  if (index !== undefined) {
    spliceMember(parent, name, { at: index, take: 1, put: [read] });
    return undefined;
  }
  delete parent[name];
  delete parent[`_${name}`];
  setMember(parent, member, read);
  return undefined;
}

/** Removes an element that has lost its last child too: FHIR has no empty elements (ele-1). */
function remove({ parent, from, name, index }: ElementPlace): string | undefined {
  if (parent === undefined) return 'the whole resource cannot be deleted by a patch';
  if (index === undefined) {
    delete parent[name];
    delete parent[`_${name}`];
  } else spliceMember(parent, name, { at: index, take: 1, put: [] });
  if (from?.parent !== undefined && Object.keys(parent).every((member) => member === 'id')) return remove(from);
  return undefined;
}

function insert(
  places: readonly ElementPlace[],
  { index = 0, value = {} }: Operation,
  definitions: Definitions,
): string | undefined {
  const list = wholeList(places);
  if (list === undefined) return 'the path must name the elements of one list';
  if (index > list.items.length) return `there is no place ${index} in a list of ${list.items.length}`;
  const read = readPatchValue(value, shapeOf(list.element, definitions), definitions);
  if (read === undefined) return 'there is no value';
  spliceMember(list.parent, list.name, { at: index, take: 0, put: [read] });
  return undefined;
}

function move(places: readonly ElementPlace[], { source = 0, destination = 0 }: Operation): string | undefined {
  const list = wholeList(places);
  if (list === undefined) return 'the path must name the elements of one list';
  const { items, parent, name } = list;
  if (source >= items.length || destination >= items.length) return `the list has only ${items.length} elements`;
  for (const member of [name, `_${name}`]) {
    const held = parent[member];
    if (!Array.isArray(held)) continue;
    while (member !== name && held.length < items.length) held.push(null);
    held.splice(destination, 0, ...held.splice(source, 1));
  }
  return undefined;
}

/** The list whose elements the path names. */
function wholeList(places: readonly ElementPlace[]) {
  const [first] = places;
  if (first?.parent === undefined || first.index === undefined) return undefined;
  const { parent, name, element } = first;
  const items = parent[name];
  if (!Array.isArray(items) || places.some((place) => place.parent !== parent || place.name !== name)) return undefined;
  return { parent, name, element, items };
}
