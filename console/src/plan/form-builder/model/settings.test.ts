// Controls, help, first values, what is calculated and demanded. They are valid for the services, shown by the
// renderer, and without loss for what the builder does not know.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Questionnaire } from 'fhir/r5';
import { checkResponse } from '../../../../../fhir/forms/check-response.ts';
import { buildRenderReady } from '../../../../../fhir/forms/questionnaire/render-ready.ts';
import { validateResource } from '../../../../../fhir/validation/validate.ts';
import { pick as pickFrom, seeded } from '../../../../../test/support/random.ts';
import { demandsOf, newDemand, withDemands } from './constraints.ts';
import { controlsFor, orientationOf, takesOrientation, withControl, withOrientation } from './controls.ts';
import {
  expressionOf,
  type Formula,
  formulaIn,
  formulaText,
  isForeign,
  numbersFor,
  questionsIn,
  withExpression,
  withQuestionsRenamed,
} from './expressions.ts';
import { controlOf } from './extensions.ts';
import { asPublished, newForm } from './form.ts';
import { helpOf, linkOf, withHelp, withHidden, withLink, withReadOnly } from './help.ts';
import { initialFrom, initialInputOf, initialText, withInitials, withOneInitial, withSelected } from './initial.ts';
import { issuesOf } from './issues.ts';
import { KINDS, newItem, newOption, type OfferedKind, withKind } from './kinds.ts';
import { withLimit, withUnits } from './limits.ts';
import { copyOf, type Item, stepFrom, withInserted } from './tree.ts';
import { variablesOf, withVariables } from './variables.ts';

const ALL: readonly OfferedKind[] = [...KINDS.common, ...KINDS.more, ...KINDS.structure];
const KG = { system: 'http://unitsofmeasure.org', code: 'kg', display: 'kg' };

function asked(kind: OfferedKind, linkId = 'q'): Item {
  const item: Item = { ...newItem(kind), linkId, text: 'Fråga' };
  if (kind === 'coding') return { ...item, answerOption: [newOption('Ja'), newOption('Nej')] };
  if (kind === 'group') return { ...item, item: [{ ...newItem('string'), text: 'I gruppen' }] };
  return kind === 'quantity' ? withUnits(item, [KG]) : item;
}

function errorsIn(form: Questionnaire): string[] {
  return validateResource({ ...form } as unknown as Parameters<typeof validateResource>[0])
    .filter(({ severity }) => severity === undefined || severity === 'error')
    .map(({ field, message }) => `${field}: ${message}`);
}

const TYPED: Partial<Readonly<Record<OfferedKind, string>>> = {
  boolean: 'false',
  integer: '3',
  decimal: '2,5',
  quantity: '70',
  string: 'a',
  text: 'a\nb',
  url: 'https://example.org',
  date: '2026-01-02',
  dateTime: '2026-01-02T10:00',
  time: '10:00',
};

