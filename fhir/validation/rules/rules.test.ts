// Contained resources, extensions, narratives, invariants and bundles: broken resources, each refused at the right
// place.
import {
  type Case,
  type Json,
  OBSERVATION,
  PATIENT,
  QUESTIONNAIRE,
  REQUEST,
  TRANSACTION,
  testBroken,
} from '../broken-resources.ts';

const extension = (...members: Json[]): Json => ({ extension: members });
const div = (html: string): Json => ({ text: { status: 'generated', div: html } });
const XHTML = 'xmlns="http://www.w3.org/1999/xhtml"';
const contained = (resource: Json): Json => ({ contained: [resource], generalPractitioner: [{ reference: '#c' }] });

const CASES: readonly Case[] = [
  // Contained resources
  [
    'contained and not used',
    PATIENT,
    { contained: [{ resourceType: 'Practitioner', id: 'c' }] },
    'Patient.contained[0]',
    'invariant',
  ],
  [
    'contained without id',
    PATIENT,
    { contained: [{ resourceType: 'Practitioner', active: true }] },
    'Patient.contained[0].id',
    'required',
  ],
  [
    'contained in contained',
    PATIENT,
    contained({ resourceType: 'Practitioner', id: 'c', contained: [{ resourceType: 'Basic', id: 'd' }] }),
    'Patient.contained[0]',
    'invariant',
  ],
  [
    'contained with a version',
    PATIENT,
    contained({ resourceType: 'Practitioner', id: 'c', meta: { versionId: '1' } }),
    'Patient.contained[0]',
    'invariant',
  ],
  [
    'contained with a time',
    PATIENT,
    contained({ resourceType: 'Practitioner', id: 'c', meta: { lastUpdated: '2026-11-21T10:00:00Z' } }),
    'Patient.contained[0]',
    'invariant',
  ],
  [
    'contained with a security label',
    PATIENT,
    contained({ resourceType: 'Practitioner', id: 'c', meta: { security: [{ code: 'a' }] } }),
    'Patient.contained[0]',
    'invariant',
  ],
  [
    'contained and itself broken',
    PATIENT,
    contained({ resourceType: 'Practitioner', id: 'c', gender: 'x' }),
    'Patient.contained[0].gender',
    'code-invalid',
  ],
  [
    'two contained of one id',
    PATIENT,
    {
      contained: [
        { resourceType: 'Practitioner', id: 'c' },
        { resourceType: 'Practitioner', id: 'c' },
      ],
      generalPractitioner: [{ reference: '#c' }],
    },
    'Patient.contained[1].id',
    'duplicate',
  ],
  ['contained of no type', PATIENT, contained({ id: 'c' }), 'Patient.contained[0].resourceType', 'required'],
  // Extensions
  ['an extension without url', PATIENT, extension({ valueString: 'a' }), 'Patient.extension[0].url', 'required'],
  ['a relative url', PATIENT, extension({ url: 'a', valueString: 'a' }), 'Patient.extension[0].url', 'value'],
  ...['http://x.se/a|1.0', 'http://hl7.org/fhir/StructureDefinition/data-absent-reason|5.0.0', 'urn:oid:1.2.3|'].map(
    (url): Case => [
      `a url that names the version ${url.split('|')[1]}`,
      PATIENT,
      extension({ url, valueCode: 'unknown' }),
      'Patient.extension[0].url',
      'value',
    ],
  ),
  [
    'a version in the url of a part',
    PATIENT,
    extension({ url: 'http://x.se/a', extension: [{ url: 'b|1', valueCode: 'c' }] }),
    'Patient.extension[0].extension[0].url',
    'value',
  ],
  [
    'a version in the url of an extension beside a primitive',
    PATIENT,
    { _birthDate: { extension: [{ url: 'http://x.se/a|1', valueCode: 'b' }] } },
    'Patient.birthDate.extension[0].url',
    'value',
  ],
  ['neither value nor extensions', PATIENT, extension({ url: 'http://x.se/a' }), 'Patient.extension[0]', 'invariant'],
  [
    'both value and extensions',
    PATIENT,
    extension({ url: 'http://x.se/a', valueString: 'a', extension: [{ url: 'b', valueCode: 'c' }] }),
    'Patient.extension[0]',
    'invariant',
  ],
  [
    'two values',
    PATIENT,
    extension({ url: 'http://x.se/a', valueString: 'a', valueCode: 'b' }),
    'Patient.extension[0].value',
    'structure',
  ],
  [
    'a value of no type',
    PATIENT,
    extension({ url: 'http://x.se/a', valueHuman: 'a' }),
    'Patient.extension[0].valueHuman',
    'structure',
  ],
  [
    'a broken value',
    PATIENT,
    extension({ url: 'http://x.se/a', valueDate: '2023-13' }),
    'Patient.extension[0].value',
    'value',
  ],
  [
    'a modifier extension on a data type',
    PATIENT,
    { maritalStatus: { text: 'a', modifierExtension: [{ url: 'http://x.se/a', valueCode: 'b' }] } },
    'Patient.maritalStatus.modifierExtension',
    'structure',
  ],
  // Narrative
  ['a narrative without div', PATIENT, { text: { status: 'generated' } }, 'Patient.text.div', 'required'],
  ['a narrative of plain text', PATIENT, div('hello'), 'Patient.text.div', 'value'],
  ['a script', PATIENT, div(`<div ${XHTML}>a<script>b</script></div>`), 'Patient.text.div', 'invariant'],
  ['an event handler', PATIENT, div(`<div ${XHTML} onclick="a()">a</div>`), 'Patient.text.div', 'invariant'],
  [
    'a script address',
    PATIENT,
    div(`<div ${XHTML}><a href=" javascript:a()">a</a></div>`),
    'Patient.text.div',
    'invariant',
  ],
  ['an unclosed tag', PATIENT, div(`<div ${XHTML}><p>a</div>`), 'Patient.text.div', 'invariant'],
  ['a form', PATIENT, div(`<div ${XHTML}><form>a</form></div>`), 'Patient.text.div', 'invariant'],
  ['something behind the div', PATIENT, div(`<div ${XHTML}>a</div>b`), 'Patient.text.div', 'invariant'],
  ['nothing to read', PATIENT, div(`<div ${XHTML}> <p/> </div>`), 'Patient.text.div', 'invariant'],
  // Invariants
  [
    'a period that ends before it starts',
    PATIENT,
    { name: [{ text: 'a', period: { start: '2021', end: '2020-05' } }] },
    'Patient.name[0].period',
    'invariant',
  ],
  ['a contact without anything', PATIENT, { contact: [{ gender: 'male' }] }, 'Patient.contact[0]', 'invariant'],
  ['a phone without system', PATIENT, { telecom: [{ value: '070' }] }, 'Patient.telecom[0]', 'invariant'],
  [
    'a unit code without system',
    OBSERVATION,
    { valueQuantity: { value: 1, code: 'mg' } },
    'Observation.value',
    'invariant',
  ],
  ['a value and a reason for none', OBSERVATION, { dataAbsentReason: { text: 'a' } }, 'Observation', 'invariant'],
  [
    'a range upside down',
    OBSERVATION,
    { valueQuantity: undefined, valueRange: { low: { value: 3 }, high: { value: 1 } } },
    'Observation.value',
    'invariant',
  ],
  [
    'a range of ratios upside down',
    PATIENT,
    {
      extension: [
        {
          url: 'http://example.org/ratios',
          valueRatioRange: {
            lowNumerator: { value: 9.6 },
            highNumerator: { value: 9 },
            denominator: { value: 1 },
          },
        },
      ],
    },
    'Patient.extension[0].value',
    'invariant',
  ],
  [
    'a comparator in a simple quantity',
    OBSERVATION,
    { referenceRange: [{ low: { value: 1, comparator: '<' } }] },
    'Observation.referenceRange[0].low.comparator',
    'invariant',
  ],
  [
    'an empty reference range',
    OBSERVATION,
    { referenceRange: [{ appliesTo: [{ text: 'a' }] }] },
    'Observation.referenceRange[0]',
    'invariant',
  ],
  [
    'half a ratio',
    OBSERVATION,
    { valueQuantity: undefined, valueRatio: { numerator: { value: 1 } } },
    'Observation.value',
    'invariant',
  ],
  ['data without type', PATIENT, { photo: [{ data: 'YQ==' }] }, 'Patient.photo[0]', 'invariant'],
  [
    'order details without code',
    REQUEST,
    { orderDetail: [{ parameter: [{ code: { text: 'a' }, valueBoolean: true }] }] },
    'ServiceRequest',
    'invariant',
  ],
  [
    'a linkId used twice',
    QUESTIONNAIRE,
    { item: [{ linkId: '1', type: 'group', item: [{ linkId: '1', type: 'string' }] }] },
    'Questionnaire',
    'invariant',
  ],
  [
    'a display with children',
    QUESTIONNAIRE,
    { item: [{ linkId: '1', type: 'display', item: [{ linkId: '2', type: 'string' }] }] },
    'Questionnaire.item[0]',
    'invariant',
  ],
  [
    'a repeat without unit',
    REQUEST,
    { occurrenceTiming: { repeat: { period: 1 } } },
    'ServiceRequest.occurrence.repeat',
    'invariant',
  ],
  // Bundles
  [
    'a broken resource in an entry',
    TRANSACTION,
    { entry: [{ resource: { ...PATIENT, gender: 'x' }, request: { method: 'POST', url: 'Patient' } }] },
    'Bundle.entry[0].resource.gender',
    'code-invalid',
  ],
  [
    'an entry of no type',
    TRANSACTION,
    { entry: [{ resource: { id: 'a' }, request: { method: 'POST', url: 'Patient' } }] },
    'Bundle.entry[0].resource.resourceType',
    'required',
  ],
  [
    'a transaction entry without request',
    TRANSACTION,
    { entry: [{ fullUrl: 'urn:uuid:1', resource: PATIENT }] },
    'Bundle',
    'invariant',
  ],
  [
    'a full URL given twice',
    TRANSACTION,
    {
      entry: [1, 2].map(() => ({
        fullUrl: 'urn:uuid:1',
        resource: PATIENT,
        request: { method: 'POST', url: 'Patient' },
      })),
    },
    'Bundle',
    'invariant',
  ],
  ['an entry of nothing', TRANSACTION, { entry: [{ fullUrl: 'urn:uuid:1' }] }, 'Bundle.entry[0]', 'invariant'],
  ...(
    [
      ['document', PATIENT],
      ['message', PATIENT],
      ['subscription-notification', PATIENT],
    ] as const
  ).map(
    ([type, resource]): Case => [
      `a ${type} that begins with a Patient`,
      { resourceType: 'Bundle', timestamp: '2026-11-21T10:00:00Z', identifier: { system: 'urn:s', value: '1' } },
      {
        type,
        entry: [{ fullUrl: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520', resource: { ...resource, id: undefined } }],
      },
      'Bundle',
      'invariant',
    ],
  ),
  [
    'issues of a bundle that are errors',
    { resourceType: 'Bundle', type: 'collection' },
    { issues: { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'invalid' }] } },
    'Bundle',
    'invariant',
  ],
  ['a total in a transaction', TRANSACTION, { total: 1 }, 'Bundle', 'invariant'],
  [
    'a local reference over the border of an entry',
    TRANSACTION,
    {
      entry: [
        {
          resource: { ...PATIENT, ...contained({ resourceType: 'Practitioner', id: 'c' }) },
          request: { method: 'POST', url: 'Patient' },
        },
        {
          resource: { ...OBSERVATION, performer: [{ reference: '#c' }] },
          request: { method: 'POST', url: 'Observation' },
        },
      ],
    },
    'Bundle.entry[1].resource.performer[0]',
    'invariant',
  ],
  [
    'a reference to an entry of the wrong type',
    TRANSACTION,
    {
      entry: [
        { fullUrl: 'urn:uuid:1', resource: PATIENT, request: { method: 'POST', url: 'Patient' } },
        {
          fullUrl: 'urn:uuid:2',
          resource: { ...OBSERVATION, performer: [{ reference: 'urn:uuid:2' }] },
          request: { method: 'POST', url: 'Observation' },
        },
      ],
    },
    'Bundle.entry[1].resource.performer[0].reference',
    'value',
  ],
  [
    'a parameter with two values',
    { resourceType: 'Parameters' },
    { parameter: [{ name: 'a', valueString: 'a', resource: { resourceType: 'Basic' } }] },
    'Parameters.parameter[0]',
    'invariant',
  ],
];

testBroken(CASES);
