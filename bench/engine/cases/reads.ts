// Cases of reads and searches of patients and their observations.

import { DAY_MS } from '#lib/clock.ts';
import type { SentRequest } from '../../load/load.ts';
import { beginningsOf, codeOf, familyOf, identifierOf, LOCATIONS } from '../people.ts';
import { guidOf } from '../random.ts';
import { BARE_TEXTS, BASE, bareNumbersOf, bareReads, type Case, type CaseContext, numbersOf } from './case.ts';

const PAGE = 20;

export function readCases({ patients, headers }: CaseContext): Case[] {
  const numbers = numbersOf(patients);
  const get = (targetOf: (number: number, place: number) => string) => {
    const requests = numbers.map((number, place) => ({ target: BASE + targetOf(number, place), headers }));
    return () => requests;
  };
  const neighbours = (kind: 'patient' | 'location') =>
    Array.from({ length: Math.min(patients, LOCATIONS) }, (_, n) => {
      const type = kind === 'patient' ? 'Patient' : 'Location';
      return { target: `${BASE}/${type}/${guidOf(kind, n)}`, headers };
    });
  const bareRead = bareReads(patients);
  const pages = barePages(patients);
  const beginnings = beginningsOf(patients);
  const patientPath = (number: number) => `/Patient/${guidOf('patient', number)}`;
  return [
    {
      // What the audit record costs: reads of places are not recorded, because a place is no patient's data. As many of
      // both, that lie side by side.
      name: 'read, recorded beside not recorded',
      kind: 'rate',
      must: 0.85,
      beside: 'service',
      ours: () => neighbours('patient'),
      bare: neighbours('location'),
    },
    { name: 'read', kind: 'rate', must: 0.6, p99: 8, ours: get(patientPath), bare: bareRead },
    {
      name: 'vread',
      kind: 'rate',
      must: 0.6,
      p99: 8,
      ours: get((n) => `${patientPath(n)}/_history/1`),
      bare: bareRead,
    },
    {
      name: 'search by identifier',
      kind: 'rate',
      must: 0.45,
      ours: get((n) => `/Patient?identifier=https://example.org/mrn|${identifierOf(n)}`),
      bare: bareRead,
    },
    {
      name: 'search by a family name',
      kind: 'rate',
      // Hardly two share a name in ten thousand resources, five in a million.
      isGrowing: true,
      ours: get((n) => `/Patient?family=${encodeURIComponent(familyOf(n))}&_count=${PAGE}`),
      bare: pages,
    },
    {
      name: 'search by family, page of 20',
      kind: 'rate',
      must: 0.45,
      detail: `${Math.round(average(beginnings.map(({ found }) => found)))} found on average`,
      ours: get((_, place) => `/Patient?family=${encodeURIComponent(at(beginnings, place).text)}&_count=${PAGE}`),
      bare: pages,
    },
    {
      name: 'Observation by subject and code',
      kind: 'rate',
      must: 0.4,
      ours: get((n) => `/Observation?subject=${patientPath(n).slice(1)}&code=http://loinc.org|${codeOf(n)}`),
      bare: bareRead,
    },
    {
      name: 'by code and dates, sorted, page of 20',
      kind: 'rate',
      must: 0.4,
      ours: get(
        (n) => `/Observation?code=http://loinc.org|${codeOf(n)}&${spanOf(n, patients)}&_sort=-date&_count=${PAGE}`,
      ),
      bare: pages,
    },
    {
      name: 'by code and a month, sorted, page of 20',
      kind: 'rate',
      isGrowing: true,
      ours: get(
        (n) => `/Observation?code=http://loinc.org|${codeOf(n)}&${spanOf(n, MONTH_OF)}&_sort=-date&_count=${PAGE}`,
      ),
      bare: pages,
    },
  ];
}

function at<T>(list: readonly T[], place: number): T {
  const found = list[place % list.length];
  if (found === undefined) throw new Error('Nothing to take turns with');
  return found;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** So many patients have about 16 observations of a code in a month. */
const MONTH_OF = 1_000;

/** From the first of March on, shorter the more patients there are: about the same number of observations. */
function spanOf(number: number, patients: number): string {
  const from = Date.UTC(2020 + (number % 5), 2, 1);
  const until = from + Math.floor((31 * DAY_MS * MONTH_OF) / Math.max(MONTH_OF, patients));
  return `date=ge${momentOf(from)}&date=lt${momentOf(until)}`;
}

function momentOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

function barePages(patients: number): SentRequest[] {
  return bareNumbersOf(patients).map((number) => {
    const ids = Array.from({ length: PAGE }, (_, offset) =>
      guidOf('patient', (number + offset * 7) % Math.min(patients, BARE_TEXTS)),
    );
    return { target: `/page?ids=${ids.join(',')}` };
  });
}
