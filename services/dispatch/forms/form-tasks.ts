// Text tasks on forms (decisions D3, D12): freeze a form with all ValueSets that it refers to, and build its
// render-ready form. Pure. A short form may name a long ValueSet many times, so the limit for work on the event loop is
// lower here.

import { listedCodings, optionsOf } from '#fhir/forms/questionnaire/answer-options.ts';
import { unitSourceOf, withUnitSource } from '#fhir/forms/questionnaire/extensions.ts';
import { buildRenderReady, titleOf, withoutNul } from '#fhir/forms/questionnaire/render-ready.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { textIn } from '#fhir/json/members.ts';
import { type FhirObject, isObject, objectOf, objectsOf, omit, parseObject } from '#fhir/json/objects.ts';
import { isAddressableId } from '#fhir/primitives/primitives.ts';
import { parseWritten } from '#fhir/resources/resource-text.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { type Issue, ServiceError, shownIssues } from '#lib/errors.ts';
import { hoist } from '../shared/hoist.ts';
import { defineTextTask } from '../shared/text-tasks.ts';
import type { CatalogueEntry, FrozenForm } from './schema.ts';

const LONG_FORM = 8 * 1024;
/** The most answer options of one form, summed over its items, as each item lists its own. */
const MAX_ANSWERS = 100_000;
const TOO_MANY = `offers more than ${MAX_ANSWERS} answers and units`;

/** The addresses of ValueSets outside of the form that its items name; undefined for anything but a form. */
export const NAMED_VALUE_SETS = defineTextTask(
  'named-value-sets',
  ({ form }: { readonly form: string }): string[] | undefined => {
    const parsed: unknown = JSON.parse(form);
    if (!isObject(parsed)) return undefined;
    return [...new Set(questionsOf(parsed).flatMap(sourcesOf))].filter((address) => !address.startsWith('#'));
  },
);

interface FreezeFormInput {
  readonly formGuid: string;
  readonly form: string;
  readonly valueSets: readonly { readonly address: string; readonly text: string }[];
}

export type Freezing = { readonly form: FrozenForm } | { readonly issues: readonly Issue[] };

export const FROZEN_FORM = defineTextTask(
  'frozen-form',
  ({ formGuid, form, valueSets }: FreezeFormInput): Freezing => {
    const parsed = parseExactJson(form);
    if (!isObject(parsed)) return formIssue(formGuid, 'cannot be read');
    const questionnaire = takeInValueSets(omit(parsed, 'meta', 'text'), valueSets);
    if (countAnswers(questionnaire) > MAX_ANSWERS) return formIssue(formGuid, TOO_MANY);
    const missing = missingSources(questionnaire);
    if (missing.length > 0)
      return formIssue(formGuid, `offers answers or units that cannot be listed: ${missing.join(', ')}`);
    const frozen = JSON.stringify(questionnaire);
    const errors = validateResource(parseWritten(frozen)).filter(
      ({ severity }) => severity === undefined || severity === 'error',
    );
    if (errors.length > 0) {
      return formIssue(
        formGuid,
        `is not valid: ${shownIssues(errors)
          .map(({ message }) => message)
          .join('; ')}`,
      );
    }
    const renderReady = JSON.stringify(buildRenderReady(questionnaire, formGuid));
    return { form: { formGuid, title: titleOf(questionnaire), questionnaire: frozen, renderReady } };
  },
  LONG_FORM,
);

interface ShowFormInput {
  readonly formGuid: string;
  readonly form: string;
}

/**
 * A form of the catalogue; undefined for anything but a form.
 * @throws ServiceError `unprocessable` for a form that is too large
 */
export const SHOWN_FORM = defineTextTask(
  'shown-form',
  ({ formGuid, form }: ShowFormInput): { entry: CatalogueEntry; renderReady: string } | undefined => {
    const questionnaire = parseObject(form);
    const entry = toEntry({ ...questionnaire, id: formGuid });
    if (entry === undefined) return undefined;
    if (countAnswers(questionnaire) > MAX_ANSWERS)
      throw new ServiceError('unprocessable', `Form ${formGuid} ${TOO_MANY}`);
    return { entry, renderReady: JSON.stringify(buildRenderReady(questionnaire, formGuid)) };
  },
  LONG_FORM,
);

