// Every questionnaire renders, and what somebody fills in by the renderer is a valid response to it. These are the
// official ones, generated ones with expressions, and each control that an author may wish for.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { checkResponse } from '../../../fhir/forms/check-response.ts';
import { evaluateInService } from '../../../fhir/forms/expressions/service-evaluator.ts';
import { buildRenderReady } from '../../../fhir/forms/questionnaire/render-ready.ts';
import type { RenderReadyForm } from '../../../fhir/forms/render-ready-form.ts';
import { validateResource } from '../../../fhir/validation/validate.ts';
import { fillForm } from '../../../services/dispatch/testing/form-filler.ts';
import { type Draw, makeQuestionnaire, pick } from '../../../services/dispatch/testing/questionnaires.ts';
import { readExamples } from '../../../test/examples/official.ts';
import { conditionsOf, type IsEnabled } from './conditions.ts';
import { solutionOf, withSolution } from './expressions/solution.ts';
import { type Filled, occurrencesOf, pathOf, startOf, withAnswers, withinAnswer, withOccurrences } from './filled.ts';
import type { Answer, FillableForm, Form, FormItem } from './form.ts';
import { issuesOf } from './issues.ts';
import { fieldId } from './paths.ts';
import { toResponseItems } from './response.ts';
import { loadRenderer } from './testing/renderer.ts';

type Json = Record<string, unknown>;

const { markupOf } = await loadRenderer({ after });

function readyOf(questionnaire: object): Form {
  return JSON.parse(JSON.stringify(buildRenderReady({ ...questionnaire }, 'form')));
}

/** The paths of the questions that are shown. */
function shownIn(items: readonly FormItem[], parent: Filled, path: string, isEnabled: IsEnabled): string[] {
  return items.flatMap((item) => {
    if (item.hidden === true || item.type === 'display' || !isEnabled(path, item)) return [];
    return occurrencesOf(parent, item).flatMap((each, index) => {
      const own = pathOf(path, item.link_id, index);
      if (item.type === 'group') return shownIn(item.items ?? [], each, own, isEnabled);
      return [own, ...each.answers.flatMap((_, at) => withinOf(item, each, at, path, isEnabled))];
    });
  });
}

function withinOf(item: FormItem, each: Filled, at: number, path: string, isEnabled: IsEnabled): string[] {
  return shownIn(item.items ?? [], withinAnswer(item, each, at), pathOf(path, item.link_id, at), isEnabled);
}

