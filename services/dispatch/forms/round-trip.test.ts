// The render-ready form is sufficient (decision D12): a renderer without FHIR fills it in and creates a valid
// QuestionnaireResponse. The published JSON Schema matches it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { buildRenderReady } from '#fhir/forms/questionnaire/render-ready.ts';
import { RENDER_READY_SCHEMA, type RenderReadyForm, type RenderReadyItem } from '#fhir/forms/render-ready-form.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { everyItem, fillForm, textMatching, warningsOf } from '../testing/form-filler.ts';
import { constraint, type Draw, makeQuestionnaire, QUESTION_TYPES } from '../testing/questionnaires.ts';
import { issuesOfResponse, warningsOfResponse } from '../testing/response-checker.ts';

type Json = Record<string, unknown>;

const published = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(RENDER_READY_SCHEMA);
/** The same schema without additional members. */
const exact = new Ajv2020({ strict: false }).compile(closed(RENDER_READY_SCHEMA));

function closed(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    typeof value === 'object' && value !== null && value.type === 'object' && value.properties !== undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
}

function errorsIn(resource: unknown): string[] {
  return validateResource(resource)
    .filter(({ severity }) => severity === undefined || severity === 'error')
    .map(({ message, field }) => `${field}: ${message}`);
}

/** The form as it is sent: serialized and parsed. */
function renderReady(questionnaire: Json): RenderReadyForm {
  return JSON.parse(JSON.stringify(buildRenderReady(questionnaire, 'form')));
}

test('2,000 generated questionnaires: what is filled in by the render-ready form is a valid response to the questionnaire', () => {
  const seen = new Set<string>();
  const run = (gen: fc.GeneratorValue) => {
    const draw: Draw = (limit) => gen(fc.nat, { max: limit - 1 });
    const questionnaire = makeQuestionnaire(draw);
    assert.deepEqual(errorsIn(questionnaire), []);
    const form = renderReady(questionnaire);
    assert.ok(published(form), JSON.stringify(published.errors));
    assert.ok(exact(form), JSON.stringify(exact.errors));
    const matching = (pattern: string) => gen(textMatching, pattern);
    const response = fillForm(form, { draw, matching });
    assert.deepEqual(errorsIn(response), []);
    assert.deepEqual(issuesOfResponse(questionnaire, response), []);
    const warnings = warningsOf(form, response);
    assert.deepEqual(warnings, warningsOfResponse(questionnaire, response));
    if (form.constraints !== undefined) seen.add(warnings.length > 0 ? 'warned' : 'not warned');
    note(seen, everyItem(form.items), JSON.stringify(response));
  };
  fc.assert(fc.property(fc.gen(), run), { numRuns: 2000, seed: 20_261_122 });
  const wanted = [
    ...QUESTION_TYPES.map((type) => `answered ${type}`),
    ...['exists', '=', '!=', '>', '<', '>=', '<='].map((operator) => `rule ${operator}`),
    ...['any', 'none', 'text'].map((others) => `others ${others}`),
    ...LIMITS.map((name) => `limit ${name}`),
    ...['boolean', 'integer', 'date', 'time', 'text', 'coding'].map((type) => `held about-${type}`),
    ...['warned', 'not warned'],
    ...['shown', 'not shown', 'units', 'repeated group', 'nested under a question', 'exclusive', 'read only', 'hidden'],
  ];
  assert.deepEqual(
    wanted.filter((each) => !seen.has(each)),
    [],
  );
});

const LIMITS = [
  ...['min_value', 'max_value', 'max_decimals', 'min_length', 'max_length', 'pattern', 'min_answers', 'max_answers'],
  ...['max_bytes', 'media_types', 'resource_types'],
];

function note(seen: Set<string>, items: readonly RenderReadyItem[], response: string): void {
  for (const item of items) {
    const isAnswered = response.includes(`"linkId":"${item.link_id}"`);
    if (isAnswered) seen.add(`answered ${item.type}`);
    if (item.conditions !== undefined) seen.add(isAnswered ? 'shown' : 'not shown');
    for (const { operator } of item.conditions?.rules ?? []) seen.add(`rule ${operator}`);
    for (const name of Object.keys(item.limits ?? {})) seen.add(`limit ${name}`);
    for (const { key } of item.constraints ?? []) if (isAnswered) seen.add(`held ${key}`);
    if (item.other_answers !== undefined) seen.add(`others ${item.other_answers}`);
    if (item.units !== undefined) seen.add('units');
    if (item.type === 'group' && item.repeats) seen.add('repeated group');
    if (item.type !== 'group' && item.items !== undefined) seen.add('nested under a question');
    if (item.options?.some(({ exclusive }) => exclusive) === true) seen.add('exclusive');
    if (item.read_only) seen.add('read only');
    if (item.hidden === true) seen.add('hidden');
  }
}

