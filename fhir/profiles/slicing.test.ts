// Slicing by every kind of discriminator, path and rule: resources that fit, and broken ones
// (hl7.org/fhir/R5/profiling.html#slicing).
import { EXAMPLE, type Json, testProfiled } from './test-profiles.ts';
import { coding, flag, slicingProfiles } from './test-slicing-profiles.ts';

const patient = (changes: Json): Json => ({ resourceType: 'Patient', ...changes });
const observation = (changes: Json): Json => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'A' },
  ...changes,
});
const component = (code: string, changes: Json = { valueQuantity: { value: 1 } }): Json => ({
  code: coding(code),
  ...changes,
});
const kind = (value: string, name = 'kind'): Json => ({ url: EXAMPLE + name, valueCode: value });
const performers = (...references: string[]): Json =>
  observation({ performer: references.map((each) => ({ reference: each })) });
const pnr = (value: string): Json => ({ system: 'urn:oid:1.2.752.129.2.1.3.1', value });
const phone = { system: 'phone', value: '1' };
const email = { system: 'email', value: 'a@b' };
const fax = { system: 'fax', value: '2' };
const national = (use: string): Json => ({ system: 'urn:national', use, value: '1' });
const group = (...members: Json[]): Json => ({
  resourceType: 'Group',
  type: 'person',
  membership: 'enumerated',
  contained: members.map((each, index) => ({ resourceType: 'Patient', id: `m${index}`, ...each })),
  member: members.map((_, index) => ({ entity: { reference: `#m${index}` } })),
});
const report = (...references: string[]): Json => ({
  resourceType: 'DiagnosticReport',
  status: 'final',
  code: { text: 'A' },
  contained: [
    { ...observation({ code: coding('steps') }), id: 's' },
    { ...observation({ code: coding('other') }), id: 'o' },
  ].filter(({ id }) => references.includes(`#${id}`)),
  result: references.map((each) => ({ reference: each })),
});
const weighed = (code: string): Json =>
  component('x', { valueQuantity: { value: 1, system: 'http://unitsofmeasure.org', code } });
const contact = (changes: Json): Json => ({ name: { text: 'A' }, ...changes });
const family = 'Berg';

