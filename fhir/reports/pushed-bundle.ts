// Reads what a performer needs of the Bundle of one request (decision D6). These are the ServiceRequest with its
// contained CarePlan and forms, the Patient, and one Binary per form.

import { memberIn, textIn } from '#fhir/json/members.ts';
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { type Requester, requesterOf } from './requester.ts';
import { standalone } from './standalone.ts';

type Json = Readonly<Record<string, unknown>>;

export interface PushedBundle {
  readonly serviceRequest: Json;
  readonly patient: Json | undefined;
  readonly carePlan: Json | undefined;
  readonly planDefinition: Json | undefined;
  readonly questionnaires: readonly Json[];
  /** The render-ready forms, decoded. */
  readonly forms: readonly unknown[];
}

/** Reads the Bundle; undefined when it has no ServiceRequest. */
export function readBundle(bundle: unknown): PushedBundle | undefined {
  const resources = objectsOf(isJsonObject(bundle) ? bundle['entry'] : undefined).flatMap(({ resource }) =>
    isJsonObject(resource) ? [resource] : [],
  );
  const ofType = (list: readonly Json[], type: string) => list.filter((item) => item['resourceType'] === type);
  const serviceRequest = ofType(resources, 'ServiceRequest')[0];
  if (serviceRequest === undefined) return undefined;
  const contained = objectsOf(serviceRequest['contained']);
  const outOf = (type: string) => ofType(contained, type).map((each) => standalone(each, contained));
  return {
    serviceRequest,
    patient: ofType(resources, 'Patient')[0],
    carePlan: outOf('CarePlan')[0],
    planDefinition: outOf('PlanDefinition')[0],
    questionnaires: outOf('Questionnaire'),
    forms: ofType(resources, 'Binary').flatMap(decodeForm),
  };
}

/** The facts of a task for lists and for later checks. */
export interface TaskFacts {
  readonly title: string | undefined;
  readonly patientGuid: string | undefined;
  readonly patientName: string | undefined;
  /** The ordering organisation, which will own the reported resources. */
  readonly organisationGuid: string | undefined;
  readonly due: Date | undefined;
  readonly requester: Requester;
}

export function factsOf(bundle: PushedBundle): TaskFacts {
  const { serviceRequest, patient, carePlan, planDefinition } = bundle;
  const titles = [codeText(serviceRequest['code']), carePlan?.['title'], planDefinition?.['title']];
  return {
    title: titles.find((title) => typeof title === 'string'),
    patientGuid: idIn(serviceRequest['subject'], 'Patient') ?? textIn(patient?.['id']),
    patientName: patient && nameOf(patient),
    organisationGuid: organisationOf(bundle),
    due: dueOf(serviceRequest),
    requester: requesterOf(serviceRequest),
  };
}

/** Returns the ordering organisation from the first element that names it. */
function organisationOf({ serviceRequest, patient, carePlan }: PushedBundle): string | undefined {
  const references = [serviceRequest['requester'], carePlan?.['custodian'], patient?.['managingOrganization']];
  return references.map((reference) => idIn(reference, 'Organization')).find((guid) => guid !== undefined);
}

function dueOf(serviceRequest: Json): Date | undefined {
  const { occurrenceDateTime, occurrencePeriod, occurrenceTiming } = serviceRequest;
  const bounds = memberIn(memberIn(occurrenceTiming, 'repeat'), 'boundsPeriod');
  const texts = [occurrenceDateTime, memberIn(occurrencePeriod, 'end'), memberIn(bounds, 'end')];
  const text = texts.find((value) => typeof value === 'string');
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : new Date(at);
}

/** R5: ServiceRequest.code is a CodeableReference. */
function codeText(code: unknown): string | undefined {
  const concept = memberIn(code, 'concept');
  const [coding] = objectsOf(memberIn(concept, 'coding'));
  return textIn(memberIn(concept, 'text')) ?? textIn(coding?.['display']);
}

function nameOf(patient: Json): string | undefined {
  const names = objectsOf(patient['name']);
  const name = names.find((candidate) => candidate['use'] === 'official') ?? names[0];
  if (name === undefined) return undefined;
  const given = Array.isArray(name['given']) ? name['given'] : [];
  const parts = [...given, name['family']].filter((part) => typeof part === 'string');
  return textIn(name['text']) ?? (parts.length === 0 ? undefined : parts.join(' '));
}

function decodeForm(binary: Json): unknown[] {
  const { data } = binary;
  if (binary['contentType'] !== 'application/json' || typeof data !== 'string') return [];
  try {
    const form: unknown = JSON.parse(Buffer.from(data, 'base64').toString('utf8'));
    return [form];
  } catch {
    return [];
  }
}

/** Returns the id of a reference `Type/id` or `https://…/Type/id`. */
export function idIn(reference: unknown, type: string): string | undefined {
  const text = textIn(memberIn(reference, 'reference'));
  return text === undefined
    ? undefined
    : new RegExp(`^(?:https?://\\S+/)?${type}/([A-Za-z0-9\\-.]{1,64})$`).exec(text)?.[1];
}

export function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
