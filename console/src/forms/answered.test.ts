// Answers in words: those of the response, of its form where the response has none, and never the name of an item.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersIn, isWorded, knownItems } from './answered.ts';
import type { FormItem } from './form.ts';

const asked = (name: string, label: string, more: Partial<FormItem> = {}): FormItem => ({
  link_id: name,
  type: 'coding',
  label,
  required: false,
  repeats: false,
  read_only: false,
  ...more,
});
const CODE = { system: 'urn:often', code: '2' };
const FORM = [
  asked('g', 'Grupp', {
    type: 'group',
    items: [asked('1.1', 'Hur ofta?', { options: [{ label: 'Ofta', answer: { valueCoding: CODE } }] })],
  }),
];
const RESPONSE = {
  item: [
    { linkId: 'g', item: [{ linkId: '1.1', answer: [{ valueCoding: CODE }] }] },
    { linkId: '9', answer: [{ valueString: 'x' }] },
  ],
};

test('a response without words has those of its form; a question that is nowhere has none', () => {
  assert.equal(isWorded(RESPONSE), false);
  const inWords = (known = knownItems(FORM)) =>
    answersIn(RESPONSE, known).map(({ question, answers }) => [question, ...answers]);
  assert.deepEqual(inWords(), [
    ['Hur ofta?', 'Ofta'],
    [undefined, 'x'],
  ]);
  assert.deepEqual(inWords(new Map()), [
    [undefined, '2'],
    [undefined, 'x'],
  ]);
});

test('the words of the response come first', () => {
  const response = {
    item: [{ linkId: '1.1', text: 'Hur ofta då?', answer: [{ valueCoding: { ...CODE, display: 'Ibland' } }] }],
  };
  assert.equal(isWorded(response), true);
  const [found] = answersIn(response, knownItems(FORM));
  assert.deepEqual([found?.question, found?.answers], ['Hur ofta då?', ['Ibland']]);
});

test('a laboratory’s value below what it measures keeps saying so, and a day gets no time', () => {
  const answered = (answer: object) => answersIn({ item: [{ linkId: '1', answer: [answer] }] })[0]?.answers;
  assert.deepEqual(answered({ valueQuantity: { value: 5, comparator: '<', unit: 'mg/L' } }), ['< 5 mg/L']);
  assert.deepEqual(answered({ valueDateTime: '2026-11-04' }), ['2026-11-04']);
});
