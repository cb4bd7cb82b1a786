// One step of a form that is filled in by receipt token, as a task that may run in a thread (decision L8). It finds the
// form in the pushed bundle, takes the step, and makes the resources of the answers. Pure.

import type { Fields } from '#fhir/forms/html/fields.ts';
import { type FormView, type SentForm, sentFormOf, takeFormStep } from '#fhir/forms/html/form-steps.ts';
import type { RenderReadyForm } from '#fhir/forms/render-ready-form.ts';
import { textIn } from '#fhir/json/members.ts';
import { type FhirObject, objectsOf, parseObject } from '#fhir/json/objects.ts';
import { MEASURED_AT } from '#fhir/plans/measured-values.ts';
import { MEASURES, measureForm, measuresOf, observationsOf } from '#fhir/plans/measures.ts';
import { parseWritten } from '#fhir/resources/resource-text.ts';
import { withProviderTags } from '#fhir/store/patient-reported.ts';
import { hasErrors, validateResource } from '#fhir/validation/validate.ts';
import type { Language } from '#lib/html/html.ts';
import { defineTextTask } from '../../shared/text-tasks.ts';

/** A form takes more time than its length shows: it may have thousands of answers to choose from. */
const LONG_STEP = 8 * 1024;

export interface FormTaskInput {
  /** JSON texts. */
  readonly bundle: string;
  readonly kept: string;
  readonly sent: string | undefined;
  /** The attachment of the form, or `measures`. */
  readonly formKey: string;
  readonly go: string;
  readonly page: number;
  readonly language: Language;
  readonly timeZone: string;
  /** When the step is taken, in milliseconds since 1970: nothing was measured after it. */
  readonly now: number;
  /** What the resources of the answers say of their making; without it none are made. */
  readonly making: Making | undefined;
}

export interface Making {
  /** The ids of the resources; the first is that of the QuestionnaireResponse. */
  readonly ids: readonly string[];
  readonly patientGuid: string;
  readonly providerGuid: string;
  readonly serviceRequestId: string;
  readonly performer: FhirObject;
  /** FHIR dateTime. */
  readonly now: string;
  /** The address of frozen forms, for one that has no address of its own. */
  readonly questionnaires: string;
}

export interface FormTaskOutput extends Omit<FormView, 'fields' | 'issues' | 'items'> {
  /** JSON text. */
  readonly fields: string;
  readonly errors: number;
  readonly warnings: number;
  /** The resources of the answers as JSON texts, once nothing is wrong. */
  readonly resources: readonly { readonly resourceType: string; readonly id: string; readonly text: string }[];
  /** The same in words, in each language; undefined without resources. */
  readonly inWords: SentAnswers | undefined;
}

/** What was sent, as its reader may ask for it. */
export type SentAnswers = Readonly<Record<Language, SentForm>>;

/** Undefined when the request has no such form. */
export const FORM_STEP = defineTextTask(
  'form-step',
  (input: FormTaskInput): FormTaskOutput | undefined => {
    const found = readForm(parseObject(input.bundle), input.formKey);
    if (found === undefined) return undefined;
    const { form, serviceRequest } = found;
    const { go, page, language, timeZone, now } = input;
    const past = input.formKey === MEASURES ? { past: { linkId: MEASURED_AT, now } } : {};
    const sent = input.sent === undefined ? undefined : fieldsIn(input.sent);
    const step = takeFormStep({ form, kept: fieldsIn(input.kept), sent, go, page, language, timeZone, ...past });
    const { fields, issues, items, ...view } = step;
    const errors = issues.filter(({ severity }) => severity === 'error').length;
    const made = input.making === undefined || errors > 0 ? [] : resourcesOf(input, { form, serviceRequest, items });
    const inWords = (reader: Language) => sentFormOf({ form, kept: fields, language: reader, timeZone });
    return {
      ...view,
      fields: JSON.stringify(fields),
      errors,
      warnings: issues.length - errors,
      resources: made,
      inWords: made.length === 0 ? undefined : { sv: inWords('sv'), en: inWords('en') },
    };
  },
  LONG_STEP,
);

