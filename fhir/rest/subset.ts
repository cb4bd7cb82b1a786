// _summary and _elements (hl7.org/fhir/R5/search.html#summary, #elements): a resource without what was not asked for,
// marked SUBSETTED. Numbers keep the text they were written in.

import type { Definitions } from '#fhir/definitions/definitions.ts';
import type { Shape, Slot } from '#fhir/definitions/shapes.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { SummaryMode } from '#fhir/search/parse/query.ts';
import { ServiceError, validationError } from '#lib/errors.ts';

export interface SubsetRequest {
  readonly summary: SummaryMode;
  /** Paths as in `_elements`: `name`, `name.family`, `Patient.name`. */
  readonly elements: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const ALWAYS = new Set(['resourceType', 'id', 'meta']);
const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };
/** What is kept as it is where it is kept. */
const WHOLE_TYPES = new Set(['Extension', 'Resource']);
const MODES: readonly SummaryMode[] = ['true', 'text', 'data', 'false'];

export function isSubset({ summary, elements }: SubsetRequest): boolean {
  return (summary !== 'false' && summary !== 'count') || elements.length > 0;
}

/**
 * What an answer that is no search is asked to leave out. Only what a search finds is counted.
 * @throws ServiceError `validation_error`
 */
export function readSubset(query: URLSearchParams): SubsetRequest {
  const asked = query.get('_summary') ?? 'false';
  const summary = MODES.find((mode) => mode === asked);
  if (summary === undefined) {
    const message = `_summary must be one of ${MODES.join(', ')} here`;
    throw validationError([{ message, field: '_summary', code: 'value' }]);
  }
  const elements = query.getAll('_elements').flatMap((value) => value.split(','));
  return { summary, elements: elements.map((name) => name.trim()).filter((name) => name !== '') };
}

/** Whether a client sends back what it was shown a part of: the rest would be lost. */
function isSubsetted(resource: Json): boolean {
  const tags: unknown = asRecord(resource['meta'])['tag'];
  return Array.isArray(tags) && tags.map(asRecord).some(isSubsettedTag);
}

/** @throws ServiceError `unprocessable` for what was answered in part and is sent back: it would replace the whole */
export function requireWhole({ resource, resourceType }: ResourceText): void {
  if (!isSubsetted(resource)) return;
  const message =
    'The resource is marked SUBSETTED: it is a part of one, and would replace the whole. Patch it, or send all of it';
  const issue = { message, field: `${resourceType}.meta.tag`, code: 'business-rule' };
  throw new ServiceError('unprocessable', message, { issues: [issue] });
}

/** The text of the subset of a resource's text; the very text when nothing was asked to be left out. */
export function subsetText(content: string, request: SubsetRequest, definitions: Definitions): string {
  if (!isSubset(request)) return content;
  const resource = asRecord(parseExactJson(content));
  const type = String(resource['resourceType']);
  const shape = definitions.shape(type);
  const pick = request.elements.length > 0 ? byElements(request.elements, type) : byMode(request.summary);
  const always = Object.entries(resource).filter(([name]) => ALWAYS.has(name));
  const others = Object.fromEntries(Object.entries(resource).filter(([name]) => !ALWAYS.has(name)));
  const result: Record<string, unknown> = {
    ...Object.fromEntries(always),
    ...(shape === undefined ? {} : part(others, { shape, pick, definitions })),
  };
  keepContained(result, resource['contained']);
  const meta = asRecord(result['meta']);
  const tags: unknown = meta['tag'];
  const kept = (Array.isArray(tags) ? tags : []).filter((tag) => !isSubsettedTag(asRecord(tag)));
  result['meta'] = { ...meta, tag: [...kept, SUBSETTED] };
  return JSON.stringify(result);
}

/** What is left may refer to contained resources, which are nowhere else to be found. */
function keepContained(result: Record<string, unknown>, contained: unknown): void {
  if (!Array.isArray(contained) || result['contained'] !== undefined) return;
  const kept = new Set<unknown>();
  let text = JSON.stringify(result);
  for (let found = 1; found > 0; ) {
    const more = contained.filter((each) => !kept.has(each) && isNamed(text, String(asRecord(each)['id'])));
    for (const each of more) kept.add(each);
    text = JSON.stringify(more);
    found = more.length;
  }
  if (kept.size > 0) result['contained'] = contained.filter((each) => kept.has(each));
}

