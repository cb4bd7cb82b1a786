// Builds the render-ready form of a Questionnaire, for renderers that do not know FHIR (decision D12): versioned, pure,
// described in docs/reference/dispatch.md. Each item names the element of its value in a QuestionnaireResponse answer.

import { compact, objectIn, objectsIn, textIn } from '#fhir/json/members.ts';
import type { JsonObject } from '#fhir/patch/json-tree.ts';
import type { RenderReadyConditions, RenderReadyForm, RenderReadyItem } from '../render-ready-form.ts';
import { RENDER_VERSION } from '../render-version.ts';
import { numberOf } from '../values.ts';
import { listedCodings, optionsOf } from './answer-options.ts';
import { constraintsOf } from './constraints.ts';
import { expressionMembers, variablesOf } from './expressions.ts';
import { extensionValue, extensionValues, translationsOf, unitSourceOf } from './extensions.ts';
import { launchContextOf, notGivenOf, usesQuestionnaire } from './launch-context.ts';
import { notRunOf } from './not-run.ts';

/** The most characters of a title in lists. */
const LONGEST_TITLE = 500;

const ANSWER_ELEMENTS: Readonly<Record<string, string>> = {
  boolean: 'valueBoolean',
  decimal: 'valueDecimal',
  integer: 'valueInteger',
  date: 'valueDate',
  dateTime: 'valueDateTime',
  time: 'valueTime',
  string: 'valueString',
  text: 'valueString',
  url: 'valueUri',
  coding: 'valueCoding',
  attachment: 'valueAttachment',
  reference: 'valueReference',
  quantity: 'valueQuantity',
};

/**
 * Items are in the Questionnaire's order. Only elements for FHIR systems are left out (codes, definitions, designs).
 */
export function buildRenderReady(questionnaire: JsonObject, formGuid: string): RenderReadyForm {
  const notGiven = notGivenOf(questionnaire);
  return {
    render_version: RENDER_VERSION,
    form_guid: formGuid,
    title: titleOf(questionnaire),
    ...compact({
      translations: translationsOf(questionnaire['_title']),
      url: textIn(questionnaire['url']),
      version: textIn(questionnaire['version']),
      description: textIn(questionnaire['description']),
      language: textIn(questionnaire['language']),
      variables: variablesOf(questionnaire),
      constraints: constraintsOf(questionnaire),
      launch_context: launchContextOf(questionnaire),
      questionnaire: usesQuestionnaire(questionnaire) ? questionnaire : undefined,
      not_run: notRunOf(questionnaire, notGiven),
    }),
    items: objectsIn(questionnaire['item']).map((item) => buildItem(item, { questionnaire, notGiven })),
  };
}

/** The title of the form. */
export function titleOf(questionnaire: JsonObject): string {
  const given = [questionnaire['title'], questionnaire['name'], questionnaire['url']].flatMap((it) => textIn(it) ?? []);
  const title = withoutNul(given[0] ?? '').slice(0, LONGEST_TITLE);
  return title === '' ? 'Form' : title;
}

/** PostgreSQL's texts cannot hold a NUL character. */
export function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '');
}

interface Building {
  readonly questionnaire: JsonObject;
  readonly notGiven: ReadonlySet<string>;
}

function buildItem(item: JsonObject, building: Building): RenderReadyItem {
  const { questionnaire, notGiven } = building;
  const type = textIn(item['type']) ?? 'display';
  const inner = objectsIn(item['item']);
  const initial = objectsIn(item['initial']);
  return {
    link_id: textIn(item['linkId']) ?? '',
    type,
    label: textIn(item['text']) ?? '',
    required: item['required'] === true,
    repeats: item['repeats'] === true,
    read_only: item['readOnly'] === true,
    ...compact({
      translations: translationsOf(item['_text']),
      prefix: textIn(item['prefix']),
      hidden: extensionValue(item, 'questionnaire-hidden') === true ? true : undefined,
      answer_element: ANSWER_ELEMENTS[type],
      control: textIn(objectsIn(objectIn(extensionValue(item, 'questionnaire-itemControl'))?.['coding'])[0]?.['code']),
      orientation: orientationOf(item),
      placeholder: extensionValue(item, 'entryFormat'),
      limits: limitsOf(item),
      ...optionMembers(item, questionnaire),
      ...(type === 'quantity' ? unitMembers(item, questionnaire) : {}),
      initial: initial.length === 0 ? undefined : initial.map(valueMember),
      conditions: conditionsOf(item),
      ...expressionMembers(item),
      constraints: constraintsOf(item),
      not_run: notRunOf(item, notGiven),
      links: linksOf(item),
      slider_step: stepOf(item),
      items: inner.length === 0 ? undefined : inner.map((child) => buildItem(child, building)),
    }),
  };
}

