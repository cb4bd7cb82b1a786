// Expressions of a form: what enables, what is calculated, variables, first values; the check of a response by them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkResponse } from '../check-response.ts';
import type { AnswerValue } from '../values.ts';
import { answersFrom } from './results.ts';
import { evaluateInService } from './service-evaluator.ts';
import { type ExpressionItem, solveExpressions, valuesAtStart } from './solve.ts';

type Definition = Partial<ExpressionItem['item']> & { readonly link_id: string };

const ELEMENTS: Readonly<Record<string, string>> = {
  integer: 'valueInteger',
  decimal: 'valueDecimal',
  boolean: 'valueBoolean',
};

function item(definition: Definition, answers: readonly AnswerValue[] = []): ExpressionItem {
  const { type = 'integer' } = definition;
  const element = ELEMENTS[type] === undefined ? {} : { answer_element: ELEMENTS[type] };
  const all = answers.length === 0 ? [undefined] : answers;
  return {
    item: { type, repeats: false, label: '', ...element, ...definition },
    occurrences: all.map((answer) => ({ answer, items: [] })),
  };
}

function group(definition: Definition, rows: readonly (readonly ExpressionItem[])[]): ExpressionItem {
  return {
    ...item({ ...definition, type: 'group' }),
    occurrences: rows.map((items) => ({ answer: undefined, items })),
  };
}

const number = (value: number): AnswerValue[] => [{ valueInteger: value }];
const answerOf = (id: string) => `%resource.item.where(linkId = '${id}').answer.value`;

function solve(items: readonly ExpressionItem[], variables: { name: string; expression: string }[] = []) {
  return solveExpressions({ variables }, items, { evaluate: evaluateInService, takesCalculated: () => true });
}

test('what is calculated takes part in further calculations and conditions, wherever it is in the form', () => {
  const warning = item({ link_id: 'w', enable_expression: `${answerOf('sum')} > 10` }, number(1));
  const half = item({ link_id: 'half', type: 'decimal', calculated: `${answerOf('sum')} / 2` });
  const sum = item({ link_id: 'sum', calculated: `${answerOf('a')} + ${answerOf('b')}` });
  const items = [warning, half, sum, item({ link_id: 'a' }, number(5)), item({ link_id: 'b' }, number(6))];
  const { calculated, enabling, isHeld } = solve(items);
  assert.deepEqual([calculated.get(sum), calculated.get(half)], [number(11), [{ valueDecimal: 5.5 }]]);
  assert.deepEqual([isHeld(warning), enabling.isEnabled(warning)], [true, true]);
  const less = items.with(3, item({ link_id: 'a' }, number(1)));
  assert.deepEqual([solve(less).isHeld(warning), solve(less).calculated.get(half)], [false, [{ valueDecimal: 3.5 }]]);
});

test('an answer that is not enabled takes no part', () => {
  const hidden = item({ link_id: 'h', enable_expression: `${answerOf('ask')} = 1` }, number(100));
  const total = item({ link_id: 't', calculated: `${answerOf('h')} | 0` });
  const found = (ask: number) => solve([item({ link_id: 'ask' }, number(ask)), hidden, total]).calculated.get(total);
  assert.deepEqual([found(1), found(2)], [number(100), number(0)]);
});

test('a variable of a group is about its own occurrence, and sees the variables around it', () => {
  const row = (weight: number) => {
    const doubled = item({ link_id: 'd', calculated: '%weight * %factor' });
    return [item({ link_id: 'w' }, number(weight)), doubled];
  };
  const rows = [row(3), row(4)];
  const variables = [{ name: 'weight', expression: "%context.item.where(linkId = 'w').answer.value" }];
  const { calculated } = solve(
    [group({ link_id: 'g', repeats: true, variables }, rows)],
    [{ name: 'factor', expression: '2' }],
  );
  assert.deepEqual(
    rows.map(([, doubled]) => doubled && calculated.get(doubled)),
    [number(6), number(8)],
  );
});

test('what cannot be evaluated enables, and calculates nothing; what is empty does not enable', () => {
  const wrong = item({ link_id: 'a', enable_expression: '(', calculated: '%nothing + 1' }, number(7));
  const empty = item({ link_id: 'b', enable_expression: answerOf('none') });
  const { enabling, calculated } = solve([wrong, empty]);
  assert.deepEqual([enabling.isEnabled(wrong), enabling.isEnabled(empty), calculated.size], [true, false, 0]);
});

