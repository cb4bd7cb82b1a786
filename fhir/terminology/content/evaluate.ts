// Evaluates a value set: computes its codes from its definition (hl7.org/fhir/R5/valueset.html#compositions) of whole
// systems, listed concepts, filters, other value sets, and exclusions.
import { type Catalog, type Definition, joinCanonical, pickVersion, splitCanonical } from '../catalog/catalog.ts';
import { type Json, objects, text, texts } from '../json.ts';
import { unknownValueSet } from '../messages.ts';
import { TerminologyError } from '../terminology-error.ts';
import { type Content, intersectContents, subtractContents, uniteContents } from './content.ts';
import { implicitValueSet } from './implicit.ts';
import { listedCodes, ofSystem, requireSense, type SystemContext } from './include.ts';
import { activePart } from './marked-parts.ts';
import { requireSupplements, type SystemView } from './system-view.ts';
import { type Now, type Steps, startWork } from './unfinished.ts';
import { latestOfEach, ownParameter, systemsOfSeveralVersions, versionOf } from './version-matches.ts';
import { keyOfRules, NO_RULES, type VersionRules, valueSetVersion } from './version-rules.ts';
import type { VersionParameter } from './version-table.ts';

/** The most value sets of which one may consist. */
const MAX_VALUE_SETS = 200;
/** The most value sets that include one another in a row: each is evaluated within the one before. */
const MAX_DEPTH = 100;
/** The most work for one value set, in codes or 32-bit words of sets: about half a second. */
const MAX_WORK = 3_000_000;
/** The extension by which a value set asks for a supplement. */
const SUPPLEMENT = 'http://hl7.org/fhir/StructureDefinition/valueset-supplement';

interface Evaluation extends SystemContext {
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
  /** The code systems that were used, also those of excluded codes. */
  readonly views: ReadonlySet<SystemView>;
  /** The parameters of the request that decided about a version, with their canonicals. */
  readonly parameters: ReadonlyMap<VersionParameter, ReadonlySet<string>>;
  /** Whether equal codes of several versions are the same, where the value set says so or it makes a difference. */
  readonly versionsMatch: boolean | undefined;
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
    const rulesKey = keyOfRules(rules);
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

/** @throws TerminologyError naming an unknown definition, a circle, or a limit */
function* evaluateValueSet(valueSet: Json, catalog: Catalog, rules: VersionRules): Steps<Evaluated> {
  const valueSets = new Set<string>();
  const used = { views: new Set<SystemView>(), parameters: new Map<VersionParameter, Set<string>>() };
  const content = yield* evaluate(valueSet, {
    catalog,
    rules,
    used,
    container: { name: '', contained: [] },
    path: [],
    known: new Map(),
    valueSets,
    work: { left: MAX_WORK },
  });
  const stated = ownParameter(valueSet, 'versionsMatch');
  const versionsMatch = stated === undefined ? impliedMatch(content, used.views) : stated === 'true';
  return { content, valueSets, ...used, versionsMatch };
}

/** True where codes of another version have been excluded from the only one that is included. */
function impliedMatch(content: Content, views: ReadonlySet<SystemView>): true | undefined {
  const several = systemsOfSeveralVersions(content);
  const isMatched = content.some(
    (part) =>
      !several.has(part.system) &&
      [...views].some(({ model: { meta } }) => meta.url === part.system && meta.version !== versionOf(part)),
  );
  return isMatched ? true : undefined;
}

function nameOf(valueSet: Json): string {
  return joinCanonical({
    url: text(valueSet['url']) ?? text(valueSet['id']) ?? 'without url',
    version: text(valueSet['version']),
  });
}

function evaluate(valueSet: Json, evaluation: Evaluation): Steps<Content> {
  const name = nameOf(valueSet);
  const supplements = supplementsOf(valueSet);
  requireSupplements(evaluation.catalog, supplements, 'business-rule');
  const { rules } = evaluation;
  return evaluateNamed(name, valueSet, {
    ...evaluation,
    rules: supplements.length === 0 ? rules : { ...rules, supplements: [...rules.supplements, ...supplements] },
    container: { name, contained: objects(valueSet['contained']) },
  });
}

/** Canonicals of the supplements that the value set asks for. */
function supplementsOf(valueSet: Json): readonly string[] {
  if (valueSet['extension'] === undefined) return [];
  return objects(valueSet['extension']).flatMap(({ url, valueCanonical }) =>
    url === SUPPLEMENT ? (text(valueCanonical) ?? []) : [],
  );
}

function* evaluateNamed(name: string, valueSet: Json, evaluation: Evaluation): Steps<Content> {
  if (evaluation.path.includes(name)) {
    const circle = [...evaluation.path.slice(evaluation.path.indexOf(name)), name];
    throw new TerminologyError('processing', `the value set is made of itself: ${circle.join(' → ')}`, 'vs-invalid');
  }
  const known = evaluation.known.get(name);
  if (known !== undefined) return known;
  if (evaluation.path.length >= MAX_DEPTH) {
    const message = `the value set ${evaluation.path[0]} includes others that include others, more than ${MAX_DEPTH} in a row`;
    throw new TerminologyError('too-costly', message);
  }
  if (evaluation.known.size >= MAX_VALUE_SETS) {
    throw new TerminologyError('too-costly', `the value set is made of more than ${MAX_VALUE_SETS} others`);
  }
  const inner = { ...evaluation, path: [...evaluation.path, name] };
  const [compose] = objects(valueSet['compose']);
  const content = yield* compose === undefined
    ? listedCodes(valueSet, name, inner)
    : composed(valueSet, compose, inner);
  evaluation.known.set(name, content);
  return content;
}

function* composed(valueSet: Json, compose: Json, evaluation: Evaluation): Steps<Content> {
  const match = ownParameter(valueSet, 'versionsMatch');
  let content: Content = [];
  for (const [index, include] of objects(compose['include']).entries()) {
    requireSense(include, `ValueSet.compose.include[${index}]`);
    content = yield* uniteContents(content, spend(yield* included(include, evaluation), content, evaluation));
  }
  const isVersioned = match === undefined ? systemsOfSeveralVersions(content).size > 0 : match === 'false';
  for (const [index, exclude] of objects(compose['exclude']).entries()) {
    requireSense(exclude, `ValueSet.compose.exclude[${index}]`);
    const excluded = spend(yield* included(exclude, evaluation), content, evaluation);
    content = yield* subtractContents(content, excluded, isVersioned);
  }
  if (match === 'true') content = yield* latestOfEach(content);
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

/** The content of one include or exclude: codes of its system that are in all its value sets. */
function* included(include: Json, evaluation: Evaluation): Steps<Content> {
  const system = text(include['system']);
  let content: Content | undefined;
  if (system !== undefined) content = [yield* ofSystem(include, system, evaluation)];
  for (const canonical of texts(include['valueSet'])) {
    const imported = yield* importValueSet(canonical, evaluation);
    content =
      content === undefined ? imported : yield* intersectContents(content, spend(imported, content, evaluation));
  }
  return content ?? [];
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
  throw new TerminologyError('not-found', unknownValueSet({ url: requested.url, version }), 'not-found');
}
