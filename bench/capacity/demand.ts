// What people do: assumptions about a region's year, each with its reason. The acts of an hour at the peak follow.
import type { Act } from './costs.ts';

/** Acts of a year for each patient who is registered. */
export const ACTS_A_YEAR: Readonly<Record<Act, { readonly count: number; readonly why: string }>> = {
  read: { count: 120, why: 'staff open a patient 20 times, with 4 reads each; systems of providers read 40 times' },
  search: { count: 160, why: 'a screen with values or plans asks 5 to 8 such questions' },
  page: { count: 20, why: 'lists and searches by name' },
  create: { count: 60, why: 'an observation a week, and statuses, answers to forms, notifications' },
  update: { count: 12, why: 'plans, requests and consents change' },
  bundle: { count: 2, why: 'systems of providers send results in bundles of 20' },
  finalize: { count: 3, why: 'a plan of care leads to three requests a year' },
  push: { count: 12, why: 'each request goes to one or two providers, with two messages after it' },
  signIn: { count: 8, why: 'four of the patient, and staff on each of 220 days for 55 patients' },
};

/** Days on which most of the work is done. */
const WORKING_DAYS = 250;
/** The share of a day's acts that the busiest hour has. */
const PEAK_HOUR = 0.18;
/** How much busier the busiest minutes of that hour are. */
const BURST = 2;

/** Acts a second in the busiest minutes. */
export function peakRate(act: Act, patients: number): number {
  return (((ACTS_A_YEAR[act].count * patients) / WORKING_DAYS) * PEAK_HOUR * BURST) / 3_600;
}