/** Every question that is shown has one control, and nothing is shown that is no text. */
function assertRendered(form: FillableForm, filled: Filled, name: string): void {
  const markup = markupOf(form, filled);
  assert.doesNotMatch(markup, />(?:undefined|NaN|null)<|\[object|"(?:undefined|NaN)"/, name);
  const ids = [...markup.matchAll(/ id="(field[^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) < index),
    [],
    `${name} has an id twice`,
  );
  const missing = shownIn(form.items, filled, '', conditionsOf(form.items, filled)).filter(
    (path) => !ids.includes(fieldId(path)),
  );
  assert.deepEqual(missing, [], name);
}

test('all official questionnaires render', () => {
  const examples = readExamples((name) => name.startsWith('Questionnaire-'));
  assert.ok(examples.length > 200, `${examples.length} questionnaires`);
  for (const { text } of examples) {
    const questionnaire: Json = JSON.parse(text);
    const form = readyOf(questionnaire);
    const names = [...text.matchAll(/"linkId"\s*:\s*"([^"]+)"/g)].map(([, name]) => name);
    // Some name two items alike, against R5 (que-2). They are shown, and that is all that can be said.
    if (new Set(names).size < names.length) markupOf(form);
    else assertRendered(form, solved(form, startOf(form.items)), String(questionnaire['id']));
  }
});

/** As the page does after each change, until nothing changes. */
function solved(form: FillableForm, filled: Filled): Filled {
  let now = filled;
  for (let round = 0; round < 5; round += 1) {
    const next = withSolution(form.items, now, solutionOf(form, now, evaluateInService));
    if (next === now) return now;
    now = next;
  }
  return now;
}

const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-';
const CORE = 'http://hl7.org/fhir/StructureDefinition/';

function expression(name: string, text: string): Json {
  return { url: `${SDC}${name}`, valueExpression: { language: 'text/fhirpath', expression: text } };
}

function control(code: string): Json {
  const coding = [{ system: 'http://hl7.org/fhir/questionnaire-item-control', code }];
  return { url: `${CORE}questionnaire-itemControl`, valueCodeableConcept: { coding } };
}

const CONTROLS = ['autocomplete', 'drop-down', 'check-box', 'radio-button', 'slider', 'text-box', 'gtable', 'table'];

/** The generated form, with wishes for controls, and questions that depend on others by expressions. */
function withExpressions(questionnaire: Json, draw: Draw): Json {
  const wished = (items: unknown): unknown =>
    Array.isArray(items)
      ? items.map((item: Json) => ({
          ...item,
          extension: [...((item['extension'] as Json[] | undefined) ?? []), control(pick(draw, CONTROLS))],
          ...(item['item'] === undefined ? {} : { item: wished(item['item']) }),
        }))
      : items;
  const counted = '%resource.repeat(item).where(answer.exists()).count()';
  const added = [
    { linkId: 'count', type: 'integer', readOnly: true, extension: [expression('calculatedExpression', counted)] },
    { linkId: 'own', type: 'decimal', extension: [expression('calculatedExpression', '%many / 2')] },
    {
      linkId: 'why',
      type: 'string',
      required: true,
      extension: [expression('enableWhenExpression', `%many > ${draw(4)}`), expression('initialExpression', "'so'")],
    },
    { linkId: 'day', type: 'date', extension: [expression('initialExpression', 'today()')] },
  ];
  const many = `%resource.item.where(linkId != 'count' and linkId != 'own' and linkId != 'why').count()`;
  const variable = {
    url: `${CORE}variable`,
    valueExpression: { name: 'many', language: 'text/fhirpath', expression: many },
  };
  return {
    ...questionnaire,
    extension: [...((questionnaire['extension'] as Json[] | undefined) ?? []), variable],
    item: [...(wished(questionnaire['item']) as Json[]), ...added],
  };
}

/** One answer more, another one, or none, to a question somewhere in the form. */
function stepped(items: readonly FormItem[], parent: Filled, draw: Draw): Filled {
  const asked = items.filter(({ type, hidden }) => type !== 'display' && hidden !== true);
  if (asked.length === 0) return parent;
  const item = pick(draw, asked);
  const all = occurrencesOf(parent, item);
  const index = draw(all.length);
  const occurrence = all[index] ?? { answers: [], items: {} };
  if (item.type === 'group')
    return withOccurrences(parent, item.link_id, all.with(index, stepped(item.items ?? [], occurrence, draw)));
  if (item.read_only) return parent;
  const pool: readonly Answer[] = [
    ...occurrence.answers,
    ...(item.options ?? []).map(({ answer }) => answer),
    ...typed(item),
  ];
  const count = draw(item.repeats ? 3 : 2);
  const answers = Array.from({ length: pool.length === 0 ? 0 : count }, () => pick(draw, pool));
  const distinct = [...new Map(answers.map((each) => [JSON.stringify(each), each])).values()];
  return withOccurrences(parent, item.link_id, all.with(index, withAnswers(item, occurrence, distinct)));
}

function typed({ type, options, answer_element: element = 'valueString' }: FormItem): readonly Answer[] {
  if (options !== undefined) return [];
  const values: Partial<Record<FormItem['type'], readonly unknown[]>> = {
    boolean: [true, false],
    integer: [0, 1, 7],
    decimal: [0.5, 3],
    string: ['a', 'b c'],
    text: ['One\ntwo'],
    date: ['2026-01-02'],
    time: ['12:30:00'],
    dateTime: ['2026-01-02T08:00:00Z'],
    url: ['https://kedja.dev/b'],
  };
  return (values[type] ?? []).map((value) => ({ [element]: value }));
}

function errorsIn(questionnaire: Json, response: Json): string[] {
  const isError = ({ severity }: { readonly severity?: string }) => severity === undefined || severity === 'error';
  return [...validateResource(response).filter(isError), ...checkResponse(questionnaire, response).filter(isError)].map(
    ({ message }) => message,
  );
}

test('500 generated questionnaires with expressions: what a random walk fills in, and the page takes, is a valid response', () => {
  const seen = { sent: 0, steps: 0, why: 0, without: 0, own: 0, day: 0 };
  const run = (gen: fc.GeneratorValue) => {
    const draw: Draw = (limit) => gen(fc.nat, { max: limit - 1 });
    const plain = makeQuestionnaire(draw);
    const matching = (pattern: string) => gen(fc.stringMatching, new RegExp(`^(?:${pattern})$`));
    const begun = fillForm(readyOf(plain) as unknown as RenderReadyForm, { draw, matching });
    const questionnaire = withExpressions(plain, draw);
    const form = readyOf(questionnaire);
    let filled = solved(form, { ...startOf(form.items, begun as { item: [] }), isNew: true });
    for (let step = draw(6); step > 0; step -= 1) {
      const next = solved(form, stepped(form.items, filled, draw));
      seen.steps += 1;
      if (issuesOf(form.items, next).size === 0) filled = next;
    }
    assertRendered(form, filled, 'a generated form');
    if (issuesOf(form.items, filled).size > 0) return;
    const item = toResponseItems(form.items, filled);
    const response = {
      resourceType: 'QuestionnaireResponse',
      status: 'completed',
      questionnaire: 'https://kedja.dev/q',
      item,
    };
    assert.deepEqual(errorsIn(questionnaire, response), [], JSON.stringify({ questionnaire, response }));
    seen.sent += 1;
    const names = new Set(item.map(({ linkId }) => linkId));
    seen.why += names.has('why') ? 1 : 0;
    seen.without += names.has('why') ? 0 : 1;
    seen.own += names.has('own') ? 1 : 0;
    assert.ok(names.has('count'));
    seen.day += names.has('day') ? 1 : 0;
  };
  fc.assert(fc.property(fc.gen(), run), { numRuns: 500, seed: 20_261_128, endOnFailure: true });
  assert.ok(seen.sent > 400 && seen.steps > 500, JSON.stringify(seen));
  assert.ok(seen.why > 50 && seen.without > 20 && seen.own > 50 && seen.day > 50, JSON.stringify(seen));
});

const option = (code: string) => ({ valueCoding: { code, display: `Answer ${code}` } });
const limited = (least: number, most: number) => [
  { url: `${CORE}minValue`, valueInteger: least },
  { url: `${CORE}maxValue`, valueInteger: most },
];
const bound = (linkId: string, code: string, text: string) => ({
  linkId,
  type: 'display',
  text,
  extension: [control(code)],
});

/** The markup of one item. */
function rendered(item: Json): string {
  const form = readyOf({
    resourceType: 'Questionnaire',
    status: 'active',
    item: [{ linkId: 'q', text: 'Asked', ...item }],
  });
  assertRendered(form, startOf(form.items), JSON.stringify(item));
  return markupOf(form);
}

const count = (markup: string, pattern: RegExp) => [...markup.matchAll(pattern)].length;

test('a question has the control that its author wished for, where that fits', () => {
  const choice = (code: string, more: Json = {}) =>
    rendered({ type: 'coding', answerOption: ['a', 'b', 'c'].map(option), extension: [control(code)], ...more });
  assert.equal(count(choice('radio-button'), /type="radio"/g), 3);
  assert.equal(count(choice('drop-down'), /<option/g), 4);
  assert.equal(count(choice('check-box'), /type="checkbox"/g), 3);
  assert.equal(count(choice('autocomplete'), /role="combobox"/g), 1);
  assert.equal(count(choice('drop-down', { repeats: true }), /type="checkbox"/g), 3, 'several answers are no list');
  assert.equal(count(choice('drop-down', { answerConstraint: 'optionsOrString' }), /type="radio"/g), 3);
  const ten = [...'abcdefghij'].map(option);
  assert.equal(count(choice('radio-button', { answerOption: ten }), /type="radio"/g), 10);
  assert.equal(count(choice('text-box', { answerOption: ten }), /<option/g), 11);
  assert.equal(count(rendered({ type: 'boolean', extension: [control('check-box')] }), /type="checkbox"/g), 1);
  const slider = { type: 'integer', extension: [control('slider'), ...limited(0, 10)] };
  assert.match(rendered(slider), /type="range" min="0" max="10" step="1"/);
  assert.match(rendered(slider), /aria-valuetext="Inget svar än"/);
  assert.doesNotMatch(rendered({ type: 'integer', extension: [control('slider')] }), /type="range"/, 'without ends');
});

test('texts that belong to a question are with it', () => {
  const item = [
    bound('h', 'help', 'Helps'),
    bound('u', 'unit', 'points'),
    bound('l', 'lower', 'none'),
    bound('m', 'upper', 'worst'),
  ];
  const markup = rendered({ type: 'integer', extension: [control('slider'), ...limited(0, 10)], item });
  assert.match(markup, /Asked \(points\) \(frivilligt\)/);
  assert.match(markup, /id="field\/q\.0-help">Helps</);
  assert.match(markup, /0 – none<.*10 – worst</);
  assert.doesNotMatch(markup, /class="display"/);
});

test('a page that helps is led to, and nothing else', () => {
  const link = (valueUri: string) => ({ url: `${CORE}questionnaire-supportLink`, valueUri });
  const markup = rendered({ type: 'string', extension: [link('https://www.1177.se/a'), link('javascript:alert(1)')] });
  assert.match(
    markup,
    /<a href="https:\/\/www.1177.se\/a" target="_blank" rel="noopener noreferrer">Läs mer på 1177.se</,
  );
  assert.doesNotMatch(markup, /javascript/);
});

test('rows and questions with the same answers are tables', () => {
  const columns = [
    { linkId: 'q.1', type: 'string', text: 'Medicine' },
    { linkId: 'q.2', type: 'integer', text: 'Tablets' },
  ];
  const rows = rendered({ type: 'group', repeats: true, extension: [control('gtable')], item: columns });
  assert.match(rows, /<th scope="col">Medicine<\/th><th scope="col">Tablets<\/th>/);
  const questions = ['q.1', 'q.2'].map((linkId) => ({
    linkId,
    type: 'coding',
    text: linkId,
    answerOption: ['a', 'b'].map(option),
  }));
  const choices = rendered({ type: 'group', extension: [control('table')], item: questions });
  assert.equal(count(choices, /type="radio"/g), 4);
  assert.match(choices, /aria-label="q.2: Answer b"/);
  const other = questions.with(1, { linkId: 'q.2', type: 'coding', text: 'q.2', answerOption: ['a', 'c'].map(option) });
  assert.doesNotMatch(rendered({ type: 'group', extension: [control('table')], item: other }), /<table/);
});
