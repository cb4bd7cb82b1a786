// Extracts the rows of composite parameters: for each element that has all components, each combination of their values
// (hl7.org/fhir/R5/search.html#composite).
import { canonicalRange, UCUM } from '#fhir/ucum/canonical-quantity.ts';
import { parseReference, relativeReference, unversionedUrl } from '../../resources/references.ts';
import type { CompositeComponent, CompositeGroup, SearchParameter } from '../parameters/definitions.ts';
import { branchValues, follow, prepareStep, type Step } from './branch-values.ts';
import { derivedKey } from './derived-keys.ts';
import { systemKey } from './keys.ts';
import { type IndexValue, type QuantityValue, record } from './values.ts';

type Json = Readonly<Record<string, unknown>>;

/** Components of one element that are searched together, as {@link compositeRows} gives them. */
export interface CompositeRow {
  readonly param: number;
  readonly parts: readonly CompositePart[];
}
/** The text of a token, string, reference or URI; the bounds of a quantity or date, with the unit as text. */
export interface CompositePart {
  readonly text: string | undefined;
  readonly system: string;
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** A quantity in base units, with the unit as text. */
  readonly canonical?: CompositePart;
}

/** The most combinations of one element: hundreds of codings in each component are not a realistic resource. */
const MAX_COMBINATIONS = 256;

const steps = new WeakMap<CompositeGroup, readonly Step[]>();

/**
 * The distinct rows of one composite parameter. A parameter that only combines two others (`combo-…`) has no rows of
 * its own.
 */
export function compositeRows(resource: Json, parameter: SearchParameter, baseUrl?: string): CompositeRow[] {
  if (isCombination(parameter)) return [];
  const rows = new Map<string, CompositeRow>();
  for (const group of parameter.groups) {
    for (const element of follow(resource, stepsOf(group))) {
      for (const parts of combinations(record(element), group.components, baseUrl)) {
        rows.set(JSON.stringify(parts), { param: parameter.key, parts });
        if (parts.every(({ canonical }) => canonical === undefined)) continue;
        const converted = parts.map((each) => each.canonical ?? each);
        rows.set(`=${JSON.stringify(converted)}`, { param: derivedKey(parameter, 'canonical'), parts: converted });
      }
    }
  }
  return [...rows.values()];
}

/** The position of a Location: latitude and longitude (hl7.org/fhir/R5/location.html#positional). */
export function positionRows(resource: Json, { key }: SearchParameter): CompositeRow[] {
  const { latitude, longitude } = record(resource['position']);
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return [];
  const parts = [latitude, longitude].map((degrees) => part({ low: degrees, high: degrees }));
  return [{ param: key, parts }];
}

/**
 * Whether the parameter is the union of two others: `combo-code-value-quantity`, of the resource and its components.
 */
function isCombination({ code }: SearchParameter): boolean {
  return code.startsWith('combo-');
}

/** The parameters that have the rows of a composite parameter in the index. */
export function indexedParameters(
  parameter: SearchParameter,
  siblings: ReadonlyMap<string, SearchParameter>,
): SearchParameter[] {
  if (!isCombination(parameter)) return [parameter];
  const name = parameter.code.slice('combo-'.length);
  return [name, `component-${name}`].flatMap((code) => siblings.get(code) ?? []);
}

function stepsOf(group: CompositeGroup): readonly Step[] {
  const known = steps.get(group);
  if (known !== undefined) return known;
  const prepared = group.steps.map(prepareStep);
  steps.set(group, prepared);
  return prepared;
}

function combinations(
  element: Json,
  components: readonly CompositeComponent[],
  baseUrl: string | undefined,
): CompositePart[][] {
  let found: CompositePart[][] = [[]];
  for (const component of components) {
    const parts = branchValues(element, component)
      .flatMap((value) => partOf(value, baseUrl))
      .slice(0, MAX_COMBINATIONS);
    found = found.flatMap((before) => parts.map((part) => [...before, part])).slice(0, MAX_COMBINATIONS);
    if (found.length === 0) return [];
  }
  return found;
}

/** Values that only modifiers search are left out: displays, identifiers of references, types of identifiers. */
function partOf(value: IndexValue, baseUrl: string | undefined): CompositePart[] {
  switch (value.kind) {
    case 'token':
      return [part({ text: value.code, system: systemKey(value.system) })];
    case 'string':
    case 'uri':
      return [part({ text: value.value })];
    case 'date':
      return [part({ low: value.low, high: value.high })];
    case 'quantity':
      return [quantityPart(value)];
    case 'reference':
      return addressOf(value.reference, baseUrl).map((text) => part({ text }));
    case 'text':
    case 'ofType':
    case 'identifier':
      return [];
    default:
      return value satisfies never;
  }
}

function quantityPart({ low, high, system, code, unit }: QuantityValue): CompositePart {
  const written = part({ text: code ?? unit, system: systemKey(system), low, high });
  const canonical = system === UCUM && code !== undefined ? canonicalRange(low, high, code) : undefined;
  if (canonical === undefined) return written;
  return { ...written, canonical: part({ text: canonical.unit, low: canonical.low, high: canonical.high }) };
}

function part({ text, system = '0', low, high }: Partial<Omit<CompositePart, 'canonical'>>): CompositePart {
  return { text, system, low, high };
}

function addressOf(text: string, baseUrl: string | undefined): string[] {
  const reference = parseReference(text, baseUrl);
  if (reference?.kind === 'relative') return [relativeReference(reference.type, reference.id)];
  return reference?.kind === 'absolute' || reference?.kind === 'uri' ? [unversionedUrl(reference)] : [];
}