/** The title of the form. */
export const FORM_TITLE = defineTextTask('form-title', ({ form }: { readonly form: string }) =>
  titleOf(objectOf(JSON.parse(form)) ?? {}),
);

/** The catalogue's entry of a form; undefined for a form without an id that can be read. */
export function toEntry(resource: FhirObject): CatalogueEntry | undefined {
  const formGuid = textIn(resource['id']);
  if (formGuid === undefined || !isAddressableId(formGuid)) return undefined;
  return {
    formGuid,
    title: titleOf(resource),
    version: textOrNull(resource['version']),
    status: textOrNull(resource['status']) ?? 'unknown',
    url: textOrNull(resource['url']),
  };
}

export function formIssue(formGuid: string, text: string): { readonly issues: readonly Issue[] } {
  return { issues: [{ message: `Form ${formGuid} ${text}`, field: 'ServiceRequest' }] };
}

function textOrNull(value: unknown): string | null {
  const text = textIn(value);
  return text === undefined ? null : withoutNul(text);
}

/** Stops counting above the limit. */
function countAnswers(questionnaire: FhirObject): number {
  const lengths = new Map<string, number>();
  const lengthOf = (source: string | undefined): number => {
    if (source === undefined) return 0;
    const length = lengths.get(source) ?? listedCodings(questionnaire, source)?.length ?? 0;
    lengths.set(source, length);
    return length;
  };
  return questionsOf(questionnaire).reduce(
    (sum, item) =>
      sum +
      objectsOf(item['answerOption']).length +
      lengthOf(textIn(item['answerValueSet'])) +
      lengthOf(unitSourceOf(item)),
    0,
  );
}

/** ValueSets of answers or units that do not list their codes. */
function missingSources(questionnaire: FhirObject): string[] {
  const missing = questionsOf(questionnaire).flatMap((item) => {
    const options = optionsOf(item, questionnaire);
    const units = unitSourceOf(item);
    return [
      ...(options.kind === 'elsewhere' ? [options.source] : []),
      ...(units === undefined || listedCodings(questionnaire, units) !== undefined ? [] : [units]),
    ];
  });
  return [...new Set(missing)];
}

function takeInValueSets(questionnaire: FhirObject, valueSets: FreezeFormInput['valueSets']): FhirObject {
  const contained = [...objectsOf(questionnaire['contained'])];
  const used = new Set(contained.map(({ id }) => id));
  const taken = new Map<string, string>();
  let number = 0;
  for (const { address, text } of valueSets) {
    const valueSet = parseExactJson(text);
    if (!isObject(valueSet)) continue;
    do number += 1;
    while (used.has(`valueset-${number}`));
    const id = `valueset-${number}`;
    contained.push(hoist(omit(valueSet, 'contained'), id).resource);
    taken.set(address, `#${id}`);
  }
  if (taken.size === 0) return questionnaire;
  return { ...questionnaire, contained, item: redirected(questionnaire['item'], taken) };
}

/** The ValueSets that an item names, of its answers and of its units. */
function sourcesOf(item: FhirObject): string[] {
  return [textIn(item['answerValueSet']), unitSourceOf(item)].filter((source) => source !== undefined);
}

function questionsOf(parent: FhirObject): FhirObject[] {
  return objectsOf(parent['item']).flatMap((item) => [item, ...questionsOf(item)]);
}

function redirected(items: unknown, taken: ReadonlyMap<string, string>): FhirObject[] {
  return objectsOf(items).map((item) => {
    const address = taken.get(textIn(item['answerValueSet']) ?? '');
    const units = taken.get(unitSourceOf(item) ?? '');
    return {
      ...(units === undefined ? item : withUnitSource(item, units)),
      ...(address === undefined ? {} : { answerValueSet: address }),
      ...(item['item'] === undefined ? {} : { item: redirected(item['item'], taken) }),
    };
  });
}
