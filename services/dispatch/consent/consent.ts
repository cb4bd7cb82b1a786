// The elements of an R5 Consent that the consent gate reads (hl7.org/fhir/R5/consent.html), and the gate's input.
import type { Calendar } from '#fhir/primitives/calendar.ts';
import type { Certainty } from './certainty.ts';

export interface Coding {
  readonly system?: string;
  readonly code?: string;
}

export interface CodeableConcept {
  readonly coding?: readonly Coding[];
}

export interface Reference {
  readonly reference?: string;
  readonly identifier?: { readonly value?: string };
}

/** A bound without a value has a sibling element that says why (hl7.org/fhir/R5/json.html#primitive). */
export interface DatePeriod {
  readonly start?: string;
  readonly end?: string;
  readonly _start?: unknown;
  readonly _end?: unknown;
}

export interface Provision {
  readonly period?: DatePeriod;
  readonly actor?: readonly {
    readonly role?: CodeableConcept;
    readonly reference?: Reference;
    readonly modifierExtension?: unknown;
  }[];
  readonly action?: readonly CodeableConcept[];
  readonly purpose?: readonly Coding[];
  readonly resourceType?: readonly Coding[];
  readonly securityLabel?: unknown;
  readonly documentType?: unknown;
  readonly code?: unknown;
  readonly dataPeriod?: unknown;
  readonly data?: unknown;
  readonly expression?: unknown;
  readonly modifierExtension?: unknown;
  readonly provision?: readonly Provision[];
}

export interface Consent {
  readonly id: string;
  readonly status: string;
  readonly period?: DatePeriod;
  readonly grantee?: readonly Reference[];
  readonly decision?: string;
  readonly provision?: readonly Provision[];
  readonly implicitRules?: unknown;
  readonly modifierExtension?: unknown;
}

/** All consents that concern one patient. */
export interface PatientConsents {
  /** Consents about the patient's own record and about those that it names as the same person; of any status. */
  readonly consents: readonly Consent[];
  /** Consents about records that name this one as the same person. They count only as denials or as not evaluable. */
  readonly objections: readonly Consent[];
  /** False when a record of the same person could not be read: it might have a denial. */
  readonly isComplete: boolean;
}

/** The question: may data of one patient go to one organisation, for treatment, at one moment? */
export interface ConsentQuestion {
  readonly recipient: Recipient;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** In the time zone of dates without one. */
  readonly calendar: Calendar;
}

/** The organisation that would receive the data, by every guid that stands for it. */
export interface Recipient {
  /** Its own guid and those of all organisations above it. */
  readonly guids: ReadonlySet<string>;
  /** False when not all organisations above it could be read: it may then belong to any other organisation too. */
  readonly isComplete: boolean;
}

export type ConsentPolicy = 'required' | 'implied';

export type ConsentDecision =
  | { readonly permitted: true; readonly basis: 'consent' | 'implied'; readonly consentIds: readonly string[] }
  | {
      readonly permitted: false;
      readonly reason: 'denied' | 'cannot_be_evaluated' | 'no_consent';
      readonly consentIds: readonly string[];
    };

export type Verdict = 'permit' | 'deny' | 'not_applicable' | Extract<Certainty, 'unknown'>;
