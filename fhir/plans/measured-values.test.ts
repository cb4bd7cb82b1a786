// Measured values: how they are asked for, and what an Observation has of the answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersIn, askedAs, observed } from './measured-values.ts';

test('a value is asked for by its type, and by text where that has no question of its own', () => {
  assert.deepEqual(askedAs('Quantity'), ['quantity', 'valueQuantity']);
  assert.deepEqual(askedAs('SampledData'), ['text', 'valueString']);
});

test('the first answer of each question is read, within groups too, and what is no item is passed over', () => {
  const weight = { linkId: 'weight', answer: [{ valueDecimal: 71 }, { valueDecimal: 72 }] };
  const items = [
    { linkId: 'values', item: [weight, 'no item'] },
    { linkId: 'mood', answer: [] },
  ];
  assert.deepEqual(answersIn(items), [['weight', { valueDecimal: 71 }]]);
});

test('an Observation has the value alone, in an element that it knows', () => {
  const coding = { system: 'http://snomed.info/sct', code: '1' };
  assert.deepEqual(observed({ valueCoding: coding }), { valueCodeableConcept: { coding: [coding] } });
  assert.deepEqual(observed({ valueDecimal: 5 }), { valueQuantity: { value: 5 } });
  assert.deepEqual(observed({ valueDate: '2026-11-29' }), { valueDateTime: '2026-11-29' });
  assert.deepEqual(observed({ valueBoolean: false, item: [{ linkId: 'why' }] }), { valueBoolean: false });
  assert.deepEqual(observed({}), { valueString: '' });
});
