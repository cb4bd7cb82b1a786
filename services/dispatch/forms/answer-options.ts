// The answers that a Questionnaire item permits: listed in the item, or the codes of a contained ValueSet.

import type { AnswerOption } from '#fhir/forms/render-ready-form.ts';
import { type FhirObject, objectOf, objectsOf, textOf } from '../shared/json.ts';
import { codingsOf } from '../shared/value-set.ts';
import { extensionValue, translationsOf } from './extensions.ts';

export type AnswerOptions =
  | { readonly kind: 'none' }
  | { readonly kind: 'listed'; readonly options: readonly AnswerOption[] }
  /** A ValueSet that the Questionnaire does not contain, or that does not list its codes. */
  | { readonly kind: 'elsewhere'; readonly source: string };

export function optionsOf(item: FhirObject, questionnaire: FhirObject): AnswerOptions {
  const listed = objectsOf(item['answerOption']);
  if (listed.length > 0) return { kind: 'listed', options: listed.map(readOption) };
  const source = textOf(item['answerValueSet']);
  if (source === undefined) return { kind: 'none' };
  const codings = listedCodings(questionnaire, source);
  if (codings === undefined) return { kind: 'elsewhere', source };
  return { kind: 'listed', options: codings.map((coding) => toOption('valueCoding', coding)) };
}

/** The codes of a contained ValueSet that lists them. */
export function listedCodings(questionnaire: FhirObject, source: string): FhirObject[] | undefined {
  const valueSet = source.startsWith('#')
    ? objectsOf(questionnaire['contained']).find(({ id }) => id === source.slice(1))
    : undefined;
  return valueSet && codingsOf(valueSet);
}

function readOption(option: FhirObject): AnswerOption {
  const [name, value] = Object.entries(option).find(([key]) => key.startsWith('value')) ?? ['valueString', ''];
  return {
    ...toOption(name, value),
    ...(option['initialSelected'] === true ? { selected: true } : {}),
    ...(extensionValue(option, 'questionnaire-optionExclusive') === true ? { exclusive: true } : {}),
  };
}

function toOption(name: string, value: unknown): AnswerOption {
  const object = objectOf(value);
  const label = textOf(object?.['display']) ?? textOf(object?.['code']) ?? textOf(object?.['reference']);
  const translations = translationsOf(object?.['_display']);
  return {
    label: label ?? String(value),
    ...(translations === undefined ? {} : { translations }),
    answer: { [name]: value },
  };
}
