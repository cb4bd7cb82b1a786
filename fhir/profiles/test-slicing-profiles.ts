// Test support: profiles with slices of every kind (hl7.org/fhir/R5/profiling.html#slicing).
import { EXAMPLE, type Json, profileOf, registryOf } from './test-profiles.ts';

const sliced = (type: string, path: string, rules = 'open', more: Json = {}): Json => ({
  slicing: { discriminator: [{ type, path }], rules, ...more },
});
export const coding = (code: string, system = 'urn:test'): Json => ({ coding: [{ system, code }] });
export const flag = (code: string): Json =>
  coding(code, 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation');
const R5 = 'http://hl7.org/fhir/StructureDefinition/';
const reference = (...types: string[]): Json => ({
  type: [{ code: 'Reference', targetProfile: types.map((type) => (type.includes(':') ? type : R5 + type)) }],
});
const extension = (name: string): Json => ({ type: [{ code: 'Extension', profile: [EXAMPLE + name] }] });

/** Profiles with slicings of each discriminator type, path and rule. */
export const slicingProfiles = registryOf([
  profileOf('value', 'Observation', {
    Observation: {},
    'Observation.component': sliced('value', 'code', 'closed'),
    'Observation.component:a': { min: 1, max: '1' },
    'Observation.component:a.code': { patternCodeableConcept: coding('a') },
    'Observation.component:a.valueQuantity': { min: 1 },
    'Observation.component:b': { max: '2' },
    'Observation.component:b.code': { patternCodeableConcept: coding('b') },
  }),
  profileOf('pattern', 'Patient', {
    Patient: {},
    'Patient.identifier': sliced('pattern', '$this'),
    'Patient.identifier:pnr': { min: 1, patternIdentifier: { system: 'urn:oid:1.2.752.129.2.1.3.1' } },
    'Patient.identifier:pnr.value': { min: 1, maxLength: 12 },
  }),
  profileOf('exists', 'Patient', {
    Patient: {},
    'Patient.contact': sliced('exists', 'relationship', 'closed'),
    'Patient.contact:known': { min: 1 },
    'Patient.contact:known.relationship': { min: 1 },
    'Patient.contact:other': {},
    'Patient.contact:other.relationship': { max: '0' },
    'Patient.contact:other.name': { min: 1 },
  }),
  profileOf('type', 'Observation', {
    Observation: {},
    'Observation.value[x]': { slicing: { discriminator: [{ type: 'type', path: '$this' }], rules: 'closed' } },
    'Observation.value[x]:valueQuantity': { min: 0 },
    'Observation.value[x]:valueQuantity.value': { min: 1 },
    'Observation.value[x]:valueString': { maxLength: 5 },
  }),
  profileOf('type-of-target', 'Observation', {
    Observation: {},
    'Observation.performer': sliced('type', 'resolve()', 'closed'),
    'Observation.performer:doctor': { min: 1, ...reference('Practitioner') },
    'Observation.performer:unit': { max: '1', ...reference('Organization') },
  }),
  profileOf('named', 'Patient', { Patient: {}, 'Patient.name': { min: 1 } }),
  profileOf('nameless', 'Patient', { Patient: {}, 'Patient.name': { max: '0' }, 'Patient.identifier': { min: 1 } }),
  profileOf('profile', 'Group', {
    Group: {},
    'Group.member': sliced('profile', 'entity.resolve()', 'closed'),
    'Group.member:named': { min: 1 },
    'Group.member:named.entity': reference(`${EXAMPLE}named`),
    'Group.member:nameless': { max: '1' },
    'Group.member:nameless.entity': reference(`${EXAMPLE}nameless`),
  }),
  profileOf('position', 'Patient', {
    Patient: {},
    'Patient.name': sliced('position', '$this'),
    'Patient.name:first': { min: 1 },
    'Patient.name:first.family': { min: 1 },
    'Patient.name:second': {},
    'Patient.name:second.use': { min: 1, fixedCode: 'maiden' },
  }),
  profileOf('value-of-target', 'DiagnosticReport', {
    DiagnosticReport: {},
    'DiagnosticReport.result': sliced('value', 'resolve().code', 'closed'),
    'DiagnosticReport.result:steps': { min: 1, ...reference(`${EXAMPLE}steps`) },
  }),
  profileOf('steps', 'Observation', {
    Observation: {},
    'Observation.code': { patternCodeableConcept: coding('steps') },
  }),
  profileOf('of-type', 'Observation', {
    Observation: {},
    'Observation.component': sliced('value', 'value.ofType(Quantity).code'),
    'Observation.component:weight': { min: 1, max: '1' },
    'Observation.component:weight.valueQuantity': {},
    'Observation.component:weight.valueQuantity.code': { min: 1, fixedCode: 'kg' },
  }),
  profileOf('kind', 'Extension', {
    Extension: { max: '1' },
    'Extension.url': { fixedUri: `${EXAMPLE}kind` },
    'Extension.value[x]': { min: 1, type: [{ code: 'code' }] },
  }),
  profileOf('by-extension', 'Patient', {
    Patient: {},
    'Patient.contact': sliced('value', `extension('${EXAMPLE}kind').value`, 'closed'),
    'Patient.contact:close': { min: 1 },
    'Patient.contact:close.extension': sliced('value', 'url'),
    'Patient.contact:close.extension:kind': { min: 1, max: '1', ...extension('kind') },
    'Patient.contact:close.extension:kind.value[x]': { fixedCode: 'close' },
  }),
  profileOf('extended', 'Patient', {
    Patient: {},
    'Patient.extension:kind': { min: 1, max: '1', ...extension('kind') },
    'Patient.extension:unknown': { max: '1', ...extension('not-here') },
  }),
  profileOf('ordered', 'Patient', {
    Patient: {},
    'Patient.telecom': sliced('value', 'system', 'openAtEnd', { ordered: true }),
    'Patient.telecom:phone': { min: 1 },
    'Patient.telecom:phone.system': { min: 1, fixedCode: 'phone' },
    'Patient.telecom:email': {},
    'Patient.telecom:email.system': { min: 1, fixedCode: 'email' },
  }),
  profileOf('nested', 'Observation', {
    Observation: {},
    'Observation.component': sliced('value', 'code'),
    'Observation.component:a': { min: 1 },
    'Observation.component:a.code': { patternCodeableConcept: coding('a') },
    'Observation.component:a.interpretation': sliced('value', '$this'),
    'Observation.component:a.interpretation:high': { min: 1, max: '1', patternCodeableConcept: flag('H') },
  }),
  profileOf('resliced', 'Patient', {
    Patient: {},
    'Patient.identifier': sliced('value', 'system'),
    'Patient.identifier:national': {
      slicing: { discriminator: [{ type: 'value', path: 'use' }], rules: 'closed' },
      min: 1,
    },
    'Patient.identifier:national.system': { min: 1, fixedUri: 'urn:national' },
    'Patient.identifier:national/old': { max: '1' },
    'Patient.identifier:national/old.use': { min: 1, fixedCode: 'old' },
    'Patient.identifier:national/new': { min: 1, max: '1' },
    'Patient.identifier:national/new.use': { min: 1, fixedCode: 'official' },
  }),
  profileOf('two', 'Patient', {
    Patient: {},
    'Patient.telecom': {
      slicing: {
        discriminator: [
          { type: 'value', path: 'system' },
          { type: 'value', path: 'use' },
        ],
        rules: 'open',
      },
    },
    'Patient.telecom:mobile': { min: 1 },
    'Patient.telecom:mobile.system': { min: 1, fixedCode: 'phone' },
    'Patient.telecom:mobile.use': { min: 1, fixedCode: 'mobile' },
  }),
  profileOf('by-rules', 'Patient', {
    Patient: {},
    'Patient.name': { slicing: { rules: 'closed' } },
    'Patient.name:full': { min: 1 },
    'Patient.name:full.family': { min: 1 },
    'Patient.name:full.given': { min: 1 },
  }),
  profileOf('bound', 'Patient', {
    Patient: {},
    'Patient.contact': sliced('value', 'gender', 'closed'),
    'Patient.contact:any': { min: 1 },
    'Patient.contact:any.gender': {
      min: 1,
      binding: { strength: 'required', valueSet: 'http://hl7.org/fhir/ValueSet/administrative-gender' },
    },
  }),
  profileOf('derived', `${EXAMPLE}value`, {
    Observation: {},
    'Observation.component:a.valueQuantity.unit': { min: 1 },
    'Observation.component:b': { max: '0' },
  }),
]);
