// Edge cases of the rules: resources that must be accepted, get a warning, or are refused, with the place
// (hl7.org/fhir/R5/validation.html).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from './broken-resources.ts';
import { validateResource } from './validate.ts';

const patient = (changes: Json): Json => ({ resourceType: 'Patient', ...changes });
const observation = (changes: Json): Json => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  ...changes,
});
const died = (at: string): Json => patient({ deceasedDateTime: at });
const XHTML = 'xmlns="http://www.w3.org/1999/xhtml"';
const narrative = (div: string): Json => patient({ text: { status: 'generated', div } });
const photo = (attachment: Json): Json => patient({ photo: [attachment] });
const subject = (reference: Json): Json => observation({ subject: reference });
const unit = (contained: readonly Json[]): Json => patient({ contained, managingOrganization: { reference: '#o' } });
const bundle = (type: string, ...entry: Json[]): Json => ({ resourceType: 'Bundle', type, entry });
const at = (fullUrl: string, resource: Json, more: Json = {}): Json => ({ fullUrl, resource, ...more });
const married = (maritalStatus: Json): Json => patient({ maritalStatus });
const MARITAL = 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus';
const form = (changes: Json, ...contained: Json[]): Json => ({
  resourceType: 'Questionnaire',
  status: 'draft',
  ...(contained.length === 0 ? {} : { contained: contained.map((each) => ({ ...each, id: 'a' })) }),
  ...changes,
});
const THO = 'http://terminology.hl7.org/CodeSystem/';
const MODELS = `${THO}v3-ManufacturerModelNameExample`;
const tagged = (tag: Json): Json => patient({ meta: { tag: [{ system: `${THO}v3-ActReason`, ...tag }] } });
const temperature = (low: number, high: number): Json =>
  observation({ valueRange: { low: { value: low, unit: 'C' }, high: { value: high, unit: 'C' } } });
const issuesOf = (resource: unknown): string[] =>
  validateResource(resource).map(
    ({ field, code: issue, severity }) => `${severity === 'warning' ? '?' : ''}${field} ${issue}`,
  );

