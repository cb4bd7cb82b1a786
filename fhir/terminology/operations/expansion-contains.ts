// Builds `expansion.contains`: flat or as a hierarchy, a page or all codes, with the requested designations and
// properties (hl7.org/fhir/R5/valueset-definitions.html#ValueSet.expansion.contains).
import { type Content, type KnownPart, type LoosePart, type Part, placesOf, sizeOfPart } from '../content/content.ts';
import { designationsOf } from '../content/system-view.ts';
import { type Json, objects } from '../json.ts';
import { hasBit, members } from '../model/bitset.ts';
import type { Designation } from '../model/code-system-model.ts';
import { listedProperties, propertyDefinitions, propertyReader, type ShownProperties } from './expansion-properties.ts';
import { type ChosenName, chooseName, isInLanguage, type Languages } from './languages.ts';

export interface ContainsOptions {
  readonly languages: Languages;
  /** Systems of which the value set uses several versions: their codes are shown with the version. */
  readonly versioned: ReadonlySet<string>;
  readonly offset: number;
  readonly count: number;
  readonly isNested: boolean;
  /** Whether a text filter selects the codes: then whole code systems are flat lists. */
  readonly isFiltered: boolean;
  readonly hasDesignations: boolean;
  /** Languages, or `system|code` of uses, of the requested designations; empty for all. */
  readonly designations: readonly string[];
  readonly properties: readonly string[];
}

export interface Contains {
  readonly contains: readonly Json[];
  /** The properties of the codes, with their URIs. */
  readonly property: readonly Json[];
}

export function containsOf(content: Content, options: ContainsOptions): Contains {
  const found: Json[] = [];
  const shown = new Set(options.properties);
  eachRange(content, options, (part, skip, left) => {
    const range: Range = { options, skip, left, shown };
    for (const item of part.kind === 'known' ? knownItems(part, range) : looseItems(part, range)) found.push(item);
  });
  const models = content.flatMap((part) => (part.kind === 'known' ? [part.view.model] : []));
  return { contains: found, property: propertyDefinitions(shown, models) };
}

/** Calls with each part of which the page has codes: how many to pass over, and the most to take. */
export function eachRange<P extends Part>(
  content: readonly P[],
  { offset, count }: Pick<ContainsOptions, 'offset' | 'count'>,
  visit: (part: P, skip: number, left: number) => void,
): void {
  let skip = offset;
  let left = count;
  for (const part of content) {
    if (left <= 0) break;
    const size = sizeOfPart(part);
    if (skip >= size) {
      skip -= size;
      continue;
    }
    visit(part, skip, left);
    left -= Math.min(left, size - skip);
    skip = 0;
  }
}

/** Whether the codes of the part are shown below each other. */
export function isShownNested(part: KnownPart, { isNested, isFiltered }: ContainsOptions): boolean {
  return isNested && part.isTree && !(isFiltered && part.isWhole) && !part.view.model.hierarchy.isFlat;
}

interface Range {
  readonly options: ContainsOptions;
  readonly skip: number;
  readonly left: number;
  /** The codes of the properties that are shown; items add theirs. */
  readonly shown: Set<string>;
}

interface Reading extends Range {
  /** The properties of a code of the part. */
  readonly read: (place: number) => ShownProperties;
}

function knownItems(part: KnownPart, range: Range): Json[] {
  const { options, skip, left } = range;
  if (isShownNested(part, options)) return nestedItems(part, range);
  const reading = { ...range, read: propertyReader(part, options.properties) };
  return placesOf(part, skip, left).map((place) => knownItem(part, place, reading));
}

/** Nests each concept under its first parent in the value set. */
function nestedItems(part: KnownPart, range: Range): Json[] {
  const { hierarchy } = part.view.model;
  const roots: Json[] = [];
  const below = new Map<number, Json[]>();
  const listOf = (place: number): Json[] => {
    const known = below.get(place) ?? [];
    below.set(place, known);
    return known;
  };
  // Siblings are in the order of the code system.
  const reading = { ...range, read: propertyReader(part, range.options.properties) };
  const items = (part.order ?? members(part.bits)).map((place) => [place, knownItem(part, place, reading)] as const);
  for (const [place, item] of items) {
    const parent = hierarchy
      .parentsOf(place)
      .find((other) => hasBit(part.bits, other) && !isCircle(part, place, other));
    (parent === undefined ? roots : listOf(parent)).push(item);
  }
  for (const [place, item] of items) {
    const inner = below.get(place);
    if (inner !== undefined) Object.assign(item, { contains: inner });
  }
  return isTooDeep(roots) ? items.map(([, item]) => withoutContains(item)) : roots;
}

/** Levels of a hierarchy, which readers of JSON take: a deeper one is shown as a list. */
const MAX_LEVELS = 100;

function isTooDeep(roots: readonly Json[]): boolean {
  let level = roots;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_LEVELS) return true;
    level = level.flatMap(({ contains }) => (contains === undefined ? [] : objects(contains)));
  }
  return false;
}