testProfiled(slicingProfiles, [
  ['value: both slices', 'value', observation({ component: [component('a'), component('b'), component('b')] }), []],
  [
    'value: nothing of a required slice',
    'value',
    observation({ component: [component('b')] }),
    ['Observation.component required'],
  ],
  ['value: nothing at all', 'value', observation({}), ['Observation.component required']],
  [
    'value: too many of a slice',
    'value',
    observation({ component: [component('a'), component('b'), component('b'), component('b')] }),
    ['Observation.component structure'],
  ],
  [
    'value: another entry in a closed slicing',
    'value',
    observation({ component: [component('a'), component('c')] }),
    ['Observation.component[1] structure'],
  ],
  [
    'value: the right code of another system',
    'value',
    observation({ component: [component('a'), { ...component('b'), code: coding('b', 'urn:other') }] }),
    ['Observation.component[1] structure'],
  ],
  [
    'value: an element of the slice is missing',
    'value',
    observation({ component: [component('b'), component('a', { valueString: 'x' })] }),
    [
      'Observation.component[1].value required',
      'Observation.component[1].value structure',
      'Observation.component[1].value structure',
    ],
  ],
  ['pattern of $this', 'pattern', patient({ identifier: [{ system: 'urn:x', value: '1' }, pnr('191212121212')] }), []],
  [
    'pattern: none has it',
    'pattern',
    patient({ identifier: [{ system: 'urn:x', value: '1' }] }),
    ['Patient.identifier required'],
  ],
  [
    'pattern: too long',
    'pattern',
    patient({ identifier: [pnr('19121212-1212')] }),
    ['Patient.identifier[0].value too-long'],
  ],
  [
    'pattern: without value',
    'pattern',
    patient({ identifier: [{ system: 'urn:oid:1.2.752.129.2.1.3.1', type: { text: 'A' } }] }),
    ['Patient.identifier[0].value required', '?Patient.identifier[0] invariant'],
  ],
  ['exists: both', 'exists', patient({ contact: [contact({ relationship: [{ text: 'B' }] }), contact({})] }), []],
  ['exists: only without', 'exists', patient({ contact: [contact({})] }), ['Patient.contact required']],
  [
    'exists: what the other slice demands',
    'exists',
    patient({ contact: [contact({ relationship: [{ text: 'B' }] }), { gender: 'male' }] }),
    ['Patient.contact[1].name required', 'Patient.contact[1] invariant'],
  ],
  ['type: a short text', 'type', observation({ valueString: 'short' }), []],
  ['type: a long text', 'type', observation({ valueString: 'too long' }), ['Observation.value too-long']],
  [
    'type: a quantity without value',
    'type',
    observation({ valueQuantity: { unit: 'kg' } }),
    ['Observation.value.value required'],
  ],
  ['type: a type without slice', 'type', observation({ valueBoolean: true }), ['Observation.value structure']],
  ['type of the target: named by the reference', 'type-of-target', performers('Practitioner/1', 'Organization/1'), []],
  [
    'type of the target: none of a required slice',
    'type-of-target',
    performers('Organization/1'),
    ['Observation.performer required'],
  ],
  [
    'type of the target: too many',
    'type-of-target',
    performers('Practitioner/1', 'Organization/1', 'Organization/2'),
    ['Observation.performer structure'],
  ],
  [
    'type of the target: another type',
    'type-of-target',
    performers('Practitioner/1', 'Patient/1'),
    ['Observation.performer[1] structure'],
  ],
  ['type of the target: not known', 'type-of-target', performers('urn:uuid:c757873d-ec9a-4326-a141-556f43239520'), []],
  ['profile: each member follows one', 'profile', group({ name: [{ family }] }, { identifier: [{ value: '1' }] }), []],
  [
    'profile: none follows the required one',
    'profile',
    group({ identifier: [{ value: '1' }] }),
    ['Group.member required'],
  ],
  [
    'profile: one follows none',
    'profile',
    group({ name: [{ family }] }, { active: true }),
    ['Group.member[1] structure'],
  ],
  [
    'position: the first two are special',
    'position',
    patient({ name: [{ family }, { use: 'maiden', family }, { text: 'A' }] }),
    [],
  ],
  [
    'position: an error in the first',
    'position',
    patient({ name: [{ text: 'A' }] }),
    ['Patient.name[0].family required'],
  ],
  [
    'position: an error in the second',
    'position',
    patient({ name: [{ family }, { use: 'usual', family }] }),
    ['Patient.name[1].use value'],
  ],
  ['value of the target', 'value-of-target', report('#s'), []],
  [
    'value of the target: another code',
    'value-of-target',
    report('#s', '#o'),
    ['DiagnosticReport.result[1] structure'],
  ],
  ['value of the target: out of sight', 'value-of-target', { ...report('Observation/1'), contained: undefined }, []],
  [
    'ofType',
    'of-type',
    observation({ component: [weighed('kg'), weighed('g'), component('y', { valueString: 'kg' })] }),
    [],
  ],
  [
    'ofType: none',
    'of-type',
    observation({ component: [weighed('g'), component('y', { valueString: 'kg' })] }),
    ['Observation.component required'],
  ],
  [
    'ofType: two',
    'of-type',
    observation({ component: [weighed('kg'), weighed('kg')] }),
    ['Observation.component structure'],
  ],
  ['extension(url)', 'by-extension', patient({ contact: [contact({ extension: [kind('close')] })] }), []],
  [
    'extension(url): another value',
    'by-extension',
    patient({ contact: [contact({ extension: [kind('distant')] })] }),
    ['Patient.contact required', 'Patient.contact[0] structure'],
  ],
  [
    'extension(url): no extension',
    'by-extension',
    patient({ contact: [contact({})] }),
    ['Patient.contact required', 'Patient.contact[0] structure'],
  ],
  ['extensions by url', 'extended', patient({ extension: [kind('a'), kind('b', 'not-here'), kind('c', 'other')] }), []],
  [
    'a required extension is missing',
    'extended',
    patient({ extension: [kind('b', 'not-here')] }),
    ['Patient.extension required'],
  ],
  [
    'an extension too often',
    'extended',
    patient({ extension: [kind('a'), kind('b', 'not-here'), kind('c', 'not-here')] }),
    ['Patient.extension structure'],
  ],
  [
    'an extension with a value of another type',
    'extended',
    patient({ extension: [{ url: `${EXAMPLE}kind`, valueString: 'a' }] }),
    ['Patient.extension[0].value structure'],
  ],
  [
    'an extension more often than its definition allows',
    'extended',
    patient({ extension: [kind('a'), kind('b')] }),
    ['Patient.extension structure', 'Patient.extension[1] structure'],
  ],
  ['ordered, others at the end', 'ordered', patient({ telecom: [phone, phone, email, fax] }), []],
  ['out of order', 'ordered', patient({ telecom: [email, phone] }), ['Patient.telecom[1] structure']],
  ['others before the end', 'ordered', patient({ telecom: [phone, fax, email] }), ['Patient.telecom[1] structure']],
  [
    'nested slices',
    'nested',
    observation({ component: [component('a', { interpretation: [flag('H'), flag('L')] })] }),
    [],
  ],
  [
    'a nested slice is missing',
    'nested',
    observation({ component: [component('b'), component('a', { interpretation: [flag('L')] })] }),
    ['Observation.component[1].interpretation required'],
  ],
  [
    'a nested slice is not demanded of others',
    'nested',
    observation({
      component: [component('a', { interpretation: [flag('H')] }), component('b', { interpretation: [flag('L')] })],
    }),
    [],
  ],
  [
    'slices of a slice',
    'resliced',
    patient({ identifier: [national('old'), national('official'), { system: 'urn:x', value: '1' }] }),
    [],
  ],
  [
    'a slice of a slice is missing',
    'resliced',
    patient({ identifier: [national('old')] }),
    ['Patient.identifier required'],
  ],
  [
    'what belongs to no slice of a closed slice',
    'resliced',
    patient({ identifier: [national('official'), national('temp')] }),
    ['Patient.identifier[1] structure'],
  ],
  [
    'too many of a slice of a slice',
    'resliced',
    patient({ identifier: [national('official'), national('old'), national('old')] }),
    ['Patient.identifier structure'],
  ],
  [
    'two discriminators',
    'two',
    patient({
      telecom: [
        { ...phone, use: 'home' },
        { ...phone, use: 'mobile' },
      ],
    }),
    [],
  ],
  [
    'one of two discriminators fits',
    'two',
    patient({
      telecom: [
        { ...phone, use: 'home' },
        { ...email, use: 'mobile' },
      ],
    }),
    ['Patient.telecom required'],
  ],
  ['slices without discriminator: all rules kept', 'by-rules', patient({ name: [{ family, given: ['A'] }] }), []],
  [
    'slices without discriminator: a rule broken',
    'by-rules',
    patient({ name: [{ family }] }),
    ['Patient.name required', 'Patient.name[0] structure'],
  ],
  ['a discriminator by binding', 'bound', patient({ contact: [contact({ gender: 'male' })] }), []],
  [
    'a discriminator by binding: no value',
    'bound',
    patient({ contact: [contact({})] }),
    ['Patient.contact required', 'Patient.contact[0] structure'],
  ],
  [
    'a profile of a profile',
    'derived',
    observation({ component: [component('a', { valueQuantity: { value: 1, unit: 'kg' } })] }),
    [],
  ],
  [
    'a profile of a profile: its own rule',
    'derived',
    observation({ component: [component('a')] }),
    ['Observation.component[0].value.unit required'],
  ],
  [
    'a profile of a profile: a slice that it forbids',
    'derived',
    observation({ component: [component('a', { valueQuantity: { value: 1, unit: 'kg' } }), component('b')] }),
    ['Observation.component structure'],
  ],
  ['a profile of a profile: a rule of its base', 'derived', observation({}), ['Observation.component required']],
]);
