// Compiles FHIRPath syntax trees to functions over plain JSON. The element tables give the JSON members of each step at
// compile time. The compiler declines each expression whose result might differ from FHIRPath's: at compile time it
// returns `undefined`, at run time it throws Declined.
import type { Definitions } from '../definitions/definitions.ts';
import type { ElementDefinition } from '../definitions/shapes.ts';
import { isJsonObject, type JsonObject } from '../validation/context.ts';
import { compileCall } from './functions.ts';
import {
  type Compiled,
  type Compiler,
  Declined,
  type Items,
  NO_VALUE,
  type StaticType,
  SYSTEM_BOOLEAN,
} from './items.ts';
import { compileBinary } from './operators.ts';
import { type PathNode, parsePath } from './syntax.ts';

/**
 * Whether an invariant holds for a value; undefined when the expression is not compiled.
 * @throws Declined while it runs
 */
export type CompiledTest = (value: unknown, resource: unknown) => boolean;

const SYSTEM_STRING: readonly StaticType[] = [{ code: 'string', shape: undefined }];
const SYSTEM_NUMBER: readonly StaticType[] = [{ code: 'decimal', shape: undefined }];
/** A choice of more types than this is read by the members that the object has. */
const LONG_CHOICE = 4;
/** Operators whose left side alone may decide the result. */
const DECIDED_BY_LEFT = new Set(['and', 'or', 'implies']);
const UNSUPPORTED: Compiled = {
  run: () => {
    throw new Declined();
  },
  types: SYSTEM_BOOLEAN,
};
const UCUM = 'http://unitsofmeasure.org';

/**
 * Compiles an invariant for values at a place of the definitions (`Patient.contact`, `ActivityDefinition.url`).
 * @throws UnusablePattern for a user's regular expression that cannot be run in linear time
 */
export function compileTest(
  definitions: Definitions,
  { expression, isForeign = false }: { readonly expression: string; readonly isForeign?: boolean | undefined },
  basePath: string,
): CompiledTest | undefined {
  const tree = parsePath(expression);
  const root = typesAt(definitions, basePath);
  if (tree === undefined || root === undefined) return undefined;
  const compiler: Compiler = {
    definitions,
    root,
    isForeign,
    compile: (node, focus) => compileNode(compiler, node, focus),
  };
  try {
    const { run } = compiler.compile(tree, root);
    return (value, resource) => run([value], { self: value, resource })[0] !== false;
  } catch (error) {
    if (error instanceof Declined) return undefined;
    throw error;
  }
}

function typesAt(definitions: Definitions, basePath: string): readonly StaticType[] | undefined {
  const shape = definitions.shape(basePath);
  if (shape !== undefined) return [{ code: shape.path, shape }];
  const element = definitions.element(basePath);
  return element && typesOf(definitions, element);
}

function typesOf(definitions: Definitions, element: ElementDefinition): StaticType[] {
  return element.types.map((type) => ({
    code: type.code,
    shape: type.primitive === undefined ? definitions.shape(element.shapePath ?? type.code) : undefined,
  }));
}

function compileNode(compiler: Compiler, node: PathNode, focus: readonly StaticType[]): Compiled {
  switch (node.kind) {
    case 'literal': {
      const items = [node.value];
      return { run: () => items, types: literalTypes(node.value) };
    }
    case 'this':
      return { run: (_, frame) => [frame.self], types: focus };
    case 'variable':
      return compileVariable(compiler, node.name);
    case 'member':
      return compileMember(compiler, node.of && compiler.compile(node.of, focus), node.name, focus);
    case 'call':
      return compileCall(compiler, node, node.of && compiler.compile(node.of, focus), focus);
    case 'binary':
      return compileBinary(node.operator, compiler.compile(node.left, focus), compileRight(compiler, node, focus));
    default:
      return node satisfies never;
  }
}

/**
 * Often the left side alone decides (`facilityType.empty() or …`). A right side that cannot be compiled is declined
 * only when it is needed.
 */
function compileRight(
  compiler: Compiler,
  { operator, right }: Extract<PathNode, { kind: 'binary' }>,
  focus: readonly StaticType[],
): Compiled {
  try {
    return compiler.compile(right, focus);
  } catch (error) {
    if (!(error instanceof Declined) || !DECIDED_BY_LEFT.has(operator)) throw error;
    return UNSUPPORTED;
  }
}

function literalTypes(value: string | number | boolean): readonly StaticType[] {
  if (typeof value === 'string') return SYSTEM_STRING;
  return typeof value === 'number' ? SYSTEM_NUMBER : SYSTEM_BOOLEAN;
}

function compileVariable(compiler: Compiler, name: string): Compiled {
  if (name === 'ucum') return { run: () => [UCUM], types: SYSTEM_STRING };
  const type = compiler.root[0]?.shape?.path.split('.')[0] ?? '';
  if (name !== 'resource' || compiler.definitions.kindOf(type) !== 'resource') throw new Declined();
  return { run: (_, frame) => [frame.resource], types: [{ code: type, shape: compiler.definitions.shape(type) }] };
}

function compileMember(
  compiler: Compiler,
  of: Compiled | undefined,
  name: string,
  focus: readonly StaticType[],
): Compiled {
  const [type, ...others] = of?.types ?? focus;
  const element = type?.shape?.elements.find((each) => each.name === name);
  if (element === undefined || others.length > 0) throw new Declined();
  const siblings = new Map(
    element.jsonNames.map((jsonName, index) => [jsonName, element.types[index]?.primitive && `_${jsonName}`]),
  );
  const isLongChoice = siblings.size > LONG_CHOICE;
  const run = (items: Items): Items => {
    const found: unknown[] = [];
    for (const item of items) {
      if (!isJsonObject(item)) continue;
      const names = isLongChoice ? presentNames(item, name, siblings) : siblings.keys();
      for (const jsonName of names) collect(found, item, jsonName, siblings.get(jsonName));
    }
    return found;
  };
  const types = typesOf(compiler.definitions, element);
  return { run: of === undefined ? run : (items, frame) => run(of.run(items, frame)), types };
}

/** The members of a choice that an object has: faster than trying each of up to fifty types. */
function presentNames(item: JsonObject, name: string, siblings: ReadonlyMap<string, unknown>): Set<string> {
  const names = new Set<string>();
  for (const key of Object.keys(item)) {
    const jsonName = key.startsWith('_') ? key.slice(1) : key;
    if (jsonName.startsWith(name) && siblings.has(jsonName)) names.add(jsonName);
  }
  return names;
}

function collect(found: unknown[], item: JsonObject, name: string, sibling: string | undefined): void {
  const value = item[name];
  const beside = sibling === undefined ? undefined : item[sibling];
  if (Array.isArray(value)) for (const each of value) found.push(each ?? NO_VALUE);
  else if (value !== undefined && value !== null) found.push(value);
  else if (Array.isArray(beside)) for (const _ of beside) found.push(NO_VALUE);
  else if (beside !== undefined) found.push(NO_VALUE);
}
