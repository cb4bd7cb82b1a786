// Evaluates a value set: computes its codes from its definition (hl7.org/fhir/R5/valueset.html#compositions) of whole
// systems, listed concepts, filters, other value sets, and exclusions.
import { append } from '#lib/append.ts';
import { type Catalog, type Definition, joinCanonical, pickVersion, splitCanonical } from '../catalog/catalog.ts';
import { type Json, objects, text, texts } from '../json.ts';
import { addBit, andBits, type Bitset, emptyBitset, fullBitset, hasBit, withoutBits } from '../model/bitset.ts';
import { readDesignation } from '../model/read-code-system.ts';
import { TerminologyError } from '../terminology-error.ts';
import {
  type Content,
  intersectContents,
  type KnownPart,
  knownPart,
  type Listed,
  loosePart,
  type Part,
  subtractContents,
  uniteContents,
  wholePart,
} from './content.ts';
import { filtered, isHierarchyFilter, readFilter } from './filter.ts';
import { implicitValueSet } from './implicit.ts';
import { type SystemView, viewOf } from './system-view.ts';
import { type Now, type Steps, startWork, strides } from './unfinished.ts';
import { NO_RULES, systemVersion, type VersionRules, valueSetVersion } from './version-rules.ts';

/** The most value sets of which one may consist. */
const MAX_VALUE_SETS = 200;
/** The most work for one value set, in codes or 32-bit words of sets: about half a second. */
const MAX_WORK = 3_000_000;
/** Items of an expansion that are read in one step. */
const ITEMS = 500;

interface Evaluation {
  readonly catalog: Catalog;
  readonly rules: VersionRules;
  /** The value set that contains those that `#id` names. */
  readonly container: { readonly name: string; readonly contained: readonly Json[] };
  /** The path from the first value set to this one, to report a circle. */
  readonly path: readonly string[];
  /** The results so far, and the number of value sets begun. */
  readonly known: Map<string, Content>;
  /** Canonicals of the value sets that were used. */
  readonly valueSets: Set<string>;
  readonly work: { left: number };
}

export interface Evaluated {
  readonly content: Content;
  /** Canonicals (`url|version`) of the other value sets of which it consists. */
  readonly valueSets: ReadonlySet<string>;
}

/** Evaluates a value set. @throws TerminologyError; UnfinishedWork when it needs more steps */
export type Evaluate = (valueSet: Json, rules?: VersionRules, now?: Now) => Evaluated;

/** An evaluator over the catalog. Without version rules the result is cached for each generation of the catalog. */
export function createEvaluate(catalog: Catalog): Evaluate {
  let generation = catalog.generation;
  let known = new WeakMap<Json, Evaluated>();
  /** The results of the last version rules: a caller that waits for unfinished work repeats its call. */
  let ruled = new WeakMap<Json, { readonly rules: string; readonly evaluated: Evaluated }>();
  return (valueSet, rules = NO_RULES, now = () => performance.now()) => {
    if (catalog.generation !== generation) {
      generation = catalog.generation;
      known = new WeakMap();
      ruled = new WeakMap();
    }
    const rulesKey = rules === NO_RULES ? '' : textOfRules(rules);
    const before = ruled.get(valueSet);
    const found = rulesKey === '' ? known.get(valueSet) : before?.rules === rulesKey ? before.evaluated : undefined;
    if (found !== undefined) return found;
    const name = `the value set ${nameOf(valueSet)}`;
    const of = generation;
    const done = (evaluated: Evaluated): void => {
      if (of !== generation) return;
      if (rulesKey === '') known.set(valueSet, evaluated);
      else ruled.set(valueSet, { rules: rulesKey, evaluated });
    };
    return startWork({ name, steps: evaluateValueSet(valueSet, catalog, rules), done }, now);
  };
}

function textOfRules({ defaults, checked, forced, valueSets }: VersionRules): string {
  return JSON.stringify([defaults, checked, forced, valueSets].map((each) => [...each]));
}

/** @throws TerminologyError naming an unknown definition, a circle, or a limit */
function* evaluateValueSet(valueSet: Json, catalog: Catalog, rules: VersionRules): Steps<Evaluated> {
  const valueSets = new Set<string>();
  const content = yield* evaluate(valueSet, {
    catalog,
    rules,
    container: { name: '', contained: [] },
    path: [],
    known: new Map(),
    valueSets,
    work: { left: MAX_WORK },
  });
  return { content, valueSets };
}

function nameOf(valueSet: Json): string {
  return joinCanonical({
    url: text(valueSet['url']) ?? text(valueSet['id']) ?? 'without url',
    version: text(valueSet['version']),
  });
}

function evaluate(valueSet: Json, evaluation: Evaluation): Steps<Content> {
  const name = nameOf(valueSet);
  return evaluateNamed(name, valueSet, {
    ...evaluation,
    container: { name, contained: objects(valueSet['contained']) },
  });
}

