// What the receipt page shows of a pushed bundle (decisions D6, D13): the service that is requested and, after
// acceptance, the patient. Pure; absent elements are left out.
import { numberText } from '#fhir/forms/values.ts';
import { textIn } from '#fhir/json/members.ts';
import { type FhirObject, objectOf, objectsOf, parseObject, textsOf } from '#fhir/json/objects.ts';
import { containedPlan } from '#fhir/plans/measures.ts';
import { resolvePlan } from '#fhir/plans/plan-snapshot.ts';
import { type Requester, requesterOf } from '#fhir/reports/requester.ts';
import { isPersonSystem } from '#fhir/search/extract/named-patients.ts';
import { defineTextTask } from '../../shared/text-tasks.ts';
import { formsIn, type OfferedForm } from '../answers/form-task.ts';

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
  readonly requester: Requester;
  readonly goals: readonly AskedGoal[];
  /** How often and when, as `Timing.repeat` of each activity that says so. */
  readonly timing: readonly AskedTiming[];
  readonly measures: readonly AskedMeasure[];
}

export interface AskedGoal {
  readonly text: string;
  /** Its targets, such as `80.5 kg`. */
  readonly targets: readonly string[];
}

export interface AskedTiming {
  readonly title: string | undefined;
  /** `Timing.repeat`, and the words of `Timing.code`. */
  readonly repeat: FhirObject;
  readonly words: string | undefined;
}

export interface AskedMeasure {
  readonly title: string;
  readonly unit: string | undefined;
  readonly timing: FhirObject | undefined;
  readonly isRequired: boolean;
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
  /** The forms that are filled in at the page. */
  readonly forms: readonly OfferedForm[];
}

/** @throws SyntaxError for anything but a JSON text */
export function readPageContent(text: string): PageContent {
  const bundle = parseObject(text);
  const entries = objectsOf(bundle['entry']);
  const resources = objectsOf(entries.map(({ resource }) => resource));
  const request = ofType(resources, 'ServiceRequest')[0] ?? {};
  return {
    askedFor: askedFor(request),
    patient: contactOf(ofType(resources, 'Patient')[0] ?? {}, request),
    forms: formsIn(bundle),
  };
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
    title: textIn(concept?.['text']) ?? textIn(plan?.['title']) ?? textIn(ofType(contained, 'CarePlan')[0]?.['title']),
    priority: textIn(request['priority']),
    from: period.from,
    until: period.until,
    activities: titlesOf(objectsOf(plan?.['action'])),
    forms: titlesOf(ofType(contained, 'Questionnaire')),
    requester: requesterOf(request),
    ...planPart(request),
  };
}

function planPart(request: FhirObject): Pick<RequestedService, 'goals' | 'timing' | 'measures'> {
  const plan = containedPlan(request);
  if (plan === undefined) return { goals: [], timing: [], measures: [] };
  const { activities, goals, transactions } = resolvePlan(plan);
  return {
    goals: goals.map(({ description = '', targets }) => ({ text: description, targets: targets.flatMap(targetText) })),
    timing: activities.flatMap(({ title, timing }) => (timing === undefined ? [] : [timingOf(title, timing)])),
    measures: transactions.map(({ title, concept, transaction_id: id, unit, timing, required }) => ({
      title: title ?? concept?.display ?? id,
      unit: unit?.display ?? unit?.code,
      timing: objectOf(timing?.['repeat']),
      isRequired: required === true,
    })),
  };
}

function timingOf(title: string | undefined, timing: FhirObject): AskedTiming {
  const code = objectOf(timing['code']);
  const words = textIn(code?.['text']) ?? textIn(objectsOf(code?.['coding'])[0]?.['display']);
  return { title, repeat: objectOf(timing['repeat']) ?? {}, words };
}

/** `< 80.5 kg`, `60–80 kg`, or the words of a coded target. */
function targetText(target: FhirObject): string[] {
  const quantity = objectOf(target['detailQuantity']);
  if (quantity !== undefined) return [quantityText(quantity)];
  const range = objectOf(target['detailRange']);
  if (range !== undefined) {
    const [low, high] = [objectOf(range['low']), objectOf(range['high'])];
    const isOneUnit = low !== undefined && high !== undefined && unitOf(low) === unitOf(high);
    const ends = [isOneUnit ? { value: low['value'] } : low, high].map((end) =>
      end === undefined ? '' : quantityText(end),
    );
    return [ends.join('–')];
  }
  const concept = objectOf(target['detailCodeableConcept']);
  const words = textIn(concept?.['text']) ?? textIn(objectsOf(concept?.['coding'])[0]?.['display']);
  return texts([words ?? textIn(target['detailString'])]);
}

/** Comparators of FHIR as people write them; `ad` (enough to reach the value) has no sign. */
const SIGNS = new Map([
  ['<', '<'],
  ['<=', '≤'],
  ['>=', '≥'],
  ['>', '>'],
]);

function quantityText(quantity: FhirObject): string {
  const { comparator, value } = quantity;
  const number = value === undefined ? undefined : numberText(value);
  return texts([SIGNS.get(textIn(comparator) ?? ''), number, unitOf(quantity)]).join(' ');
}

function unitOf({ unit, code }: FhirObject): string | undefined {
  return textIn(unit) ?? textIn(code);
}

function periodOf(request: FhirObject): { from: string | undefined; until: string | undefined } {
  const moment = textIn(request['occurrenceDateTime']);
  if (moment !== undefined) return { from: moment, until: undefined };
  const bounds = objectOf(objectOf(request['occurrenceTiming'])?.['repeat'])?.['boundsPeriod'];
  const period = objectOf(request['occurrencePeriod']) ?? objectOf(bounds);
  return { from: textIn(period?.['start']), until: textIn(period?.['end']) };
}

function contactOf(patient: FhirObject, request: FhirObject): PatientContact {
  const names = objectsOf(patient['name']);
  const name = names.find(({ use }) => use === 'official') ?? names[0];
  return {
    name: textIn(name?.['text']) ?? joined([...textsOf(name?.['given']), textIn(name?.['family'])], ' '),
    birthDate: textIn(patient['birthDate']),
    identifiers: texts(objectsOf(patient['identifier']).map(identifierText)),
    contacts: texts(objectsOf(patient['telecom']).map(({ value }) => textIn(value))),
    addresses: texts(objectsOf(patient['address']).map(addressText)),
    notes: texts(objectsOf(request['note']).map(({ text }) => textIn(text))),
  };
}

/** A Swedish number as it is written in Sweden: `19121212-1212`. */
function identifierText({ system, value }: FhirObject): string | undefined {
  const text = textIn(value);
  return isPersonSystem(system) && /^\d{12}$/.test(text ?? '') ? text?.replace(/(?=\d{4}$)/, '-') : text;
}

function addressText(address: FhirObject): string | undefined {
  const town = joined([textIn(address['postalCode']), textIn(address['city'])], ' ');
  return textIn(address['text']) ?? joined([...textsOf(address['line']), town], ', ');
}

function titlesOf(resources: readonly FhirObject[]): string[] {
  return texts(resources.map(({ title }) => textIn(title)));
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
