// What expressions see besides the answers: the launch context that a form declares, the Questionnaire and its items.
// Also what becomes of a form where it is not known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#fhir/patch/json-tree.ts';
import { checkResponse } from '../check-response.ts';
import { takeFormStep } from '../html/form-steps.ts';
import { buildRenderReady } from '../questionnaire/render-ready.ts';
import type { RenderReadyForm } from '../render-ready-form.ts';
import { evaluateInService } from './service-evaluator.ts';
import { type ExpressionItem, solveExpressions, valuesAtStart } from './solve.ts';

const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-';
const WEIGHT = 'http://hl7.org/fhir/StructureDefinition/itemWeight';
const PATIENT = { resourceType: 'Patient', gender: 'female', birthDate: '1980-02-01' };

const launch = (code: string, ...types: string[]) => ({
  url: `${SDC}launchContext`,
  extension: [{ url: 'name', valueCoding: { code } }, ...types.map((type) => ({ url: 'type', valueCode: type }))],
});
const expression = (name: string, text: string) => ({
  url: `${SDC}${name}`,
  valueExpression: { language: 'text/fhirpath', expression: text },
});

const FORM: JsonObject = {
  resourceType: 'Questionnaire',
  status: 'active',
  extension: [
    launch('patient', 'Patient'),
    launch('user', 'Practitioner', 'Patient'),
    launch('encounter', 'Encounter'),
  ],
  item: [
    { linkId: 'born', type: 'date', extension: [expression('initialExpression', '%patient.birthDate')] },
    {
      linkId: 'pregnant',
      type: 'boolean',
      text: 'Pregnant',
      required: true,
      extension: [expression('enableWhenExpression', "%patient.gender = 'female'")],
    },
    {
      linkId: 'age',
      type: 'integer',
      required: true,
      extension: [expression('calculatedExpression', '%patient.birthDate.exists().toInteger()')],
    },
    {
      linkId: 'sex',
      type: 'string',
      text: 'Sex',
      required: true,
      readOnly: true,
      extension: [expression('calculatedExpression', '%patient.gender')],
    },
    { linkId: 'visit', type: 'string', extension: [expression('initialExpression', '%encounter.id')] },
  ],
};

const ready = (questionnaire: JsonObject): RenderReadyForm =>
  JSON.parse(JSON.stringify(buildRenderReady(questionnaire, '')));

function filledIn(form: RenderReadyForm, answers: Readonly<Record<string, object>> = {}): ExpressionItem[] {
  return form.items.map((item) => {
    const answer = answers[item.link_id] as Record<string, unknown> | undefined;
    return { item, occurrences: [{ answer, items: [] }] };
  });
}

function solve(form: RenderReadyForm, items: readonly ExpressionItem[], context = {}) {
  const solved = solveExpressions(form, items, { evaluate: evaluateInService, takesCalculated: () => true, context });
  return Object.fromEntries(
    items.map((each) => [
      each.item.link_id,
      {
        enabled: solved.enabling.isEnabled(each),
        unknown: solved.unknownOf(each),
        calculated: solved.calculated.get(each),
      },
    ]),
  );
}

test('what is declared is named; what nobody gives is not run, and named where it is used', () => {
  const form = ready(FORM);
  assert.deepEqual(
    form.launch_context?.map(({ name, types }) => `${name} ${types}`),
    ['patient Patient', 'user Practitioner,Patient', 'encounter Encounter'],
  );
  assert.deepEqual(
    form.items.map(({ not_run: notRun }) => notRun),
    [
      undefined,
      undefined,
      undefined,
      undefined,
      [{ use: 'initialExpression', language: 'text/fhirpath', missing: '%encounter' }],
    ],
  );
  // One that is not declared is not given; a variable of that name is the author's own.
  const undeclared = ready({ ...FORM, extension: [launch('user', 'Device')] });
  assert.deepEqual(
    undeclared.items[0]?.not_run?.map(({ missing }) => missing),
    ['%patient'],
  );
  const variable = {
    url: 'http://hl7.org/fhir/StructureDefinition/variable',
    valueExpression: { name: 'patient', language: 'text/fhirpath', expression: '1' },
  };
  assert.equal(ready({ ...FORM, extension: [variable] }).items[0]?.not_run, undefined);
});

