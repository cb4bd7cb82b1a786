// What is told of a response of which single answers are no valid FHIR.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateResource } from '../validation/validate.ts';
import { formIssuesBeside } from './form-issues-beside.ts';

type Json = Record<string, unknown>;
const FORM = {
  resourceType: 'Questionnaire',
  status: 'active',
  item: [
    { linkId: 'day', type: 'date', text: 'Which day?' },
    { linkId: 'why', type: 'string', text: 'Why?', required: true, maxLength: 5 },
    {
      linkId: 'more',
      type: 'group',
      repeats: true,
      item: [{ linkId: 'weight', type: 'quantity', text: 'Weight', required: true }],
    },
    { linkId: 'of-day', type: 'boolean', enableWhen: [{ question: 'day', operator: '=', answerDate: '2026-02-28' }] },
  ],
};

function told(item: readonly unknown[], authored = '2026-03-01'): string[] {
  const questionnaire = 'https://kedja.dev/forms/x';
  const response = { resourceType: 'QuestionnaireResponse', questionnaire, status: 'completed', authored, item };
  const invalid = validateResource(response, { resourceType: 'QuestionnaireResponse' });
  assert.notEqual(invalid.length, 0);
  return formIssuesBeside(invalid, FORM, response).map(({ field, message }) => `${field}: ${message}`);
}

const answer = (linkId: string, ...values: Json[]) => ({ linkId, answer: values });
const PLACE = 'QuestionnaireResponse.item';
const NO_DAY = `${PLACE}[0].answer[0].value must be a real date: YYYY, YYYY-MM or YYYY-MM-DD`;

test('values that cannot be read are named with their items, and the other answers are checked by the form', () => {
  assert.deepEqual(
    told(
      [
        answer('day', { valueDate: '2026-02-30' }),
        answer('why', { valueString: 'because' }),
        { linkId: 'more', item: [answer('weight', { valueQuantity: { value: '80' } })] },
        { linkId: 'more' },
      ],
      'yesterday',
    ).slice(1),
    [
      `${PLACE}[0].answer[0].value: Item day: ${NO_DAY}`,
      `${PLACE}[2].item[0].answer[0].value.value: Item weight: ${PLACE}[2].item[0].answer[0].value.value must be a JSON ` +
        'number (a decimal number), not a string',
      `${PLACE}[1].answer[0]: Item why (Why?): Write at most 5 characters.`,
      `${PLACE}[3]: Item weight (Weight): Enter an answer.`,
    ],
  );
});

test('nothing is told that follows from an answer that cannot be read', () => {
  const answers = [answer('day', { valueDate: '2026-02-30' }), answer('why', { valueString: 'ill' })];
  assert.deepEqual(told([...answers, answer('of-day', { valueBoolean: true })]), [
    `${PLACE}[0].answer[0].value: Item day: ${NO_DAY}`,
  ]);
});

test('the form is not asked where the shape of the response is wrong', () => {
  const [first, second, ...more] = told([answer('day', { valueDate: '2026-02-30' }), { linkId: 'why', answer: 5 }]);
  assert.equal(first, `${PLACE}[0].answer[0].value: ${NO_DAY}`);
  assert.match(String(second), /item\[1\]\.answer/);
  assert.deepEqual(more, []);
});
