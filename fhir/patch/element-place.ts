// Finds the place in a resource's JSON of the elements that a FHIRPath names (hl7.org/fhir/R5/fhirpatch.html). The
// fhirpath package, loaded on first use, evaluates the path; the names and indexes that it returns are then followed in
// the JSON.
import { createRequire } from 'node:module';
import type { Definitions } from '../definitions/definitions.ts';
import type { ElementDefinition, Shape } from '../definitions/shapes.ts';
import { boundedFunctions } from '../fhirpath/bounded-functions.ts';
import { quoteKeywords } from '../fhirpath/keywords.ts';
import { isJsonObject, type JsonObject } from './json-tree.ts';
import { elementByName } from './patch-value.ts';
import { withinTime } from './time-limit.ts';

/**
 * An element: the member `name` of `parent`, or the item `index` of the list there. The resource itself has no parent.
 */
export interface ElementPlace {
  readonly parent: JsonObject | undefined;
  /** The place of the parent. */
  readonly from: ElementPlace | undefined;
  readonly name: string;
  readonly index: number | undefined;
  readonly value: unknown;
  readonly element: ElementDefinition | undefined;
  /** The shape of the value, when it is an object. */
  readonly shape: Shape | undefined;
}

type FhirPath = Pick<typeof import('fhirpath'), 'compile'>;
type Model = Parameters<FhirPath['compile']>[1];

const MAX_LENGTH = 1000;
/** Refused functions: they may take long, or read beyond the resource. */
const REFUSED =
  /\b(?:matches|matchesFull|replaceMatches|repeat|trace|resolve|memberOf|subsumes|subsumedBy|conformsTo|htmlChecks)\b\s*\(?/;
const SEGMENT = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[(\d+)\])?$/;

const require = createRequire(import.meta.url);
let engine: { readonly fhirpath: FhirPath; readonly model: Model } | undefined;

/**
 * The places that the path names in the resource, in document order. A message when the path cannot be parsed, or not
 * be evaluated within `milliseconds`.
 */
export function findPlaces(
  resource: JsonObject,
  path: string,
  { definitions, milliseconds }: { readonly definitions: Definitions; readonly milliseconds: number },
): readonly ElementPlace[] | string {
  if (path.length > MAX_LENGTH) return `the path is longer than ${MAX_LENGTH} characters`;
  const refused = REFUSED.exec(path);
  if (refused !== null) return `the path may not use ${refused[0].replace(/\s*\($/, '')}`;
  let names: readonly (string | undefined)[];
  try {
    loadEngine();
    names = withinTime(milliseconds, () => evaluate(resource, path));
  } catch (error) {
    return `the path cannot be evaluated: ${error instanceof Error ? error.message : String(error)}`;
  }
  const places = names.map((name) => (name === undefined ? undefined : walk(resource, name, definitions)));
  const known = places.filter((place) => place !== undefined);
  return known.length === places.length ? known : 'the path gives values that are no elements of the resource';
}

function loadEngine(): NonNullable<typeof engine> {
  engine ??= { fhirpath: require('fhirpath'), model: require('fhirpath/fhir-context/r5/index.js') };
  return engine;
}

function evaluate(resource: JsonObject, path: string): readonly (string | undefined)[] {
  const engine = loadEngine();
  const compiled = engine.fhirpath.compile(quoteKeywords(path), engine.model, {
    async: false,
    resolveInternalTypes: false,
    traceFn: () => {},
    userInvocationTable: boundedFunctions,
  });
  // A plain copy: the package cannot read the opaque objects that keep numbers as written.
  const found: unknown = compiled(JSON.parse(JSON.stringify(resource)), { resource, rootResource: resource });
  return (Array.isArray(found) ? found : [found]).map(placeName);
}

/** `Patient.name[0].given[1]`; undefined for a value that was computed. */
function placeName(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null || !('fullPropertyName' in node)) return undefined;
  const name: unknown = typeof node.fullPropertyName === 'function' ? node.fullPropertyName() : undefined;
  return typeof name === 'string' ? name : undefined;
}

function walk(resource: JsonObject, path: string, definitions: Definitions): ElementPlace | undefined {
  const [type = '', ...segments] = path.split('.');
  let place: ElementPlace = {
    parent: undefined,
    from: undefined,
    name: type,
    index: undefined,
    value: resource,
    element: undefined,
    shape: definitions.shape(type),
  };
  for (const segment of segments) {
    const [, name = '', index] = SEGMENT.exec(segment) ?? [];
    const next = step(place, name, index === undefined ? undefined : Number(index), definitions);
    if (next === undefined) return undefined;
    place = next;
  }
  return place;
}

function step(
  from: ElementPlace,
  name: string,
  index: number | undefined,
  definitions: Definitions,
): ElementPlace | undefined {
  const parent = from.value;
  if (!isJsonObject(parent)) return undefined;
  const element = elementByName(from.shape, name);
  const member = Object.hasOwn(parent, name)
    ? name
    : element?.jsonNames.find((jsonName) => Object.hasOwn(parent, jsonName));
  if (member === undefined) return undefined;
  const held = parent[member];
  const at = Array.isArray(held) ? (index ?? 0) : undefined;
  const value: unknown = Array.isArray(held) ? held[at ?? 0] : held;
  return {
    parent,
    from,
    name: member,
    index: at,
    value,
    element,
    shape: shapeOfValue(value, { element, from, member }, definitions),
  };
}

function shapeOfValue(
  value: unknown,
  { element, from, member }: { element: ElementDefinition | undefined; from: ElementPlace; member: string },
  definitions: Definitions,
): Shape | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = value['resourceType'];
  if (typeof type === 'string') return definitions.shape(type);
  return definitions.shape(element?.shapePath ?? from.shape?.slots.get(member)?.type.code ?? '');
}
