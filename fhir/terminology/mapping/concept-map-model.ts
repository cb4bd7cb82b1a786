// The model of a concept map (hl7.org/fhir/R5/conceptmap.html): its groups, with the targets of each source code
// indexed.
import { type Canonical, splitCanonical } from '../catalog/catalog.ts';
import { type Now, type Steps, startWork, strides } from '../content/unfinished.ts';
import { type Json, objects, text } from '../json.ts';

/** A value of another element on which a mapping depends, or that it produces. */
export interface AttributeValue {
  /** The attribute's URI; `map#code` where the map gives none. */
  readonly attribute: string;
  /** Its code in the map. */
  readonly code: string;
  /** `{ valueCode: … }`; undefined when a value set defines the accepted values. */
  readonly value: Json | undefined;
  readonly valueSet: string | undefined;
}

export interface MapTarget {
  /** Undefined when a value set defines the codes. */
  readonly code: string | undefined;
  readonly valueSet: string | undefined;
  readonly display: string | undefined;
  /** `equivalent`, `source-is-narrower-than-target` …, read from the source to the target. */
  readonly relationship: string | undefined;
  readonly properties: readonly { readonly uri: string; readonly value: Json }[];
  readonly dependsOn: readonly AttributeValue[];
  readonly products: readonly AttributeValue[];
}

export interface MapElement {
  readonly code: string | undefined;
  readonly valueSet: string | undefined;
  readonly display: string | undefined;
  /** Whether the map states that it has no target. */
  readonly isWithoutMap: boolean;
  readonly targets: readonly MapTarget[];
}

export interface Unmapped {
  /** `use-source-code`, `fixed` or `other-map`. */
  readonly mode: string | undefined;
  readonly target: MapTarget;
  readonly otherMap: string | undefined;
}

/** An element with one of its targets, indexed by the target's code. */
export interface MapPair {
  readonly element: MapElement;
  readonly target: MapTarget;
}

export interface MapGroup {
  readonly source: Canonical | undefined;
  readonly target: Canonical | undefined;
  readonly byCode: Pick<ReadonlyMap<string, readonly MapElement[]>, 'get'>;
  /** Elements that are value sets. */
  readonly ofValueSets: readonly MapElement[];
  readonly byTarget: Pick<ReadonlyMap<string, readonly MapPair[]>, 'get'>;
  /** Targets that are value sets. */
  readonly toValueSets: readonly MapPair[];
  readonly unmapped: Unmapped | undefined;
}

/** The concept map of a resource, with its codes in maps. */
interface ReadConceptMap extends ConceptMapModel {
  readonly groups: readonly ReadGroup[];
}

interface ReadGroup extends MapGroup {
  readonly byCode: ReadonlyMap<string, readonly MapElement[]>;
  readonly byTarget: ReadonlyMap<string, readonly MapPair[]>;
}

export interface ConceptMapModel {
  readonly url: string | undefined;
  readonly version: string | undefined;
  /** The value set of the codes that the map covers, whether it lists them or not. */
  readonly sourceScope: string | undefined;
  readonly groups: readonly MapGroup[];
}

const known = new WeakMap<Json, ReadConceptMap>();

/** The model of a ConceptMap, read once for each resource. @throws UnfinishedWork for a map with very many codes */
export function conceptMapModel(resource: Json, now: Now = () => performance.now()): ReadConceptMap {
  const found = known.get(resource);
  if (found !== undefined) return found;
  const name = `the concept map ${text(resource['url']) ?? text(resource['id']) ?? ''}`;
  return startWork({ name, steps: readConceptMap(resource), done: (read) => known.set(resource, read) }, now);
}

interface Names {
  /** URIs by code. */
  readonly properties: (code: string) => string;
  readonly attributes: (code: string) => string;
}