/** A form of a request, as its page lists it. */
export interface OfferedForm {
  readonly key: string;
  readonly title: string;
  readonly translations: Readonly<Record<string, string>>;
}

/** The forms of the bundle, in their order, and last its measures. */
export function formsIn(bundle: FhirObject): OfferedForm[] {
  const resources = resourcesIn(bundle);
  const forms = resources
    .filter(({ resourceType }) => resourceType === 'Binary')
    .flatMap((binary) => {
      const form = decode(binary);
      return form === undefined ? [] : [offered(String(binary['id']), form)];
    });
  const request = resources.find(({ resourceType }) => resourceType === 'ServiceRequest');
  const measures = request && measureForm(measuresOf(request));
  return [...forms, ...(measures === undefined ? [] : [offered(MEASURES, measures)])];
}

function offered(key: string, { title, translations = {} }: RenderReadyForm): OfferedForm {
  return { key, title, translations };
}

function readForm(bundle: FhirObject, key: string) {
  const resources = resourcesIn(bundle);
  const serviceRequest = resources.find(({ resourceType }) => resourceType === 'ServiceRequest');
  if (serviceRequest === undefined) return undefined;
  const binary = resources.find(({ resourceType, id }) => resourceType === 'Binary' && id === key);
  const form = key === MEASURES ? measureForm(measuresOf(serviceRequest)) : binary && decode(binary);
  return form && { form, serviceRequest };
}

function resourcesIn(bundle: FhirObject): FhirObject[] {
  return objectsOf(bundle['entry']).flatMap(({ resource }) => objectsOf([resource]));
}

/** The render-ready form that dispatch wrote itself. */
function decode({ contentType, data }: FhirObject): RenderReadyForm | undefined {
  if (contentType !== 'application/json' || typeof data !== 'string') return undefined;
  const form = parseObject(Buffer.from(data, 'base64').toString());
  return Array.isArray(form['items']) ? (form as unknown as RenderReadyForm) : undefined;
}

interface Answered {
  readonly form: RenderReadyForm;
  readonly serviceRequest: FhirObject;
  readonly items: readonly object[];
}

function resourcesOf({ formKey, making }: FormTaskInput, { form, serviceRequest, items }: Answered) {
  if (making === undefined) return [];
  const subject = { reference: `Patient/${making.patientGuid}` };
  const basedOn = [{ reference: `ServiceRequest/${making.serviceRequestId}` }];
  const made: FhirObject[] =
    formKey === MEASURES
      ? observationsOf(measuresOf(serviceRequest), items, { ...making, subject, basedOn })
      : [responseOf(form, items, { ...making, subject, basedOn, formKey })];
  return made.slice(0, making.ids.length).map((resource, index) => {
    const id = making.ids[index] ?? '';
    const text = JSON.stringify(withProviderTags({ ...resource, id }, making.providerGuid));
    requireValid(text);
    return { resourceType: String(resource['resourceType']), id, text };
  });
}

function responseOf(
  form: RenderReadyForm,
  items: readonly object[],
  by: Making & { readonly subject: FhirObject; readonly basedOn: readonly FhirObject[]; readonly formKey: string },
): FhirObject {
  const version = form.version === undefined ? '' : `|${form.version}`;
  return {
    resourceType: 'QuestionnaireResponse',
    basedOn: by.basedOn,
    questionnaire: form.url === undefined ? `${by.questionnaires}/${by.formKey}` : `${form.url}${version}`,
    status: 'completed',
    subject: by.subject,
    authored: by.now,
    author: by.performer,
    ...(items.length === 0 ? {} : { item: items }),
  };
}

/** @throws Error for what the form's own check should have found */
function requireValid(text: string): void {
  const issues = validateResource(parseWritten(text));
  if (hasErrors(issues)) throw new Error(`An answer by receipt page is not valid: ${issues[0]?.message}`);
}

/** The fields of a JSON text that we wrote. */
function fieldsIn(text: string): Fields {
  const entries = Object.entries(parseObject(text));
  return Object.fromEntries(
    entries.map(([name, texts]) => [name, Array.isArray(texts) ? texts.flatMap((each) => textIn(each) ?? []) : []]),
  );
}