test('500 random forms with every setting: one without issues is valid, and is rendered', () => {
  const random = seeded(20_261_128);
  const pick = <Each>(from: readonly Each[]): Each => pickFrom(random, from);
  const isLucky = () => random() < 0.4;
  const seen = new Set<string>();
  const settled = (item: Item, others: readonly Item[]): Item => {
    let next = item;
    const isAsked = item.type !== 'display' && item.type !== 'group';
    if (isAsked && isLucky()) next = { ...next, repeats: item.type !== 'boolean' };
    const controls = controlsFor(next);
    if (controls.length > 0 && isLucky()) next = withControl(next, pick(controls));
    if (controlOf(next) === 'slider') next = withLimit(withLimit(next, 'min', '0'), 'max', '10');
    if (item.type !== 'display' && isLucky()) next = withHelp(next, (help) => ({ ...help, text: 'Så här' }));
    if (isLucky()) next = withLink(next, pick(['https://www.1177.se', '1177']));
    if (isLucky()) next = withHidden(next, true);
    if (isAsked && isLucky()) next = withReadOnly(next, true);
    const typed = TYPED[item.type as OfferedKind];
    const initial =
      typed === undefined
        ? undefined
        : initialFrom(next, pick(item.type === 'date' || item.type === 'time' ? [typed] : [typed, typed, 'x']));
    if (initial !== undefined && initialInputOf(next) !== undefined && isLucky()) next = withInitials(next, [initial]);
    if (item.type === 'coding' && isLucky()) next = withSelected(next, 1, true);
    if (isAsked && isLucky()) next = withExpression(next, pick(['calculated', 'initial', 'shown']), '1 = 1');
    const numbers = numbersFor(others, item.linkId).map(({ linkId }) => linkId);
    if (numbers.length > 0 && isLucky())
      next = withExpression(next, 'calculated', formulaText({ kind: 'sum', questions: numbers }, others));
    if (item.type !== 'display' && isLucky())
      next = withDemands(next, [{ ...newDemand(), expression: 'answer.exists()', message: pick(['Inte så.', '']) }]);
    return next;
  };
  for (let count = 0; count < 500; count += 1) {
    const items: Item[] = [];
    for (let index = 0; index < 4; index += 1) items.push(settled(asked(pick(ALL), `q${index}`), items));
    const form = { ...newForm('sv'), title: 'Formulär', item: items };
    const issues = issuesOf(form);
    for (const { code } of issues) seen.add(code);
    if (issues.length > 0) continue;
    seen.add('valid');
    assert.deepEqual(errorsIn(asPublished(form, '2026-11-28')), []);
    const ready = JSON.stringify(buildRenderReady({ ...form }, 'form'));
    for (const name of ['control', 'links', 'hidden', 'initial', 'calculated', 'enable_expression', 'constraints'])
      if (ready.includes(`"${name}":`)) seen.add(name);
  }
  const wanted = ['valid', 'control', 'links', 'hidden', 'initial', 'calculated', 'enable_expression', 'constraints'];
  const refused = ['address', 'message', 'initial'];
  assert.deepEqual(
    [...wanted, ...refused].filter((name) => !seen.has(name)),
    [],
  );
});

test('what the builder makes is what the services check', () => {
  const [a, b] = [asked('integer', 'a'), asked('integer', 'b')];
  const sum = withReadOnly(asked('integer', 'sum'), true);
  const why = { ...asked('string', 'why'), required: true };
  const items = [
    a,
    withDemands(b, [{ ...newDemand(), expression: 'answer.all(value < 10)', message: 'Under tio.' }]),
    withExpression(sum, 'calculated', formulaText({ kind: 'sum', questions: ['a', 'b'] }, [a, b])),
    withExpression(why, 'shown', "%resource.item.where(linkId = 'sum').answer.value > 5"),
  ];
  const form = { ...newForm('sv'), title: 'Formulär', item: items };
  assert.deepEqual([issuesOf(form), errorsIn(form)], [[], []]);
  const issues = (...values: readonly (readonly [string, object])[]) => {
    const item = values.map(([linkId, answer]) => ({ linkId, answer: [answer] }));
    const response = { resourceType: 'QuestionnaireResponse', status: 'completed', item };
    return checkResponse({ ...form }, response).map(({ message }) => message);
  };
  const number = (linkId: string, valueInteger: number) => [linkId, { valueInteger }] as const;
  assert.deepEqual(issues(number('a', 1), number('b', 2), number('sum', 3)), []);
  assert.deepEqual(issues(number('a', 1), number('b', 12), number('sum', 13)), [
    'Item b (Fråga): Under tio.',
    'Item why (Fråga): Enter an answer.',
  ]);
  assert.equal(issues(number('a', 1), number('b', 2), number('sum', 4)).length, 1);
});

test('a formula is read as it was written, for names of any kind', () => {
  const kinds: readonly Formula['kind'][] = ['sum', 'mean', 'highest', 'lowest'];
  for (const kind of kinds) {
    for (const questions of [['q-1'], ['q-1', "it's", 'a\\b', '1.2/3']]) {
      assert.deepEqual(formulaIn(formulaText({ kind, questions }, [])), { kind, questions });
    }
  }
  assert.match(
    formulaText({ kind: 'sum', questions: ['w'] }, [asked('quantity', 'w')]),
    /answer\.value\.value\.sum\(\)$/,
  );
  assert.equal(formulaIn('1 + 1'), undefined);
  assert.deepEqual(questionsIn("%resource.item.where(linkId='a' or linkId = 'b').answer.value"), ['a', 'b']);
});

