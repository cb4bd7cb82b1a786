// The codes of one include or exclude from its code system, and those of a value set that has only an expansion.
import { append } from '#lib/append.ts';
import { type Catalog, joinCanonical, splitCanonical } from '../catalog/catalog.ts';
import { type Json, objects, text, texts } from '../json.ts';
import { unknownCodeSystem } from '../messages.ts';
import { addBit, andBits, type Bitset, emptyBitset, fullBitset } from '../model/bitset.ts';
import { extensionsOf } from '../model/extensions.ts';
import { readDesignation } from '../model/read-code-system.ts';
import { TerminologyError } from '../terminology-error.ts';
import { type Content, knownPart, type Listed, loosePart, type Part, uniteContents, wholePart } from './content.ts';
import { filtered, isHierarchyFilter, readFilter } from './filter.ts';
import { designationsOf, type SystemView, viewOfDefinition } from './system-view.ts';
import { type Steps, strides } from './unfinished.ts';
import type { VersionRules } from './version-rules.ts';
import { chooseVersion, requireChecked, type VersionParameter } from './version-table.ts';

/** Items of an expansion that are read in one step. */
const ITEMS = 500;

export interface SystemContext {
  readonly catalog: Catalog;
  readonly rules: VersionRules;
  /** The views that were used, and the parameters that decided about a version, as `name|canonical`. */
  readonly used: { readonly views: Set<SystemView>; readonly parameters: Map<VersionParameter, Set<string>> };
}

/**
 * Checks rules that storing a value set checks, for one that comes with a request: without them its content would be
 * wrong, with no error.
 * @param expression the FHIRPath of the include
 * @throws TerminologyError `invalid` for what breaks vsd-1 or vsd-3 (hl7.org/fhir/R5/valueset-definitions.html), and
 *   for a filter without a value
 */
export function requireSense(include: Json, expression: string): void {
  const valueSets = texts(include['valueSet']);
  const system = text(include['system']);
  if (system === undefined && valueSets.length === 0)
    throw invalid('an include or exclude must have a system or a value set', expression);
  const filters = objects(include['filter']);
  const isTwofold = objects(include['concept']).length > 0 && filters.length > 0;
  if (isTwofold) throw invalid('an include or exclude must not have both concepts and filters', expression);
  for (const [index, { property, op, value }] of filters.entries()) {
    if (text(value) !== undefined) continue;
    const message = `The system ${system} filter with property = ${property}, op = ${op} has no value`;
    throw invalid(message, `${expression}.filter[${index}]`);
  }
}

function invalid(message: string, expression: string): TerminologyError {
  return new TerminologyError('invalid', message, 'vs-invalid', { expression });
}

/** @throws TerminologyError for filters that cannot be computed, and for another version than the checked one */
export function* ofSystem(include: Json, system: string, context: SystemContext): Steps<Part> {
  const { catalog, rules, used } = context;
  const requested = splitCanonical(system);
  const { url } = requested;
  const named = text(include['version']) ?? requested.version;
  const known = catalog.codeSystems(url);
  const chosen = chooseVersion(known, rules, { url, named, given: rules.given.get(url) });
  const isUnknown = chosen.definition === undefined || chosen.findings.includes('wanted-unknown');
  const view = isUnknown ? undefined : viewOfDefinition(catalog, chosen.definition, rules.supplements);
  requireChecked(rules, url, view?.model.meta.version);
  if (view !== undefined) used.views.add(view);
  noteParameters(context, url, chosen.parameter);
  const concepts = objects(include['concept']);
  if (concepts.length > 0) return yield* listedPart(concepts, { url, version: chosen.wanted, named, view });
  const filters = objects(include['filter']).map(readFilter);
  const hasCodes = view !== undefined && view.model.meta.content !== 'not-present';
  if (filters.length === 0) {
    return hasCodes ? { ...wholePart(view), named } : loosePart(url, chosen.wanted, { isAllBut: true, named });
  }
  if (!hasCodes) throw unknownSystem(catalog, url, chosen.wanted);
  let bits: Bitset = fullBitset(view.model.size);
  for (const filter of filters) {
    bits = andBits(bits, filtered(view, filter));
    yield;
  }
  return knownPart(view, bits, { isTree: filters.every(isHierarchyFilter), named });
}

/** The code system whose codes a value set needs is unknown. */
export function unknownSystem(catalog: Catalog, url: string, version: string | undefined): TerminologyError {
  const versions = catalog.codeSystems(url).flatMap((each) => each.version ?? []);
  const message = unknownCodeSystem({ url, version }, 'the value set cannot be expanded', versions);
  return new TerminologyError('not-found', message, 'not-found', { unknownSystem: joinCanonical({ url, version }) });
}

/** Notes the rules of the request that had an effect. */
function noteParameters({ rules, used }: SystemContext, url: string, deciding: VersionParameter | undefined): void {
  const note = (name: VersionParameter, version: string | undefined): void => {
    if (version === undefined) return;
    const canonicals = used.parameters.get(name) ?? new Set();
    used.parameters.set(name, canonicals.add(`${url}|${version}`));
  };
  note('check-system-version', rules.checked.get(url));
  if (deciding === 'force-system-version') note(deciding, rules.forced.get(url));
  if (deciding === 'system-version') note(deciding, rules.defaults.get(url));
}

interface ListedOf {
  readonly url: string;
  readonly version: string | undefined;
  readonly named: string | undefined;
  readonly view: SystemView | undefined;
}

/** Codes that the value set lists itself; of a known system, those that exist. */
function* listedPart(concepts: readonly Json[], { url, version, named, view }: ListedOf): Steps<Part> {
  // A system that is known only in part may have codes that it does not list here.
  if (view === undefined || !view.model.isComplete) {
    const codes = new Map<string, Listed>();
    for (const stride of strides(concepts)) {
      for (const each of stride.flatMap(readListed))
        codes.set(each.code, view === undefined ? each : described(each, view));
      yield;
    }
    return loosePart(url, view?.model.meta.version ?? version, { codes, named });
  }
  const { model } = view;
  const bits = emptyBitset(model.size);
  const order: number[] = [];
  const listed = new Map<number, Listed>();
  for (const stride of strides(concepts)) {
    for (const each of stride.flatMap(readListed)) {
      const place = model.findMeant(each.code);
      if (place === -1 || listed.has(place)) continue;
      addBit(bits, place);
      order.push(place);
      listed.set(place, each);
    }
    yield;
  }
  return knownPart(view, bits, { order, listed, named });
}

/** With the names that a part of the code system knows. */
function described(listed: Listed, view: SystemView): Listed {
  const place = view.model.findMeant(listed.code);
  if (place === -1) return listed;
  return {
    ...listed,
    display: listed.display ?? view.model.display(place),
    designations: [...listed.designations, ...designationsOf(view, place)],
  };
}

function readListed(concept: Json): Listed[] {
  const code = text(concept['code']);
  if (code === undefined) return [];
  const designations = objects(concept['designation']).flatMap(readDesignation);
  return [{ code, display: text(concept['display']), designations, extensions: extensionsOf(concept) }];
}

/** A value set without `compose` may have an expansion. */
export function* listedCodes(valueSet: Json, name: string, context: SystemContext): Steps<Content> {
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
    const part = yield* ofSystem({ version, concept: items }, url, context);
    content = yield* uniteContents(content, [part]);
  }
  return content;
}