test('a patient who is known decides, calculates and begins', () => {
  const form = ready(FORM);
  const found = solve(form, filledIn(form), { patient: PATIENT });
  assert.deepEqual(found['pregnant'], { enabled: true, unknown: undefined, calculated: undefined });
  assert.deepEqual(found['age']?.calculated, [{ valueInteger: 1 }]);
  assert.deepEqual(found['sex']?.calculated, [{ valueString: 'female' }]);
  const him = solve(form, filledIn(form), { patient: { ...PATIENT, gender: 'male' } });
  assert.equal(him['pregnant']?.enabled, false);
  const { values, unknown } = valuesAtStart(form, evaluateInService, { patient: PATIENT });
  assert.deepEqual(
    [...values].map(([{ link_id: name }, value]) => `${name} ${JSON.stringify(value)}`),
    ['born ["1980-02-01"]'],
  );
  assert.deepEqual(
    [...unknown].map(({ link_id: name }) => name),
    ['visit'],
  );
});

test('without the patient every question is shown, and none of them is demanded', () => {
  const form = ready(FORM);
  const found = solve(form, filledIn(form));
  assert.deepEqual(
    Object.entries(found).map(([name, { enabled, unknown }]) => `${name} ${enabled} ${unknown}`),
    [
      'born true undefined',
      'pregnant true enabled',
      'age true calculated',
      'sex true calculated',
      'visit true undefined',
    ],
  );
});

test('a service takes what was answered with the patient, and what was left out by it', () => {
  const issues = (...item: object[]) =>
    checkResponse(FORM, { resourceType: 'QuestionnaireResponse', status: 'completed', item }).map(
      ({ linkId, code }) => `${linkId} ${code}`,
    );
  const sex = (value: string) => ({ linkId: 'sex', answer: [{ valueString: value }] });
  const pregnant = { linkId: 'pregnant', answer: [{ valueBoolean: true }] };
  assert.deepEqual(issues({ linkId: 'age', answer: [{ valueInteger: 1 }] }, sex('male')), []);
  assert.deepEqual(issues(pregnant, { linkId: 'age', answer: [{ valueInteger: 1 }] }, sex('female')), []);
  assert.deepEqual(issues(), []);
});

test('pages without scripts say what is left to whoever fills them in, and let it be typed', () => {
  const step = { form: ready(FORM), kept: {}, page: 0, language: 'en', timeZone: 'Europe/Stockholm' } as const;
  const view = takeFormStep({ ...step, sent: undefined, go: 'open' });
  const { markup: page } = view.content;
  assert.match(page, /Whether this is to be answered cannot be decided here/);
  assert.match(page, /The answer is not calculated here\. Fill it in yourself/);
  assert.match(page, /The answer is not calculated here and may stay empty/);
  assert.match(page, /The first answer could not be fetched/);
  const sent = { 'f-0': [''], 'f-1': [''], 'f-2': ['41'], 'f-4': [''] };
  const next = takeFormStep({ ...step, sent, go: 'next' });
  assert.deepEqual(next.issues, []);
  assert.deepEqual(next.items, [{ linkId: 'age', answer: [{ valueInteger: 41 }] }]);
});

const OPTION = (code: string, weight: number) => ({
  valueCoding: { system: 'urn:often', code },
  extension: [{ url: WEIGHT, valueDecimal: weight }],
});

test('expressions see the form and their own item of it: scores by the weights of options', () => {
  const scored: JsonObject = {
    resourceType: 'Questionnaire',
    status: 'active',
    item: [
      { linkId: "it's", type: 'coding', answerOption: [OPTION('never', 0), OPTION('often', 3)] },
      {
        linkId: 'sum',
        type: 'decimal',
        extension: [expression('calculatedExpression', '%resource.item.answer.value.ofType(Coding).weight().sum()')],
      },
      {
        linkId: 'count',
        type: 'integer',
        extension: [expression('calculatedExpression', '%questionnaire.item.count()')],
      },
      { linkId: 'name', type: 'string', extension: [expression('calculatedExpression', '%qitem.linkId')] },
      {
        linkId: 'most',
        type: 'decimal',
        extension: [expression('initialExpression', "%questionnaire.item.where(linkId = 'sum').linkId.length()")],
      },
    ],
  };
  const form = ready(scored);
  assert.deepEqual(form.questionnaire, scored);
  const answers = { "it's": { valueCoding: { system: 'urn:often', code: 'often' } } };
  const found = solve(form, filledIn(form, answers));
  assert.deepEqual(
    ['sum', 'count', 'name'].map((name) => found[name]?.calculated),
    [[{ valueDecimal: 3 }], [{ valueInteger: 5 }], [{ valueString: 'name' }]],
  );
  assert.deepEqual([...valuesAtStart(form, evaluateInService).values.values()], [[3]]);
  assert.equal(ready(FORM).questionnaire, undefined, 'a form that does not look at itself is sent without it');
});
