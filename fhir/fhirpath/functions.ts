// The FHIRPath functions that invariants use, over plain JSON (hl7.org/fhirpath/N1/#functions).
import {
  type Compiled,
  type Compiler,
  Declined,
  type Items,
  isPlain,
  NO_VALUE,
  ofTruth,
  plainItems,
  type StaticType,
  SYSTEM_BOOLEAN,
  truth,
} from './items.ts';
import { linearPattern } from './linear-pattern.ts';
import type { PathNode } from './syntax.ts';

type Call = Extract<PathNode, { kind: 'call' }>;

const SYSTEM_NUMBER: readonly StaticType[] = [{ code: 'integer', shape: undefined }];

/** Functions without arguments that return a boolean or a number. */
const SIMPLE: ReadonlyMap<string, (items: Items) => Items> = new Map<string, (items: Items) => Items>([
  ['exists', (items) => ofTruth(items.length > 0)],
  ['empty', (items) => ofTruth(items.length === 0)],
  ['not', (items) => negated(truth(items))],
  ['hasValue', (items) => ofTruth(items.length === 1 && items[0] !== NO_VALUE && typeof items[0] !== 'object')],
]);

/** Functions that filter the items. */
const FILTERS: ReadonlyMap<string, (items: Items) => Items> = new Map<string, (items: Items) => Items>([
  ['first', (items) => items.slice(0, 1)],
  ['tail', (items) => items.slice(1)],
]);

/** Functions of a single string, with a string argument. */
const TEXT_TESTS: ReadonlyMap<string, (text: string, argument: string) => boolean> = new Map([
  ['startsWith', (text: string, argument: string) => text.startsWith(argument)],
  ['endsWith', (text: string, argument: string) => text.endsWith(argument)],
  ['contains', (text: string, argument: string) => text.includes(argument)],
]);

/**
 * Compiles a function call; `of` is its input, undefined for the focus.
 * @throws Declined for any other function
 */
export function compileCall(
  compiler: Compiler,
  node: Call,
  of: Compiled | undefined,
  focus: readonly StaticType[],
): Compiled {
  const input: Compiled = of ?? { run: (items) => items, types: focus };
  const [argument] = node.args;
  if (argument === undefined) return compileBare(node.name, input);
  if (node.args.length > 1) throw new Declined();
  const text = argument.kind === 'literal' && typeof argument.value === 'string' ? argument.value : undefined;
  if (text !== undefined) return compileTextTest(compiler, node.name, input, text);
  return compileWithCriteria(node.name, input, compiler.compile(argument, input.types));
}

function compileBare(name: string, input: Compiled): Compiled {
  const simple = SIMPLE.get(name);
  if (simple !== undefined) return { run: (items, frame) => simple(input.run(items, frame)), types: SYSTEM_BOOLEAN };
  const filter = FILTERS.get(name);
  if (filter !== undefined) return { run: (items, frame) => filter(input.run(items, frame)), types: input.types };
  if (name === 'count') return { run: (items, frame) => [input.run(items, frame).length], types: SYSTEM_NUMBER };
  if (!isPlain(input)) throw new Declined();
  if (name === 'distinct') return { run: (items, frame) => distinct(input.run(items, frame)), types: input.types };
  if (name === 'isDistinct') {
    const run: Compiled['run'] = (items, frame) => {
      const found = input.run(items, frame);
      return ofTruth(distinct(found).length === found.length);
    };
    return { run, types: SYSTEM_BOOLEAN };
  }
  if (name !== 'length') throw new Declined();
  return { run: (items, frame) => textOf(input.run(items, frame)).map((text) => text.length), types: SYSTEM_NUMBER };
}

function compileTextTest({ isForeign }: Compiler, name: string, input: Compiled, argument: string): Compiled {
  if (!isPlain(input)) throw new Declined();
  const test = name === 'matches' ? matcher(argument, isForeign) : textTester(name, argument);
  return { run: (items, frame) => textOf(input.run(items, frame)).map(test), types: SYSTEM_BOOLEAN };
}

function textTester(name: string, argument: string): (text: string) => boolean {
  const test = TEXT_TESTS.get(name);
  if (test === undefined) throw new Declined();
  return (text) => test(text, argument);
}

function matcher(pattern: string, isForeign: boolean): (text: string) => boolean {
  if (isForeign) return linearPattern(pattern).matches;
  const expression = regularExpression(pattern, 'us') ?? regularExpression(pattern, 's');
  if (expression === undefined) throw new Declined();
  return (text) => expression.test(text);
}

/** Some published patterns have needless escapes (`\_`), which the unicode mode refuses. */
function regularExpression(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}

function compileWithCriteria(name: string, input: Compiled, criteria: Compiled): Compiled {
  const kept =
    (select: Compiled['run']): Compiled['run'] =>
    (items, frame) =>
      select(input.run(items, frame), frame);
  const matching = kept((found, { resource }) =>
    found.filter((item) => truth(criteria.run([item], { self: item, resource })) === true),
  );
  switch (name) {
    case 'where':
      return { run: matching, types: input.types };
    case 'exists':
      return { run: (items, frame) => ofTruth(matching(items, frame).length > 0), types: SYSTEM_BOOLEAN };
    case 'all':
      return {
        run: kept((found, { resource }) =>
          ofTruth(found.every((item) => truth(criteria.run([item], { self: item, resource })) === true)),
        ),
        types: SYSTEM_BOOLEAN,
      };
    case 'select':
      return {
        run: kept((found, { resource }) => found.flatMap((item) => criteria.run([item], { self: item, resource }))),
        types: criteria.types,
      };
    default:
      throw new Declined();
  }
}

function distinct(items: Items): Items {
  return [...new Set(plainItems(items))];
}

function negated(value: boolean | undefined): Items {
  return ofTruth(value === undefined ? undefined : !value);
}

/** The single text of a collection, as a list of none or one. */
function textOf(items: Items): string[] {
  if (items.length === 0) return [];
  const [text] = items;
  if (items.length > 1 || typeof text !== 'string') throw new Declined();
  return [text];
}
