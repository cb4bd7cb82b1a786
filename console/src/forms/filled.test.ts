// Answers of a form: from a response and back, conditions, and what is wrong before it is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionsOf } from './conditions.ts';
import { type Filled, startOf, withOccurrences } from './filled.ts';
import { type Answer, type FormItem, type Rule, UNREADABLE } from './form.ts';
import { issuesOf, refusedIssues } from './issues.ts';
import { toResponseItems } from './response.ts';
import { dateTimeAnswer, dateTimeText, numberAnswer, numberTextOf } from './typed.ts';

function item(id: string, type: FormItem['type'], more: Partial<FormItem> = {}): FormItem {
  return { link_id: id, type, label: id, required: false, repeats: false, read_only: false, ...more };
}

const when = (id: string, operator: Rule['operator'], answer: Answer): Pick<FormItem, 'conditions'> => ({
  conditions: { behavior: 'all', when_disabled: 'hidden', rules: [{ link_id: id, operator, answer }] },
});

const answered = (answers: readonly Answer[], items: Filled['items'] = {}): Filled => ({ answers, items });

const BREATH = [
  item('1', 'boolean', { required: true, answer_element: 'valueBoolean' }),
  item('2', 'group', {
    repeats: true,
    items: [item('2.1', 'string', { required: true, ...when('1', '=', { valueBoolean: true }) })],
  }),
  item('3', 'display'),
];

test('a response becomes the form filled in, and the same response again', () => {
  const response = {
    item: [
      { linkId: '1', text: '1', answer: [{ valueBoolean: true }] },
      { linkId: '2', text: '2', item: [{ linkId: '2.1', text: '2.1', answer: [{ valueString: 'a' }] }] },
      { linkId: '2', text: '2', item: [{ linkId: '2.1', text: '2.1', answer: [{ valueString: 'b' }] }] },
    ],
  };
  const filled = startOf(BREATH, response);
  assert.equal(filled.items['2']?.length, 2);
  assert.deepEqual(toResponseItems(BREATH, filled), response.item);
});

test('a required group of which nothing is answered is one issue, and so is what is typed wrongly in it', () => {
  const group = item('g', 'group', {
    required: true,
    items: [item('n', 'integer', { answer_element: 'valueInteger' })],
  });
  const kinds = (answers: readonly Answer[]) => {
    const filled = answered([], { g: [answered([], { n: [answered(answers)] })] });
    return [...issuesOf([group], filled)].map(([path, { kind }]) => `${path} ${kind}`);
  };
  assert.deepEqual(kinds([]), ['/g.0 requiredGroup']);
  assert.deepEqual(kinds([{ [UNREADABLE]: 'åttio' }]), ['/g.0/n.0 integer']);
  assert.deepEqual(kinds([{ valueInteger: 80 }]), []);
});

test('spaces answer nothing that is required', () => {
  const text = item('t', 'text', { required: true });
  const kindOf = (value: string) =>
    [...issuesOf([text], answered([], { t: [answered([{ valueString: value }])] }))].map(([, { kind }]) => kind);
  assert.deepEqual([kindOf(' \n'), kindOf(' a')], [['required'], []]);
});

test('what is disabled is neither sent nor required', () => {
  const filled = startOf(BREATH, {
    item: [{ linkId: '2', item: [{ linkId: '2.1', answer: [{ valueString: 'a' }] }] }],
  });
  assert.deepEqual([...issuesOf(BREATH, filled)], [['/1.0', { kind: 'required' }]]);
  assert.deepEqual(toResponseItems(BREATH, filled), []);
  const yes = withOccurrences(startOf(BREATH), '1', [answered([{ valueBoolean: true }])]);
  assert.deepEqual(
    [...issuesOf(BREATH, yes)].map(([path]) => path),
    ['/2.0/2.1.0'],
  );
});

test('first values are in a new form, and only those that nobody may change in one that was begun', () => {
  const items = [
    item('a', 'string', { initial: [{ valueString: 'first' }] }),
    item('b', 'string', { initial: [{ valueString: 'fixed' }], read_only: true }),
    item('c', 'coding', { options: [{ label: 'x', answer: { valueCoding: { code: 'x' } }, selected: true }] }),
  ];
  const sent = (filled: Filled) => toResponseItems(items, filled).map(({ linkId }) => linkId);
  assert.deepEqual(sent(startOf(items)), ['a', 'b', 'c']);
  assert.deepEqual(sent(startOf(items, { item: [] })), ['b']);
});

test('conditions compare as FHIR says', () => {
  const holds = (operator: Rule['operator'], expected: Answer, ...answers: Answer[]) => {
    const asking = item('x', 'string', when('q', operator, expected));
    return conditionsOf([item('q', 'string'), asking], answered([], { q: [answered(answers)] }))('', asking);
  };
  assert.ok(holds('exists', { valueBoolean: true }, { valueString: 'a' }));
  assert.ok(holds('exists', { valueBoolean: false }));
  assert.ok(
    holds('=', { valueCoding: { system: 's', code: 'a', display: 'A' } }, { valueCoding: { system: 's', code: 'a' } }),
  );
  assert.ok(!holds('=', { valueCoding: { system: 's', code: 'a' } }, { valueCoding: { system: 't', code: 'a' } }));
  assert.ok(holds('!=', { valueString: 'a' }, { valueString: 'b' }));
  assert.ok(
    !holds('!=', { valueString: 'a' }, { valueString: 'b' }, { valueString: 'a' }),
    'one of several is the same',
  );
  assert.ok(holds('!=', { valueString: 'a' }), 'no answer is the same');
  assert.ok(!holds('exists', { valueBoolean: true }, { [UNREADABLE]: '3 kg' }), 'what cannot be read is no answer');
  assert.ok(holds('>', { valueDecimal: 9 }, { valueDecimal: 10 }));
  assert.ok(holds('<=', { valueQuantity: { value: 10 } }, { valueQuantity: { value: 10 } }));
  assert.ok(holds('<', { valueDate: '2026-10-01' }, { valueDate: '2026-09-30' }));
  assert.ok(!holds('>', { valueDecimal: 9 }, { valueString: 'x' }), 'of different kinds');
});

