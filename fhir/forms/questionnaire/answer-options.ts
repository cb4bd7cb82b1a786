// The answers that a Questionnaire item permits: listed in the item, or the codes of a contained ValueSet.

import { objectIn, objectsIn, textIn } from '#fhir/json/members.ts';
import type { JsonObject } from '#fhir/patch/json-tree.ts';
import type { AnswerOption } from '../render-ready-form.ts';
import { numberText } from '../values.ts';
import { extensionValue, translationsOf } from './extensions.ts';
import { codingsOf } from './value-set.ts';

export type AnswerOptions =
  | { readonly kind: 'none' }
  | { readonly kind: 'listed'; readonly options: readonly AnswerOption[] }
  /** A ValueSet that the Questionnaire does not contain, or that does not list its codes. */
  | { readonly kind: 'elsewhere'; readonly source: string };

export function optionsOf(item: JsonObject, questionnaire: JsonObject): AnswerOptions {
  const listed = objectsIn(item['answerOption']);
  if (listed.length > 0) return { kind: 'listed', options: listed.map(readOption) };
  const source = textIn(item['answerValueSet']);
  if (source === undefined) return { kind: 'none' };
  const codings = listedCodings(questionnaire, source);
  if (codings === undefined) return { kind: 'elsewhere', source };
  return { kind: 'listed', options: codings.map((coding) => toOption('valueCoding', coding)) };
}

/** The codes of a contained ValueSet that lists them. */
export function listedCodings(questionnaire: JsonObject, source: string): JsonObject[] | undefined {
  const valueSet = source.startsWith('#')
    ? objectsIn(questionnaire['contained']).find(({ id }) => id === source.slice(1))
    : undefined;
  return valueSet && codingsOf(valueSet);
}

function readOption(option: JsonObject): AnswerOption {
  const [name, value] = Object.entries(option).find(([key]) => key.startsWith('value')) ?? ['valueString', ''];
  return {
    ...toOption(name, value),
    ...(option['initialSelected'] === true ? { selected: true } : {}),
    ...(extensionValue(option, 'questionnaire-optionExclusive') === true ? { exclusive: true } : {}),
  };
}

function toOption(name: string, value: unknown): AnswerOption {
  const object = objectIn(value);
  const label = textIn(object?.['display']) ?? textIn(object?.['code']) ?? textIn(object?.['reference']);
  const translations = translationsOf(object?.['_display']);
  return {
    label: label ?? numberText(value),
    ...(translations === undefined ? {} : { translations }),
    answer: { [name]: value },
  };
}