/** Whether a text of JSON names the id, by a reference or in the markup of a narrative. */
function isNamed(text: string, id: string): boolean {
  return text.includes(`"#${id}"`) || text.includes(`"#${id}\\"`) || text.includes(`'#${id}'`);
}

/** What of an element is kept: all, nothing, or what the next choice says of its children. */
type Choice = 'whole' | 'none' | Pick;
type Pick = (slot: Slot, jsonName: string) => Choice;

interface Selection {
  readonly shape: Shape;
  readonly pick: Pick;
  readonly definitions: Definitions;
}

function part(value: Json, { shape, pick, definitions }: Selection): Json {
  const kept = Object.entries(value).flatMap(([name, held]): [string, unknown][] => {
    const jsonName = name.replace(/^_/, '');
    const slot = shape.slots.get(jsonName);
    if (slot === undefined) return [];
    const choice = pick(slot, jsonName);
    // Without its mandatory and modifying elements a resource could be misread.
    const isNeeded = slot.element.min > 0 || slot.element.isModifier;
    if (choice === 'none') return isNeeded ? [[name, held]] : [];
    const left = choice === 'whole' ? held : partOf(held, slot, choice, definitions);
    // A mandatory element that holds nothing of what is asked for is there all the same: `EvidenceReport.subject`.
    if (left === undefined) return isNeeded ? [[name, held]] : [];
    return [[name, left]];
  });
  return Object.fromEntries(kept);
}

/** Undefined when nothing is left: FHIR has no empty objects. */
function partOf(held: unknown, slot: Slot, pick: Pick, definitions: Definitions): unknown {
  if (Array.isArray(held)) {
    const left = held.map((item) => partOf(item, slot, pick, definitions)).filter((item) => item !== undefined);
    return left.length === 0 ? undefined : left;
  }
  if (typeof held !== 'object' || held === null) return held;
  const { resourceType, ...members } = asRecord(held);
  const shape = definitions.shape(
    resourceType === undefined ? (slot.element.shapePath ?? slot.type.code) : String(resourceType),
  );
  if (shape === undefined) return held;
  const left = part(members, { shape, pick, definitions });
  if (Object.keys(left).length === 0) return undefined;
  return resourceType === undefined ? left : { resourceType, ...left };
}

function byMode(mode: SummaryMode): Pick {
  if (mode === 'text') return ({ element }) => (element.name === 'text' ? 'whole' : 'none');
  if (mode === 'data') return ({ element }) => (element.name === 'text' ? 'none' : 'whole');
  const summary: Pick = ({ element, type }) => {
    if (!element.isSummary && element.min === 0 && !element.isModifier) return 'none';
    // A modifier without its value would say nothing, and the resources of a bundle are not what is summed up.
    return WHOLE_TYPES.has(type.code) ? 'whole' : summary;
  };
  return summary;
}

/**
 * By the paths given, as far as they are of this type. A choice is named with its type or without: `value`,
 * `valueQuantity`.
 */
function byElements(elements: readonly string[], type: string): Pick {
  const paths = elements.map((path) => path.split('.'));
  return pickPaths(paths.flatMap((path) => (/^[A-Z]/.test(path[0] ?? '') ? ofType(path, type) : [path])));
}

function ofType([first, ...rest]: readonly string[], type: string): string[][] {
  return first === type && rest.length > 0 ? [rest] : [];
}

function pickPaths(paths: readonly (readonly string[])[]): Pick {
  return ({ element }, jsonName) => {
    const meant = paths.filter(([name]) => name === element.name || name === jsonName);
    if (meant.length === 0) return 'none';
    if (meant.some((path) => path.length === 1)) return 'whole';
    return pickPaths(meant.map((path) => path.slice(1)));
  };
}

function isSubsettedTag({ system, code }: Json): boolean {
  return system === SUBSETTED.system && code === SUBSETTED.code;
}

function asRecord(value: unknown): Json {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
