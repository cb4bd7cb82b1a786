// Follows the compiled branches of search parameters through a resource to their values.
import { literalType } from '../../resources/references.ts';
import type { Branch } from '../parameters/compile-expression.ts';
import type { SearchParameter, SearchType } from '../parameters/definitions.ts';
import { BOOLEANS, CONVERTERS, type Convert, type IndexValue, record } from './values.ts';

type Json = Readonly<Record<string, unknown>>;

/** The elements of a parameter's branches, as they are in the resource. */
export function parameterElements(resource: Json, parameter: SearchParameter): unknown[] {
  return walksOf(parameter).flatMap(({ steps }) => follow(resource, steps));
}

const NO_VALUES: readonly IndexValue[] = [];

/** The values of branches, from a resource or from one of its elements. */
export function branchValues(resource: Json, way: Pick<SearchParameter, 'type' | 'branches'>): readonly IndexValue[] {
  let values: IndexValue[] | undefined;
  for (const { steps, convert, codeSystem, isFirstOnly, truth } of walksOf(way)) {
    if (truth !== undefined) return [{ kind: 'token', system: BOOLEANS, code: String(isTrue(resource, truth)) }];
    // Most elements are absent from most resources.
    if (resource[steps[0]?.name ?? ''] === undefined || (isFirstOnly && values !== undefined)) continue;
    const found = follow(resource, steps);
    for (const element of isFirstOnly ? found.slice(0, 1) : found) {
      const converted = convert(element, codeSystem);
      if (values === undefined) values = converted;
      else for (const value of converted) values.push(value);
    }
  }
  return values ?? NO_VALUES;
}

/** `deceased.exists() and deceased != false` of the person types. */
function isTrue(resource: Json, name: string): boolean {
  const plain = resource[`${name}Boolean`];
  return plain === true || resource[`${name}DateTime`] !== undefined;
}

export interface Step {
  readonly name: string;
  /** `@`, `?`, `~` or `^` as in {@link Branch}; empty for none. */
  readonly filter: string;
  readonly argument: string;
}

/** A parsed branch. */
export interface Walk {
  readonly steps: readonly Step[];
  readonly convert: Convert;
  readonly codeSystem: string | undefined;
  readonly isFirstOnly: boolean;
  /** The element whose presence or truth is itself the value. */
  readonly truth: string | undefined;
}

const walks = new WeakMap<object, readonly Walk[]>();

function walksOf(way: Pick<SearchParameter, 'type' | 'branches'>): readonly Walk[] {
  const known = walks.get(way);
  if (known !== undefined) return known;
  const prepared = way.branches.map((branch) => prepareWalk(way.type, branch));
  walks.set(way, prepared);
  return prepared;
}

const FILTERED = /^(\w+)([@?~^])(.*)$/;

export function prepareWalk(searchType: SearchType, [head = '', ...path]: Branch): Walk {
  const isFirstOnly = head.startsWith('!first ');
  const [type = '', codeSystem] = (isFirstOnly ? head.slice(7) : head).split('=', 2);
  const steps = path.map(prepareStep);
  const convert = CONVERTERS[searchType][type] ?? (() => []);
  return { steps, convert, codeSystem, isFirstOnly, truth: head === '$isTrue' ? path[0] : undefined };
}

export function prepareStep(text: string): Step {
  const match = FILTERED.exec(text);
  return { name: match?.[1] ?? text, filter: match?.[2] ?? '', argument: match?.[3] ?? '' };
}

/** The values at the end of a path; lists are flattened. */
export function follow(resource: Json, steps: readonly Step[]): unknown[] {
  let found: unknown[] = [resource];
  for (const step of steps) {
    found = take(found, step);
    if (found.length === 0) break;
  }
  return found;
}

function take(places: readonly unknown[], { name, filter, argument }: Step): unknown[] {
  const next: unknown[] = [];
  for (const place of places) {
    const value = record(place)[name];
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) next.push(value);
    else for (const item of value) if (item !== null) next.push(item);
  }
  if (filter === '') return next;
  if (filter === '@') return next.slice(Number(argument), Number(argument) + 1);
  return next.filter((item) => passesFilter(record(item), filter, argument));
}

export function passesFilter(item: Json, filter: string, argument: string): boolean {
  if (filter === '~') return referenceType(item) === argument;
  if (filter === '^') {
    const extensions = item['extension'];
    return Array.isArray(extensions) && extensions.some((extension) => record(extension)['url'] === argument);
  }
  const equals = argument.indexOf('=');
  return item[argument.slice(0, equals)] === argument.slice(equals + 1);
}

/** The target type of a reference: from its text, else from `Reference.type`. */
function referenceType(item: Json): string | undefined {
  const { reference, type } = item;
  const named = typeof reference === 'string' ? literalType(reference) : undefined;
  if (named !== undefined) return named;
  return typeof type === 'string' ? type : undefined;
}
