// Generated plans and requests, with their authors and performers: the same in every run.

import { DAY_MS } from '#lib/clock.ts';
import { chance, FIRST_DAY, guidOf, pick } from './random.ts';

export const REQUESTS_PER_PATIENT = 3;
/** Patients for each practitioner, and practitioners for each organisation. */
const PATIENTS_EACH = 100;
const PRACTITIONERS_EACH = 100;

type Json = Readonly<Record<string, unknown>>;

const ACTIVITIES = [
  { code: '229065009', text: 'Exercise therapy' },
  { code: '386463000', text: 'Prescribed activity' },
  { code: '409073007', text: 'Education' },
  { code: '171207006', text: 'Depression screening' },
  { code: '225343006', text: 'Smoking cessation education' },
] as const;
const UNITS = ['Vårdcentralen', 'Rehabkliniken', 'Hälsocentralen', 'Fysioteket'];
const PLAN_TITLES = ['Återhämtning', 'Mer rörelse', 'Bättre sömn', 'Rökstopp', 'Lägre blodtryck'];

export function practitionersOf(patients: number): number {
  return Math.ceil(patients / PATIENTS_EACH);
}

export function organisationsOf(patients: number): number {
  return Math.ceil(practitionersOf(patients) / PRACTITIONERS_EACH);
}

/** The practitioner who treats a patient. */
export function practitionerOfPatient(patient: number): number {
  return Math.floor(patient / PATIENTS_EACH);
}

export function organisationOf(index: number): Json {
  return {
    resourceType: 'Organization',
    active: true,
    identifier: [{ system: 'https://example.org/hsa', value: `SE-ORG-${index}` }],
    name: `${pick(UNITS, index, 21)} ${index}`,
  };
}

/** A name that no other begins with. */
export function practitionerFamily(index: number): string {
  return `Doktor${String(index).padStart(6, '0')}`;
}

export function practitionerOf(index: number): Json {
  return {
    resourceType: 'Practitioner',
    active: true,
    identifier: [{ system: 'https://example.org/hsa', value: `SE-P-${index}` }],
    name: [{ use: 'official', family: practitionerFamily(index), given: ['Alva'] }],
  };
}

/** The plan of a patient: one each. */
export function carePlanOf(patient: number): Json {
  const from = FIRST_DAY + Math.floor(chance(patient, 22) * 2_000) * DAY_MS;
  const practitioner = practitionerOfPatient(patient);
  return {
    resourceType: 'CarePlan',
    identifier: [{ system: 'https://example.org/plans', value: `PLAN-${patient}` }],
    status: chance(patient, 23) < 0.7 ? 'active' : 'completed',
    intent: 'plan',
    title: pick(PLAN_TITLES, patient, 24),
    subject: { reference: `Patient/${guidOf('patient', patient)}` },
    period: { start: day(from), end: day(from + 90 * DAY_MS) },
    created: day(from),
    custodian: { reference: `Practitioner/${guidOf('practitioner', practitioner)}` },
    activity: Array.from({ length: REQUESTS_PER_PATIENT }, (_, nth) => ({
      plannedActivityReference: {
        reference: `ServiceRequest/${guidOf('request', patient * REQUESTS_PER_PATIENT + nth)}`,
      },
    })),
  };
}

/** The code of the n-th request. */
export function activityOf(index: number): string {
  return pick(ACTIVITIES, index, 25).code;
}

export function requestOf(index: number): Json {
  const patient = Math.floor(index / REQUESTS_PER_PATIENT);
  const practitioner = practitionerOfPatient(patient);
  const { code, text } = pick(ACTIVITIES, index, 25);
  return {
    resourceType: 'ServiceRequest',
    identifier: [{ system: 'https://example.org/requests', value: `REQ-${index}` }],
    basedOn: [{ reference: `CarePlan/${guidOf('plan', patient)}` }],
    status: pick(['active', 'active', 'completed', 'on-hold'], index, 26),
    intent: 'order',
    priority: 'routine',
    code: { concept: { coding: [{ system: 'http://snomed.info/sct', code, display: text }], text } },
    subject: { reference: `Patient/${guidOf('patient', patient)}` },
    authoredOn: new Date(FIRST_DAY + Math.floor(chance(index, 27) * 2_000 * 24) * 3_600_000).toISOString(),
    requester: { reference: `Practitioner/${guidOf('practitioner', practitioner)}` },
    performer: [{ reference: `Organization/${guidOf('organisation', Math.floor(practitioner / PRACTITIONERS_EACH))}` }],
  };
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
