// FHIRPath Patch: each operation on each kind of element, and each error (hl7.org/fhir/R5/fhirpatch.html).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { patchOperation as operation } from '#test/support/fhir/fhirpath-patch.ts';
import { processorMs } from '#test/support/processor-time.ts';
import { parseExactJson } from '../json/exact-json.ts';
import { applyFhirPathPatch, readFhirPathPatch } from './fhirpath-patch.ts';
import { isJsonObject } from './json-tree.ts';

const named = (name: string) => ({ name: 'name', valueString: name });
const value = (more: object) => ({ name: 'value', ...more });
const whole = (name: string, valueInteger: number) => ({ name, valueInteger });

function apply(document: string, ...parameter: object[]): unknown {
  const parsed = parseExactJson(document);
  assert.ok(isJsonObject(parsed));
  const before = JSON.stringify(parsed);
  const result = applyFhirPathPatch(parsed, readFhirPathPatch({ resourceType: 'Parameters', parameter }));
  assert.equal(JSON.stringify(parsed), before, 'the original stays');
  return JSON.parse(JSON.stringify(result));
}

const patient = (members: object) => JSON.stringify({ resourceType: 'Patient', ...members });

const CASES: readonly (readonly [what: string, document: object, operations: object[], result: object])[] = [
  [
    'add a primitive',
    {},
    [operation('add', 'Patient', named('birthDate'), value({ valueDate: '1930-01-01' }))],
    { birthDate: '1930-01-01' },
  ],
  [
    'add to a list',
    { name: [{ family: 'a' }] },
    [operation('add', 'Patient', named('name'), value({ valueHumanName: { family: 'b' } }))],
    { name: [{ family: 'a' }, { family: 'b' }] },
  ],
  [
    'begin a list',
    {},
    [operation('add', 'Patient', named('name'), value({ valueHumanName: { family: 'b' } }))],
    { name: [{ family: 'b' }] },
  ],
  [
    'add a choice',
    {},
    [operation('add', 'Patient', named('deceased'), value({ valueBoolean: true }))],
    { deceasedBoolean: true },
  ],
  [
    'replace a choice by another type',
    { deceasedBoolean: false },
    [operation('replace', 'Patient.deceased', value({ valueDateTime: '2020-01-01' }))],
    { deceasedDateTime: '2020-01-01' },
  ],
  [
    'add an anonymous element',
    {},
    [
      operation(
        'add',
        'Patient',
        named('contact'),
        value({
          part: [
            { name: 'name', valueHumanName: { text: 'x' } },
            { name: 'telecom', valueContactPoint: { value: '1' } },
            { name: 'telecom', valueContactPoint: { value: '2' } },
          ],
        }),
      ),
    ],
    { contact: [{ name: { text: 'x' }, telecom: [{ value: '1' }, { value: '2' }] }] },
  ],
  [
    'add inside an element',
    { contact: [{ name: { text: 'x' } }] },
    [operation('add', 'Patient.contact[0]', named('gender'), value({ valueCode: 'male' }))],
    { contact: [{ name: { text: 'x' }, gender: 'male' }] },
  ],
  [
    'insert at the front',
    { name: [{ family: 'a' }] },
    [operation('insert', 'Patient.name', whole('index', 0), value({ valueHumanName: { family: 'b' } }))],
    { name: [{ family: 'b' }, { family: 'a' }] },
  ],
  [
    'delete an element found by its content',
    { name: [{ family: 'a' }, { family: 'b' }] },
    [operation('delete', "Patient.name.where(family = 'a')")],
    { name: [{ family: 'b' }] },
  ],
  ['delete the last of a list', { name: [{ family: 'a' }] }, [operation('delete', 'Patient.name[0]')], {}],
  [
    'delete the last child of an element',
    { active: true, name: [{ family: 'a' }] },
    [operation('delete', 'Patient.name[0].family')],
    { active: true },
  ],
  [
    'delete the last child of one of two',
    { name: [{ family: 'a' }, { family: 'b' }] },
    [operation('delete', 'Patient.name[0].family')],
    { name: [{ family: 'b' }] },
  ],
  [
    'delete the last child of what has an id',
    { name: [{ id: 'x', given: ['a'] }] },
    [operation('delete', 'Patient.name.given[0]')],
    {},
  ],
  [
    'delete the last child of the last child',
    { active: true, contact: [{ name: { period: { start: '2020' } } }] },
    [operation('delete', 'Patient.contact.name.period.start')],
    { active: true },
  ],
  [
    'delete a value that has an extension beside it',
    { maritalStatus: { text: 'x', _text: { id: 'y' } } },
    [operation('delete', 'Patient.maritalStatus.text')],
    {},
  ],
  ['no operations', { active: true }, [], { active: true }],
  [
    'an element that is called like an operator',
    { text: { status: 'generated', div: '<div>a</div>' } },
    [operation('replace', 'Patient.text.div', value({ valueString: '<div>b</div>' }))],
    { text: { status: 'generated', div: '<div>b</div>' } },
  ],
  [
    'the same in backticks',
    { text: { status: 'generated', div: '<div>a</div>' } },
    [operation('delete', 'Patient.text.`div`')],
    { text: { status: 'generated' } },
  ],
  ['delete what is not there', { active: true }, [operation('delete', 'Patient.birthDate')], { active: true }],
  [
    'delete a primitive with its extension',
    { birthDate: '1990-01-01', _birthDate: { id: 'x' } },
    [operation('delete', 'Patient.birthDate')],
    {},
  ],
  [
    'keep the extensions beside a list',
    { name: [{ given: ['a', 'b'], _given: [null, { id: 'x' }] }] },
    [operation('delete', 'Patient.name[0].given[0]')],
    { name: [{ given: ['b'], _given: [{ id: 'x' }] }] },
  ],
  [
    'replace an element of a list',
    { name: [{ given: ['a', 'b'] }] },
    [operation('replace', 'Patient.name.given[1]', value({ valueString: 'c' }))],
    { name: [{ given: ['a', 'c'] }] },
  ],
  [
    'move',
    { name: [{ family: 'a' }, { family: 'b' }, { family: 'c' }] },
    [operation('move', 'Patient.name', whole('source', 2), whole('destination', 0))],
    { name: [{ family: 'c' }, { family: 'a' }, { family: 'b' }] },
  ],
  [
    'one after the other',
    { active: true },
    [
      operation('delete', 'Patient.active'),
      operation('add', 'Patient', named('active'), value({ valueBoolean: false })),
    ],
    { active: false },
  ],
];

