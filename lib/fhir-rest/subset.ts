// _summary and _elements (hl7.org/fhir/R5/search.html#summary, #elements): a resource without what was not asked for, marked SUBSETTED.
// Numbers keep the text they were written in.
import type { Definitions } from '#lib/fhir/definitions/definitions.ts';
import type { ElementDefinition, Shape } from '#lib/fhir/definitions/shapes.ts';
import { parseExactJson } from '#lib/fhir/exact-json.ts';
import type { SummaryMode } from '#lib/fhir/search/query.ts';

export interface SubsetRequest {
  readonly summary: SummaryMode;
  /** Names as in `_elements`; a name may have its type in front. */
  readonly elements: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const ALWAYS = new Set(['resourceType', 'id', 'meta']);
const SUBSETTED = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };

export function isSubset({ summary, elements }: SubsetRequest): boolean {
  return (summary !== 'false' && summary !== 'count') || elements.length > 0;
}

/** The text of the subset of a resource's text. */
export function subsetText(content: string, request: SubsetRequest, definitions: Definitions): string {
  const resource = asRecord(parseExactJson(content));
  const type = String(resource['resourceType']);
  const kept = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
    if (ALWAYS.has(name)) return [[name, value]];
    const element = definitions.shape(type)?.slots.get(name.replace(/^_/, ''))?.element;
    if (element === undefined || !isKept(element, type, request)) return [];
    return [
      [
        name,
        request.summary === 'true' && request.elements.length === 0 ? summarise(value, element, definitions) : value,
      ],
    ];
  });
  const result: Record<string, unknown> = Object.fromEntries(kept);
  const meta = asRecord(result['meta']);
  const tags: unknown = meta['tag'];
  result['meta'] = { ...meta, tag: [...(Array.isArray(tags) ? tags : []), SUBSETTED] };
  return JSON.stringify(result);
}

function isKept(element: ElementDefinition, type: string, { summary, elements }: SubsetRequest): boolean {
  // Without its mandatory and modifying elements a resource could be misread.
  if (element.min > 0 || element.isModifier) return true;
  if (elements.length > 0) return elements.includes(element.name) || elements.includes(`${type}.${element.name}`);
  if (summary === 'text') return element.name === 'text';
  if (summary === 'data') return element.name !== 'text';
  return element.isSummary;
}

function summarise(value: unknown, element: ElementDefinition, definitions: Definitions): unknown {
  if (Array.isArray(value)) return value.map((item) => summarise(item, element, definitions));
  const shape = element.shapePath === undefined ? undefined : definitions.shape(element.shapePath);
  if (shape === undefined || typeof value !== 'object' || value === null) return value;
  return summariseObject(asRecord(value), shape, definitions);
}

function summariseObject(value: Json, shape: Shape, definitions: Definitions): Json {
  const kept = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const element = shape.slots.get(name.replace(/^_/, ''))?.element;
    if (element === undefined || !(element.isSummary || element.isModifier || element.min > 0)) return [];
    return [[name, summarise(item, element, definitions)]];
  });
  return Object.fromEntries(kept);
}

function asRecord(value: unknown): Json {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
