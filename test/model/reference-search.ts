// The reference implementation of search: it goes through every resource in memory and evaluates fhirpath. It parses
// the query by itself and shares no code with the server (hl7.org/fhir/R5/search.html; decisions G6, G12, E2).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { elementsOf, type Found, type Json, type Parameter, parametersOf, valuesOf } from './parameters.ts';
import { amountsOf, baseAmount, isTime, timesOf } from './ranges.ts';
import { divide, swedishOrder } from './text.ts';
import {
  addressesOf,
  componentFulfils,
  identifiersOf,
  isFulfilled,
  stringsOf,
  textsOf,
  tokensOf,
  urisOf,
} from './values.ts';

/** A resource as the server keeps it. */
export interface StoredResource {
  readonly type: string;
  readonly id: string;
  readonly resource: Json;
  readonly organisation: string | null;
  readonly updatedAt: number;
}

/** Who asks, for each type; the same shape as the server's own. */
export type Filter =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'patient'; readonly patientGuid: string }
  | { readonly kind: 'organisations'; readonly guids: readonly string[] }
  | { readonly kind: 'any'; readonly filters: readonly Filter[] };

export interface World {
  readonly all: readonly StoredResource[];
  readonly byType: ReadonlyMap<string, readonly StoredResource[]>;
  readonly byAddress: ReadonlyMap<string, StoredResource>;
  /** Knowledge, by its canonical URL. */
  readonly byUrl: ReadonlyMap<string, readonly StoredResource[]>;
}

export function makeWorld(all: readonly StoredResource[]): World {
  return {
    all,
    byType: Map.groupBy(all, ({ type }) => type),
    byAddress: new Map(all.map((kept) => [`${kept.type}/${kept.id}`, kept])),
    byUrl: Map.groupBy(all, ({ resource }) => String(resource['url'])),
  };
}

/** The world as one caller sees it. */
export interface View {
  readonly world: World;
  readonly access: (type: string) => Filter;
}

function isVisible(kept: StoredResource, filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
      return true;
    case 'none':
      return false;
    case 'organisations':
      return kept.organisation !== null && filter.guids.includes(kept.organisation);
    case 'patient':
      return kept.type === 'Patient'
        ? kept.id === filter.patientGuid
        : isInCompartment(kept, 'Patient', filter.patientGuid) && !namesAnother(kept, filter.patientGuid);
    case 'any':
      return filter.filters.some((part) => isVisible(kept, part));
    default:
      return filter satisfies never;
  }
}

/** Whether a resource is about somebody beside the patient (docs/adr/0049). */
function namesAnother({ type, resource }: StoredResource, own: string): boolean {
  const members = type === 'Group' ? ((resource['member'] ?? []) as { entity?: Json }[]) : [];
  return (
    members.some(({ entity }) => entity !== undefined && entity['reference'] === undefined) || isOther(resource, own)
  );
}

function isOther(value: unknown, own: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { reference, type, display, identifier } = value as Json;
  const isPatient = type === 'Patient';
  if (typeof reference === 'string') {
    const [, base, id] = /^(.*\/)?Patient\/([^/]+)(?:\/_history\/[^/]+)?$/.exec(reference) ?? [];
    if (id === undefined ? isPatient && /^[a-z]+:/.test(reference) : base !== undefined || id !== own) return true;
  } else if (isPatient && (display !== undefined || identifier !== undefined)) return true;
  return Object.values(value).some((each) => isOther(each, own));
}

const require = createRequire(import.meta.url);
const compartments = new Map<string, ReadonlyMap<string, readonly string[]>>();

function compartmentParameters(compartment: string, type: string): readonly string[] {
  let known = compartments.get(compartment);
  if (known === undefined) {
    const file = require.resolve(`hl7.fhir.r5.core/CompartmentDefinition-${compartment.toLowerCase()}.json`);
    const { resource }: { resource: { code: string; param?: string[] }[] } = JSON.parse(readFileSync(file, 'utf8'));
    known = new Map(resource.map(({ code, param = [] }) => [code, param]));
    compartments.set(compartment, known);
  }
  return known.get(type) ?? [];
}

/**
 * Whether a resource refers to the compartment's owner by one of the parameters that the CompartmentDefinition names.
 */
export function isInCompartment(kept: StoredResource, compartment: string, id: string): boolean {
  return compartmentParameters(compartment, kept.type).some((code) =>
    code === '{def}'
      ? kept.type === compartment && kept.id === id
      : targetsOf(kept, code).includes(`${compartment}/${id}`),
  );
}

