// What the builder makes: valid for the services, whatever is chosen; and what it does not know stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Questionnaire } from 'fhir/r5';
import { buildRenderReady } from '../../../../../fhir/forms/questionnaire/render-ready.ts';
import { validateResource } from '../../../../../fhir/validation/validate.ts';
import { pick as pickFrom, seeded } from '../../../../../test/support/random.ts';
import { translationOf, withTranslation } from './extensions.ts';
import { asPublished, copyOfForm, differencesOf, isTranslated, newForm, withoutTranslations } from './form.ts';
import { issuesOf, itemNamedBy } from './issues.ts';
import { KINDS, newItem, newOption, type OfferedKind, withKind } from './kinds.ts';
import { limitsOf, limitText, withLimit, withPattern, withUnits } from './limits.ts';
import { operatorsFor, questionsFor, ruleAbout, withAnswer, withOperator, withRules } from './rules.ts';
import { everyItem, type Item, withChanged, withInserted } from './tree.ts';

const ALL: readonly OfferedKind[] = [...KINDS.common, ...KINDS.more, ...KINDS.structure];
const KG = { system: 'http://unitsofmeasure.org', code: 'kg', display: 'kg' };

function errorsIn(form: Questionnaire): unknown[] {
  const issues = validateResource({ ...form } as unknown as Parameters<typeof validateResource>[0]);
  return issues.filter(({ severity }) => severity === undefined || severity === 'error');
}

const withTexts = (item: Item): Item => ({
  ...item,
  text: 'Fråga',
  ...(item.type === 'coding' ? { answerOption: [newOption('Ja'), newOption('Nej')] } : {}),
});
const withUnit = (item: Item): Item => (item.type === 'quantity' ? withUnits(item, [KG]) : item);

