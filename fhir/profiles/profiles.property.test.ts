// Profile validation of random resources and definitions. It never crashes, takes steps in proportion to the resource,
// and accepts resources that are generated from the definitions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { r5Definitions } from '../definitions/definitions.ts';
import type { ElementDefinition, ElementType, Shape } from '../definitions/shapes.ts';
import { hasErrors, validateResource } from '../validation/validate.ts';
import { createCustomProfiles } from './custom.ts';
import { parseDiscriminatorPath } from './discriminator-path.ts';
import { readStructure } from './snapshot/structure.ts';
import { EXAMPLE, type Json, profileOf } from './test-profiles.ts';

const definitions = r5Definitions();
/** A value of each primitive type that has no binding. */
const VALUES: Readonly<Record<string, unknown>> = {
  base64Binary: 'AAAA',
  boolean: true,
  canonical: 'http://example.org/a',
  code: 'a',
  date: '2026-11-22',
  dateTime: '2026-11-22T10:00:00Z',
  decimal: 1.5,
  id: 'a',
  instant: '2026-11-22T10:00:00Z',
  integer: 1,
  // The bytes in base64Binary.
  integer64: '3',
  markdown: 'a',
  oid: 'urn:oid:1.2.3',
  positiveInt: 1,
  string: 'Aa1',
  time: '10:00:00',
  unsignedInt: 1,
  uri: 'http://example.org/a',
  url: 'http://example.org/a',
  uuid: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520',
  xhtml: '<div xmlns="http://www.w3.org/1999/xhtml">a</div>',
};

/** The required elements of a shape, and those that `choose` picks. */
function objectOf(shape: Shape, choose: (element: ElementDefinition) => boolean, depth: number): Json {
  const made: Json = {};
  for (const element of shape.elements) {
    if (element.min === 0 && (depth <= 0 || !choose(element))) continue;
    const index = element.types.findIndex(isSimple);
    const type = element.types[Math.max(index, 0)];
    const name = element.jsonNames[Math.max(index, 0)];
    if (type === undefined || name === undefined) continue;
    const value = sampleOf(element, type, choose, depth - 1);
    if (value !== undefined) made[name] = element.isArray ? [value] : value;
  }
  return made;
}

function isSimple({ code }: ElementType): boolean {
  return code in VALUES;
}

function sampleOf(
  element: ElementDefinition,
  type: ElementType,
  choose: (element: ElementDefinition) => boolean,
  depth: number,
): unknown {
  const codes = element.binding?.strength === 'required' ? definitions.codeSet(element.binding.valueSet) : undefined;
  if (type.primitive !== undefined) return codes?.codes[0] ?? VALUES[type.code];
  if (type.code === 'Resource') return { resourceType: 'Basic', code: { text: 'a' } };
  if (type.code === 'Reference') return { display: 'a' };
  const [system = ''] = codes?.systems ?? [];
  const [code = ''] = codes?.codes.filter((each) => codes.has(system, each)) ?? [];
  if (type.code === 'CodeableConcept') return codes === undefined ? { text: 'a' } : { coding: [{ system, code }] };
  if (type.code === 'CodeableReference') return { concept: { text: 'a' } };
  if (type.code === 'Coding' && codes !== undefined) return { system, code };
  const shape = definitions.shape(element.shapePath ?? type.code);
  const made = shape && objectOf(shape, choose, depth);
  return made === undefined || Object.keys(made).length === 0 ? undefined : made;
}

/** Ignored issues: invariants between elements, and codes that are checked by syntax. */
const BEYOND = new Set(['invariant', 'code-invalid']);

