// Compares compiled and hand-coded invariants with the fhirpath package, over official examples and over examples with
// members removed or changed at random.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import fhirpath from 'fhirpath';
import model from 'fhirpath/fhir-context/r5/index.js';
import { r5Definitions } from '../definitions/definitions.ts';
import type { Invariant, Shape } from '../definitions/shapes.ts';
import { HAND_CODED } from '../validation/rules/hand-coded.ts';
import { type CompiledTest, compileTest } from './compile.ts';
import { Declined } from './items.ts';
import { parsePath } from './syntax.ts';

const definitions = r5Definitions();
const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));
/** Hand-coded because the published expression is wrong, or uses what the package does not support. */
const DIFFERENT = new Set([
  'Reference/ref-1',
  // The published expression is empty for a text that is not a number.
  'ElementDefinition/eld-3',
  'ElementDefinition/eld-11',
  'ElementDefinition/eld-28',
  // The published expression is empty for a bundle without a first entry or a type.
  'Bundle/bdl-11',
  'Bundle/bdl-12',
  'Bundle/bdl-13',
  'Range/rng-2',
  'RatioRange/ratrng-2',
]);
const compiledTests = new Map<string, CompiledTest | undefined>();
const fullTests = new Map<string, (value: unknown, resource: unknown) => boolean | undefined>();
let compared = 0;
let broken = 0;

function fullTest(expression: string, basePath: string): (value: unknown, resource: unknown) => boolean | undefined {
  const compiled = fhirpath.compile({ base: basePath, expression }, model as never, {
    async: false,
    traceFn: () => {},
  });
  return (value, resource) => {
    try {
      return (compiled(value, { resource, rootResource: resource }) as unknown[])[0] !== false;
    } catch {
      return undefined;
    }
  };
}

function compare({ key, source, expression }: Invariant, basePath: string, value: unknown, resource: unknown): void {
  if (expression === undefined || key === 'ele-1' || key.startsWith('dom-')) return;
  const name = `${source}/${key}@${basePath}`;
  if (!compiledTests.has(name)) compiledTests.set(name, compileTest(definitions, { expression }, basePath));
  const rule = `${source}/${key}`;
  const handCoded = HAND_CODED.get(rule);
  const byHand = handCoded && ((each: unknown, whole: unknown) => handCoded(each, { resource: whole } as never));
  const quick = DIFFERENT.has(rule) ? undefined : (byHand ?? compiledTests.get(name));
  if (quick === undefined) return;
  if (!fullTests.has(name)) fullTests.set(name, fullTest(expression, basePath));
  const expected = fullTests.get(name)?.(value, resource);
  if (expected === undefined) return;
  try {
    assert.equal(quick(value, resource as never), expected, `${name} ${expression} ${JSON.stringify(value)}`);
    compared += 1;
    if (!expected) broken += 1;
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
  }
}

function visit(shape: Shape, value: unknown, resource: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const invariant of shape.constraints) compare(invariant, shape.path, value, resource);
  for (const [name, member] of Object.entries(value)) {
    const slot = shape.slots.get(name);
    if (slot === undefined || slot.type.code === 'Resource') continue;
    for (const each of Array.isArray(member) ? member : [member]) {
      if (each === null) continue;
      for (const invariant of slot.element.constraints) compare(invariant, slot.element.path, each, resource);
      const inner = slot.type.primitive === undefined && definitions.shape(slot.element.shapePath ?? slot.type.code);
      if (inner) visit(inner, each, resource);
    }
  }
}

/** Pseudo-random numbers with a fixed seed. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}

/** Removes, duplicates or replaces a few members in place. */
function damage(value: unknown, next: (below: number) => number): void {
  if (typeof value !== 'object' || value === null) return;
  const members = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(members)) {
    const choice = next(12);
    if (choice === 0 && name !== 'resourceType' && !Array.isArray(value)) delete members[name];
    else if (choice === 1 && typeof member === 'string' && name !== 'resourceType')
      members[name] = `${member} ${member}`;
    else if (choice === 2 && Array.isArray(member)) member.push(...structuredClone(member));
    else if (choice === 3 && typeof member === 'number') members[name] = -member;
    else damage(member, next);
  }
}

test('compiled and hand-coded invariants have the results of the fhirpath package', () => {
  const names = readdirSync(folder).filter((name) => /^[A-Z]\w+-.*\.json$/.test(name));
  const next = generator(7);
  const seen = new Map<string, number>();
  for (const name of names) {
    const type = name.slice(0, name.indexOf('-'));
    const count = (seen.get(type) ?? 0) + 1;
    seen.set(type, count);
    const text = readFileSync(join(folder, name), 'utf8');
    const shape = definitions.shape(type);
    if (count > 15 || text.length > 60_000 || shape === undefined) continue;
    const whole: unknown = JSON.parse(text);
    visit(shape, whole, whole);
    for (let round = 0; round < 8; round += 1) {
      const damaged: unknown = JSON.parse(text);
      damage(damaged, next);
      visit(shape, damaged, damaged);
    }
  }
  assert.ok(compared > 50_000 && broken > 4000, `${compared} compared, ${broken} of them broken`);
  const compiled = [...compiledTests.values()].filter((each) => each !== undefined).length;
  assert.ok(compiled > 200, `${compiled} invariants compiled`);
});

test('precedence and literals are read as the specification says', () => {
  const tree = parsePath("a or b and c = 'it\\'s' implies $this.`div`.exists()");
  assert.deepEqual(tree, {
    kind: 'binary',
    operator: 'implies',
    left: {
      kind: 'binary',
      operator: 'or',
      left: { kind: 'member', of: undefined, name: 'a' },
      right: {
        kind: 'binary',
        operator: 'and',
        left: { kind: 'member', of: undefined, name: 'b' },
        right: {
          kind: 'binary',
          operator: '=',
          left: { kind: 'member', of: undefined, name: 'c' },
          right: { kind: 'literal', value: "it's" },
        },
      },
    },
    right: {
      kind: 'call',
      of: { kind: 'member', of: { kind: 'this' }, name: 'div' },
      name: 'exists',
      args: [],
    },
  });
});

test('an unsupported expression is left to the package', () => {
  for (const expression of ['a is', 'a[0]', 'a.', '(a', "'open", 'a ~ b', '', 'a b', 'iif(a, b']) {
    assert.equal(parsePath(expression), undefined, expression);
  }
  for (const expression of [
    'resolve()',
    'nothing.exists()',
    'birthDate = birthDate',
    'name = name',
    '%other',
    'link.other.resolve()',
    'link.other.resolve() is Patient',
    'link.other.resolve().exists() or active',
  ]) {
    assert.equal(compileTest(definitions, { expression }, 'Patient'), undefined, expression);
  }
});

test('an unsupported right side is declined only when the left side does not decide', () => {
  for (const [expression, operand] of [
    ['active.empty() or link.other.resolve() is Patient', { active: undefined }],
    ['active.exists() implies link.other.resolve().exists()', { active: undefined }],
    ['active.exists() and link.other.resolve().exists() implies name.exists()', { active: undefined }],
  ] as const) {
    const test = compileTest(definitions, { expression }, 'Patient');
    assert.equal(test?.(operand, operand), true, expression);
    assert.throws(() => test?.({ active: true }, {}), Declined, expression);
  }
});
