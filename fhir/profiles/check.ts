// Validates a resource or value against a profile, after the validation of its own type. It checks cardinality, types,
// fixed values and patterns, bindings, invariants and slices (decision E3; hl7.org/fhir/R5/profiling.html).

import type { Invariant } from '../definitions/shapes.ts';
import { withinTime } from '../patch/time-limit.ts';
import { currentPath, isJsonObject, type JsonObject } from '../validation/context.ts';
import { knownCodes } from '../validation/known-codes.ts';
import { findIssues, type InvariantIssue } from '../validation/rules/invariants.ts';
import { isInValueSet } from './binding.ts';
import { type Item, itemsOf, objectOf } from './items.ts';
import type { Profile, ProfileNode, ProfileType } from './profile.ts';
import { checkAggregation, checkTargets, conformsToProfile } from './references.ts';
import { atItem, countStep, type Run, report, sourceOf } from './run.ts';
import { checkSlices } from './slices.ts';
import { compareValues, hasPattern, isEqual, shown } from './values.ts';

/** extensions.ts checks extensions by their `url`, wherever they are. */
const EXTENSION = 'Extension';

/** Checks one value and its children against a node of the profile. */
export function checkItem(run: Run, node: ProfileNode, item: Item): void {
  countStep(run);
  atItem(run, item, () => {
    if (node.types !== undefined) checkTypes(run, node.types, item);
    checkValue(run, node, item);
    if (node.binding !== undefined) checkBinding(run, node.binding, item);
    if (node.maximum !== undefined) checkMaximum(run, node.maximum, item);
    if (node.constraints !== undefined) checkConstraints(run, node, item);
    if (node.children === undefined) return;
    for (const child of node.children) run.checkElement(run, child, itemsOf(run.context.definitions, item, child.name));
  });
}

/** Checks all values of an element, or of one of its slices. */
export function checkElement(run: Run, node: ProfileNode, items: readonly Item[]): void {
  checkCount(run, node, items);
  if (node.max === 0) return;
  for (const item of items) checkItem(run, node, item);
  if (node.slicing !== undefined) checkSlices(run, node, items);
}

function checkCount(run: Run, { name, min = 0, max, slice }: ProfileNode, { length }: readonly Item[]): void {
  const what = slice === undefined ? '' : ` of the slice ${slice}`;
  if (length < min) {
    const message =
      min === 1 && slice === undefined ? 'is required but missing' : `must have at least ${entries(min)}${what}`;
    report(run, { code: 'required', message, element: name });
  }
  if (max === undefined || length <= max) return;
  const message =
    max === 0
      ? `is not allowed${slice === undefined ? '' : ` in the form${what}`}`
      : `may have at most ${entries(max)}${what}`;
  report(run, { code: 'structure', message, element: name });
}

function entries(count: number): string {
  return count === 1 ? 'one entry' : `${count} entries`;
}

function checkTypes(run: Run, types: readonly ProfileType[], item: Item): void {
  const { definitions } = run.context;
  // A positiveInt is an integer, but `valuePositiveInt` is not `valueInteger`: primitive types must be equal.
  const isOf = (code: string): boolean =>
    code === item.type || (definitions.kindOf(code) !== 'primitive-type' && definitions.isKindOf(item.type, code));
  const allowed = types.filter(({ code }) => isOf(code));
  if (allowed.length === 0) {
    const codes = [...new Set(types.map(({ code }) => code))].join(' or ');
    report(run, { code: 'structure', message: `must be of the type ${codes}, not ${item.type}` });
    return;
  }
  checkTargets(run, allowed, item);
  checkAggregation(run, allowed, item);
  if (item.type !== EXTENSION) checkProfiles(run, allowed, item);
}

/** A value must conform to one of the profiles of its type. */
function checkProfiles(run: Run, types: readonly ProfileType[], item: Item): void {
  const urls = types.flatMap(({ profiles }) => profiles ?? []);
  if (types.some(({ profiles }) => profiles === undefined)) return;
  let reason = '';
  for (const url of urls) {
    const { holds, first } = conformsToProfile(run, url, item);
    if (holds) return;
    reason ||= first;
  }
  const because = reason === '' ? '' : `: ${reason}`;
  report(run, { code: 'structure', message: `must follow the profile ${urls.join(' or ')}${because}` });
}

function checkValue(run: Run, node: ProfileNode, item: Item): void {
  const { value } = item;
  if (value === undefined) checkMissingValue(run, node, item);
  if (node.fixed !== undefined && !isEqual(node.fixed, value)) {
    report(run, { code: 'value', message: `must be exactly ${shown(node.fixed)}` });
  }
  if (node.pattern !== undefined && !hasPattern(node.pattern, value)) {
    const message = `must ${typeof node.pattern === 'object' ? 'have all of' : 'be'} ${shown(node.pattern)}`;
    report(run, { code: 'value', message });
  }
  if (typeof value === 'string' && node.maxLength !== undefined && [...value].length > node.maxLength) {
    report(run, { code: 'too-long', message: `may have at most ${node.maxLength} characters` });
  }
  checkRange(run, node, value);
}