test('a resource generated from its definition has no error of structure, type, form or cardinality', () => {
  const types = definitions.resourceTypes.filter((type) => type !== 'Bundle' && type !== 'Parameters');
  const made = fc.tuple(fc.constantFrom(...types), fc.array(fc.boolean(), { minLength: 8, maxLength: 64 }));
  fc.assert(
    fc.property(made, ([type, picks]) => {
      let count = 0;
      const choose = ({ name }: ElementDefinition) => {
        count += 1;
        return (
          !['contained', 'extension', 'modifierExtension', 'meta', 'id', 'implicitRules', 'language', 'hash'].includes(
            name,
          ) && picks[count % picks.length] === true
        );
      };
      const shape = definitions.shape(type);
      assert.ok(shape);
      const resource = { ...objectOf(shape, choose, 3), resourceType: type };
      const issues = validateResource(resource).filter((issue) => hasErrors([issue]) && !BEYOND.has(issue.code ?? ''));
      assert.deepEqual(
        issues.filter(({ message }) => !message.includes('required but missing')),
        [],
        JSON.stringify(resource),
      );
    }),
    { numRuns: 1500 },
  );
});

const NAMES = [
  'code',
  'component',
  'value[x]',
  'valueQuantity',
  'category',
  'performer',
  'extension',
  'coding',
  'system',
  'x',
  '[x]',
  '$this',
];
const PATH = fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }).map((names) => ['Observation', ...names].join('.'));
const DISCRIMINATOR_PATH = fc.oneof(
  fc.constantFrom(
    '$this',
    'code',
    'value',
    'resolve()',
    'resolve().code',
    "extension('urn:x').value",
    'value.ofType(Quantity)',
    'coding.code',
    '',
  ),
  fc.string({ maxLength: 12 }),
);
const ELEMENT = fc.record(
  {
    id: fc.oneof(PATH, fc.string({ maxLength: 8 })),
    path: PATH,
    sliceName: fc.constantFrom('a', 'b', 'a/b', 'valueQuantity', ''),
    min: fc.constantFrom(0, 1, 2, 5),
    max: fc.constantFrom('0', '1', '*', '2', 'x'),
    slicing: fc.record({
      rules: fc.constantFrom('open', 'closed', 'openAtEnd', 'none'),
      ordered: fc.boolean(),
      discriminator: fc.array(
        fc.record({
          type: fc.constantFrom('value', 'pattern', 'exists', 'type', 'profile', 'position', 'x'),
          path: DISCRIMINATOR_PATH,
        }),
        { maxLength: 2 },
      ),
    }),
    fixedString: fc.string({ maxLength: 3 }),
    patternCodeableConcept: fc.jsonValue({ maxDepth: 2 }),
    type: fc.array(
      fc.record(
        {
          code: fc.constantFrom('Quantity', 'string', 'Reference', 'Nothing', 'Extension'),
          targetProfile: fc.constant([`${EXAMPLE}random`]),
          profile: fc.constant([`${EXAMPLE}random`]),
        },
        { requiredKeys: ['code'] },
      ),
      { maxLength: 2 },
    ),
    constraint: fc.array(
      fc.record({
        key: fc.constant('x-1'),
        severity: fc.constant('error'),
        human: fc.constant('X'),
        expression: fc.constantFrom('true', 'code.exists()', '((', 'name.given', 'repeat($this)'),
      }),
      { maxLength: 1 },
    ),
  },
  { requiredKeys: ['path'] },
);
const OBSERVATION: Json = {
  resourceType: 'Observation',
  meta: { profile: [`${EXAMPLE}random`] },
  status: 'final',
  code: { coding: [{ system: 'urn:x', code: 'a' }] },
  contained: [{ resourceType: 'Observation', id: 'o', status: 'final', code: { text: 'A' } }],
  performer: [{ reference: 'Practitioner/1' }, { display: 'A' }],
  hasMember: [{ reference: '#o' }],
  component: [
    { code: { text: 'A' }, valueString: 'a' },
    { code: { text: 'B' }, valueQuantity: { value: 1 } },
  ],
};