test('what is wrong with an expression, a first value or an address is named at its field', () => {
  const sum = withExpression(asked('integer', 'x'), 'calculated', formulaText({ kind: 'sum', questions: [] }, []));
  const itself = withExpression(asked('integer', 'y'), 'calculated', "%resource.item.where(linkId='y').answer.value");
  const gone = withExpression(asked('string', 'z'), 'shown', "%resource.item.where(linkId='none').exists()");
  const demanding = withDemands(asked('string', 'd'), [{ ...newDemand(), expression: ' ' }]);
  const first = withInitials(asked('integer', 'i'), [{ valueString: 'tre' }]);
  const slider = withControl(asked('integer', 's'), 'slider');
  const linked = withLink(asked('string', 'l'), 'javascript:alert(1)');
  const item = [sum, itemWithoutHelp(itself), gone, demanding, first, slider, linked];
  assert.deepEqual(
    issuesOf({ title: 'T', item }).map(({ linkId, field, code }) => [linkId, field, code].join()),
    [
      'x,calculated,expression',
      'y,calculated,itself',
      'z,shown,expressionGone',
      'd,demand.0,expression',
      'd,message.0,message',
      'i,initial.0,initial',
      's,control,slider',
      'l,link,address',
    ],
  );
});

function itemWithoutHelp(item: Item): Item {
  return withHelp(
    withHelp(item, (help) => ({ ...help, text: 'x' })),
    (help) => ({ ...help, text: '' }),
  );
}

test('help is an item within its question, first in a group, and is moved past by nothing', () => {
  const helped = withHelp(asked('group', 'g'), (help) => ({ ...help, text: 'Så här' }));
  const more = withInserted([helped], { ...asked('string'), linkId: 'new' }, { parent: 'g', index: 0 });
  assert.deepEqual(
    more[0]?.item?.map(({ type }) => type),
    ['display', 'string', 'string'],
  );
  assert.equal(helpOf(more[0] ?? helped)?.text, 'Så här');
  assert.deepEqual(stepFrom(more, 'new', -1), { parent: undefined, index: 0 });
  const translated = issuesOf({ title: 'T', item: [asked('string')] }, 'en').length;
  const withOne = withHelp(asked('string'), (help) => ({ ...help, text: 'Så' }));
  const found = issuesOf({ title: 'T', item: [withOne] }, 'en');
  assert.deepEqual([found.length - translated, found.at(-1)?.field], [1, 'help']);
});

test('first values are shown as they were typed; a question with one answer begins with one', () => {
  for (const kind of Object.keys(TYPED) as OfferedKind[]) {
    const item = asked(kind);
    const initial = initialFrom(item, TYPED[kind] ?? '');
    const shown = initialText(initial);
    assert.ok(shown.startsWith((TYPED[kind] ?? '').slice(0, 2)), `${kind}: ${shown}`);
  }
  const two = withSelected(withSelected({ ...asked('coding'), repeats: true }, 0, true), 1, true);
  const chosen = ({ answerOption = [] }: Item) => answerOption.map(({ initialSelected = false }) => initialSelected);
  assert.deepEqual(
    [chosen(two), chosen(withOneInitial({ ...two, repeats: false }))],
    [
      [true, true],
      [true, false],
    ],
  );
  assert.deepEqual(chosen(withSelected(withSelected(asked('coding'), 0, true), 1, true)), [false, true]);
  assert.deepEqual(chosen(withSelected(withSelected(asked('coding'), 0, true), 0, false)), [false, false]);
});

test('a copy calculates from its own questions', () => {
  const number = asked('integer', 'n');
  const sum = withExpression(
    asked('integer', 's'),
    'calculated',
    formulaText({ kind: 'sum', questions: ['n', 'far'] }, []),
  );
  const demanding = withDemands(sum, [{ ...newDemand(), expression: "%resource.item.where(linkId='n').exists()" }]);
  const copy = copyOf({ ...asked('group', 'g'), item: [number, demanding] }, withQuestionsRenamed);
  const [first, second] = copy.item ?? [];
  assert.ok(first !== undefined && second !== undefined && first.linkId !== 'n');
  assert.deepEqual(formulaIn(expressionOf(second, 'calculated') ?? '')?.questions, [first.linkId, 'far']);
  assert.deepEqual(questionsIn(demandsOf(second)[0]?.expression ?? ''), [first.linkId]);
});