/** Only what a page may lead to: an author's text is never an address of another kind. */
function linksOf(item: JsonObject): string[] | undefined {
  const links = (extensionValues(item, 'questionnaire-supportLink') ?? [])
    .flatMap((value) => textIn(value) ?? [])
    .filter((link) => /^https?:\/\//i.test(link) && URL.canParse(link));
  return links.length === 0 ? undefined : links;
}

function orientationOf(item: JsonObject): RenderReadyItem['orientation'] {
  const value = extensionValue(item, 'questionnaire-choiceOrientation');
  return value === 'horizontal' || value === 'vertical' ? value : undefined;
}

function stepOf(item: JsonObject): number | undefined {
  const step = numberOf(extensionValue(item, 'questionnaire-sliderStepValue'));
  return Number.isInteger(step) && step > 0 ? step : undefined;
}

function optionMembers(item: JsonObject, questionnaire: JsonObject): JsonObject {
  const options = optionsOf(item, questionnaire);
  if (options.kind === 'none') return {};
  const constraint = textIn(item['answerConstraint']);
  const other = constraint === 'optionsOrType' ? 'any' : constraint === 'optionsOrString' ? 'text' : 'none';
  return options.kind === 'listed'
    ? { options: options.options, other_answers: other }
    : { options_source: options.source, other_answers: other };
}

function limitsOf(item: JsonObject): JsonObject | undefined {
  const limits = compact({
    max_length: item['maxLength'],
    min_length: extensionValue(item, 'minLength'),
    min_value: extensionValue(item, 'minValue'),
    max_value: extensionValue(item, 'maxValue'),
    max_decimals: extensionValue(item, 'maxDecimalPlaces'),
    pattern: extensionValue(item, 'regex'),
    min_answers: extensionValue(item, 'questionnaire-minOccurs'),
    max_answers: extensionValue(item, 'questionnaire-maxOccurs'),
    max_bytes: extensionValue(item, 'maxSize'),
    media_types: extensionValues(item, 'mimeType'),
    resource_types: extensionValues(item, 'questionnaire-referenceResource'),
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
}

function unitMembers(item: JsonObject, questionnaire: JsonObject): JsonObject {
  const named = ['questionnaire-unit', 'questionnaire-unitOption'].flatMap((name) => extensionValues(item, name) ?? []);
  const source = unitSourceOf(item);
  const listed = source === undefined ? [] : listedCodings(questionnaire, source);
  if (listed === undefined) return { units_source: source };
  const units = [...named, ...listed].map(objectIn).flatMap((coding) => {
    if (coding === undefined) return [];
    const { system, code, display } = coding;
    return [compact({ system, code, label: textIn(display) ?? textIn(code) })];
  });
  return units.length === 0 ? {} : { units };
}

function conditionsOf(item: JsonObject): RenderReadyConditions | undefined {
  const rules = objectsIn(item['enableWhen']).map((rule) => ({
    link_id: textIn(rule['question']) ?? '',
    operator: textIn(rule['operator']) ?? 'exists',
    answer: answerMember(rule),
  }));
  if (rules.length === 0) return undefined;
  return {
    behavior: item['enableBehavior'] === 'any' ? 'any' : 'all',
    when_disabled: item['disabledDisplay'] === 'protected' ? 'protected' : 'hidden',
    rules,
  };
}

/** Turns `answerBoolean` of a rule into `valueBoolean` of an answer. */
function answerMember(rule: JsonObject): JsonObject {
  const found = Object.entries(rule).find(([name]) => /^answer[A-Z]/.test(name));
  return found === undefined ? {} : { [found[0].replace('answer', 'value')]: found[1] };
}

function valueMember(initial: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(initial).filter(([name]) => name.startsWith('value')));
}