function* readConceptMap(resource: Json): Steps<ReadConceptMap> {
  const url = text(resource['url']);
  const names = {
    properties: urisOf(resource['property'], url),
    attributes: urisOf(resource['additionalAttribute'], url),
  };
  const groups: ReadGroup[] = [];
  for (const group of objects(resource['group'])) {
    groups.push(yield* readGroup(group, names));
    yield;
  }
  return {
    url,
    version: text(resource['version']),
    sourceScope: text(resource['sourceScopeCanonical']) ?? text(resource['sourceScopeUri']),
    groups,
  };
}

function urisOf(definitions: unknown, url: string | undefined): (code: string) => string {
  const uris = new Map(objects(definitions).map(({ code, uri }) => [text(code), text(uri)]));
  return (code) => uris.get(code) ?? `${url ?? ''}#${code}`;
}

function* readGroup(group: Json, names: Names): Steps<ReadGroup> {
  const elements: MapElement[] = [];
  for (const stride of strides(objects(group['element']))) {
    for (const element of stride) elements.push(readElement(element, names));
    yield;
  }
  const pairs = elements.flatMap((element) => element.targets.map((target) => ({ element, target })));
  yield;
  const [unmapped] = objects(group['unmapped']);
  return {
    source: canonicalOf(group['source']),
    target: canonicalOf(group['target']),
    byCode: yield* groupBy(elements, ({ code }) => code),
    ofValueSets: elements.filter(({ valueSet }) => valueSet !== undefined),
    byTarget: yield* groupBy(pairs, ({ target }) => target.code),
    toValueSets: pairs.filter(({ target }) => target.valueSet !== undefined),
    unmapped: unmapped === undefined ? undefined : readUnmapped(unmapped, names),
  };
}

function canonicalOf(given: unknown): Canonical | undefined {
  const canonical = text(given);
  return canonical === undefined ? undefined : splitCanonical(canonical);
}

function* groupBy<T>(
  items: readonly T[],
  key: (item: T) => string | undefined,
): Steps<ReadonlyMap<string, readonly T[]>> {
  const found = new Map<string, T[]>();
  for (const stride of strides(items)) {
    for (const item of stride) {
      const name = key(item);
      if (name === undefined) continue;
      const same = found.get(name);
      if (same === undefined) found.set(name, [item]);
      else same.push(item);
    }
    yield;
  }
  return found;
}

function readElement(element: Json, names: Names): MapElement {
  return {
    code: text(element['code']),
    valueSet: text(element['valueSet']),
    display: text(element['display']),
    isWithoutMap: element['noMap'] === true,
    targets: objects(element['target']).map((target) => readTarget(target, names)),
  };
}

function readTarget(target: Json, names: Names): MapTarget {
  return {
    code: text(target['code']),
    valueSet: text(target['valueSet']),
    display: text(target['display']),
    relationship: text(target['relationship']),
    properties: objects(target['property']).flatMap((property) => {
      const [code, value] = [text(property['code']), valueMember(property)];
      return code === undefined || value === undefined ? [] : [{ uri: names.properties(code), value }];
    }),
    dependsOn: objects(target['dependsOn']).flatMap((each) => readAttribute(each, names)),
    products: objects(target['product']).flatMap((each) => readAttribute(each, names)),
  };
}

function readAttribute(given: Json, names: Names): AttributeValue[] {
  const code = text(given['attribute']);
  if (code === undefined) return [];
  const attribute = names.attributes(code);
  return [{ attribute, code, value: valueMember(given), valueSet: text(given['valueSet']) }];
}

/** The member `value[x]`; `valueSet` is another element. */
function valueMember(given: Json): Json | undefined {
  const found = Object.entries(given).find(([name]) => name.startsWith('value') && name !== 'valueSet');
  return found === undefined ? undefined : Object.fromEntries([found]);
}

function readUnmapped(unmapped: Json, names: Names): Unmapped {
  return { mode: text(unmapped['mode']), otherMap: text(unmapped['otherMap']), target: readTarget(unmapped, names) };
}
