// The render-ready form: every kind of item, its options, limits, units and conditions (decision D12).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildRenderReady } from '#fhir/forms/questionnaire/render-ready.ts';
import type { RenderReadyItem } from '#fhir/forms/render-ready-form.ts';
import { validateResource } from '#fhir/validation/validate.ts';

const CORE = 'http://hl7.org/fhir/StructureDefinition/';

const questionnaire = {
  resourceType: 'Questionnaire',
  url: 'https://kedja.dev/forms/all',
  version: '7',
  status: 'active',
  title: 'Everything',
  language: 'sv',
  contained: [
    {
      resourceType: 'ValueSet',
      id: 'expanded',
      status: 'active',
      expansion: {
        timestamp: '2026-01-01T00:00:00Z',
        contains: [
          { abstract: true, system: 's:x', code: 'group', contains: [{ system: 's:x', code: 'a', display: 'A' }] },
          { system: 's:x', code: 'old', inactive: true },
        ],
      },
    },
  ],
  item: [
    {
      linkId: 'g',
      type: 'group',
      text: 'Group',
      item: [
        { linkId: 'g.1', type: 'display', text: 'Read this' },
        {
          linkId: 'g.2',
          type: 'decimal',
          text: 'Weight',
          required: true,
          prefix: '2.',
          extension: [
            { url: `${CORE}minValue`, valueDecimal: 20 },
            { url: `${CORE}maxDecimalPlaces`, valueInteger: 1 },
          ],
        },
      ],
    },
    {
      linkId: 'q',
      type: 'quantity',
      text: 'Length',
      extension: [
        {
          url: `${CORE}questionnaire-unitOption`,
          valueCoding: { system: 'http://unitsofmeasure.org', code: 'cm', display: 'centimetre' },
        },
        { url: `${CORE}questionnaire-unitOption`, valueCoding: { system: 'http://unitsofmeasure.org', code: 'm' } },
      ],
    },
    {
      linkId: 'c',
      type: 'coding',
      text: 'Choose',
      repeats: true,
      answerConstraint: 'optionsOrString',
      answerOption: [
        { valueCoding: { system: 's:x', code: 'a', display: 'A' }, initialSelected: true },
        { valueCoding: { system: 's:x', code: 'b' } },
      ],
      enableBehavior: 'any',
      disabledDisplay: 'protected',
      enableWhen: [
        { question: 'g.2', operator: '>', answerDecimal: 70.5 },
        { question: 'q', operator: 'exists', answerBoolean: false },
      ],
    },
    { linkId: 'v', type: 'coding', text: 'From a set', answerValueSet: '#expanded' },
    { linkId: 'e', type: 'coding', text: 'From elsewhere', answerValueSet: 'https://x.example/vs' },
    { linkId: 't', type: 'string', text: 'Name', readOnly: true, maxLength: 10, initial: [{ valueString: 'Eva' }] },
    { linkId: 'i', type: 'integer', text: 'Level', answerOption: [{ valueInteger: 1 }, { valueInteger: 2 }] },
  ],
};

test('the sample is a valid Questionnaire', () => {
  const errors = validateResource(questionnaire).filter(({ severity }) => severity !== 'warning');
  assert.deepEqual(errors, []);
});

const form = buildRenderReady(questionnaire, 'guid');
const item = (linkId: string) => form.items.find((candidate) => candidate.link_id === linkId);

test('the form says what it is', () => {
  const { items: _items, ...head } = form;
  assert.deepEqual(head, {
    render_version: '1.6',
    form_guid: 'guid',
    title: 'Everything',
    url: 'https://kedja.dev/forms/all',
    version: '7',
    language: 'sv',
  });
});

test('groups have their items; a question names the element and the limits of its answer', () => {
  const common = { repeats: false, read_only: false };
  assert.deepEqual(item('g')?.items, [
    { link_id: 'g.1', type: 'display', label: 'Read this', required: false, ...common },
    {
      link_id: 'g.2',
      type: 'decimal',
      label: 'Weight',
      required: true,
      ...common,
      prefix: '2.',
      answer_element: 'valueDecimal',
      limits: { min_value: 20, max_decimals: 1 },
    },
  ]);
  assert.equal(item('g')?.answer_element, undefined);
});

test('options carry the answer itself; a contained set is listed, one elsewhere is named', () => {
  assert.deepEqual(item('c')?.options, [
    { label: 'A', answer: { valueCoding: { system: 's:x', code: 'a', display: 'A' } }, selected: true },
    { label: 'b', answer: { valueCoding: { system: 's:x', code: 'b' } } },
  ]);
  assert.equal(item('c')?.other_answers, 'text');
  assert.deepEqual(item('v')?.options, [
    { label: 'A', answer: { valueCoding: { system: 's:x', code: 'a', display: 'A' } } },
  ]);
  assert.equal(item('v')?.other_answers, 'none');
  assert.deepEqual([item('e')?.options, item('e')?.options_source], [undefined, 'https://x.example/vs']);
  assert.deepEqual(item('i')?.options?.[1], { label: '2', answer: { valueInteger: 2 } });
});

test('units, conditions and first values', () => {
  assert.deepEqual(item('q')?.units, [
    { system: 'http://unitsofmeasure.org', code: 'cm', label: 'centimetre' },
    { system: 'http://unitsofmeasure.org', code: 'm', label: 'm' },
  ]);
  assert.deepEqual(item('c')?.conditions, {
    behavior: 'any',
    when_disabled: 'protected',
    rules: [
      { link_id: 'g.2', operator: '>', answer: { valueDecimal: 70.5 } },
      { link_id: 'q', operator: 'exists', answer: { valueBoolean: false } },
    ],
  });
  assert.deepEqual(
    [item('t')?.initial, item('t')?.read_only, item('t')?.limits],
    [[{ valueString: 'Eva' }], true, { max_length: 10 }],
  );
});