function withoutContains({ contains: _, ...item }: Json): Json {
  return item;
}

function isCircle({ view: { model } }: KnownPart, place: number, parent: number): boolean {
  return model.hierarchy.isAtOrBelow(parent, place);
}

function knownItem(part: KnownPart, place: number, { options, shown, read }: Reading): Json {
  const { view, listed } = part;
  const { model } = view;
  const { meta } = model;
  const own = listed.get(place);
  const isNamed = options.languages.tags.length > 0 || options.hasDesignations;
  const designations = isNamed ? [...(own?.designations ?? []), ...designationsOf(view, place)] : NO_DESIGNATIONS;
  const display = own?.display ?? model.display(place);
  const name = isNamed
    ? nameOf({ display, language: meta.language, designations }, options)
    : display === undefined
      ? undefined
      : { value: display, designation: undefined };
  const { properties, extensions } = read(place);
  const item: Record<string, unknown> = { system: part.system };
  if (model.isAbstract(place)) item['abstract'] = true;
  if (model.isInactive(place)) item['inactive'] = true;
  if (options.versioned.has(part.system) && meta.version !== undefined) item['version'] = meta.version;
  item['code'] = model.code(place);
  if (name !== undefined) item['display'] = name.value;
  if (extensions.length === 0 && properties.length === 0 && !options.hasDesignations) return item;
  return {
    ...extensionList(extensions),
    ...item,
    ...designationList({ display, language: meta.language, designations, name }, options),
    ...propertyMembers(properties, shown),
  };
}

const NO_DESIGNATIONS: readonly Designation[] = [];

interface NamesOfItem {
  readonly display: string | undefined;
  readonly language: string | undefined;
  readonly designations: readonly Designation[];
}

function nameOf(names: NamesOfItem, { languages }: ContainsOptions): ChosenName | undefined {
  if (languages.tags.length > 0) return chooseName(languages, names);
  return names.display === undefined ? undefined : { value: names.display, designation: undefined };
}

function looseItems(part: LoosePart, { options, skip, left, shown }: Range): Json[] {
  const codes = [...part.codes.values()].slice(skip, skip + left);
  return codes.map((listed) => {
    const { code, display, designations } = listed;
    const names = { display, language: undefined, designations };
    const name = nameOf(names, options);
    const { properties, extensions }: ShownProperties = listedProperties(listed);
    return {
      ...extensionList(extensions),
      ...(part.system === '' ? {} : { system: part.system }),
      ...(options.versioned.has(part.system) && part.version !== undefined ? { version: part.version } : {}),
      code,
      ...(name === undefined ? {} : { display: name.value }),
      ...designationList({ ...names, name }, options),
      ...propertyMembers(properties, shown),
    };
  });
}

function extensionList(extensions: readonly Json[]): Json {
  return extensions.length === 0 ? {} : { extension: extensions };
}

function propertyMembers(properties: readonly Json[], shown: Set<string>): Json {
  if (properties.length === 0) return {};
  for (const { code } of properties) shown.add(String(code));
  return { property: properties };
}

/** All names but the shown one; the display too, where another name is shown. */
function designationList(
  { display, language, designations, name }: NamesOfItem & { readonly name: ChosenName | undefined },
  options: ContainsOptions,
): Json {
  if (!options.hasDesignations) return {};
  const isHidden = display !== undefined && (name === undefined || name.designation !== undefined);
  const own: Designation[] = isHidden ? [{ language, use: undefined, value: display }] : [];
  const wanted = [...own, ...designations].filter(
    (each) => each !== name?.designation && isRequested(each, options.designations),
  );
  if (wanted.length === 0) return {};
  const list = wanted.map(({ language: of, use, value, extensions }) => ({
    ...extensionList(extensions ?? []),
    ...(of === undefined ? {} : { language: of }),
    ...(use === undefined ? {} : { use }),
    value,
  }));
  return { designation: list };
}

/** By the list of the request: the verdict on each language and use, of which a code system has few. */
const verdicts = new WeakMap<readonly string[], Map<string, boolean>>();
const MAX_VERDICTS = 1_000;

function isRequested(designation: Designation, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const { language = '', use } = designation;
  const key = `${language}\n${use?.system}\n${use?.code}`;
  const known = verdicts.get(wanted) ?? new Map<string, boolean>();
  verdicts.set(wanted, known);
  const found = known.get(key) ?? isNamed(designation, wanted);
  if (known.size < MAX_VERDICTS) known.set(key, found);
  return found;
}

/** `urn:ietf:bcp:47|sv` and `sv` are languages, any other `system|code` a use. */
function isNamed({ language, use }: Designation, wanted: readonly string[]): boolean {
  return wanted.some((each) => {
    const bar = each.lastIndexOf('|');
    const [system, code] = [bar === -1 ? '' : each.slice(0, bar), each.slice(bar + 1)];
    if (system === '' || system === 'urn:ietf:bcp:47') return language !== undefined && isInLanguage(language, code);
    return use?.system === system && use.code === code;
  });
}