/** [title, the resource, its issues as `place code`, `?` before a warning; none if it is accepted] */
const CASES: readonly (readonly [what: string, resource: Json, ...issues: string[]])[] = [
  ['a leap day', patient({ birthDate: '2024-02-29' })],
  ['a leap day of another year', patient({ birthDate: '2023-02-29' }), 'Patient.birthDate value'],
  ['30 February', patient({ birthDate: '2024-02-30' }), 'Patient.birthDate value'],
  ['the year 0', patient({ birthDate: '0000' }), 'Patient.birthDate value'],
  ['a leap second', died('2016-12-31T23:59:60Z')],
  ['the easternmost zone', died('2024-01-01T10:00:00+14:00')],
  ['a zone beyond', died('2024-01-01T10:00:00+14:30'), 'Patient.deceased value'],
  ['an unknown zone', died('2024-01-01T10:00:00-00:00')],
  ['no seconds', died('2024-01-01T10:00Z'), 'Patient.deceased value'],
  ['no zone', died('2024-01-01T10:00:00'), 'Patient.deceased value'],
  ['nine digits of a second', died('2024-01-01T10:00:00.123456789Z')],
  ['ten digits of a second', died('2024-01-01T10:00:00.1234567890Z'), 'Patient.deceased value'],
  ['24 o’clock', observation({ valueTime: '24:00:00' }), 'Observation.value value'],
  ['the least integer', observation({ valueInteger: -2_147_483_648 })],
  ['more than an integer', observation({ valueInteger: 2_147_483_648 }), 'Observation.value value'],
  ['a name in two lines', patient({ name: [{ family: 'A\nB' }] })],
  ['a bell in a name', patient({ name: [{ family: 'A\u0007' }] }), '?Patient.name[0].family value'],
  ['a name of spaces', patient({ name: [{ given: ['A', ' \u00a0'] }] }), '?Patient.name[0].given[1] value'],
  ['a remark of line feeds', observation({ note: [{ text: '\n' }] }), '?Observation.note[0].text value'],
  ['a NUL in a remark', observation({ note: [{ text: 'a\u0000' }] }), 'Observation.note[0].text value'],
  [
    'an OID that is none',
    patient({ identifier: [{ system: 'urn:oid:3.x', value: 'a' }] }),
    'Patient.identifier[0].system value',
  ],
  ['a UUID that is none', patient({ implicitRules: 'urn:uuid:A' }), 'Patient.implicitRules value'],
  [
    'a relative system of identifiers',
    patient({ identifier: [{ system: 'mine', value: 'a' }] }),
    'Patient.identifier[0].system value',
  ],
  ['an identifier that is a URI', patient({ identifier: [{ system: 'urn:ietf:rfc:3986', value: 'urn:oid:1.2' }] })],
  [
    'an identifier that should be a URI',
    patient({ identifier: [{ system: 'urn:ietf:rfc:3986', value: '1.2' }] }),
    'Patient.identifier[0].value value',
  ],
  [
    'an extension with a special kind of its type',
    {
      ...form({}),
      extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fmm', valuePositiveInt: 1 }],
    },
    'Questionnaire.extension[0].value structure',
  ],
  [
    'a relative system of codes in a concept',
    observation({ code: { coding: [{ system: 'loinc.org', code: 'a' }] } }),
    '?Observation.code.coding[0].system value',
  ],
  ['a relative system of codes', tagged({ code: 'a', system: 'mine' }), 'Patient.meta.tag[0].system value'],
  [
    'a relative profile',
    patient({ meta: { profile: ['my-profile'] } }),
    'Patient.meta.profile[0] value',
    '?Patient.meta.profile[0] not-found',
  ],
  [
    'a canonical without its version',
    observation({ instantiatesCanonical: 'http://a.example/x|' }),
    'Observation.instantiates value',
  ],
  [
    'one id of two elements',
    patient({ name: [{ id: 'a', text: 'A' }], telecom: [{ id: 'a', value: '1', system: 'phone' }] }),
    'Patient.telecom[0].id duplicate',
  ],
  [
    'one id of an element and of a primitive',
    patient({ name: [{ id: 'a', family: 'A', _family: { id: 'a' } }] }),
    'Patient.name[0].family.id duplicate',
  ],
  [
    'one id in a resource and in a contained one',
    {
      ...unit([{ resourceType: 'Organization', id: 'o', name: 'O', contact: [{ id: 'a', name: [{ text: 'A' }] }] }]),
      name: [{ id: 'a', text: 'A' }],
    },
  ],
  [
    'an attachment of its size and hash',
    photo({ contentType: 'text/plain', data: 'aGVsbG8=', size: '5', hash: 'qvTGHdzF6KLavt4PO0gs2a6pQ00=' }),
  ],
  [
    'an attachment of another size',
    photo({ contentType: 'text/plain', data: 'aGVsbG8=', size: '6' }),
    'Patient.photo[0].size value',
  ],
  [
    'an attachment of another hash',
    photo({ contentType: 'text/plain', data: 'aGVsbG8=', hash: 'AAAA' }),
    'Patient.photo[0].hash value',
  ],
  ['an attachment elsewhere', photo({ contentType: 'text/plain', url: 'http://a.example/x', size: '7', hash: 'AAAA' })],
  [
    'members of every object',
    JSON.parse('{"resourceType":"Patient","__proto__":{"a":1}}'),
    'Patient.__proto__ structure',
  ],
  ['base64 of a broken length', photo({ contentType: 'image/png', data: 'abc' }), 'Patient.photo[0].data value'],
  ['a media type with parameters', photo({ contentType: 'text/plain; charset=utf-8', url: 'http://x' })],
  ['half a media type', photo({ contentType: 'png', url: 'http://x' }), 'Patient.photo[0].contentType code-invalid'],
  ['a private language', patient({ language: 'x-klingon' })],
  ['no language', patient({ language: 'swedish!' }), 'Patient.language code-invalid'],
  [
    'an extension of no host',
    patient({ extension: [{ url: 'https://', valueCode: 'a' }] }),
    'Patient.extension[0].url value',
  ],
  // Ranges: 5 to 4 may be 4.5 to 4.5
  ['a range of one value', temperature(5, 5)],
  ['a range that rounding explains', temperature(5, 4), '?Observation.value.low value'],
  ['a range beyond rounding', temperature(5, 3.9), 'Observation.value invariant'],
  [
    'a range of other units',
    observation({ valueRange: { low: { value: 9, unit: 'd' }, high: { value: 2, unit: 'wk' } } }),
  ],
  // References
  ['a resource of another server', subject({ reference: 'http://a.example/Patient/1/_history/2' })],
  [
    'a type of another server that does not fit',
    subject({ reference: 'http://a.example/Claim/1' }),
    'Observation.subject.reference value',
  ],
  ['another type than it says', subject({ reference: 'Patient/1', type: 'Group' }), 'Observation.subject.type value'],
  ['a type by its address', subject({ type: 'http://hl7.org/fhir/StructureDefinition/Patient', display: 'A' })],
  ['a type that is none', subject({ type: 'Human', display: 'A' }), '?Observation.subject.type code-invalid'],
  [
    'a type that is none beside a reference',
    subject({ type: 'Human', reference: 'Patient/1' }),
    'Observation.subject.type value',
    '?Observation.subject.type code-invalid',
  ],
  ['an odd id', observation({ device: { reference: 'Device/a_b' } }), '?Observation.device.reference value'],
  [
    'an odd id of another type',
    observation({ device: { reference: 'Group/a_b' } }),
    '?Observation.device.reference value',
    'Observation.device.reference value',
  ],
  ['no type', observation({ device: { reference: 'scales' } }), '?Observation.device.reference value'],
  ['no type, where a patient may be meant', subject({ reference: 'anna' }), '?Observation.subject.reference value'],
  ['an odd id of a patient', subject({ reference: 'Patient/a_b' }), '?Observation.subject.reference value'],
  [
    'a type that there is not',
    observation({ device: { reference: 'Scales/1' } }),
    '?Observation.device.reference value',
  ],
  ['a type in small letters', subject({ reference: 'patient/1' }), '?Observation.subject.reference value'],
  ['a type without an id', subject({ reference: 'Patient/' }), '?Observation.subject.reference value'],
  ['a step too many', subject({ reference: 'Device/1/2' }), '?Observation.subject.reference value'],
  [
    'a path of another type',
    subject({ reference: '/Claim/1' }),
    '?Observation.subject.reference value',
    'Observation.subject.reference value',
  ],
  ['a space in a reference', subject({ reference: 'Patient/ 1' }), 'Observation.subject.reference value'],
  ['a part of a reference', subject({ reference: 'patient/1#a' }), 'Observation.subject.reference value'],
  ['an odd id of another server', subject({ reference: 'http://a.example/Patient/a_b' })],
  [
    'an odd id of another server and type',
    subject({ reference: 'https://a.example/fhir/Claim/a_b/_history/1' }),
    'Observation.subject.reference value',
  ],
  ['an address that names no type', subject({ reference: 'http://a.example/Claim/' })],
  ['a file of another server', subject({ reference: 'ftp://a.example/fhir/Claim/a_b' })],
  ['a type alone', subject({ type: 'Patient' }), 'Observation.subject invariant'],
  [
    'a contained one of another type',
    unit([{ resourceType: 'Patient', id: 'o' }]),
    'Patient.managingOrganization.reference value',
  ],
  [
    'a contained one with a hash in its id',
    unit([{ resourceType: 'Organization', id: '#o', name: 'A' }]),
    'Patient.contained[0].id value',
    'Patient.managingOrganization invariant',
    'Patient.contained[0] invariant',
  ],
  // Narratives
  ['a narrative with a comment', narrative(`<div ${XHTML}><!-- a -->b</div>`)],
  ['an image alone', narrative(`<div ${XHTML}><img src="a.png" alt="a"/></div>`)],
  [
    'contained ones of an image and a link',
    {
      ...patient({ contained: ['a', 'b'].map((id) => ({ resourceType: 'Binary', id, contentType: 'image/png' })) }),
      text: { status: 'generated', div: `<div ${XHTML}><img src="#a" alt="a"/><a href='#b'>b</a></div>` },
    },
  ],
  ['a link to nothing', narrative(`<div ${XHTML}><a href="#a">b</a></div>`), 'Patient.text.div not-found'],
  ['an image of nothing', narrative(`<div ${XHTML}><img src="#a" alt="b"/></div>`), 'Patient.text.div not-found'],
  ['a link to the top', narrative(`<div ${XHTML}><a href="#">b</a></div>`)],
  [
    'a link to a name',
    narrative(`<div ${XHTML}><a name='a'>b</a><p id="c">d</p><a href="#a">e</a><a href="#c">f</a></div>`),
  ],
  [
    'a name of what is no anchor',
    narrative(`<div ${XHTML}><img name="a" src="#a" alt="b"/></div>`),
    'Patient.text.div not-found',
  ],
  ['a link to an element', { ...narrative(`<div ${XHTML}><a href="#a">b</a></div>`), name: [{ id: 'a', text: 'A' }] }],
  [
    'a link to a primitive',
    { ...narrative(`<div ${XHTML}><a href="#a">b</a></div>`), birthDate: '1970', _birthDate: { id: 'a' } },
  ],
  [
    'a link from one narrative to another',
    {
      resourceType: 'Composition',
      status: 'final',
      type: { text: 'a' },
      date: '2026',
      author: [{ display: 'A' }],
      title: 'A',
      section: ['<a href="#b">c</a>', '<p id="b">d</p>', '<a href="#e">f</a>'].map((html) => ({
        text: { status: 'generated', div: `<div ${XHTML}>${html}</div>` },
      })),
    },
    'Composition.section[2].text.div not-found',
  ],
  [
    'a link to what is in another entry',
    bundle(
      'collection',
      at('http://a.example/Patient/1', { ...narrative(`<div ${XHTML}><a href="#a">b</a></div>`), id: '1' }),
      at('http://a.example/Patient/2', patient({ id: '2', name: [{ id: 'a', text: 'A' }] })),
    ),
    'Bundle.entry[0].resource.text.div not-found',
  ],
  // Canonicals of what is contained
  [
    'a canonical of a contained form',
    form({ derivedFrom: ['#a'] }, { resourceType: 'Questionnaire', status: 'draft' }),
  ],
  [
    'a canonical of a contained one of another type',
    form({ derivedFrom: ['#a'] }, { resourceType: 'ValueSet', status: 'draft' }),
    'Questionnaire.derivedFrom[0] value',
  ],
  ['a canonical of nothing contained', form({ derivedFrom: ['#b'] }), 'Questionnaire.derivedFrom[0] not-found'],
  ['a canonical of the resource itself', form({ derivedFrom: ['#'] })],
  [
    'a canonical of one of many types',
    {
      resourceType: 'ImplementationGuide',
      contained: [{ resourceType: 'ValueSet', id: 'a', status: 'draft' }],
      url: 'http://a.example/ig',
      name: 'Ab',
      status: 'draft',
      packageId: 'a.b',
      fhirVersion: ['5.0.0'],
      global: [{ type: 'Patient', profile: '#a' }],
    },
    'ImplementationGuide.global[0].profile value',
  ],
  [
    'a contained one of the text alone',
    {
      ...patient({ contained: [{ resourceType: 'Binary', id: 'a', contentType: 'image/png' }] }),
      text: { status: 'generated', div: `<div ${XHTML}>#a</div>` },
    },
    'Patient.contained[0] invariant',
  ],
  [
    'a narrative with an extension',
    patient({
      text: {
        status: 'generated',
        div: `<div ${XHTML}>a</div>`,
        _div: { extension: [{ url: 'http://a.example/x', valueCode: 'a' }] },
      },
    }),
    'Patient.text.div structure',
  ],
  ['a div of no namespace', narrative('<div>a</div>'), 'Patient.text.div value'],
  [
    'a div of another namespace',
    narrative('<div xmlns="http://www.w3.org/2000/svg">a</div>'),
    'Patient.text.div value',
  ],
  ['two divs', narrative(`<div ${XHTML}>a</div><div ${XHTML}>b</div>`), 'Patient.text.div invariant'],
  ['names of XML', narrative(`<div ${XHTML}>a &amp; b &lt; c &#160; &#xA0;</div>`)],
  ['names of HTML', narrative(`<div ${XHTML}>a&nbsp;b</div>`), 'Patient.text.div invariant'],
  ['a section of plain text', narrative(`<div ${XHTML}><![CDATA[a]]></div>`), 'Patient.text.div invariant'],
  // Bundles
  ['an address that fits', bundle('collection', at('http://a.example/Patient/1', patient({ id: '1' })))],
  [
    'an address with another id',
    bundle('collection', at('http://a.example/Patient/1', patient({ id: '2' }))),
    'Bundle.entry[0].fullUrl value',
  ],
  [
    'an address of what has no id',
    bundle('collection', at('http://a.example/Patient/1', patient({}))),
    'Bundle.entry[0].fullUrl value',
  ],
  [
    'a placeholder of what has no id',
    bundle('collection', at('urn:uuid:c757873d-ec9a-4326-a141-556f43239520', patient({}))),
  ],
  [
    'a relative system of units',
    observation({ valueQuantity: { value: 1, system: 'ucum', code: 'kg' } }),
    'Observation.value.system value',
  ],
  ['a relative address', bundle('collection', at('Patient/1', patient({ id: '1' }))), 'Bundle.entry[0].fullUrl value'],
  [
    'an address of another type',
    bundle('collection', at('http://a.example/Group/1', patient({ id: '1' }))),
    'Bundle.entry[0].fullUrl value',
  ],
  [
    'an address of what is yet to be created',
    bundle(
      'transaction',
      at('http://a.example/Patient/1', patient({ id: '2' }), { request: { method: 'POST', url: 'Patient' } }),
    ),
  ],
  // Codes of systems that are known in full
  ['a code that its system has', tagged({ code: 'HTEST' })],
  ['a code that its system does not have', tagged({ code: 'unheard-of' }), 'Patient.meta.tag[0].code code-invalid'],
  ['a code in another case', tagged({ code: 'htest' }), 'Patient.meta.tag[0].code code-invalid'],
  [
    'a code of the edition that is known',
    tagged({ code: 'x', version: '3.1.0' }),
    'Patient.meta.tag[0].code code-invalid',
  ],
  ['a code of another edition', tagged({ code: 'unheard-of', version: '99.0' })],
  ['a code in another case, of a system without cases', tagged({ code: 'EXAMPLEmodel1', system: MODELS })],
  ['a code of a system that is known in part', tagged({ code: 'x', system: 'http://snomed.info/sct' })],
  [
    'a wrong code in a concept of no binding',
    observation({ note: [{ text: 'a' }], method: { coding: [{ system: `${THO}v3-ActReason`, code: 'y' }] } }),
    'Observation.method.coding[0].code code-invalid',
  ],
  // Recommended codes
  ['a recommended code', married({ coding: [{ system: MARITAL, code: 'M' }] })],
  [
    'one of several codes',
    married({
      coding: [
        { system: 'urn:x', code: 'gift' },
        { system: MARITAL, code: 'M' },
      ],
    }),
  ],
  ['a text instead of a code', married({ text: 'gift' })],
  ['another code', married({ coding: [{ system: 'urn:x', code: 'gift' }] }), '?Patient.maritalStatus code-invalid'],
  ['a recommended code without system', married({ coding: [{ code: 'M' }] }), '?Patient.maritalStatus code-invalid'],
];

for (const [what, resource, ...issues] of CASES) {
  test(`${what}: ${issues.length === 0 ? 'accepted' : 'reported'}`, () => {
    assert.deepEqual(issuesOf(resource).sort(), [...issues].sort());
  });
}