test('300 random walks through the builder: a form without issues is valid, and is rendered', () => {
  const values = ['1', '2,5', '10', '2026-01-01', 'x', ''];
  const random = seeded(20_261_126);
  const pick = <Each>(from: readonly Each[]): Each => pickFrom(random, from);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const run = () => {
    let items: readonly Item[] = [];
    const change = (id: string, by: (item: Item) => Item) => {
      items = withChanged(items, id, by);
    };
    for (let steps = upTo(12); steps >= 0; steps -= 1) {
      const groups = everyItem(items).filter(({ type }) => type === 'group');
      const group = pick([undefined, ...groups]);
      items = withInserted(items, withUnit(withTexts(newItem(pick(ALL)))), { parent: group?.linkId, index: 0 });
      const { linkId, type, repeats } = pick(everyItem(items));
      const action = upTo(6);
      if (action === 0 && type !== 'group') change(linkId, (item) => withUnit(withTexts(withKind(item, pick(ALL)))));
      if (action === 1 && type !== 'display') change(linkId, (item) => ({ ...item, required: true }));
      if (action === 2 && type !== 'display' && type !== 'boolean')
        change(linkId, (item) => ({ ...item, repeats: true }));
      const [name] = limitsOf({ type, repeats: repeats ?? false }).slice(upTo(2));
      if (action === 3 && name !== undefined) {
        const value =
          type === 'date'
            ? '2026-01-01'
            : type === 'dateTime'
              ? '2026-01-01T10:00:00Z'
              : type === 'time'
                ? '10:00'
                : pick(values);
        change(linkId, (item) => withLimit(item, name, name === 'min' || name === 'max' ? value : pick(values)));
      }
      if (action === 4 && type === 'string') change(linkId, (item) => withPattern(item, '\\d+', '123'));
      if (action === 5 && type !== 'display')
        change(
          linkId,
          ({ _text, ...item }) => ({ ...item, _text: { ...withTranslation(_text, 'en', 'Question') } }) as Item,
        );
      const questions = questionsFor(items, linkId);
      if (action === 6 && questions.length > 0) {
        const rules = [pick(questions), pick(questions)].map((question) => {
          const rule = withOperator(ruleAbout(question), question, pick(operatorsFor(question)));
          const options = question.answerOption?.map(({ valueCoding }) => `|${valueCoding?.code}`) ?? [];
          const typed =
            question.type === 'date' ? ['2026-01-01'] : question.type === 'time' ? ['10:00'] : values.slice(0, 3);
          const answers =
            question.type === 'boolean' ? ['true', 'false'] : question.type === 'coding' ? options : typed;
          return rule.operator === 'exists' ? rule : withAnswer(rule, question, pick(answers));
        });
        change(linkId, (item) => withRules(item, rules.slice(upTo(1))));
      }
    }
    const form = { ...newForm('sv'), title: 'Formulär', item: [...items] };
    const ready = buildRenderReady({ ...form }, 'form');
    assert.equal(JSON.stringify(ready).match(/"link_id":"q-[^"]+","type"/g)?.length, everyItem(items).length);
    if (issuesOf(form).length === 0) assert.deepEqual(errorsIn(asPublished(form, '2026-11-26')), []);
  };
  for (let walk = 0; walk < 300; walk += 1) run();
});

test('what is missing is named at its field', () => {
  const number = withLimit(withLimit({ ...newItem('decimal'), text: 'Temperatur' }, 'min', '42'), 'max', '35,5');
  const unreadable = withLimit({ ...newItem('integer'), text: 'Antal' }, 'min', 'tre');
  const choice = { ...newItem('coding'), text: '', answerOption: [newOption('Ja'), newOption('ja '), newOption()] };
  const conditional = withRules({ ...newItem('string'), text: 'Vad?' }, [
    { question: 'gone', operator: '=', answerString: 'x' },
  ]);
  const item = [
    number,
    unreadable,
    choice,
    { ...newItem('quantity'), text: 'Vikt' },
    { ...newItem('group'), text: 'G' },
    conditional,
  ];
  const found = issuesOf({ title: ' ', item }, 'en').filter(({ code }) => code !== 'translation');
  assert.deepEqual(
    found.map(({ linkId, field, code }) => [item.findIndex((each) => each.linkId === linkId), field, code].join()),
    [
      '-1,title,title',
      '0,max,order',
      '1,min,number',
      '2,text,text',
      '2,option.1,sameOption',
      '2,option.2,option',
      '3,unit,unit',
      '4,text,emptyGroup',
      '5,rule.0,ruleGone',
    ],
  );
  assert.equal(limitText(unreadable, 'min'), 'tre', 'what was typed is kept');
  const message = 'Questionnaire.item[4]: Groups should have items (que-1b)';
  assert.equal(itemNamedBy(message, item)?.linkId, item[4]?.linkId);
});

test('limits of a measured value are in its first unit, and follow it', () => {
  const weight = withLimit(withUnits(newItem('quantity'), [KG]), 'max', '300');
  const gram = { ...KG, code: 'g', display: 'g' };
  const inGrams = withUnits(weight, [gram]);
  const limits = ({ extension = [] }: Item) => extension.flatMap(({ valueQuantity }) => valueQuantity?.code ?? []);
  assert.deepEqual([limits(weight), limits(inGrams), limitText(inGrams, 'max')], [['kg'], ['g'], '300']);
});

test('what the builder does not know of a form stays in it', () => {
  const form: Questionnaire = {
    ...newForm('sv'),
    extension: [{ url: 'https://example.org/x', valueString: 'kept' }],
    item: [
      {
        linkId: 'a',
        type: 'string',
        text: 'Före',
        definition: 'https://example.org/d',
        extension: [{ url: 'https://example.org/y', valueString: 'kept' }],
      },
    ],
  };
  const [item] = withChanged(form.item ?? [], 'a', (each) => withLimit({ ...each, text: 'Efter' }, 'minLength', '2'));
  assert.deepEqual(
    item?.extension?.map(({ url }) => url.split('/').at(-1)),
    ['y', 'minLength'],
  );
  assert.equal(item?.definition, 'https://example.org/d');
  const translated = withTranslation({ extension: [{ url: 'https://example.org/z' }] }, 'en', 'After');
  assert.equal(translationOf(translated, 'en'), 'After');
  assert.deepEqual(withTranslation(translated, 'en', ''), { extension: [{ url: 'https://example.org/z' }] });
});

test('a form is taken back to one language', () => {
  const english = (sibling?: object) => ({ ...withTranslation(sibling, 'en', 'English') });
  const text = { linkId: 'a', type: 'string', text: 'Svenska' } as const;
  const option = { valueCoding: { code: 'x', display: 'Ja' } };
  const form: Questionnaire = {
    ...newForm('sv'),
    title: 'T',
    item: [
      { linkId: 'g', type: 'group', text: 'G', item: [text] },
      { ...text, linkId: 'c', type: 'coding', answerOption: [option] },
    ],
  };
  const both: Questionnaire = {
    ...form,
    _title: english(),
    item: [
      { linkId: 'g', type: 'group', text: 'G', item: [{ ...text, _text: english() }] },
      {
        ...text,
        linkId: 'c',
        type: 'coding',
        answerOption: [{ valueCoding: { ...option.valueCoding, _display: english() } }],
      },
    ],
  };
  assert.ok(isTranslated(both));
  assert.deepEqual(withoutTranslations(both), form);
});

test('a published form gets the next version, and a copy an id of its own', () => {
  const versions = (form: Questionnaire) => asPublished(form, '2026-11-26').version;
  const form = newForm('sv');
  assert.deepEqual(
    [
      versions(form),
      versions({ ...form, status: 'active', version: '1' }),
      versions({ ...form, status: 'active', version: '2.9' }),
      versions({ ...form, status: 'retired', version: 'vår' }),
      versions({ ...form, status: 'draft', version: '3' }),
    ],
    ['1', '2', '2.10', 'vår.1', '3'],
  );
  const copy = copyOfForm({ ...form, version: '4', item: [newItem('string')] }, 'Kopia');
  assert.deepEqual([copy.status, copy.version, copy.title], ['draft', undefined, 'Kopia']);
  assert.ok(copy.id !== form.id && copy.url === `urn:uuid:${copy.id}` && copy.item?.[0]?.linkId !== undefined);
  assert.equal(isTranslated(copy), false);
});

test('the differences of two versions are named', () => {
  const [a, b, c] = [newItem('string'), newItem('text'), newItem('date')].map((item, index) => ({
    ...item,
    text: 'abc'[index] ?? '',
  }));
  assert.ok(a !== undefined && b !== undefined && c !== undefined);
  const before = { ...newForm('sv'), title: 'x', item: [a, b] };
  const after = { ...before, title: 'y', item: [c, { ...b, required: true }, a] };
  assert.deepEqual(differencesOf(before, after), {
    hasOtherTitle: true,
    added: ['c'],
    removed: [],
    changed: ['b'],
    isReordered: true,
  });
});
