// The check of a QuestionnaireResponse against its Questionnaire: each rule by an example, and all rules beside the
// independent checker of the render-ready form's tests. The responses were filled in and then changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fillForm } from '#services/dispatch/testing/form-filler.ts';
import { type Draw, makeQuestionnaire } from '#services/dispatch/testing/questionnaires.ts';
import { issuesOfResponse } from '#services/dispatch/testing/response-checker.ts';
import { checkResponse } from './check-response.ts';
import { buildRenderReady } from './questionnaire/render-ready.ts';

type Json = Record<string, unknown>;
const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const UCUM = 'http://unitsofmeasure.org';
const form = (...item: Json[]) => ({ resourceType: 'Questionnaire', status: 'active', item });
const response = (...item: Json[]) => ({ resourceType: 'QuestionnaireResponse', status: 'completed', item });
const answer = (linkId: string, ...values: Json[]) => ({ linkId, answer: values });
const extension = (name: string, value: Json) => ({ url: CORE + name, ...value });
const issuesOf = (questionnaire: Json, given: Json) =>
  checkResponse(questionnaire, given).map(
    ({ linkId, message, field, severity = 'error' }) => `${severity} ${linkId} ${field}: ${message}`,
  );

const PAIN = form(
  { linkId: 'a', type: 'boolean', text: 'Pain?', required: true },
  { linkId: 'b', type: 'integer', required: true, enableWhen: [{ question: 'a', operator: '=', answerBoolean: true }] },
  {
    linkId: 'g',
    type: 'group',
    repeats: true,
    item: [
      { linkId: 'g1', type: 'date' },
      { linkId: 'g2', type: 'string', maxLength: 2 },
    ],
  },
  { linkId: 'd', type: 'display', text: 'Thank you' },
);

test('what is required, too much, out of place or not enabled is named at its item', () => {
  assert.deepEqual(issuesOf(PAIN, response(answer('a', { valueBoolean: false }))), []);
  assert.deepEqual(issuesOf(PAIN, response()), ['error a QuestionnaireResponse: Item a (Pain?): Enter an answer.']);
  assert.deepEqual(
    issuesOf(
      PAIN,
      response(
        answer('a', { valueBoolean: true }),
        { linkId: 'g', item: [answer('g2', { valueString: 'abc' })] },
        { linkId: 'd', answer: [{ valueString: 'x' }] },
        { linkId: 'x' },
      ),
    ),
    [
      'error x QuestionnaireResponse.item[3]: Item x: There is no such question here.',
      'error d QuestionnaireResponse.item[2]: Item d (Thank you): The item does not have the shape of an answer.',
      'error b QuestionnaireResponse: Item b: Enter an answer.',
      'error g2 QuestionnaireResponse.item[1].item[0].answer[0]: Item g2: Write at most 2 characters.',
    ],
  );
  const twice = response(
    answer('a', { valueBoolean: false }, { valueBoolean: false }),
    answer('b', { valueInteger: 1 }),
  );
  assert.match(
    issuesOf(PAIN, twice).join(),
    /Item b: The question is not to be answered with these other answers.*Item a \(Pain\?\): Give at most 1 answers/,
  );
  const order = response({ linkId: 'g' }, answer('a', { valueBoolean: false }));
  assert.match(issuesOf(PAIN, order).join(), /in another order than the questions/);
});

test('spaces answer nothing that is required', () => {
  const items = form(
    { linkId: 'a', type: 'text', required: true },
    { linkId: 'b', type: 'string', required: true },
    { linkId: 'c', type: 'string' },
  );
  const blank = { valueString: ' \n\u00a0' };
  assert.deepEqual(
    issuesOf(items, response(answer('a', blank), answer('b', { valueString: ' x' }), answer('c', blank))),
    ['error a QuestionnaireResponse.item[0]: Item a: Enter an answer.'],
  );
});

test('values are held against type, options, units and limits', () => {
  const one = (item: Json, value: Json) =>
    issuesOf(form({ linkId: 'q', ...item }), response(answer('q', value))).map((text) => text.split(': ')[2]);
  assert.deepEqual(one({ type: 'integer' }, { valueString: '1' }), [
    'The answer is of the wrong kind. It has valueInteger.',
  ]);
  const coded = { type: 'coding', answerOption: [{ valueCoding: { system: 's', code: 'a', display: 'A' } }] };
  assert.deepEqual(one(coded, { valueCoding: { system: 's', code: 'a' } }), []);
  assert.deepEqual(one(coded, { valueCoding: { system: 's', code: 'b' } }), ['Choose one of the answers in the list.']);
  assert.deepEqual(one({ ...coded, answerConstraint: 'optionsOrString' }, { valueString: 'else' }), []);
  const weight = {
    type: 'quantity',
    extension: [
      extension('questionnaire-unit', { valueCoding: { system: UCUM, code: 'kg' } }),
      extension('minValue', { valueQuantity: { value: 20, unit: 'kg', system: UCUM, code: 'kg' } }),
    ],
  };
  assert.deepEqual(one(weight, { valueQuantity: { value: 80, system: UCUM, code: 'kg' } }), []);
  assert.deepEqual(one(weight, { valueQuantity: { value: 8, system: UCUM, code: 'kg' } }), ['Enter at least 20 kg.']);
  assert.deepEqual(one(weight, { valueQuantity: { value: 80, system: UCUM, code: 'g' } }), [
    'Enter at least 20 kg.',
    'Choose one of the units.',
  ]);
  assert.deepEqual(
    one({ type: 'string', extension: [extension('regex', { valueString: '[a-z]+' })] }, { valueString: 'A1' }),
    ['The answer does not have the format that the question asks for. The pattern is [a-z]+'],
  );
  assert.deepEqual(
    one({ type: 'string', extension: [extension('regex', { valueString: '(?=a)\\1' })] }, { valueString: 'A1' }),
    [],
    'a pattern that cannot be run refuses nothing',
  );
});