function* evaluateNamed(name: string, valueSet: Json, evaluation: Evaluation): Steps<Content> {
  if (evaluation.path.includes(name)) {
    const circle = [...evaluation.path.slice(evaluation.path.indexOf(name)), name];
    throw new TerminologyError('invalid', `the value set is made of itself: ${circle.join(' → ')}`, 'vs-invalid');
  }
  const known = evaluation.known.get(name);
  if (known !== undefined) return known;
  if (evaluation.known.size >= MAX_VALUE_SETS) {
    throw new TerminologyError('too-costly', `the value set is made of more than ${MAX_VALUE_SETS} others`);
  }
  const inner = { ...evaluation, path: [...evaluation.path, name] };
  const [compose] = objects(valueSet['compose']);
  const content = yield* compose === undefined ? listedCodes(valueSet, name, inner) : composed(compose, inner);
  evaluation.known.set(name, content);
  return content;
}

function* composed(compose: Json, evaluation: Evaluation): Steps<Content> {
  let content: Content = [];
  for (const include of objects(compose['include'])) {
    content = yield* uniteContents(content, spend(yield* included(include, evaluation), content, evaluation));
  }
  for (const exclude of objects(compose['exclude'])) {
    content = yield* subtractContents(content, spend(yield* included(exclude, evaluation), content, evaluation));
  }
  return compose['inactive'] === false ? content.map(activePart) : content;
}

/** Combines contents, within the limit on all work so far. */
function spend(added: Content, content: Content, { work }: Evaluation): Content {
  work.left -= workOf(added) + workOf(content);
  if (work.left >= 0) return added;
  throw new TerminologyError('too-costly', 'the value set is put together from too many codes, too many times');
}

function workOf(content: Content): number {
  const parts = content.map((part) =>
    part.kind === 'loose' ? part.codes.size : (part.view.model.size >>> 5) + part.listed.size,
  );
  return parts.reduce((sum, each) => sum + each, content.length);
}

/** The part without inactive concepts. */
export function activePart(part: Part): Part {
  return withoutMarked(part, 'inactive');
}

/** The part without abstract concepts. */
export function choosablePart(part: Part): Part {
  return withoutMarked(part, 'notSelectable');
}

/** Cached by part, as a call after unfinished work passes the same part again. */
const unmarked = { inactive: new WeakMap<Part, Part>(), notSelectable: new WeakMap<Part, Part>() };

function withoutMarked(part: Part, property: 'inactive' | 'notSelectable'): Part {
  if (part.kind === 'loose') return part;
  const found = unmarked[property].get(part) ?? withoutThose(part, property);
  unmarked[property].set(part, found);
  return found;
}

function withoutThose(part: KnownPart, property: 'inactive' | 'notSelectable'): Part {
  const bits = withoutBits(part.bits, filtered(part.view, { property, op: '=', value: 'true' }));
  return { ...part, bits, order: part.order?.filter((place) => hasBit(bits, place)) };
}

/** The content of one include or exclude: codes of its system that are in all its value sets. */
function* included(include: Json, evaluation: Evaluation): Steps<Content> {
  const system = text(include['system']);
  requireSense(include);
  let content: Content | undefined =
    system === undefined ? undefined : [pinned(yield* ofSystem(include, system, evaluation), include)];
  for (const canonical of texts(include['valueSet'])) {
    const imported = yield* importValueSet(canonical, evaluation);
    content =
      content === undefined ? imported : yield* intersectContents(content, spend(imported, content, evaluation));
  }
  return content ?? [];
}

function pinned(part: Part, { version }: Json): Part {
  return part.kind === 'known' && text(version) !== undefined ? { ...part, isPinned: true } : part;
}

/**
 * Checks rules that storing a value set checks, for one that comes with a request: without them its content would be
 * wrong, with no error.
 * @throws TerminologyError `invalid` for what breaks vsd-1 or vsd-3 (hl7.org/fhir/R5/valueset-definitions.html)
 */
function requireSense(include: Json): void {
  const valueSets = texts(include['valueSet']);
  if (text(include['system']) === undefined && valueSets.length === 0)
    throw invalid('an include or exclude must have a system or a value set');
  const isTwofold = objects(include['concept']).length > 0 && objects(include['filter']).length > 0;
  if (isTwofold) throw invalid('an include or exclude must not have both concepts and filters');
}

function invalid(message: string): TerminologyError {
  return new TerminologyError('invalid', message, 'vs-invalid');
}

function importValueSet(canonical: string, evaluation: Evaluation): Steps<Content> {
  if (canonical.startsWith('#')) return importContained(canonical, evaluation);
  const found = findValueSet(evaluation.catalog, canonical, evaluation.rules);
  evaluation.valueSets.add(joinCanonical(found));
  return evaluate(found.resource(), evaluation);
}