const asked = {
  resourceType: 'Questionnaire',
  status: 'active',
  item: [
    { linkId: '1', type: 'boolean', text: 'Pain?', required: true },
    {
      linkId: '2',
      type: 'integer',
      text: 'How much?',
      required: true,
      enableWhen: [{ question: '1', operator: '=', answerBoolean: true }],
    },
    {
      linkId: '3',
      type: 'group',
      text: 'More',
      item: [{ linkId: '3.1', type: 'string', text: 'Where?', maxLength: 3 }],
    },
  ],
};
const yes = { linkId: '1', answer: [{ valueBoolean: true }] };
const no = { linkId: '1', answer: [{ valueBoolean: false }] };
const much = { linkId: '2', answer: [{ valueInteger: 3 }] };
const where = (text: string) => ({ linkId: '3', item: [{ linkId: '3.1', answer: [{ valueString: text }] }] });

for (const [what, item, expected] of [
  ['all that is asked', [yes, much, where('arm')], []],
  ['what is not asked is left out', [no], []],
  ['a required answer is missing', [yes], ['2: required']],
  ['what is not asked is answered', [no, much], ['2 is answered but not enabled']],
  ['another order', [much, yes], ['another order']],
  ['an unknown question', [{ linkId: '9' }, no], ['an item that is not defined there']],
  ['a group answered', [no, { linkId: '3', answer: [] }], ['3: a group with an answer']],
  ['twice', [{ linkId: '1', answer: [...no.answer, ...no.answer] }], ['1: does not repeat']],
  ['another type', [{ linkId: '1', answer: [{ valueString: 'no' }] }], ['1: valueString is of another type']],
  ['too long', [no, where('left arm')], ['3.1: too long']],
] as const) {
  test(`the response checker: ${what}`, () => {
    assert.deepEqual(issuesOfResponse(asked, { resourceType: 'QuestionnaireResponse', item }), expected);
  });
}

const held = {
  ...asked,
  extension: [constraint('no-pain', 'warning', "item.where(linkId = '1').answer.value = true")],
  item: asked.item.map((item) =>
    item.linkId === '2' ? { ...item, extension: [constraint('scale', 'error', 'answer.value <= 10')] } : item,
  ),
};

test('a constraint of an item and one of the form are violated as they say, read from either form', () => {
  const form = renderReady(held);
  const issuesOf = (item: object[]) => {
    const response = { resourceType: 'QuestionnaireResponse', status: 'completed', item };
    return [issuesOfResponse(held, response), warningsOf(form, response), warningsOfResponse(held, response)];
  };
  assert.deepEqual(errorsIn(held), []);
  assert.deepEqual(issuesOf([yes, much]), [[], [], []]);
  assert.deepEqual(issuesOf([no]), [[], ['Not so: no-pain'], ['Not so: no-pain']]);
  const tooMuch = { linkId: '2', answer: [{ valueInteger: 11 }] };
  assert.deepEqual(issuesOf([yes, tooMuch]), [['2: against scale'], [], []]);
});

test('the published schema refuses what is no form, and is in the reference as it is served', async () => {
  const form = renderReady(asked);
  assert.ok(published(form));
  assert.ok(published({ ...form, render_version: '1.9', later: true }), 'a later minor version may have more');
  const [first, ...rest] = form.items;
  for (const wrong of [
    { ...form, render_version: '2.0' },
    { ...form, items: undefined },
    { ...form, items: [{ ...first, type: 'rainbow' }, ...rest] },
    { ...form, items: [{ ...first, required: 'yes' }, ...rest] },
    { ...form, items: [{ ...first, options: [{ label: 'x', answer: { code: 'x' } }] }] },
    { ...form, items: [{ ...first, items: [{ ...first, link_id: 1 }] }] },
  ]) {
    assert.ok(!published(wrong), JSON.stringify(wrong));
  }
  const file = path.join(import.meta.dirname, '../../../docs/reference/render-ready-form.schema.json');
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), RENDER_READY_SCHEMA);
});
