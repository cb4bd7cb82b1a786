// How many resources of each type a benchmark's size means, and an iterator over all of them.

import { LOCATIONS, locationOf, OBSERVATIONS_PER_PATIENT, observationOf, patientOf } from './people.ts';
import {
  carePlanOf,
  organisationOf,
  organisationsOf,
  practitionerOf,
  practitionersOf,
  REQUESTS_PER_PATIENT,
  requestOf,
} from './plans.ts';
import { guidOf, type Kind } from './random.ts';

export interface MadeUp {
  readonly id: string;
  /** Belongs to nobody. */
  readonly isOpen: boolean;
  readonly resource: Readonly<Record<string, unknown>>;
}

interface Part {
  readonly kind: Kind;
  readonly count: number;
  readonly make: (index: number) => Readonly<Record<string, unknown>>;
}

/**
 * A tenth of all are patients: one million is 100,000 patients, 500,000 observations, 100,000 plans, 300,000 requests.
 */
export function patientsOf(size: number): number {
  return Math.max(1, Math.floor(size / BULK_KINDS));
}

function partsOf(patients: number): Part[] {
  return [
    { kind: 'organisation', count: organisationsOf(patients), make: organisationOf },
    { kind: 'practitioner', count: practitionersOf(patients), make: practitionerOf },
    { kind: 'location', count: Math.min(LOCATIONS, patients), make: locationOf },
    { kind: 'patient', count: patients, make: patientOf },
    {
      kind: 'observation',
      count: patients * OBSERVATIONS_PER_PATIENT,
      make: (index) => observationOf(index, Math.floor(index / OBSERVATIONS_PER_PATIENT)),
    },
    { kind: 'plan', count: patients, make: carePlanOf },
    { kind: 'request', count: patients * REQUESTS_PER_PATIENT, make: requestOf },
  ];
}

export function countOf(patients: number): number {
  return partsOf(patients).reduce((sum, { count }) => sum + count, 0);
}

/** So many resources belong to each patient, the Patient included. */
export const BULK_KINDS = 1 + OBSERVATIONS_PER_PATIENT + 1 + REQUESTS_PER_PATIENT;

/** So many patients from a number on, and what belongs to them, each with its id as its last element. */
export function* bulkOf(patients: number, from: number): Generator<Readonly<Record<string, unknown>>> {
  for (const { kind, count, make } of partsOf(patients).filter(({ kind: each }) => OF_PATIENTS.has(each))) {
    const first = from * (count / patients);
    for (let index = first; index < first + count; index += 1) yield { ...make(index), id: guidOf(kind, index) };
  }
}
const OF_PATIENTS = new Set<Kind>(['patient', 'observation', 'plan', 'request']);

/** Everything there is for so many patients. */
export function* allOf(patients: number): Generator<MadeUp> {
  for (const { kind, count, make } of partsOf(patients)) {
    for (let index = 0; index < count; index += 1) {
      const id = guidOf(kind, index);
      yield { id, isOpen: kind === 'location', resource: { ...make(index), id } };
    }
  }
}
