// What the receipt page shows of a pushed bundle (decisions D6, D13): the service that is requested and, after
// acceptance, the patient. Pure; absent elements are left out.
import { type FhirObject, objectOf, objectsOf, textOf, textsOf } from '../../shared/json.ts';
import { defineTextTask } from '../../shared/text-tasks.ts';

/** What a provider needs to decide. It does not identify the patient. */
export interface RequestedService {
  readonly title: string | undefined;
  /** A FHIR code: routine, urgent, asap, stat. */
  readonly priority: string | undefined;
  /** FHIR dates or date-times. */
  readonly from: string | undefined;
  readonly until: string | undefined;
  /** The titles of the plan's activities and of the forms. */
  readonly activities: readonly string[];
  readonly forms: readonly string[];
}

/** What a provider needs to do the work. */
export interface PatientContact {
  readonly name: string | undefined;
  readonly birthDate: string | undefined;
  readonly identifiers: readonly string[];
  readonly contacts: readonly string[];
  readonly addresses: readonly string[];
  readonly notes: readonly string[];
}

export interface PageContent {
  readonly askedFor: RequestedService;
  readonly patient: PatientContact;
}

/** @throws SyntaxError for anything but a JSON text */
export function readPageContent(bundle: string): PageContent {
  const entries = objectsOf(objectOf(JSON.parse(bundle))?.['entry']);
  const resources = objectsOf(entries.map(({ resource }) => resource));
  const request = ofType(resources, 'ServiceRequest')[0] ?? {};
  return { askedFor: askedFor(request), patient: contactOf(ofType(resources, 'Patient')[0] ?? {}, request) };
}

export const PAGE_CONTENT = defineTextTask('page-content', ({ bundle }: { readonly bundle: string }) =>
  readPageContent(bundle),
);

function askedFor(request: FhirObject): RequestedService {
  const contained = objectsOf(request['contained']);
  const concept = objectOf(objectOf(request['code'])?.['concept']);
  const plan = contained.find(({ id }) => id === 'plan');
  const period = periodOf(request);
  return {
    title: textOf(concept?.['text']) ?? textOf(plan?.['title']) ?? textOf(ofType(contained, 'CarePlan')[0]?.['title']),
    priority: textOf(request['priority']),
    from: period.from,
    until: period.until,
    activities: titlesOf(objectsOf(plan?.['action'])),
    forms: titlesOf(ofType(contained, 'Questionnaire')),
  };
}

function periodOf(request: FhirObject): { from: string | undefined; until: string | undefined } {
  const moment = textOf(request['occurrenceDateTime']);
  if (moment !== undefined) return { from: moment, until: undefined };
  const bounds = objectOf(objectOf(request['occurrenceTiming'])?.['repeat'])?.['boundsPeriod'];
  const period = objectOf(request['occurrencePeriod']) ?? objectOf(bounds);
  return { from: textOf(period?.['start']), until: textOf(period?.['end']) };
}

function contactOf(patient: FhirObject, request: FhirObject): PatientContact {
  const names = objectsOf(patient['name']);
  const name = names.find(({ use }) => use === 'official') ?? names[0];
  return {
    name: textOf(name?.['text']) ?? joined([...textsOf(name?.['given']), textOf(name?.['family'])], ' '),
    birthDate: textOf(patient['birthDate']),
    identifiers: texts(objectsOf(patient['identifier']).map(({ value }) => textOf(value))),
    contacts: texts(objectsOf(patient['telecom']).map(({ value }) => textOf(value))),
    addresses: texts(objectsOf(patient['address']).map(addressText)),
    notes: texts(objectsOf(request['note']).map(({ text }) => textOf(text))),
  };
}

function addressText(address: FhirObject): string | undefined {
  const town = joined([textOf(address['postalCode']), textOf(address['city'])], ' ');
  return textOf(address['text']) ?? joined([...textsOf(address['line']), town], ', ');
}

function titlesOf(resources: readonly FhirObject[]): string[] {
  return texts(resources.map(({ title }) => textOf(title)));
}

function ofType(resources: readonly FhirObject[], type: string): FhirObject[] {
  return resources.filter(({ resourceType }) => resourceType === type);
}

function joined(parts: readonly (string | undefined)[], between: string): string | undefined {
  return texts(parts).join(between) || undefined;
}

function texts(parts: readonly (string | undefined)[]): string[] {
  return parts.filter((part) => part !== undefined);
}