function targetsOf({ type, resource }: StoredResource, code: string): string[] {
  const parameter = parametersOf(type).get(code);
  return parameter === undefined ? [] : valuesOf(resource, parameter).flatMap(addressesOf);
}

/** What a resource refers to by a parameter, as far as it is there and may be seen. */
function referredTo(kept: StoredResource, code: string, { world, access }: View): StoredResource[] {
  const parameter = parametersOf(kept.type).get(code);
  if (parameter === undefined) return [];
  const values = valuesOf(kept.resource, parameter);
  const { targets } = parameter;
  const addressed = values.flatMap(addressesOf).flatMap((address) => world.byAddress.get(address) ?? []);
  const named = values.flatMap(({ value }) => meantBy(value, world));
  return [...new Set([...addressed, ...named])].filter(
    (target) => (targets.length === 0 || targets.includes(target.type)) && isVisible(target, access(target.type)),
  );
}

/** What a canonical URL means: every version, or the one that it names (what has no version is meant by any). */
function meantBy(canonical: unknown, { byUrl }: World): StoredResource[] {
  const [url = '', version] = typeof canonical === 'string' ? canonical.split('|') : [];
  return (byUrl.get(url) ?? []).filter(
    ({ resource }) => version === undefined || (resource['version'] ?? version) === version,
  );
}

/** The resources of a type that fulfil all conditions and may be seen. */
export function matching(type: string, conditions: Iterable<readonly [string, string]>, view: View): StoredResource[] {
  const asked = [...conditions];
  return (view.world.byType.get(type) ?? []).filter(
    (kept) => isVisible(kept, view.access(type)) && asked.every(([name, value]) => fulfils(kept, name, value, view)),
  );
}

function fulfils(kept: StoredResource, name: string, value: string, view: View): boolean {
  if (name.startsWith('_has:')) {
    const [, source = '', code = '', ...rest] = name.split(':');
    return (view.world.byType.get(source) ?? []).some(
      (each) =>
        isVisible(each, view.access(source)) &&
        referredTo(each, code, view).includes(kept) &&
        fulfils(each, rest.join(':'), value, view),
    );
  }
  const dot = name.indexOf('.');
  if (dot !== -1) {
    const [code = '', only] = name.slice(0, dot).split(':');
    const targets = parametersOf(kept.type).get(code)?.targets ?? [];
    return referredTo(kept, code, view)
      .filter(({ type }) => (only === undefined ? targets.length === 0 || targets.includes(type) : type === only))
      .some((target) => fulfils(target, name.slice(dot + 1), value, view));
  }
  return fulfilsOwn(kept, name, value);
}

function fulfilsOwn({ type, id, resource, updatedAt }: StoredResource, name: string, value: string): boolean {
  const [code = '', modifier] = name.split(':');
  const asked = divide(value, ',');
  if (code === '_id') return modifier === 'missing' ? value === 'false' : asked.includes(id) !== (modifier === 'not');
  if (code === '_lastUpdated') {
    if (modifier === 'missing') return value === 'false';
    return asked.some((one) => isTime({ low: updatedAt, high: updatedAt }, one));
  }
  const parameter = parametersOf(type).get(code);
  // A chain that may lead to several types asks only those that have the parameter.
  if (parameter === undefined) return false;
  if (modifier === 'missing') return isPresent(resource, parameter) === (value === 'false');
  if (parameter.type === 'composite')
    return asked.some((one) => compositeFulfils(resource, parameter, divide(one, '$')));
  const found = valuesOf(resource, parameter);
  if (modifier === 'not')
    return !asked.some((one) => isFulfilled(found, parameter, { modifier: undefined, value: one }));
  return asked.some((one) => isFulfilled(found, parameter, { modifier, value: one }));
}

function compositeFulfils(resource: Json, parameter: Parameter, asked: readonly string[]): boolean {
  return elementsOf(resource, parameter).some((element) =>
    element.every(({ type, values }, index) => componentFulfils(values, type, asked[index] ?? '')),
  );
}

/**
 * Whether there is a value that could be found: a code, its text, an identifier. An element with none of them is as
 * good as missing.
 */
function isPresent(resource: Json, parameter: Parameter): boolean {
  if (parameter.type === 'composite')
    return elementsOf(resource, parameter).some((element) =>
      element.every(({ type, values }) => hasValue(type, values)),
    );
  const found = valuesOf(resource, parameter);
  return hasValue(parameter.type, found) || found.some((each) => textsOf(each).length + identifiersOf(each).length > 0);
}

