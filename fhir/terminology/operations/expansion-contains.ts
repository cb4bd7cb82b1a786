// Builds `expansion.contains`: flat or as a hierarchy, a page or all codes, with the requested designations and
// properties (hl7.org/fhir/R5/valueset-definitions.html#ValueSet.expansion.contains).
import { type Content, type KnownPart, type LoosePart, placesOf, sizeOfPart } from '../content/content.ts';
import { designationsOf, propertiesOf } from '../content/system-view.ts';
import type { Json } from '../json.ts';
import { hasBit, members } from '../model/bitset.ts';
import type { Designation } from '../model/code-system-model.ts';
import { isInLanguage, type Languages, nameIn } from './languages.ts';
import { propertyValue } from './parameters.ts';

export interface ContainsOptions {
  readonly languages: Languages;
  readonly offset: number;
  readonly count: number;
  readonly isNested: boolean;
  readonly hasDesignations: boolean;
  /** Languages, or `system|code` of uses, of the requested designations; empty for all. */
  readonly designations: readonly string[];
  readonly properties: readonly string[];
}

const CONCEPT_PROPERTIES = 'http://hl7.org/fhir/concept-properties';

/** The URI of each property that is shown. */
export function propertyList(
  content: Content,
  { properties }: ContainsOptions,
): { readonly property?: readonly Json[] } {
  if (properties.length === 0) return {};
  const defined = content.flatMap((part) => (part.kind === 'known' ? part.view.model.meta.properties : []));
  const list = properties.map((code) => {
    const uri = defined.find((each) => each.code === code)?.uri;
    return { code, uri: uri ?? `${CONCEPT_PROPERTIES}#${code}` };
  });
  return { property: list };
}

export function containsOf(content: Content, options: ContainsOptions): Json[] {
  const versioned = systemsOfSeveralVersions(content);
  const found: Json[] = [];
  let skip = options.offset;
  let left = options.count;
  for (const part of content) {
    if (left <= 0) break;
    const size = sizeOfPart(part);
    if (skip >= size) {
      skip -= size;
      continue;
    }
    const hasVersion = versioned.has(part.system);
    const items =
      part.kind === 'known'
        ? knownItems(part, { options, skip, left, hasVersion })
        : looseItems(part, { options, skip, left, hasVersion });
    for (const item of items) found.push(item);
    left -= Math.min(left, size - skip);
    skip = 0;
  }
  return found;
}

interface Range {
  readonly options: ContainsOptions;
  readonly skip: number;
  readonly left: number;
  readonly hasVersion: boolean;
}

function systemsOfSeveralVersions(content: Content): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(content.flatMap(({ system }) => (seen.size === seen.add(system).size ? [system] : [])));
}

function knownItems(part: KnownPart, range: Range): Json[] {
  const { options, skip, left } = range;
  const { model } = part.view;
  if (options.isNested && part.isTree && !model.hierarchy.isFlat) return nestedItems(part, range);
  return placesOf(part, skip, left).map((place) => knownItem(part, place, range));
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
  const items = (part.order ?? members(part.bits)).map((place) => [place, knownItem(part, place, range)] as const);
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
  return roots;
}

function isCircle({ view: { model } }: KnownPart, place: number, parent: number): boolean {
  return model.hierarchy.isAtOrBelow(parent, place);
}

function knownItem(part: KnownPart, place: number, { options, hasVersion }: Range): Json {
  const { view, listed } = part;
  const { model } = view;
  const own = listed.get(place);
  const isNamed = options.languages.length > 0 || options.hasDesignations;
  const designations = isNamed ? [...(own?.designations ?? []), ...designationsOf(view, place)] : NO_DESIGNATIONS;
  const display = own?.display ?? model.display(place);
  const shown =
    options.languages.length === 0
      ? display
      : nameIn(options.languages, { display, language: model.meta.language, designations });
  return {
    system: part.system,
    ...(model.isAbstract(place) ? { abstract: true } : {}),
    ...(model.isInactive(place) ? { inactive: true } : {}),
    ...(hasVersion && model.meta.version !== undefined ? { version: model.meta.version } : {}),
    code: model.code(place),
    ...(shown === undefined ? {} : { display: shown }),
    ...designationList(designations, options),
    ...propertiesShown(part, place, options),
  };
}

const NO_DESIGNATIONS: readonly Designation[] = [];

function looseItems(part: LoosePart, { options, skip, left, hasVersion }: Range): Json[] {
  const codes = [...part.codes.values()].slice(skip, skip + left);
  return codes.map(({ code, display, designations }) => {
    const shown = nameIn(options.languages, { display, language: undefined, designations });
    return {
      ...(part.system === '' ? {} : { system: part.system }),
      ...(hasVersion && part.version !== undefined ? { version: part.version } : {}),
      code,
      ...(shown === undefined ? {} : { display: shown }),
      ...designationList(designations, options),
    };
  });
}

function designationList(designations: readonly Designation[], options: ContainsOptions): Json {
  if (!options.hasDesignations) return {};
  const wanted = designations.filter((each) => isRequested(each, options.designations));
  if (wanted.length === 0) return {};
  const list = wanted.map(({ language, use, value }) => ({
    ...(language === undefined ? {} : { language }),
    ...(use === undefined ? {} : { use }),
    value,
  }));
  return { designation: list };
}

/** `urn:ietf:bcp:47|sv` and `sv` are languages, any other `system|code` a use. */
function isRequested({ language, use }: Designation, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  return wanted.some((each) => {
    const bar = each.lastIndexOf('|');
    const [system, code] = [bar === -1 ? '' : each.slice(0, bar), each.slice(bar + 1)];
    if (system === '' || system === 'urn:ietf:bcp:47') return language !== undefined && isInLanguage(language, code);
    return use?.system === system && use.code === code;
  });
}

function propertiesShown({ view }: KnownPart, place: number, { properties }: ContainsOptions): Json {
  if (properties.length === 0) return {};
  const { model } = view;
  const own = propertiesOf(view, place);
  const list = properties.flatMap((code): Json[] => {
    const given = own.filter((each) => each.code === code);
    if (given.length > 0) return given.map((each) => ({ code, ...propertyValue(each) }));
    const definition = code === 'definition' ? model.definition(place) : undefined;
    if (definition !== undefined) return [{ code, valueString: definition }];
    const relatives =
      code === 'parent' ? model.hierarchy.parentsOf(place) : code === 'child' ? model.hierarchy.childrenOf(place) : [];
    return Array.from(relatives, (other) => ({ code, valueCode: model.code(other) }));
  });
  return list.length === 0 ? {} : { property: list };
}
