// Builds the render-ready form of a Questionnaire, for renderers that do not know FHIR (decision D12): versioned, pure,
// described in docs/reference/dispatch.md. Each item names the element of its value in a QuestionnaireResponse answer.

import {
  RENDER_VERSION,
  type RenderReadyConditions,
  type RenderReadyForm,
  type RenderReadyItem,
} from '#fhir/forms/render-ready-form.ts';
import { compact, type FhirObject, objectOf, objectsOf, textOf } from '../shared/json.ts';
import { listedCodings, optionsOf } from './answer-options.ts';
import { constraintsOf } from './constraints.ts';
import { extensionValue, extensionValues, translationsOf, unitSourceOf } from './extensions.ts';

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
export function buildRenderReady(questionnaire: FhirObject, formGuid: string): RenderReadyForm {
  return {
    render_version: RENDER_VERSION,
    form_guid: formGuid,
    title: titleOf(questionnaire),
    ...compact({
      translations: translationsOf(questionnaire['_title']),
      url: textOf(questionnaire['url']),
      version: textOf(questionnaire['version']),
      description: textOf(questionnaire['description']),
      language: textOf(questionnaire['language']),
      constraints: constraintsOf(questionnaire),
    }),
    items: objectsOf(questionnaire['item']).map((item) => buildItem(item, questionnaire)),
  };
}

/** The title of the form. */
export function titleOf(questionnaire: FhirObject): string {
  const given = [questionnaire['title'], questionnaire['name'], questionnaire['url']].flatMap((it) => textOf(it) ?? []);
  const title = withoutNul(given[0] ?? '').slice(0, LONGEST_TITLE);
  return title === '' ? 'Form' : title;
}

/** PostgreSQL's texts cannot hold a NUL character. */
export function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '');
}

function buildItem(item: FhirObject, questionnaire: FhirObject): RenderReadyItem {
  const type = textOf(item['type']) ?? 'display';
  const inner = objectsOf(item['item']);
  const initial = objectsOf(item['initial']);
  return {
    link_id: textOf(item['linkId']) ?? '',
    type,
    label: textOf(item['text']) ?? '',
    required: item['required'] === true,
    repeats: item['repeats'] === true,
    read_only: item['readOnly'] === true,
    ...compact({
      translations: translationsOf(item['_text']),
      prefix: textOf(item['prefix']),
      hidden: extensionValue(item, 'questionnaire-hidden') === true ? true : undefined,
      answer_element: ANSWER_ELEMENTS[type],
      control: textOf(objectsOf(objectOf(extensionValue(item, 'questionnaire-itemControl'))?.['coding'])[0]?.['code']),
      placeholder: extensionValue(item, 'entryFormat'),
      limits: limitsOf(item),
      ...optionMembers(item, questionnaire),
      ...(type === 'quantity' ? unitMembers(item, questionnaire) : {}),
      initial: initial.length === 0 ? undefined : initial.map(valueMember),
      conditions: conditionsOf(item),
      constraints: constraintsOf(item),
      items: inner.length === 0 ? undefined : inner.map((child) => buildItem(child, questionnaire)),
    }),
  };
}

function optionMembers(item: FhirObject, questionnaire: FhirObject): FhirObject {
  const options = optionsOf(item, questionnaire);
  if (options.kind === 'none') return {};
  const constraint = textOf(item['answerConstraint']);
  const other = constraint === 'optionsOrType' ? 'any' : constraint === 'optionsOrString' ? 'text' : 'none';
  return options.kind === 'listed'
    ? { options: options.options, other_answers: other }
    : { options_source: options.source, other_answers: other };
}

function limitsOf(item: FhirObject): FhirObject | undefined {
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

function unitMembers(item: FhirObject, questionnaire: FhirObject): FhirObject {
  const named = ['questionnaire-unit', 'questionnaire-unitOption'].flatMap((name) => extensionValues(item, name) ?? []);
  const source = unitSourceOf(item);
  const listed = source === undefined ? [] : listedCodings(questionnaire, source);
  if (listed === undefined) return { units_source: source };
  const units = [...named, ...listed].map(objectOf).flatMap((coding) => {
    if (coding === undefined) return [];
    const { system, code, display } = coding;
    return [compact({ system, code, label: textOf(display) ?? textOf(code) })];
  });
  return units.length === 0 ? {} : { units };
}

function conditionsOf(item: FhirObject): RenderReadyConditions | undefined {
  const rules = objectsOf(item['enableWhen']).map((rule) => ({
    link_id: textOf(rule['question']) ?? '',
    operator: textOf(rule['operator']) ?? 'exists',
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
function answerMember(rule: FhirObject): FhirObject {
  const found = Object.entries(rule).find(([name]) => /^answer[A-Z]/.test(name));
  return found === undefined ? {} : { [found[0].replace('answer', 'value')]: found[1] };
}

function valueMember(initial: FhirObject): FhirObject {
  return Object.fromEntries(Object.entries(initial).filter(([name]) => name.startsWith('value')));
}
