// The rules that a profile may set on an element, beside slicing: broken resources, each refused at the right place
// (hl7.org/fhir/R5/elementdefinition.html).
import { EXAMPLE, type Json, profileOf, registryOf, testProfiled } from './test-profiles.ts';

const R5 = 'http://hl7.org/fhir/StructureDefinition/';
/** The warning of R5's own recommended binding. */
const NOT_MARITAL = '?Patient.maritalStatus code-invalid';
const SET = 'http://hl7.org/fhir/ValueSet/';
const concept = (code: string, system = 'urn:test', more: Json = {}): Json => ({ coding: [{ system, code, ...more }] });
const rule = (key: string, expression: string, severity = 'error'): Json => ({
  constraint: [{ key, severity, human: `Rule ${key}`, expression }],
});
const target = (...profiles: string[]): Json => ({ type: [{ code: 'Reference', targetProfile: profiles }] });

const registry = registryOf([
  profileOf('person', 'Patient', {
    Patient: rule('p-1', 'name.exists() or identifier.exists()'),
    'Patient.active': { fixedBoolean: true },
    'Patient.birthDate': {
      minValueDate: '1900-01-01',
      maxValueDate: '2030-12',
      ...rule('p-2', '$this <= today() or $this.toString().length() = 4', 'warning'),
    },
    'Patient.gender': { min: 1, mustHaveValue: true },
    'Patient.name': { max: '2' },
    'Patient.name.text': { max: '0' },
    'Patient.name.family': { min: 1, maxLength: 6 },
    'Patient.name.given': { valueAlternatives: [`${R5}data-absent-reason`] },
    'Patient.photo': { max: '0' },
    'Patient.deceased[x]': { type: [{ code: 'boolean' }] },
    'Patient.maritalStatus': { patternCodeableConcept: concept('M') },
    'Patient.managingOrganization': target(`${EXAMPLE}unit`),
    'Patient.generalPractitioner': target(`${R5}Practitioner`, `${EXAMPLE}unit`),
    'Patient.contact.gender': { min: 1 },
    'Patient.communication.language': { binding: { strength: 'required', valueSet: `${SET}all-languages` } },
  }),
  profileOf('married', 'Patient', {
    'Patient.maritalStatus': {
      binding: { strength: 'required', valueSet: 'http://example.org/fhir/ValueSet/nowhere' },
    },
  }),
  profileOf('unit', 'Organization', { Organization: {}, 'Organization.name': { min: 1 } }),
  profileOf('measure', 'Observation', {
    Observation: {},
    'Observation.code': { fixedCodeableConcept: concept('a', 'urn:test', { display: 'A' }) },
    'Observation.value[x]': {
      min: 1,
      type: [{ code: 'Quantity' }, { code: 'integer' }],
      minValueQuantity: { value: 1, unit: 'kg' },
    },
    'Observation.bodySite': { binding: { strength: 'extensible', valueSet: `${SET}data-absent-reason` } },
    'Observation.note.text': { patternMarkdown: 'checked' },
    'Observation.issued': { minValueInstant: '2020-01-01T00:00:00Z' },
    'Observation.referenceRange.low': {
      type: [{ code: 'Quantity', profile: [`${R5}SimpleQuantity`] }],
      patternQuantity: { system: 'urn:u' },
    },
    'Observation.component.referenceRange.text': { min: 1 },
  }),
  profileOf('counted', 'Observation', {
    Observation: {},
    'Observation.valueInteger': { minValueInteger: 1, maxValueInteger: 9 },
    'Observation.component': { min: 2, max: '3' },
  }),
  profileOf('timed', 'Observation', {
    Observation: {},
    'Observation.valueTime': { minValueTime: '08:00:00' },
    'Observation.bodySite.extension': { max: '0' },
  }),
  profileOf('list', 'Bundle', {
    Bundle: {},
    'Bundle.entry': { min: 1 },
    'Bundle.entry.resource': { min: 1, type: [{ code: 'Patient' }] },
    'Bundle.entry.fullUrl': { min: 1 },
  }),
  profileOf(
    'member',
    'Extension',
    {
      Extension: {},
      'Extension.extension:since': { min: 1, max: '1' },
      'Extension.extension:since.url': { fixedUri: 'since' },
      'Extension.extension:since.value[x]': { min: 1, type: [{ code: 'date' }] },
      'Extension.url': { fixedUri: `${EXAMPLE}member` },
      'Extension.value[x]': { max: '0' },
    },
    { context: [{ type: 'element', expression: 'Patient.contact' }] },
  ),
  profileOf('not', 'Extension', {
    Extension: { isModifier: true, isModifierReason: 'It negates' },
    'Extension.url': { fixedUri: `${EXAMPLE}not` },
    'Extension.value[x]': { min: 1, type: [{ code: 'boolean' }] },
  }),
]);

