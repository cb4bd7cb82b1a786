// Rules beyond one value: aggregation of references, maximum value sets, values that match two slices, FHIR versions of
// an extension, and `slice()` in expressions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateResource } from '../validation/validate.ts';
import { EXAMPLE, type Json, profileOf, registryOf, testProfiled } from './test-profiles.ts';
import { isForR5 } from './version-range.ts';

const SET = 'http://hl7.org/fhir/ValueSet/';
const RANGE = 'http://hl7.org/fhir/StructureDefinition/version-specific-use';
const practitioner = (aggregation: string[]): Json => ({
  type: [{ code: 'Reference', targetProfile: ['http://hl7.org/fhir/StructureDefinition/Practitioner'], aggregation }],
});
const byCode = { slicing: { discriminator: [{ type: 'value', path: 'code' }], rules: 'open' } };
const coded = (system: string, code?: string): Json => ({
  patternCodeableConcept: { coding: [{ system, ...(code === undefined ? {} : { code }) }] },
});
const range = (start: string, end?: string): Json => ({
  url: RANGE,
  extension: [
    { url: 'startFhirVersion', valueCode: start },
    ...(end === undefined ? [] : [{ url: 'endFhirVersion', valueCode: end }]),
  ],
});
const extension = (name: string, more: Json) =>
  profileOf(name, 'Extension', { Extension: {}, 'Extension.url': { fixedUri: EXAMPLE + name } }, more);
const rule = (expression: string): Json => ({
  constraint: [{ key: 'r-1', severity: 'error', human: 'R', expression }],
});

const registry = registryOf([
  profileOf('near', 'Observation', { Observation: {}, 'Observation.performer': practitioner(['contained']) }),
  profileOf('far', 'Observation', { Observation: {}, 'Observation.performer': practitioner(['referenced']) }),
  profileOf('together', 'Observation', { Observation: {}, 'Observation.performer': practitioner(['bundled']) }),
  profileOf('most', 'Observation', {
    Observation: {},
    'Observation.bodySite': {
      binding: {
        strength: 'preferred',
        valueSet: `${SET}body-site`,
        additional: [{ purpose: 'maximum', valueSet: `${SET}data-absent-reason` }],
      },
    },
    'Observation.method': {
      binding: {
        strength: 'extensible',
        valueSet: `${SET}observation-methods`,
        extension: [
          {
            url: 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet',
            valueCanonical: `${SET}data-absent-reason`,
          },
        ],
      },
    },
  }),
  profileOf('overlapping', 'Observation', {
    Observation: {},
    'Observation.component': byCode,
    'Observation.component:any': {},
    'Observation.component:any.code': coded('urn:a'),
    'Observation.component:one': {},
    'Observation.component:one.code': coded('urn:a', 'x'),
  }),
  profileOf('asking', 'Observation', {
    Observation: rule(`component.slice('${EXAMPLE}asking', 'one').value.ofType(integer) > 5`),
    'Observation.component': byCode,
    'Observation.component:one': {},
    'Observation.component:one.code': coded('urn:a', 'x'),
  }),
  profileOf('asking-nobody', 'Observation', {
    Observation: rule(`component.slice('${EXAMPLE}nobody', 'one').exists()`),
  }),
  extension('old', { context: [{ type: 'element', expression: 'Patient' }], extension: [range('3.0', '4.0')] }),
  extension('moved', {
    context: [
      { type: 'element', expression: 'Observation', extension: [range('4.0', '4.3')] },
      { type: 'element', expression: 'Patient', extension: [range('5.0')] },
    ],
  }),
]);

const performer = { resourceType: 'Practitioner', id: 'p' };
const observation = (changes: Json): Json => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'A' },
  ...changes,
});
const inside = observation({ contained: [performer], performer: [{ reference: '#p' }] });
const outside = observation({ performer: [{ reference: 'Practitioner/p' }] });
const component = (code: string, valueInteger = 1): Json => ({
  code: { coding: [{ system: 'urn:a', code }] },
  valueInteger,
});
const absent = (code: string): Json => ({
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code }],
});
const other = { coding: [{ system: 'urn:x', code: 'a' }] };
const carrying = (resourceType: string, name: string): Json => ({
  ...(resourceType === 'Patient' ? { resourceType } : observation({})),
  extension: [{ url: EXAMPLE + name, valueBoolean: true }],
});

testProfiled(registry, [
  ['contained, as it must be', 'near', inside, []],
  ['elsewhere, where it must be contained', 'near', outside, ['Observation.performer[0] value']],
  ['elsewhere, as it must be', 'far', outside, []],
  ['contained, where it must be elsewhere', 'far', inside, ['Observation.performer[0] value']],
  ['in a bundle perhaps', 'together', outside, []],
  ['contained, where it must be in the bundle', 'together', inside, ['Observation.performer[0] value']],
  ['a code of the greatest set', 'most', observation({ bodySite: absent('unknown'), method: absent('unknown') }), []],
  ['a text alone', 'most', observation({ bodySite: { text: 'A' }, method: { text: 'A' } }), []],
  [
    'a code beyond the greatest set',
    'most',
    observation({ bodySite: other, method: other }),
    ['Observation.bodySite code-invalid', 'Observation.method code-invalid'],
  ],
  ['of one slice', 'overlapping', observation({ component: [component('y')] }), []],
  [
    'of two slices',
    'overlapping',
    observation({ component: [component('y'), component('x')] }),
    ['Observation.component[1] structure'],
  ],
  ['a slice in an expression', 'asking', observation({ component: [component('y', 1), component('x', 6)] }), []],
  [
    'a slice in an expression, broken',
    'asking',
    observation({ component: [component('y', 7), component('x', 5)] }),
    ['Observation invariant'],
  ],
  ['a slice of nobody', 'asking-nobody', observation({ component: [component('y')] }), ['?Observation not-supported']],
]);

const issuesOf = (resource: Json): (string | undefined)[] =>
  validateResource(resource, { profiles: registry }).map(({ field, severity }) => `${severity ?? 'error'} ${field}`);

test('within a bundle, the target is present or is reported as missing', () => {
  const bundle = (...more: Json[]): Json => ({
    resourceType: 'Bundle',
    type: 'collection',
    entry: [{ ...outside, id: 'o', meta: { profile: [`${EXAMPLE}together`] } }, ...more].map((resource) => ({
      fullUrl: `http://a.example/${String(resource['resourceType'])}/${String(resource['id'])}`,
      resource,
    })),
  });
  assert.deepEqual(issuesOf(bundle(performer)), []);
  assert.deepEqual(issuesOf(bundle()), ['error Bundle.entry[0].resource.performer[0]']);
});

test('extensions and their contexts are for some versions of FHIR', () => {
  assert.deepEqual(issuesOf(carrying('Patient', 'old')), ['error Patient.extension[0]']);
  assert.deepEqual(issuesOf(carrying('Patient', 'moved')), []);
  assert.deepEqual(issuesOf(carrying('Observation', 'moved')), ['error Observation.extension[0]']);
  const ranges = [range('5.0'), range('1.0', '5.0.0'), range('3.0', '4.3'), range('6.0'), range('ballot')];
  assert.deepEqual(
    ranges.map((each) => isForR5({ extension: [each] })),
    [true, true, false, false, true],
  );
});
