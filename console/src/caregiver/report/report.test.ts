// A report as the engine takes it, from what was filled in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Filled, startOf } from '../../forms/filled.ts';
import type { Answer, Form, FormItem, ItemType } from '../../forms/form.ts';
import { type Draft, isAnswered, issuesOfSection, refusedSections, reportOf, sectionsOf } from './report.ts';

const NOW = '2026-11-26T10:00:00Z';

function item(id: string, type: ItemType, items: readonly FormItem[] = []): FormItem {
  return { link_id: id, type, label: id, required: false, repeats: false, read_only: false, items };
}

function formOf(guid: string, items: readonly FormItem[]): Form {
  return { form_guid: guid, title: guid, items };
}

const weight = { coding: [{ system: 'https://example.org/codes', code: 'weight' }] };
const swelling = { text: 'Svullnad' };
const measures = {
  form: formOf('measures', [
    item('measured-at', 'dateTime'),
    item('values', 'group', [item('weight', 'quantity'), item('swelling', 'coding'), item('pulse', 'decimal')]),
  ]),
  codes: { weight, swelling, pulse: { text: 'Puls' } },
};
const breathing: Form = {
  ...formOf('f1', [item('breath', 'string')]),
  url: 'https://example.org/breath',
  version: '2',
};
const other = formOf('f2', [item('mood', 'string')]);
const sections = sectionsOf({ measures, forms: [breathing, other] });

/** A form with these answers. */
function filled(form: Form, answers: Readonly<Record<string, Answer>>): Filled {
  const withAnswers = (node: Filled, items: readonly FormItem[]): Filled => ({
    ...node,
    items: Object.fromEntries(
      items.map((each) => {
        const answer = answers[each.link_id];
        const [first = { answers: [], items: {} }] = node.items[each.link_id] ?? [];
        const inner = withAnswers(first, each.items ?? []);
        return [each.link_id, [answer === undefined ? inner : { ...inner, answers: [answer] }]];
      }),
    ),
  });
  return withAnswers(startOf(form.items), form.items);
}

const kilograms = { value: 80.5, unit: 'kilogram', system: 'http://unitsofmeasure.org', code: 'kg' };
const none = { system: 'https://example.org/codes', code: 'none' };
const draft: Draft = {
  filled: {
    measures: filled(measures.form, {
      weight: { valueQuantity: kilograms },
      swelling: { valueCoding: none },
      pulse: { valueDecimal: 60 },
    }),
    f1: filled(breathing, { breath: { valueString: 'Bra' } }),
    f2: startOf(other.items),
  },
  note: '  Allt väl ',
  isFinal: true,
};

test('values become observations with their codes, forms responses; what is not answered is left out', () => {
  const report = reportOf(sections, draft, NOW);
  assert.deepEqual([report.status, report.note], ['final', 'Allt väl']);
  const observation = { resourceType: 'Observation', status: 'final', effectiveDateTime: NOW };
  assert.deepEqual(report.observations, [
    { ...observation, code: weight, valueQuantity: kilograms },
    { ...observation, code: swelling, valueCodeableConcept: { coding: [none] } },
    { ...observation, code: { text: 'Puls' }, valueQuantity: { value: 60 } },
  ]);
  assert.deepEqual(
    report.questionnaire_responses.map(({ questionnaire, status, item: items }) => [questionnaire, status, items]),
    [
      [
        'https://example.org/breath|2',
        'completed',
        [{ linkId: 'breath', text: 'breath', answer: [{ valueString: 'Bra' }] }],
      ],
    ],
  );
  assert.deepEqual(
    sections.map((section) => isAnswered(section, draft)),
    [true, true, false],
  );
});

test('nothing was measured after now', () => {
  const [values] = sections;
  assert.ok(values);
  const at = '2026-11-26T10:00:01Z';
  const given = filled(measures.form, { 'measured-at': { valueDateTime: at }, weight: { valueQuantity: kilograms } });
  const issuesAt = (now: number) => [...issuesOfSection(values, given, { future: 'Not yet', now })];
  assert.deepEqual(issuesAt(Date.parse(NOW)), [['/measured-at.0', { kind: 'constraint', limit: 'Not yet' }]]);
  assert.deepEqual(issuesAt(Date.parse(at)), []);
  const today = filled(measures.form, { 'measured-at': { valueDateTime: '2026-11-27' } });
  const justBegun = new Date(2026, 10, 27, 0, 30).getTime();
  assert.equal(issuesOfSection(values, today, { future: 'Not yet', now: justBegun }).size, 0, 'the day of the reader');
});

test('values have the time that the form says; a form without an address has its guid', () => {
  const at = '2026-11-25T07:30:00Z';
  const answers = { 'measured-at': { valueDateTime: at }, weight: { valueQuantity: kilograms } };
  const report = reportOf(
    sections,
    {
      filled: { measures: filled(measures.form, answers), f2: filled(other, { mood: { valueString: 'God' } }) },
      note: ' ',
      isFinal: false,
    },
    NOW,
  );
  assert.deepEqual([report.status, 'note' in report], ['partial', false]);
  assert.deepEqual(
    report.observations.map(({ effectiveDateTime }) => effectiveDateTime),
    [at],
  );
  assert.equal(report.questionnaire_responses[0]?.questionnaire, 'urn:uuid:f2');
});

test('a refusal names the parts that it is about', () => {
  const named = (...messages: string[]) => refusedSections(sections, draft, messages).map(({ key }) => key);
  assert.deepEqual(named('observations[1]: Observation.value must be …'), ['measures']);
  assert.deepEqual(named('questionnaire_responses[0]: item[0] …'), ['f1']);
  assert.deepEqual(named('note: too long'), []);
});