const SAMPLE_ANSWERS: Readonly<Record<string, unknown>> = {
  decimal: 70.5,
  quantity: { value: 170, unit: 'centimetre', system: 'http://unitsofmeasure.org', code: 'cm' },
  coding: { system: 's:x', code: 'a' },
  string: 'Eva',
};

/** The answers of a renderer that knows only the render-ready form. */
function answerItems(items: readonly RenderReadyItem[]): object[] {
  return items
    .filter(({ type }) => type !== 'display')
    .map(({ link_id: linkId, type, answer_element: element, options, items: inner = [] }) => ({
      linkId,
      ...(element === undefined ? {} : { answer: [options?.[0]?.answer ?? { [element]: SAMPLE_ANSWERS[type] }] }),
      ...(inner.length === 0 ? {} : { item: answerItems(inner) }),
    }));
}

test('constraints are returned with what to show, in the older extension and the newer; what is no FHIRPath is left out', () => {
  const part = (url: string, value: object) => ({ url, ...value });
  const parts = (expression: object) => [
    part('key', { valueId: 'k' }),
    part('severity', { valueCode: 'warning' }),
    part('expression', expression),
    part('human', { valueString: 'More than 40?' }),
  ];
  const older = [...parts({ valueString: 'a > 40' }), part('requirements', { valueString: 'Rare' })];
  const newer = [
    ...parts({ valueExpression: { language: 'text/fhirpath', expression: 'a > 40' } }),
    part('location', { valueString: 'answer.value' }),
  ];
  const other = parts({ valueExpression: { language: 'text/cql', expression: 'a > 40' } });
  const extension = [
    { url: `${CORE}questionnaire-constraint`, extension: older },
    { url: `${CORE}targetConstraint`, extension: newer },
    { url: `${CORE}targetConstraint`, extension: other },
  ];
  const common = { key: 'k', severity: 'warning', message: 'More than 40?', expression: 'a > 40' };
  const expected = [
    { ...common, locations: ['answer.value'] },
    { ...common, reason: 'Rare' },
  ];
  const made = buildRenderReady({ extension, item: [{ linkId: '1', type: 'decimal', extension }] }, 'guid');
  assert.deepEqual([made.constraints, made.items[0]?.constraints], [expected, expected]);
  const without = buildRenderReady({ item: [{ linkId: '1', type: 'decimal', extension: [extension[2]] }] }, 'guid');
  assert.deepEqual(['constraints' in without, 'constraints' in (without.items[0] ?? {})], [false, false]);
});

test('answers given by it make a valid QuestionnaireResponse', () => {
  const response = {
    resourceType: 'QuestionnaireResponse',
    questionnaire: `${form.url}|${form.version}`,
    status: 'completed',
    item: answerItems(form.items),
  };
  const errors = validateResource(response).filter(({ severity }) => severity !== 'warning');
  assert.deepEqual(errors, []);
  assert.equal(response.item.length, questionnaire.item.length);
});

test('translations of title, questions and options are there by language', () => {
  const of = (content: string) => ({
    extension: [
      {
        url: 'http://hl7.org/fhir/StructureDefinition/translation',
        extension: [
          { url: 'lang', valueCode: 'en' },
          { url: 'content', valueString: content },
        ],
      },
    ],
  });
  const form = buildRenderReady(
    {
      title: 'Andning',
      _title: of('Breathing'),
      item: [
        {
          linkId: '1',
          type: 'coding',
          text: 'Hur går det?',
          _text: of('How is it?'),
          answerOption: [{ valueCoding: { code: 'good', display: 'Bra', _display: of('Good') } }],
        },
      ],
    },
    'form',
  );
  assert.deepEqual(form.translations, { en: 'Breathing' });
  assert.deepEqual(form.items[0]?.translations, { en: 'How is it?' });
  assert.deepEqual(form.items[0]?.options?.[0]?.translations, { en: 'Good' });
});

test('the direction of answers is in the form, and what no renderer evaluates is named at its place', () => {
  const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-';
  const expression = (language: string, name: string) => ({
    url: `${SDC}${name}`,
    valueExpression: { language, expression: '1' },
  });
  const built = buildRenderReady(
    {
      resourceType: 'Questionnaire',
      status: 'draft',
      extension: [{ url: `${CORE}variable`, valueExpression: { name: 'x', language: 'text/cql', expression: 'X' } }],
      item: [
        {
          linkId: 'one',
          type: 'boolean',
          extension: [
            { url: `${CORE}questionnaire-choiceOrientation`, valueCode: 'horizontal' },
            expression('text/cql', 'calculatedExpression'),
            expression('text/fhirpath', 'initialExpression'),
            expression('text/fhirpath', 'answerExpression'),
            {
              url: `${CORE}targetConstraint`,
              extension: [
                { url: 'expression', valueExpression: { language: 'application/x-fhir-query', expression: 'Patient' } },
              ],
            },
          ],
        },
        { linkId: 'two', type: 'string', extension: [expression('text/fhirpath', 'calculatedExpression')] },
      ],
    },
    'guid',
  );
  assert.deepEqual(built.not_run, [{ use: 'variable', language: 'text/cql' }]);
  const [one, two] = built.items;
  assert.equal(one?.orientation, 'horizontal');
  assert.deepEqual(one?.not_run, [
    { use: 'calculatedExpression', language: 'text/cql' },
    { use: 'answerExpression', language: 'text/fhirpath' },
    { use: 'targetConstraint', language: 'application/x-fhir-query' },
  ]);
  assert.equal(one?.initial_expression, '1');
  assert.deepEqual([two?.not_run, two?.calculated], [undefined, '1']);
});