const person = (changes: Json): Json => ({
  resourceType: 'Patient',
  active: true,
  gender: 'male',
  name: [{ family: 'Berg' }],
  ...changes,
});
const measure = (changes: Json): Json => ({
  resourceType: 'Observation',
  status: 'final',
  code: concept('a', 'urn:test', { display: 'A' }),
  valueInteger: 1,
  ...changes,
});
const plain = (changes: Json): Json => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'A' },
  ...changes,
});
const quantity = (value: number, unit = 'kg'): Json => ({ valueInteger: undefined, valueQuantity: { value, unit } });
const unit = (changes: Json): Json => ({
  contained: [{ resourceType: 'Organization', id: 'u', ...changes }],
  managingOrganization: { reference: '#u' },
});
const member = (...inner: Json[]): Json => ({ url: `${EXAMPLE}member`, extension: inner });
const since = { url: 'since', valueDate: '2026-01-01' };
const components = (count: number): Json =>
  plain({ component: Array.from({ length: count }, () => ({ code: { text: 'B' } })) });
const bundle = (entry: Json): Json => ({ resourceType: 'Bundle', type: 'collection', entry: [entry] });
const absent = { extension: [{ url: `${R5}data-absent-reason`, valueCode: 'unknown' }] };

testProfiled(registry, [
  ['a person', 'person', person({}), []],
  ['another than the fixed value', 'person', person({ active: false }), ['Patient.active value']],
  ['a date before the least', 'person', person({ birthDate: '1899-12-31' }), ['Patient.birthDate value']],
  ['a date after the greatest', 'person', person({ birthDate: '2031' }), ['Patient.birthDate value']],
  ['the last month that is allowed', 'person', person({ birthDate: '2000-12-31' }), []],
  ['a warning of the profile', 'person', person({ birthDate: '2030-01-01' }), ['?Patient.birthDate invariant']],
  ['a required element', 'person', person({ gender: undefined }), ['Patient.gender required']],
  [
    'extensions where a value must be',
    'person',
    person({ gender: undefined, _gender: absent }),
    ['Patient.gender required'],
  ],
  [
    'too many',
    'person',
    person({ name: [{ family: 'A' }, { family: 'B' }, { family: 'C' }] }),
    ['Patient.name structure'],
  ],
  [
    'an element that is not allowed',
    'person',
    person({ name: [{ family: 'A', text: 'A' }] }),
    ['Patient.name[0].text structure'],
  ],
  [
    'a required element below',
    'person',
    person({ name: [{ family: 'A' }, { given: ['B'] }] }),
    ['Patient.name[1].family required'],
  ],
  ['a text that is too long', 'person', person({ name: [{ family: 'Bergman' }] }), ['Patient.name[0].family too-long']],
  ['six letters outside of the first plane', 'person', person({ name: [{ family: '𝒜𝒷𝒸𝒹ℯ𝒻' }] }), []],
  [
    'an extension that may stand for a value',
    'person',
    person({ name: [{ family: 'A', given: [null], _given: [absent] }] }),
    [],
  ],
  [
    'an extension that may not',
    'person',
    person({ name: [{ family: 'A', given: [null], _given: [{ extension: [{ url: 'urn:x', valueCode: 'a' }] }] }] }),
    ['Patient.name[0].given[0] required'],
  ],
  [
    'a list that is not allowed',
    'person',
    person({ photo: [{ url: 'http://x' }, { url: 'http://y' }] }),
    ['Patient.photo structure'],
  ],
  ['a choice of another type', 'person', person({ deceasedDateTime: '2026' }), ['Patient.deceased structure']],
  ['the pattern, and more', 'person', person({ maritalStatus: { ...concept('M'), text: 'M' } }), [NOT_MARITAL]],
  [
    'a code of a value set whose codes are not known',
    'married',
    { resourceType: 'Patient', maritalStatus: concept('M') },
    [NOT_MARITAL, '?Patient.maritalStatus not-supported'],
  ],
  ['nothing that a value set of unknown codes would hold', 'married', { resourceType: 'Patient' }, []],
  ['a pattern that is not there', 'person', person({ maritalStatus: { text: 'M' } }), ['Patient.maritalStatus value']],
  ['an invariant of the profile', 'person', person({ name: undefined }), ['Patient invariant']],
  ['a target that follows its profile', 'person', person(unit({ name: 'A' })), []],
  [
    'a target that does not',
    'person',
    person(unit({ identifier: [{ value: '1' }] })),
    ['Patient.managingOrganization value'],
  ],
  ['a target out of sight', 'person', person({ managingOrganization: { reference: 'Organization/1' } }), []],
  [
    'a target of another type',
    'person',
    person({ generalPractitioner: [{ reference: 'PractitionerRole/1' }] }),
    ['Patient.generalPractitioner[0] value'],
  ],
  [
    'one of several targets',
    'person',
    person({ generalPractitioner: [{ reference: 'Practitioner/1' }, { reference: 'Organization/1' }] }),
    [],
  ],
  [
    'a required element of a repeated one',
    'person',
    person({ contact: [{ name: { text: 'A' } }] }),
    ['Patient.contact[0].gender required'],
  ],
  ['a fixed concept', 'measure', measure({}), []],
  [
    'more than the fixed concept',
    'measure',
    measure({ code: { ...concept('a', 'urn:test', { display: 'A' }), text: 'A' } }),
    ['Observation.code value'],
  ],
  ['less than the fixed concept', 'measure', measure({ code: concept('a') }), ['Observation.code value']],
  ['a required choice', 'measure', measure({ valueInteger: undefined }), ['Observation.value required']],
  [
    'a choice of a type that is left out',
    'measure',
    measure({ valueInteger: undefined, valueString: 'a' }),
    ['Observation.value structure'],
  ],
  ['less than the least quantity', 'measure', measure(quantity(0.5)), ['Observation.value value']],
  ['a quantity of another unit has no order', 'measure', measure(quantity(0.5, 'g')), []],
  [
    'a code outside of an extensible set',
    'measure',
    measure({ bodySite: concept('a') }),
    ['?Observation.bodySite code-invalid'],
  ],
  [
    'a code of an extensible set',
    'measure',
    measure({ bodySite: concept('unknown', 'http://terminology.hl7.org/CodeSystem/data-absent-reason') }),
    [],
  ],
  [
    'a pattern of a text',
    'measure',
    measure({ note: [{ text: 'checked' }, { text: 'not' }] }),
    ['Observation.note[1].text value'],
  ],
  ['an instant too early', 'measure', measure({ issued: '2019-12-31T23:59:59Z' }), ['Observation.issued value']],
  ['an instant of another zone', 'measure', measure({ issued: '2019-12-31T23:59:59-02:00' }), []],
  [
    'a pattern of a quantity',
    'measure',
    measure({ referenceRange: [{ low: { value: 1 } }] }),
    ['Observation.referenceRange[0].low value'],
  ],
  [
    'an element of a content reference',
    'measure',
    measure({ component: [{ code: { text: 'A' }, referenceRange: [{ low: { value: 1 } }] }] }),
    ['Observation.component[0].referenceRange[0].text required'],
  ],
  ['a number in its range', 'counted', { ...components(2), valueInteger: 9 }, []],
  ['a number below', 'counted', { ...components(2), valueInteger: 0 }, ['Observation.value value']],
  ['a number above', 'counted', { ...components(2), valueInteger: 10 }, ['Observation.value value']],
  ['too few', 'counted', components(1), ['Observation.component required']],
  ['too many of a list', 'counted', components(4), ['Observation.component structure']],
  ['a time of day too early', 'timed', plain({ valueTime: '07:59:59' }), ['Observation.value value']],
  [
    'an extension that a profile forbids',
    'timed',
    plain({ bodySite: { text: 'A', extension: [{ url: 'urn:x', valueCode: 'a' }] } }),
    ['Observation.bodySite.extension structure'],
  ],
  [
    'a resource of the type',
    'list',
    bundle({ fullUrl: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520', resource: { resourceType: 'Patient' } }),
    [],
  ],
  [
    'a resource of another type',
    'list',
    bundle({
      fullUrl: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520',
      resource: { resourceType: 'Group', type: 'person', membership: 'definitional' },
    }),
    ['Bundle.entry[0].resource structure'],
  ],
  [
    'an entry without resource and address',
    'list',
    bundle({ link: [{ relation: 'self', url: 'http://x' }] }),
    [
      'Bundle invariant',
      'Bundle invariant',
      'Bundle.entry[0] invariant',
      'Bundle.entry[0].fullUrl required',
      'Bundle.entry[0].resource required',
    ],
  ],
  [
    'an extension of extensions',
    `${R5}Patient`,
    person({ contact: [{ name: { text: 'A' }, extension: [member(since)] }] }),
    [],
  ],
  [
    'a part of an extension is missing',
    `${R5}Patient`,
    person({ contact: [{ name: { text: 'A' }, extension: [member({ url: 'other', valueCode: 'a' })] }] }),
    ['Patient.contact[0].extension[0].extension required'],
  ],
  [
    'a part of an extension of another type',
    `${R5}Patient`,
    person({ contact: [{ name: { text: 'A' }, extension: [member({ url: 'since', valueString: 'A' })] }] }),
    ['Patient.contact[0].extension[0].extension[0].value structure'],
  ],
  [
    'a value where parts must be',
    `${R5}Patient`,
    person({ contact: [{ name: { text: 'A' }, extension: [{ url: `${EXAMPLE}member`, valueString: 'A' }] }] }),
    ['Patient.contact[0].extension[0].extension required', 'Patient.contact[0].extension[0].value structure'],
  ],
  [
    'an extension where it may not be',
    `${R5}Patient`,
    person({ extension: [member(since)] }),
    ['Patient.extension[0] structure'],
  ],
  [
    'an extension that modifies among those that do not',
    `${R5}Patient`,
    person({ extension: [{ url: `${EXAMPLE}not`, valueBoolean: true }] }),
    ['Patient.extension[0] structure'],
  ],
  [
    'an extension that modifies',
    `${R5}Patient`,
    person({ modifierExtension: [{ url: `${EXAMPLE}not`, valueBoolean: true }] }),
    [],
  ],
  [
    'an extension that does not modify among those that do',
    `${R5}Patient`,
    person({ contact: [{ name: { text: 'A' }, modifierExtension: [member(since)] }] }),
    ['Patient.contact[0].modifierExtension[0] structure'],
  ],
  [
    'an official extension with a value of another type',
    `${R5}Patient`,
    person({ extension: [{ url: `${R5}patient-birthPlace`, valueString: 'A' }] }),
    ['Patient.extension[0].value structure'],
  ],
  [
    'an official extension without value',
    `${R5}Patient`,
    person({ extension: [{ url: `${R5}patient-birthPlace`, id: 'a' }] }),
    ['Patient.extension[0] invariant', 'Patient.extension[0].value required'],
  ],
  [
    'an official extension where it may not be',
    `${R5}Patient`,
    person({ name: [{ family: 'A', extension: [{ url: `${R5}patient-birthPlace`, valueAddress: { text: 'A' } }] }] }),
    ['Patient.name[0].extension[0] structure'],
  ],
]);
