// Compiles the FHIRPath expression of a SearchParameter (hl7.org/fhir/R5/searchparameter.html) into branches: JSON
// property paths that are followed without a FHIRPath engine. It supports what the official parameters use: unions of
// dotted paths, where, ofType, as, resolve() is, extension, exists, first and an index.

/** One type of an element, by its name and a path in a type's definition. */
export interface ElementStep {
  /** The JSON property (`valueQuantity` for a choice). */
  readonly property: string;
  /** The element's data type; `code=<system>` when the codes of the element come from one system. */
  readonly type: string;
  /** The path at which the element's children are defined. */
  readonly place: string;
}

/**
 * Looks up `(place, element name)`; a choice element has one step for each type. A place is a type name or a path in
 * it.
 */
export type ElementLookup = (place: string, name: string) => readonly ElementStep[];

/**
 * One path from a resource to values: `[type, step, …]`. A step is a JSON property. It is followed by nothing, or by
 * `@n` (only the n-th item), `?key=value` (only items with that property), `~Type` (only references to that type).
 * `^url` takes only items with that extension. `!first` as the type's prefix keeps the first value of all branches
 * only.
 */
export type Branch = readonly string[];

interface State {
  readonly steps: readonly string[];
  readonly type: string;
  readonly place: string;
}

const SIMPLE_STEP = /^[A-Za-z][A-Za-z0-9]*$/;

/**
 * Compiles `expression` for one base type; parts of a union that begin with another type are left out. Relative parts
 * (no type in front) count for the base.
 * @throws Error when the expression uses something beyond the supported forms.
 */
export function compileExpression(expression: string, base: string, lookup: ElementLookup): Branch[] {
  const branches: Branch[] = [];
  for (const part of splitTop(expression, '|')) {
    for (const branch of compilePart(stripParentheses(part.trim()), base, lookup)) {
      if (!branches.some((known) => known.join('\n') === branch.join('\n'))) branches.push(branch);
    }
  }
  return branches;
}

/**
 * A group of a composite parameter: the path to the elements that have its components, and the paths from these to the
 * components.
 */
export interface CompiledGroup {
  readonly steps: readonly string[];
  readonly components: readonly (readonly Branch[])[];
}

/**
 * Compiles a composite parameter for one base type; its components' expressions begin at the elements of `expression`.
 * @throws Error
 */
export function compileComposite(
  { expression, components }: { readonly expression: string; readonly components: readonly string[] },
  base: string,
  lookup: ElementLookup,
): CompiledGroup[] {
  return splitTop(expression, '|').flatMap((part) => {
    const [root = '', ...names] = splitTop(stripParentheses(part.trim()), '.');
    if (root !== base) return [];
    return walk(names, base, lookup).map(({ steps, place }) => ({
      steps,
      components: components.map((component) => compileExpression(component, place, lookup)),
    }));
  });
}

function compilePart(part: string, base: string, lookup: ElementLookup): Branch[] {
  if (splitTop(part, '|').length > 1) return compileExpression(part, base, lookup);
  const exists = /^([A-Z]\w+)\.(\w+)\.exists\(\) and \1\.\2 != false$/.exec(part);
  if (exists) return exists[1] === base ? [['$isTrue', exists[2] ?? '']] : [];
  const cast = / as (\w+)$/.exec(part);
  if (cast) return compilePart(`${part.slice(0, cast.index)}.ofType(${cast[1]})`, base, lookup);
  const first = /^\((.*)\)\.first\(\)$/.exec(part);
  if (first) {
    return compileExpression(first[1] ?? '', base, lookup).map((branch) => [`!first ${branch[0]}`, ...branch.slice(1)]);
  }
  const names = splitTop(part, '.');
  const root = names[0] ?? '';
  if (/^[A-Z]/.test(root)) {
    if (root !== base && root !== 'Resource' && root !== 'DomainResource') return [];
    names.shift();
  }
  return walk(names, base, lookup).map((state) => [state.type, ...state.steps]);
}

function walk(names: readonly string[], base: string, lookup: ElementLookup): State[] {
  let states: State[] = [{ steps: [], type: base, place: base }];
  for (const name of names) {
    states = states.flatMap((state) => advance(state, name, lookup));
  }
  return states;
}

function advance(state: State, name: string, lookup: ElementLookup): State[] {
  if (SIMPLE_STEP.test(name)) {
    return lookup(state.place, name).map((step) => ({
      steps: [...state.steps, step.property],
      type: step.type,
      place: step.place,
    }));
  }
  const indexed = /^(\w+)\[(\d+)\]$/.exec(name);
  if (indexed) return advance(state, indexed[1] ?? '', lookup).map((next) => withFilter(next, `@${indexed[2]}`));
  const call = /^(\w+)\((.*)\)$/.exec(name);
  if (call === null) throw new Error(`Unsupported step ${name}`);
  return advanceCall(state, call[1] ?? '', call[2] ?? '', lookup);
}

function advanceCall(state: State, name: string, argument: string, lookup: ElementLookup): State[] {
  if (name === 'ofType') {
    if (state.type === 'Resource') return [{ ...withFilter(state, `?resourceType=${argument}`), type: argument }];
    return isOfType(state, argument) ? [state] : [];
  }
  if (name === 'extension') {
    const url = argument.slice(1, -1);
    return [withFilter({ steps: [...state.steps, 'extension'], type: 'Extension', place: 'Extension' }, `?url=${url}`)];
  }
  if (name !== 'where') throw new Error(`Unsupported function ${name}`);
  const reference = /^resolve\(\) is (\w+)$/.exec(argument);
  if (reference) return [withFilter(state, `~${reference[1]}`)];
  const equal = /^(\w+) ?= ?'([^']*)'$/.exec(argument);
  if (equal && lookup(state.place, equal[1] ?? '').length === 0) throw new Error(`Unknown element ${equal[1]}`);
  if (equal) return [withFilter(state, `?${equal[1]}=${equal[2]}`)];
  const extension = /^extension\('([^']*)'\)\.exists\(\)$/.exec(argument);
  if (extension) return [withFilter(state, `^${extension[1]}`)];
  throw new Error(`Unsupported condition ${argument}`);
}

function isOfType(state: State, wanted: string): boolean {
  const type = state.type.split('=')[0] ?? '';
  return type === wanted || (wanted === 'Quantity' && ['Age', 'Count', 'Distance', 'Duration'].includes(type));
}

function withFilter(state: State, filter: string): State {
  const last = state.steps.at(-1);
  if (last === undefined) throw new Error('A condition needs an element before it');
  if (!SIMPLE_STEP.test(last)) throw new Error('Only one condition on an element is supported');
  return { ...state, steps: [...state.steps.slice(0, -1), last + filter] };
}

function stripParentheses(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  let depth = 0;
  for (let index = 0; index < text.length - 1; index += 1) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    if (depth === 0) return text;
  }
  return text.slice(1, -1).trim();
}

/** Splits at a separator outside parentheses and quotes. */
export function splitTop(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === separator && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}