test('constraints of the author are errors or warnings, and one that cannot be evaluated refuses nothing', () => {
  const constraint = (severity: string, expression: string) => ({
    url: `${CORE}targetConstraint`,
    extension: [
      { url: 'key', valueId: 'k' },
      { url: 'severity', valueCode: severity },
      { url: 'human', valueString: `${severity}!` },
      { url: 'expression', valueExpression: { language: 'text/fhirpath', expression } },
    ],
  });
  const asked = (...of: Json[]) => ({ ...form({ linkId: 'q', type: 'integer' }), extension: of });
  const given = response(answer('q', { valueInteger: 3 }));
  const below = "item.where(linkId = 'q').answer.value < 3";
  assert.deepEqual(issuesOf(asked(constraint('error', below), constraint('warning', below)), given), [
    'error undefined QuestionnaireResponse: error!',
    'warning undefined QuestionnaireResponse: warning!',
  ]);
  assert.deepEqual(issuesOf(asked(constraint('error', 'no FHIRPath (')), given), []);
});

test('ten thousand items, each with a condition, are checked in good time', () => {
  const items = Array.from({ length: 10_000 }, (_, at) => ({
    linkId: `q${at}`,
    type: 'integer',
    enableWhen: [{ question: 'q0', operator: 'exists', answerBoolean: true }],
  }));
  const [first = {}, ...rest] = items;
  const given = response(...items.map(({ linkId }) => answer(linkId, { valueInteger: 1 })));
  const started = process.cpuUsage();
  assert.deepEqual(issuesOf(form({ ...first, enableWhen: [] }, ...rest), given), []);
  assert.ok(process.cpuUsage(started).user < 5_000_000);
});

test('1,000 generated forms, filled in and changed: it finds issues where the independent checker does', () => {
  const wrong: unknown[] = [];
  let refused = 0;
  const run = (gen: fc.GeneratorValue) => {
    const draw: Draw = (limit) => gen(fc.nat, { max: limit - 1 });
    const questionnaire = makeQuestionnaire(draw);
    const matching = (pattern: string) =>
      gen((text: string) => fc.stringMatching(new RegExp(`^(?:${text})$`)), pattern);
    const filled = fillForm(JSON.parse(JSON.stringify(buildRenderReady(questionnaire, 'form'))), {
      draw,
      matching,
    }) as unknown as Json;
    const items = changed(filled['item'], draw);
    const given = { ...filled, ...(items === undefined ? {} : { item: items }) };
    const errors = checkResponse(questionnaire, given).filter(
      ({ severity, message }) => severity !== 'warning' && !message.endsWith('may not be changed.'),
    );
    const expected = expectedOf(questionnaire, given);
    // A constraint that cannot be evaluated: the independent checker gives up there.
    if (expected === undefined) return;
    if (expected.length > 0) refused += 1;
    if (errors.length > 0 !== expected.length > 0) wrong.push([questionnaire, given, errors, expected]);
  };
  fc.assert(fc.property(fc.gen(), run), { numRuns: 1000, seed: 20_261_126 });
  assert.deepEqual(wrong.slice(0, 1), []);
  assert.ok(refused > 200, `${refused} were refused`);
});

function expectedOf(questionnaire: Json, given: Json): string[] | undefined {
  try {
    // Here a read-only item that is left out is no issue: pages send none.
    return issuesOfResponse(questionnaire, given).filter((issue) => !issue.endsWith('read-only, and changed'));
  } catch {
    return undefined;
  }
}

/** The items with one of them left out, repeated, or answered by another's answer. */
function changed(items: unknown, draw: Draw): unknown {
  if (!Array.isArray(items) || items.length === 0) return items;
  const at = draw(items.length);
  switch (draw(4)) {
    case 0:
      return items.filter((_, place) => place !== at);
    case 1:
      return [...items, items[at]];
    case 2:
      return items.map((item: Json, place) =>
        place === at && item['answer'] !== undefined ? { ...item, answer: [{ valueString: 'zzz' }] } : item,
      );
    default:
      return items;
  }
}
