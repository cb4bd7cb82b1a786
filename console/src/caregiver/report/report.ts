// A report of what was done: what is filled in, as the engine takes it (docs/reference/engine/provider-tasks.md).
import type { Observation, QuestionnaireResponse, QuestionnaireResponseItem } from 'fhir/r5';
import { isYetToCome } from '../../../../fhir/forms/yet-to-come.ts';
import { answersIn, MEASURED_AT, observed } from '../../../../fhir/plans/measured-values.ts';
import type { Filled } from '../../forms/filled.ts';
import type { Form } from '../../forms/form.ts';
import { type FormIssues, issuesOf } from '../../forms/issues.ts';
import { toResponseItems } from '../../forms/response.ts';
import type { Details, Measures } from '../details.ts';

/** What is being reported, by the form: answers, and what is said of the whole. */
export interface Draft {
  readonly filled: Readonly<Record<string, Filled>>;
  readonly note: string;
  /** Whether the work is done. */
  readonly isFinal: boolean;
}

export interface ReportBody {
  readonly status: 'partial' | 'final';
  readonly observations: Observation[];
  readonly questionnaire_responses: QuestionnaireResponse[];
  readonly note?: string;
}

/** A part of a report: the measured values, or a form. */
export interface Section {
  readonly key: string;
  readonly form: Form;
  /** Of measured values alone. */
  readonly measures: Measures | undefined;
}

/** In the order in which they are filled in. */
export function sectionsOf({ measures, forms }: Pick<Details, 'measures' | 'forms'>): Section[] {
  return [
    ...(measures === undefined ? [] : [{ key: measures.form.form_guid, form: measures.form, measures }]),
    ...forms.map((form) => ({ key: form.form_guid, form, measures: undefined })),
  ];
}

/** Whether anything in it is answered. */
export function isAnswered({ key, form }: Section, { filled }: Draft): boolean {
  const given = filled[key];
  return given !== undefined && toResponseItems(form.items, given).length > 0;
}

/**
 * What is wrong with what is filled in. Nothing was measured after `now`, in milliseconds since 1970.
 * @param future what is said of a moment that is yet to come
 */
export function issuesOfSection(
  { form, measures }: Section,
  filled: Filled,
  { future, now }: { readonly future: string; readonly now: number },
): FormIssues {
  const found = issuesOf(form.items, filled);
  const at = measures === undefined ? undefined : measuredAt(itemsOf(form, filled));
  if (at === undefined || !isYetToCome(at, { now })) return found;
  return new Map([[`/${MEASURED_AT}.0`, { kind: 'constraint', limit: future }], ...found]);
}

/** When the values were measured, where the form says it. */
function measuredAt(items: readonly QuestionnaireResponseItem[]): string | undefined {
  const at = answersIn(items).find(([id]) => id === MEASURED_AT)?.[1]['valueDateTime'];
  return typeof at === 'string' ? at : undefined;
}

/** What is sent. `now` is a FHIR dateTime: when values were measured that do not say it. */
export function reportOf(sections: readonly Section[], draft: Draft, now: string): ReportBody {
  const answered = sections.filter((section) => isAnswered(section, draft));
  const note = draft.note.trim();
  return {
    status: draft.isFinal ? 'final' : 'partial',
    observations: answered.flatMap(({ key, form, measures }) =>
      measures === undefined ? [] : observationsOf(measures, itemsOf(form, draft.filled[key]), now),
    ),
    questionnaire_responses: answered.flatMap(({ key, form, measures }) =>
      measures === undefined ? [responseOf(form, itemsOf(form, draft.filled[key]), now)] : [],
    ),
    ...(note === '' ? {} : { note }),
  };
}

function itemsOf(form: Form, filled: Filled | undefined): QuestionnaireResponseItem[] {
  return filled === undefined ? [] : toResponseItems(form.items, filled);
}

/** The name of a form in its responses. One without an address of its own is named by its guid. */
function canonicalOf({ url, version, form_guid: guid }: Form): string {
  if (url === undefined) return `urn:uuid:${guid}`;
  return version === undefined ? url : `${url}|${version}`;
}

/** The form that a response answers, among those of the task. */
export function formOf(
  forms: readonly Form[],
  { questionnaire = '' }: Pick<QuestionnaireResponse, 'questionnaire'>,
): Form | undefined {
  const named = forms.find((form) => canonicalOf(form) === questionnaire);
  return named ?? forms.find(({ url }) => url !== undefined && url === questionnaire.split('|', 1)[0]);
}

function responseOf(form: Form, item: QuestionnaireResponseItem[], now: string): QuestionnaireResponse {
  return {
    resourceType: 'QuestionnaireResponse',
    status: 'completed',
    questionnaire: canonicalOf(form),
    authored: now,
    item,
  };
}

function observationsOf({ codes }: Measures, items: readonly QuestionnaireResponseItem[], now: string): Observation[] {
  const effectiveDateTime = measuredAt(items) ?? now;
  return answersIn(items).flatMap(([id, answer]) => {
    const code = codes[id];
    if (code === undefined) return [];
    // The engine fills in whose values they are, and for which request.
    return [
      { resourceType: 'Observation', status: 'final', code, effectiveDateTime, ...observed(answer) } as Observation,
    ];
  });
}

/** The sections that a refusal names, by the places in the body: `observations[0]: …`. */
export function refusedSections(
  sections: readonly Section[],
  draft: Draft,
  messages: readonly string[],
): readonly Section[] {
  const answered = sections.filter((section) => isAnswered(section, draft) && section.measures === undefined);
  return sections.filter((section) => {
    if (section.measures !== undefined) return messages.some((message) => message.startsWith('observations['));
    const place = `questionnaire_responses[${answered.indexOf(section)}]`;
    return messages.some((message) => message.startsWith(place));
  });
}