/** A contained value set contains none itself: `#id` in it refers to one beside it (dom-2). */
function importContained(reference: string, evaluation: Evaluation): Steps<Content> {
  const { name, contained } = evaluation.container;
  const found = contained.find(({ resourceType, id }) => resourceType === 'ValueSet' && reference === `#${id}`);
  if (found !== undefined) return evaluateNamed(`${name}${reference}`, found, evaluation);
  throw new TerminologyError('not-found', `the value set ${name} contains no value set ${reference}`, 'not-found');
}

/** The value set that `url` or `url|version` names, defined or implicit. @throws TerminologyError `not-found` */
export function findValueSet(catalog: Catalog, canonical: string, rules: VersionRules = NO_RULES): Definition {
  const requested = splitCanonical(canonical);
  const version = valueSetVersion(rules, requested);
  const found =
    pickVersion(catalog.valueSets(requested.url), version) ?? implicitValueSet(catalog, requested.url, version);
  if (found !== undefined) return found;
  throw new TerminologyError(
    'not-found',
    `the value set ${joinCanonical({ url: requested.url, version })} is not known here`,
    'not-found',
  );
}

function* ofSystem(include: Json, system: string, { catalog, rules }: Evaluation): Steps<Part> {
  const requested = splitCanonical(system);
  const version = systemVersion(rules, requested.url, text(include['version']) ?? requested.version);
  const view = viewOf(catalog, requested.url, version);
  const concepts = objects(include['concept']);
  if (concepts.length > 0) return yield* listedPart(concepts, requested.url, version, view);
  const filters = objects(include['filter']).map(readFilter);
  const hasCodes = view !== undefined && view.model.meta.content !== 'not-present';
  if (filters.length === 0) return hasCodes ? wholePart(view) : loosePart(requested.url, version, { isAllBut: true });
  if (!hasCodes) {
    const message = `the codes of ${joinCanonical({ url: requested.url, version })} are not known here, which a filter asks for`;
    throw new TerminologyError('not-found', message, 'not-found');
  }
  let bits: Bitset = fullBitset(view.model.size);
  for (const filter of filters) bits = andBits(bits, filtered(view, filter));
  return knownPart(view, bits, { isTree: filters.every(isHierarchyFilter) });
}

/** Codes that the value set lists itself; of a known system, those that exist. */
function* listedPart(
  concepts: readonly Json[],
  url: string,
  version: string | undefined,
  view: SystemView | undefined,
): Steps<Part> {
  // A system that is known only in part may have codes that it does not list here.
  if (view === undefined || !view.model.isComplete) {
    const codes = new Map<string, Listed>();
    for (const stride of strides(concepts)) {
      for (const each of stride.flatMap(readListed)) codes.set(each.code, each);
      yield;
    }
    return loosePart(url, version, { codes });
  }
  const { model } = view;
  const bits = emptyBitset(model.size);
  const order: number[] = [];
  const listed = new Map<number, Listed>();
  for (const stride of strides(concepts)) {
    for (const each of stride.flatMap(readListed)) {
      const place = model.find(each.code);
      if (place === -1 || listed.has(place)) continue;
      addBit(bits, place);
      order.push(place);
      listed.set(place, each);
    }
    yield;
  }
  return knownPart(view, bits, { order, listed });
}

function readListed(concept: Json): Listed[] {
  const code = text(concept['code']);
  if (code === undefined) return [];
  return [
    { code, display: text(concept['display']), designations: objects(concept['designation']).flatMap(readDesignation) },
  ];
}

/** A value set without `compose` may have an expansion. */
function* listedCodes(valueSet: Json, name: string, { catalog }: Evaluation): Steps<Content> {
  const [expansion] = objects(valueSet['expansion']);
  if (expansion === undefined) {
    throw new TerminologyError('invalid', `the value set ${name} says nothing of its codes`, 'vs-invalid');
  }
  const bySystem = new Map<string, Json[]>();
  const open = objects(expansion['contains']).reverse();
  for (let item = open.pop(), count = 1; item !== undefined; item = open.pop(), count += 1) {
    if (count % ITEMS === 0) yield;
    const { system, version, abstract, contains } = item;
    if (abstract !== true && text(item['code']) !== undefined) {
      const name = joinCanonical({ url: text(system) ?? '', version: text(version) });
      const items = bySystem.get(name) ?? [];
      items.push(item);
      bySystem.set(name, items);
    }
    append(open, objects(contains).reverse());
  }
  let content: Content = [];
  for (const items of bySystem.values()) {
    const [url, version] = [text(items[0]?.['system']) ?? '', text(items[0]?.['version'])];
    const part = yield* listedPart(items, url, version, viewOf(catalog, url, version));
    content = yield* uniteContents(content, [part]);
  }
  return content;
}