function hasValue(type: Parameter['type'], found: readonly Found[]): boolean {
  switch (type) {
    case 'token':
      return found.flatMap(tokensOf).length > 0;
    case 'string':
      return found.flatMap(stringsOf).length > 0;
    case 'reference':
      return found.flatMap((each) => [...addressesOf(each), ...urisOf(each.value)]).length > 0;
    case 'date':
      return found.flatMap(timesOf).length > 0;
    case 'number':
    case 'quantity':
      return found.flatMap(amountsOf).length > 0;
    case 'uri':
    case 'composite':
      return found.length > 0;
    default:
      return type satisfies never;
  }
}

export type SortValue = string | number | undefined;

/** What a resource is sorted by: the smallest of its values, descending the largest. */
export function sortValue({ type, id, resource, updatedAt }: StoredResource, key: string): SortValue {
  const isDescending = key.startsWith('-');
  const code = isDescending ? key.slice(1) : key;
  if (code === '_id') return id;
  if (code === '_lastUpdated') return updatedAt;
  const parameter = parametersOf(type).get(code);
  if (parameter === undefined) throw new Error(`${type} has no ${code}`);
  const values = sortable(resource, parameter);
  const ordered = values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return isDescending ? ordered.at(-1) : ordered[0];
}

function sortable(resource: Json, parameter: Parameter): (string | number)[] {
  const { code, type } = parameter;
  const found = valuesOf(resource, parameter);
  switch (type) {
    case 'date':
      return found.flatMap(timesOf).map(({ low }) => low);
    case 'number':
    case 'quantity': {
      const amounts = found.flatMap(amountsOf);
      const inBase = amounts.flatMap((amount) => baseAmount(amount) ?? []);
      return (inBase.length > 0 ? inBase : amounts).map(({ low }) => low);
    }
    case 'string':
      return found.flatMap(stringsOf).map(swedishOrder);
    case 'uri':
      return found.flatMap(({ value }) => urisOf(value));
    case 'token':
      return found.flatMap(tokensOf).map((token) => token.code);
    case 'reference':
    case 'composite':
      throw new Error(`${code} is not sorted by`);
    default:
      return type satisfies never;
  }
}

/** The conditions that make a compartment search of the other search: `Patient/1/Observation`. */
export interface Include {
  readonly direction: '_include' | '_revinclude';
  readonly isIterated: boolean;
  /** `Observation:subject`, `Observation:subject:Patient` or `Observation:*`. */
  readonly value: string;
}

/** How far `:iterate` goes. */
const ROUNDS = 16;

/** Addresses of what is sent with a page beside its matches. */
export function included(matches: readonly StoredResource[], includes: readonly Include[], view: View): Set<string> {
  const known = new Set(matches);
  let sources: readonly StoredResource[] = matches;
  for (let round = 0; round < ROUNDS && sources.length > 0; round += 1) {
    const next = new Set<StoredResource>();
    for (const include of includes) {
      if (round > 0 && !include.isIterated) continue;
      for (const found of follow(sources, include, view)) if (!known.has(found)) next.add(found);
    }
    for (const found of next) known.add(found);
    sources = [...next];
  }
  for (const match of matches) known.delete(match);
  return new Set([...known].map(({ type, id }) => `${type}/${id}`));
}

function follow(sources: readonly StoredResource[], { direction, value }: Include, view: View): StoredResource[] {
  const [type = '', code = '', target] = value.split(':');
  const codes = code === '*' ? referenceCodes(type) : [code];
  if (direction === '_include') {
    return sources
      .filter((source) => source.type === type)
      .flatMap((source) => codes.flatMap((each) => referredTo(source, each, view)))
      .filter((found) => target === undefined || found.type === target);
  }
  const wanted = sources.filter((source) => target === undefined || source.type === target);
  return (view.world.byType.get(type) ?? []).filter(
    (each) =>
      isVisible(each, view.access(type)) &&
      codes.some((one) => {
        // A reference, or the canonical URL of what was found.
        const addresses = new Set(referredTo(each, one, { ...view, access: () => ({ kind: 'all' }) }));
        return wanted.some((source) => addresses.has(source));
      }),
  );
}

function referenceCodes(type: string): string[] {
  return [...parametersOf(type).values()].filter((parameter) => parameter.type === 'reference').map(({ code }) => code);
}