function checkRange(run: Run, { minValue, maxValue }: ProfileNode, value: unknown): void {
  if (minValue !== undefined && compareValues(value, minValue) === -1) {
    report(run, { code: 'value', message: `must be at least ${shown(minValue)}` });
  }
  if (maxValue !== undefined && compareValues(value, maxValue) === 1) {
    report(run, { code: 'value', message: `must be at most ${shown(maxValue)}` });
  }
}

/** Checks a primitive that has extensions but no value. */
function checkMissingValue(run: Run, { mustHaveValue, valueAlternatives }: ProfileNode, item: Item): void {
  if (mustHaveValue === true) report(run, { code: 'required', message: 'must have a value, not extensions alone' });
  if (valueAlternatives === undefined) return;
  const extensions = itemsOf(run.context.definitions, item, 'extension');
  if (extensions.some((each) => valueAlternatives.includes(String(objectOf(each)?.['url'])))) return;
  const message = `must have a value, or instead of it the extension ${valueAlternatives.join(' or ')}`;
  report(run, { code: 'required', message });
}

function checkBinding(run: Run, [strength, valueSet]: NonNullable<ProfileNode['binding']>, item: Item): void {
  const known = knownCodes(run.context, valueSet);
  if (known === undefined) {
    if (strength === 'required') reportUnchecked(run, valueSet, item);
    return;
  }
  if (isInValueSet(run.context, valueSet, item) !== false) return;
  // A text alone says that no code fits.
  if (strength === 'extensible' && isJsonObject(item.value) && isTextAlone(item.value)) return;
  const expected = known.expected ?? `a code of the value set ${valueSet}`;
  const what = item.type === 'CodeableConcept' ? `have a coding that is ${expected}` : `be ${expected}`;
  const message = strength === 'required' ? `must ${what}` : `should ${what}, if one of them says it`;
  report(run, { code: 'code-invalid', message, ...(strength === 'required' ? {} : { severity: 'warning' }) });
}

/** Every code must be in the maximum value set, also where the binding is weaker; a text alone has no code. */
function checkMaximum(run: Run, valueSet: string, item: Item): void {
  if (!isJsonObject(item.value) || !isTextAlone(item.value)) checkBinding(run, ['required', valueSet], item);
}

function isTextAlone({ coding, text }: JsonObject): boolean {
  return coding === undefined && text !== undefined;
}

/**
 * Adds a warning when a required value set could not be looked up. Value sets that R5 itself does not list give none.
 */
function reportUnchecked(run: Run, valueSet: string, { value }: Item): void {
  if (run.profile.isCustom !== true || value === undefined) return;
  const reason = run.context.valueSets.find(valueSet) ?? 'its codes are not known here';
  const message = `must be of the value set ${valueSet}, which was not checked: ${String(reason)}`;
  report(run, { code: 'not-supported', message, severity: 'warning' });
}

const invariantsOf = new WeakMap<ProfileNode, Map<string, readonly Invariant[]>>();

function checkConstraints(run: Run, node: ProfileNode, item: Item): void {
  const { context, profile } = run;
  const value = item.value ?? item.sibling;
  const basePath = item.value === undefined ? 'Element' : (item.shape?.path ?? item.type);
  const path = basePath === 'Element' && item.value !== undefined ? item.type : basePath;
  const own = invariants(profile, node, path);
  const find = () => findIssues(context, own, path, value);
  for (const { invariant, open } of profile.isCustom === true ? withinBudget(run, find) : find()) {
    const { key, human, severity } = invariant;
    if (open === undefined) {
      const field = currentPath(context);
      const message = `${field}: ${human} (${key}, ${sourceOf(run)})`;
      context.issues.add({ message, field, code: 'invariant', severity });
    } else if (profile.isCustom === true) {
      const message = `has the constraint ${key}, which was not checked: ${open}`;
      report(run, { code: 'not-supported', message, severity: 'warning' });
    }
  }
}

/** Users' expressions share a time limit. When it is over, the rest is not evaluated, and a warning says so. */
function withinBudget(run: Run, find: () => InvariantIssue[]): InvariantIssue[] {
  const { expressions } = run.context.profiles;
  if (expressions.leftMs <= 0) return reportOver(run);
  const start = performance.now();
  try {
    return withinTime(expressions.leftMs, find);
  } catch {
    return reportOver(run);
  } finally {
    expressions.leftMs -= performance.now() - start;
  }
}

/** Reported once in a validation. */
function reportOver(run: Run): InvariantIssue[] {
  const { profiles } = run.context;
  if (profiles.isOver) return [];
  profiles.isOver = true;
  report(run, { code: 'too-costly', message: 'has constraints that take too long to check', severity: 'warning' });
  return [];
}

/** Invariants for each node and path. The list object is reused, as compiled tests are cached by it. */
function invariants(profile: Profile, node: ProfileNode, path: string): readonly Invariant[] {
  const byPath = invariantsOf.get(node) ?? new Map<string, readonly Invariant[]>();
  invariantsOf.set(node, byPath);
  const known = byPath.get(path);
  if (known !== undefined) return known;
  const created = (node.constraints ?? []).map((constraint) => ({
    ...constraint,
    source: profile.url,
    isForeign: profile.isCustom === true,
  }));
  byPath.set(path, created);
  return created;
}