test('a definition of any content is used or reported as unusable, and never crashes the validator', () => {
  fc.assert(
    fc.property(fc.array(ELEMENT, { maxLength: 8 }), fc.boolean(), (elements, isSnapshot) => {
      const structure = readStructure({
        ...profileOf('random', 'Observation', { Observation: {} }),
        resourceType: 'StructureDefinition',
        baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Observation',
        derivation: 'constraint',
        [isSnapshot ? 'snapshot' : 'differential']: {
          element: [{ id: 'Observation', path: 'Observation' }, ...elements],
        },
      });
      assert.ok(structure);
      const profiles = createCustomProfiles();
      profiles.replace([structure]);
      const issues = validateResource(OBSERVATION, { profiles });
      const isUsable = profiles.problemsOf(structure).length === 0;
      assert.equal(
        issues.some(({ message }) => message.includes('cannot be used')),
        !isUsable,
      );
      for (const { field } of issues) assert.match(field ?? '', /^Observation/);
    }),
    { numRuns: 600 },
  );
});

test('any value under a profiled element never crashes the validator', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom<unknown>(null, [], {}, [null], [[]], { coding: null }, { reference: '#' }),
  );
  const names = [
    'category',
    'code',
    'valueQuantity',
    '_valueQuantity',
    'component',
    'subject',
    'meta',
    'contained',
    'hasMember',
    'extension',
  ];
  const profile = fc.constantFrom('bp', 'vitalsigns', 'cholesterol', 'bodyweight');
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8 }), profile, (members, name) => {
      const follows = [`http://hl7.org/fhir/StructureDefinition/${name}`];
      assert.ok(hasErrors(validateResource({ status: 'final', ...members, resourceType: 'Observation' }, { follows })));
    }),
    { numRuns: 1500 },
  );
});

test('the steps of a profile grow with the resource, and end at a limit', () => {
  const profiles = createCustomProfiles();
  const slices = Array.from({ length: 200 }, (_, index) => [
    [`Observation.component:s${index}`, {}] as const,
    [
      `Observation.component:s${index}.interpretation`,
      { slicing: { discriminator: [{ type: 'value', path: '$this' }], rules: 'open' } },
    ] as const,
    [
      `Observation.component:s${index}.interpretation:x`,
      { min: 1, patternCodeableConcept: { text: `${index}` } },
    ] as const,
  ]);
  const elements = Object.fromEntries([
    ['Observation', {}],
    ['Observation.component', { slicing: { rules: 'open' } }],
    ...slices.flat(),
  ]);
  profiles.replace([profileOf('many', 'Observation', elements)]);
  const component = { code: { text: 'A' }, interpretation: Array.from({ length: 100 }, () => ({ text: 'none' })) };
  const resource = {
    ...OBSERVATION,
    meta: { profile: [`${EXAMPLE}many`] },
    component: Array.from({ length: 400 }, () => component),
  };
  assert.ok(validateResource(resource, { profiles }).some(({ code: issueCode }) => issueCode === 'too-costly'));
  const small = { ...resource, component: [component] };
  assert.ok(!hasErrors(validateResource(small, { profiles })));
});

test('a path of a discriminator is read or refused', () => {
  assert.deepEqual(parseDiscriminatorPath("a.extension('urn:x').value[x].ofType(Coding).resolve().b"), [
    { kind: 'element', name: 'a' },
    { kind: 'extension', url: 'urn:x' },
    { kind: 'element', name: 'value' },
    { kind: 'ofType', type: 'Coding' },
    { kind: 'resolve' },
    { kind: 'element', name: 'b' },
  ]);
  assert.deepEqual(parseDiscriminatorPath('$this'), []);
  assert.deepEqual(parseDiscriminatorPath('$this.resolve()'), [{ kind: 'resolve' }]);
  for (const wrong of ['a..b', 'a.', 'a.where(b)', 'first()', '1', 'a b', '$that'])
    assert.equal(parseDiscriminatorPath(wrong), undefined, wrong);
  fc.assert(fc.property(fc.string(), (text) => void parseDiscriminatorPath(text)));
});