test('a question further out is found, the nearest first', () => {
  const rule = item('x', 'string', when('q', '=', { valueString: 'near' }));
  const group = (question: string) => item('g', 'group', { items: [item(question, 'string'), rule] });
  const near = (question: string) => answered([], { [question]: [answered([{ valueString: 'near' }])] });
  const form = (question: string) => answered([], { q: [answered([{ valueString: 'far' }])], g: [near(question)] });
  assert.ok(conditionsOf([item('q', 'string'), group('q')], form('q'))('/g.0', rule));
  assert.ok(!conditionsOf([item('q', 'string'), group('r')], form('r'))('/g.0', rule));
});

test('neither an answer of a disabled question nor one in a group beside that repeats enables', () => {
  const asking = item('x', 'string', when('q', '=', { valueString: 'a' }));
  const q = answered([{ valueString: 'a' }]);
  const disabled = item('q', 'string', when('p', 'exists', { valueBoolean: true }));
  const isEnabled = (items: readonly FormItem[], filled: Filled) => conditionsOf(items, filled)('', asking);
  assert.ok(!isEnabled([item('p', 'string'), disabled, asking], answered([], { q: [q] })));
  const inGroup = (repeats: boolean) => [item('g', 'group', { repeats, items: [item('q', 'string')] }), asking];
  const filled = answered([], { g: [answered([], { q: [q] })] });
  assert.ok(!isEnabled(inGroup(true), filled));
  assert.ok(isEnabled(inGroup(false), filled));
});

test('a number that cannot be read is not sent', () => {
  const filled = answered([], { d: [answered([{ [UNREADABLE]: '3 kg' }])] });
  assert.deepEqual(toResponseItems([item('d', 'decimal')], filled), []);
});

test('numbers are read as they are written, and limits are named', () => {
  const decimal = item('d', 'decimal', { answer_element: 'valueDecimal', limits: { min_value: 1, max_value: 5 } });
  const whole = item('i', 'integer', { answer_element: 'valueInteger' });
  const weight = item('q', 'quantity', { answer_element: 'valueQuantity' });
  assert.deepEqual(numberAnswer(decimal, ' 1 234,5 ', undefined), { valueDecimal: 1234.5 });
  const kilogram = { system: 'http://unitsofmeasure.org', code: 'kg', label: 'kg' };
  assert.deepEqual(numberAnswer(weight, '72,5', kilogram), {
    valueQuantity: { value: 72.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  });
  assert.equal(numberTextOf({ valueQuantity: { value: 72.5 } }), '72,5');
  const issue = (form: FormItem, typed: string) => {
    const filled = answered([], { [form.link_id]: [answered([numberAnswer(form, typed, undefined)])] });
    return [...issuesOf([form], filled).values()].map(({ kind, limit }) => [kind, limit]);
  };
  assert.deepEqual(issue(decimal, '0,5'), [['low', '1']]);
  assert.deepEqual(issue(decimal, '6'), [['high', '5']]);
  assert.deepEqual(issue(decimal, '3 kg'), [['number', undefined]]);
  assert.deepEqual(issue(whole, '1,5'), [['integer', undefined]]);
  assert.deepEqual(issue(whole, '2'), []);
  // The service would refuse it, and the draft with it; a decimal would lose digits on its way.
  assert.deepEqual(issue(whole, '99999999999'), [['integer', undefined]]);
  assert.deepEqual(issue(item('d', 'decimal'), '12345678901234567890'), [['number', undefined]]);
});

test('texts, addresses and days are held to their limits', () => {
  const kinds = (form: FormItem, value: string) =>
    [...issuesOf([form], answered([], { x: [answered([{ value }])] })).values()].map(({ kind }) => kind);
  assert.deepEqual(kinds(item('x', 'text', { limits: { max_length: 3 } }), 'long'), ['long']);
  assert.deepEqual(kinds(item('x', 'text', { limits: { min_length: 3 } }), 'ab'), ['short']);
  assert.deepEqual(kinds(item('x', 'url'), 'example'), ['address']);
  assert.deepEqual(kinds(item('x', 'url'), 'https://example.org'), []);
  assert.deepEqual(kinds(item('x', 'date', { limits: { min_value: '2026-01-01' } }), '2025-12-31'), ['low']);
});

test('a moment is sent in UTC and shown in the time of the reader', () => {
  const answer = dateTimeAnswer('2026-11-26T14:05');
  assert.match(String(answer['valueDateTime']), /^2026-11-26T\d\d:\d\d:00Z$/);
  assert.equal(dateTimeText(String(answer['valueDateTime'])), '2026-11-26T14:05');
});

test('what the service refuses is shown at the items that it names', () => {
  const issues = refusedIssues(BREATH, ['Item 2.1 (2.1): Enter an answer.']);
  assert.deepEqual([...issues], [['/2.0/2.1.0', { kind: 'refused' }]]);
});