test('what the builder does not know of a setting stays in it', () => {
  const foreign = {
    url: 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression',
    valueExpression: { language: 'text/cql' as const, expression: 'x' },
  };
  const constraint = {
    url: 'http://hl7.org/fhir/StructureDefinition/targetConstraint',
    extension: [
      { url: 'key', valueId: 'k' },
      { url: 'requirements', valueMarkdown: 'Kept' },
      { url: 'severity', valueCode: 'warning' as const },
      { url: 'expression', valueExpression: { language: 'text/fhirpath' as const, expression: 'true', name: 'n' } },
      { url: 'human', valueString: 'Before' },
      { url: 'location', valueString: 'kept.too' },
    ],
  };
  const item: Item = { ...asked('string'), extension: [foreign, constraint] };
  assert.ok(isForeign(item, 'calculated') && expressionOf(item, 'calculated') === undefined);
  const [demand] = demandsOf(item);
  assert.ok(demand?.isWarning === true);
  const changed = withDemands(item, [{ ...demand, message: 'After' }]);
  assert.deepEqual(changed.extension?.[0], foreign);
  const parts = changed.extension?.[1]?.extension ?? [];
  assert.deepEqual(
    parts.map(({ url }) => url),
    ['key', 'severity', 'expression', 'human', 'requirements', 'location'],
  );
  assert.deepEqual([parts[3]?.valueString, parts[2]?.valueExpression?.name], ['After', 'n']);
  const other = withControl(item, 'text-box');
  assert.equal(controlOf(withLink(other, 'https://example.org')), 'text-box');
  assert.equal(linkOf(withKind(withLink(item, 'https://example.org'), 'integer')), 'https://example.org');
});

test('values with a name are those of the renderer; what is wrong with them is told, and another language is kept', () => {
  const cql = {
    url: 'http://hl7.org/fhir/StructureDefinition/variable',
    valueExpression: { language: 'text/cql', name: 'x', expression: 'X' },
  };
  const plain = { ...newForm('sv'), title: 'F', item: [asked('integer')], extension: [cql] };
  const names = (...all: [string, string][]) =>
    withVariables(
      plain,
      all.map(([name, expression]) => ({ name, expression })),
    );
  const form = names(['a', '1'], ['b', '%a + 1']);
  assert.deepEqual(issuesOf(form), []);
  assert.deepEqual(errorsIn(asPublished(form, '2026-01-02')), []);
  const ready = buildRenderReady({ ...form }, 'f');
  assert.deepEqual(ready.variables, variablesOf(form));
  assert.deepEqual(ready.not_run, [{ use: 'variable', language: 'text/cql' }]);
  assert.deepEqual(withVariables(form, []).extension, [cql], 'the other one stays');
  const wrong = names(['1x', '1'], ['a', ''], ['a', "%resource.item.where(linkId = 'gone')"], ['context', '1']);
  assert.deepEqual(
    issuesOf(wrong).map(({ linkId, field, code }) => [linkId, field, code]),
    [
      [undefined, 'variableName.0', 'variableName'],
      [undefined, 'variableName.2', 'sameVariable'],
      [undefined, 'variableName.3', 'variableName'],
      [undefined, 'variable.1', 'expression'],
      [undefined, 'variable.2', 'expressionGone'],
    ],
  );
});

test('a demand on the whole form is the renderer’s, and is checked before it is published', () => {
  const plain = { ...newForm('sv'), title: 'F', item: [asked('integer')] };
  const form = withDemands(plain, [{ ...newDemand(), expression: 'item.exists()', message: 'Svara på något.' }]);
  assert.deepEqual([issuesOf(form), errorsIn(asPublished(form, '2026-01-02'))], [[], []]);
  const [constraint] = buildRenderReady({ ...form }, 'f').constraints ?? [];
  assert.deepEqual([constraint?.expression, constraint?.message], ['item.exists()', 'Svara på något.']);
  const unsaid = withDemands(plain, [newDemand()]);
  assert.deepEqual(
    issuesOf(unsaid).map(({ linkId, field, code }) => [linkId, field, code]),
    [
      [undefined, 'demand.0', 'expression'],
      [undefined, 'message.0', 'message'],
    ],
  );
});

test('answers are put beside each other where there are buttons', () => {
  const item = asked('coding');
  assert.ok(takesOrientation(item) && takesOrientation(asked('boolean')) && !takesOrientation(asked('string')));
  const turned = withOrientation(item, 'horizontal');
  assert.equal(buildRenderReady({ ...newForm('sv'), item: [turned] }, 'f').items[0]?.orientation, 'horizontal');
  assert.deepEqual(withOrientation(turned, undefined), item);
  assert.equal(orientationOf(item), undefined);
});