for (const [what, document, operations, result] of CASES) {
  test(what, () => assert.deepEqual(apply(patient(document), ...operations), { resourceType: 'Patient', ...result }));
}

const REFUSED: readonly (readonly [what: string, document: object, operation: object])[] = [
  [
    'an element that is there already',
    { active: true },
    operation('add', 'Patient', named('active'), value({ valueBoolean: false })),
  ],
  [
    'an element that the type does not have',
    {},
    operation('add', 'Patient', named('colour'), value({ valueString: 'red' })),
  ],
  ['a value of the wrong type', {}, operation('add', 'Patient', named('deceased'), value({ valueQuantity: {} }))],
  ['a path to nothing', {}, operation('replace', 'Patient.birthDate', value({ valueDate: '1990-01-01' }))],
  ['a path to several', { name: [{ family: 'a' }, { family: 'b' }] }, operation('delete', 'Patient.name')],
  ['a path that is none', {}, operation('delete', 'Patient.(')],
  ['a path to a computed value', { active: true }, operation('delete', 'Patient.active.not()')],
  ['a regular expression', { active: true }, operation('delete', "Patient.name.where(family.matches('(a+)+$'))")],
  ['the resource itself', {}, operation('delete', 'Patient')],
  [
    'a place beyond the list',
    { name: [{ family: 'a' }] },
    operation('insert', 'Patient.name', whole('index', 2), value({ valueHumanName: {} })),
  ],
  [
    'lists of two elements',
    { name: [{ given: ['a'] }, { given: ['b'] }] },
    operation('move', 'Patient.name.given', whole('source', 0), whole('destination', 0)),
  ],
];

for (const [what, document, each] of REFUSED) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => apply(patient(document), each),
      (error) => error instanceof ServiceError && error.code === 'unprocessable',
    );
  });
}

test('numbers keep the digits they were written in', () => {
  const parsed = parseExactJson('{"resourceType":"Observation","valueQuantity":{"value":1.50},"status":"final"}');
  assert.ok(isJsonObject(parsed));
  const patch = readFhirPathPatch({
    parameter: [operation('replace', 'Observation.status', value({ valueCode: 'amended' }))],
  });
  assert.match(JSON.stringify(applyFhirPathPatch(parsed, patch)), /"value":1\.50/);
});

test('every invalid operation is named', () => {
  const parameter = [
    operation('jump', 'Patient'),
    operation('add', 'Patient'),
    operation('move', 'Patient.name', whole('source', 0)),
    { name: 'operation', part: [{ name: 'type', valueCode: 'delete' }] },
    { name: 'other' },
    operation('delete', 'Patient.active'),
  ];
  assert.throws(
    () => readFhirPathPatch({ parameter }),
    (error) => error instanceof ServiceError && error.code === 'invalid_request' && error.issues.length === 5,
  );
});

test('an inserted primitive keeps its id and extensions, also without a value', () => {
  const extension = (text: string) => ({ extension: [{ url: 'http://x.org/e', valueString: text }] });
  const changed = apply(
    patient({ birthDate: '1930-01-01', name: [{ given: ['a'] }] }),
    operation('replace', 'Patient.birthDate', value({ _valueDate: extension('unknown') })),
    operation('add', 'Patient', named('gender'), value({ valueCode: 'other', _valueCode: extension('g') })),
    operation('insert', 'Patient.name[0].given', whole('index', 0), value({ _valueString: extension('n') })),
    operation('add', 'Patient.name[0]', named('given'), value({ valueString: 'c', _valueString: { id: 'c' } })),
  );
  assert.deepEqual(changed, {
    resourceType: 'Patient',
    name: [{ given: [null, 'a', 'c'], _given: [extension('n'), null, { id: 'c' }] }],
    _birthDate: extension('unknown'),
    gender: 'other',
    _gender: extension('g'),
  });
});

test('a path that takes too long is aborted', () => {
  const names = Array.from({ length: 60 }, (_, index) => ({ family: `f${index}`, given: ['a', 'b'] }));
  const nested = (depth: number): string =>
    depth === 0 ? 'true' : `%resource.descendants().all(${nested(depth - 1)})`;
  const started = processorMs();
  assert.throws(
    () => apply(patient({ name: names }), operation('delete', nested(5))),
    /Operation 1 .*: the path cannot be evaluated: it takes too long/,
  );
  assert.ok(processorMs() - started < 10_000);
  assert.deepEqual(apply(patient({ active: true }), operation('delete', 'Patient.active')), {
    resourceType: 'Patient',
  });
});