test('expressions that never agree, and very many of them, come to an end', () => {
  const a = item({ link_id: 'a', enable_expression: `${answerOf('b')}.empty()` }, number(1));
  const b = item({ link_id: 'b', enable_expression: `${answerOf('a')}.exists()` }, number(1));
  assert.equal(typeof solve([a, b]).enabling.isEnabled(a), 'boolean');
  let asked = 0;
  const rows = Array.from({ length: 5_000 }, () => [item({ link_id: 'x', calculated: '1' })]);
  const evaluate = () => {
    asked += 1;
    return [asked];
  };
  const form = [group({ link_id: 'g', repeats: true }, rows)];
  solveExpressions({}, form, { evaluate, takesCalculated: () => true });
  assert.equal(asked, 20_000);
});

test('first values are those of the beginning; an item with first values of its own keeps them', () => {
  const form = {
    variables: [{ name: 'start', expression: '4' }],
    items: [
      { link_id: 'a', initial_expression: '%start + 1' },
      { link_id: 'b', initial_expression: '1', initial: [{ valueInteger: 2 }] },
      { link_id: 'c', initial_expression: '%patient.name' },
      { link_id: 'g', items: [{ link_id: 'd', initial_expression: 'today()' }] },
    ],
  };
  const { values: found, unknown } = valuesAtStart(form, evaluateInService);
  assert.deepEqual(
    [...unknown].map(({ link_id: id }) => id),
    ['c'],
  );
  assert.deepEqual(
    [...found.keys()].map(({ link_id: id }) => id),
    ['a', 'd'],
  );
  const [, day = []] = found.values();
  assert.match(
    String(answersFrom({ answer_element: 'valueDate', repeats: false }, day)[0]?.['valueDate']),
    /^\d{4}-\d\d-\d\d$/,
  );
});

test('results become answers of the item’s type, or none', () => {
  const read = (element: string, results: readonly unknown[], more = {}) =>
    answersFrom({ answer_element: element, repeats: false, ...more }, results).map((answer) => answer[element]);
  assert.deepEqual(read('valueDecimal', [0.1 + 0.2]), [0.3]);
  assert.deepEqual(read('valueDecimal', [22.857], { limits: { max_decimals: 1 } }), [22.9]);
  assert.deepEqual(read('valueInteger', [1.5]), []);
  assert.deepEqual(read('valueInteger', [1, 2]), [1]);
  assert.deepEqual(read('valueInteger', [1, 2], { repeats: true }), [1, 2]);
  assert.deepEqual(read('valueBoolean', ['true']), []);
  assert.deepEqual(read('valueString', ['']), []);
  assert.deepEqual(read('valueDate', ['2026-11-28T10:00:00Z']), ['2026-11-28']);
  assert.deepEqual(read('valueDateTime', ['2026-11-28T06:18:10.095-00:00']), ['2026-11-28T06:18:10Z']);
  assert.deepEqual(read('valueTime', ['06:18']), ['06:18:00']);
  const units = [{ system: 'http://unitsofmeasure.org', code: 'kg', label: 'kg' }];
  const kilograms = { value: 5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' };
  assert.deepEqual(read('valueQuantity', [5], { units }), [kilograms]);
  assert.deepEqual(read('valueQuantity', ["5 'kg'"], { units }), [kilograms]);
  assert.deepEqual(read('valueCoding', ['x']), []);
});

const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-';
const expression = (name: string, text: string) => ({
  url: `${SDC}${name}`,
  valueExpression: { language: 'text/fhirpath', expression: text },
});
const QUESTIONNAIRE = {
  resourceType: 'Questionnaire',
  status: 'active',
  item: [
    { linkId: 'a', type: 'integer' },
    {
      linkId: 'why',
      type: 'string',
      required: true,
      extension: [expression('enableWhenExpression', `${answerOf('a')} > 5`)],
    },
    {
      linkId: 'sum',
      type: 'integer',
      readOnly: true,
      extension: [expression('calculatedExpression', `${answerOf('a')} * 2`)],
    },
  ],
};

test('a response is checked by the expressions of its form', () => {
  const issues = (...items: object[]) =>
    checkResponse(QUESTIONNAIRE, { resourceType: 'QuestionnaireResponse', status: 'completed', item: items }).map(
      ({ linkId, code }) => `${linkId} ${code}`,
    );
  const a = (value: number) => ({ linkId: 'a', answer: number(value) });
  const why = { linkId: 'why', answer: [{ valueString: 'x' }] };
  const sum = (value: number) => ({ linkId: 'sum', answer: number(value) });
  assert.deepEqual(issues(a(1), sum(2)), []);
  assert.deepEqual(issues(a(1)), [], 'who does not calculate leaves it out');
  assert.deepEqual(issues(a(1), sum(3)), ['sum business-rule']);
  assert.deepEqual(issues(a(1), why), ['why business-rule']);
  assert.deepEqual(issues(a(6), why, sum(12)), []);
  assert.deepEqual(issues(a(6)), ['why required']);
});
