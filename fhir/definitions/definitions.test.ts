// R5's definitions: types, elements, value sets, summaries and compartments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isResourceType, r5Definitions } from './definitions.ts';

const definitions = r5Definitions();

test('there are the 158 concrete resource types, and no abstract ones', () => {
  assert.equal(definitions.resourceTypes.length, 158);
  assert.ok(isResourceType('Patient'));
  for (const name of ['DomainResource', 'Resource', 'HumanName', 'patient', '__proto__', 'constructor', '']) {
    assert.equal(isResourceType(name), false, name);
  }
});

test('kinds and inheritance', () => {
  assert.equal(definitions.kindOf('Patient'), 'resource');
  assert.equal(definitions.kindOf('HumanName'), 'complex-type');
  assert.equal(definitions.kindOf('positiveInt'), 'primitive-type');
  assert.equal(definitions.kindOf('Human'), undefined);
  assert.ok(definitions.isKindOf('Patient', 'DomainResource'));
  assert.ok(definitions.isKindOf('Age', 'Quantity'));
  assert.ok(!definitions.isKindOf('Bundle', 'DomainResource'));
  assert.ok(!definitions.isKindOf('Nothing', 'Nothing'));
});

test('inherited elements come first and published types are corrected', () => {
  const patient = definitions.shape('Patient');
  assert.deepEqual(
    patient?.elements.slice(0, 9).map((element) => element.name),
    ['id', 'meta', 'implicitRules', 'language', 'text', 'contained', 'extension', 'modifierExtension', 'identifier'],
  );
  assert.equal(definitions.element('Patient.id')?.types[0]?.code, 'id');
  assert.equal(definitions.element('Extension.url')?.types[0]?.code, 'uri');
  assert.equal(definitions.element('HumanName.id')?.types[0]?.code, 'string');
});

test('elements are found through choices, data types and repeated content', () => {
  const deceased = definitions.element('Patient.deceased[x]');
  assert.deepEqual(
    deceased?.types.map((type) => type.code),
    ['boolean', 'dateTime'],
  );
  assert.equal(deceased?.isModifier, true);
  assert.equal(definitions.element('Patient.name.given')?.isArray, true);
  assert.equal(definitions.element('Questionnaire.item.item.item.linkId')?.path, 'Questionnaire.item.linkId');
  assert.equal(definitions.element('Observation.valueQuantity.code')?.path, 'Quantity.code');
  assert.equal(definitions.element('Patient.nothing'), undefined);
  assert.equal(definitions.element('Nothing.at.all'), undefined);
  assert.equal(definitions.element('Patient.gender')?.binding?.strength, 'required');
});

test('shapes have reference targets, profiles of types and invariants', () => {
  const subject = definitions.element('Observation.subject')?.types[0];
  assert.ok(subject?.targets?.includes('Patient'));
  assert.equal(definitions.element('Observation.focus')?.types[0]?.targets, undefined);
  assert.deepEqual(definitions.element('Observation.referenceRange.low')?.types[0]?.profiles, ['SimpleQuantity']);
  assert.deepEqual(
    definitions.shape('Patient.contact')?.constraints.map(({ key, source }) => `${source}/${key}`),
    ['Base/ele-1', 'Patient/pat-1'],
  );
});

test('every shape that an element names exists', () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const shape = definitions.shape(path);
    assert.ok(shape, path);
    for (const element of shape.elements) {
      for (const type of element.types) {
        if (type.primitive === undefined && type.code !== 'Resource') visit(element.shapePath ?? type.code);
      }
    }
  };
  for (const type of definitions.resourceTypes) visit(type);
  assert.ok(seen.size > 800);
});

test('every required value set is listed or has a syntax check', () => {
  const otherwise = new Set<string>();
  for (const type of definitions.resourceTypes) {
    for (const element of definitions.shape(type)?.elements ?? []) {
      const { binding } = element;
      if (binding?.strength === 'required' && definitions.codeSet(binding.valueSet) === undefined) {
        otherwise.add(binding.valueSet);
      }
    }
  }
  assert.deepEqual([...otherwise].map((url) => url.split('/').at(-1)).sort(), ['all-languages', 'mimetypes']);
  const gender = definitions.codeSet('http://hl7.org/fhir/ValueSet/administrative-gender');
  assert.deepEqual(gender?.codes, ['female', 'male', 'other', 'unknown']);
  assert.ok(gender?.has('http://hl7.org/fhir/administrative-gender', 'female'));
  assert.ok(!gender?.has('http://example.org', 'female'));
  assert.ok(definitions.codeSet('http://hl7.org/fhir/ValueSet/currencies')?.hasCode('SEK'));
});

test('the summary of a Patient', () => {
  const names = definitions.summaryElements('Patient');
  assert.ok(names.includes('identifier') && names.includes('deceased') && names.includes('id'));
  assert.ok(!names.includes('contact') && !names.includes('text'));
});

test('compartments name the search parameters that belong to them', () => {
  assert.deepEqual(definitions.compartmentParams('Patient', 'Patient'), ['{def}', 'link']);
  assert.deepEqual(definitions.compartmentParams('Patient', 'Observation'), ['subject', 'performer']);
  assert.equal(definitions.compartmentParams('Patient', 'Organization'), undefined);
  assert.equal(definitions.compartmentParams('Nobody', 'Observation'), undefined);
  assert.ok(definitions.compartmentTypes('Patient').length > 60);
});
